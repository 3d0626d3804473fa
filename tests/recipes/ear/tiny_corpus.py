"""A corpus of buzzing voices that fits into a test, and weights under CAM++'s names that were never trained."""

import csv
import itertools
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import torch
from safetensors.torch import save_file
from torch import Tensor

from recipes.ear.augment import AugmentSettings, Rows
from recipes.ear.data import SOUND_SETS
from recipes.ear.labels import Labels, label_tensors
from recipes.ear.network import from_campplus
from recipes.ear.rows import Corpus, load_corpus, make_rows

RATE = 16_000
COLUMNS = ("file", "speaker", "sex", "age", "language", "emotion", "intensity", "text", "split")
EMOTIONS = {
    "ravdess": ("neutral", "happy", "sad"),
    "emodb": ("neutral", "angry", "boredom"),
    "csemotions": ("happy", "sad", "playful"),
    "nemo": ("neutral", "angry", "fear"),
}
LANGUAGES = {"ravdess": "en", "emodb": "de", "csemotions": "zh", "nemo": "pl"}
SPEAKERS = (("a", "male", "train"), ("b", "female", "train"), ("c", "male", "dev"), ("d", "female", "test"))
RAVDESS_NUMBERS = {"neutral": "01", "happy": "03", "sad": "04"}
READERS = (("a", "male", "7", "train"), ("b", "female", "30", "train"), ("c", "male", "9", "dev"))
"""Who reads aloud: two children and a woman."""
BURSTS = {"000001-02-1.wav": "train", "000001-22-1.wav": "train", "000001-01-1.wav": "train", "000002-24-1.wav": "dev"}
"""Laughter, a sigh, adoration (which has no sound), and crying, which is not in ``train``."""


def buzz(seconds: float, *, hertz: float, seed: int) -> npt.NDArray[np.float64]:
    """Twenty harmonics that fall by 6 dB an octave, with a little noise."""
    time = np.arange(int(seconds * RATE)) / RATE
    harmonics = [np.sin(2 * np.pi * hertz * k * time) / k for k in range(1, 21)]
    noise = np.random.default_rng(seed).normal(scale=0.01, size=time.size)
    wave: npt.NDArray[np.float64] = 0.1 * np.sum(harmonics, axis=0) + 0.1 * noise
    return wave


def labels_of(name: str) -> list[dict[str, str]]:
    """The table of a set: four speakers, three emotions, and in RAVDESS two intensities."""
    rows = []
    for (letter, sex, split), emotion in itertools.product(SPEAKERS, EMOTIONS[name]):
        strengths = ("normal", "strong") if name == "ravdess" and emotion != "neutral" else ("normal",)
        for strength in strengths:
            code = f"03-01-{RAVDESS_NUMBERS[emotion]}-0{1 + (strength == 'strong')}" if name == "ravdess" else emotion
            rows.append(
                {
                    "file": f"{code}-{letter}.wav",
                    "speaker": name + letter,
                    "sex": sex,
                    "age": "",
                    "language": LANGUAGES[name],
                    "emotion": emotion,
                    "intensity": strength if name == "ravdess" else "",
                    "text": "",
                    "split": split,
                }
            )
    return rows


def plain_labels(name: str) -> list[dict[str, str]]:
    """The table of a set of speech without emotions: people who read, or machines."""
    blank = dict.fromkeys(COLUMNS, "") | {"language": "en"}
    if name == "speechocean":
        return [
            blank | {"file": f"{letter}.wav", "speaker": f"so{letter}", "sex": sex, "age": age, "split": split}
            for letter, sex, age, split in READERS
        ]
    return [blank | {"file": f"{split}.wav", "speaker": f"kal-{split}", "split": split} for split in ("train", "dev")]


def sound_labels(name: str) -> list[dict[str, str]]:
    """The table of a set of sounds: two that voices make and one that is noise, or bursts without words."""
    blank = dict.fromkeys(COLUMNS, "")
    if name == "emogator":
        return [
            blank | {"file": file, "speaker": f"emogator{file[:6]}", "emotion": "happy", "split": split}
            for file, split in BURSTS.items()
        ]
    return [
        blank | {"file": f"{sound}-{split}.wav", "speaker": split, "emotion": sound, "split": split}
        for sound, split in itertools.product(("coughing", "laughing", "rain"), ("train", "test"))
    ]


TABLES = (
    {name: labels_of(name) for name in EMOTIONS}
    | {name: plain_labels(name) for name in ("speechocean", "synthetic")}
    | {name: sound_labels(name) for name in ("esc50", "emogator")}
)
"""By set, its table."""


def write_data(data: Path) -> None:
    """All sets with their tables: every voice has its pitch, every emotion its shift of it."""
    for number, (name, rows) in enumerate(TABLES.items()):
        (data / name).mkdir(parents=True)
        with (data / name / "labels.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(rows)
        for place, row in enumerate(rows):
            base = 180.0 if row["sex"] == "female" else 110.0
            hertz = base * (1 + 0.1 * place) + 7 * number
            soundfile.write(data / name / row["file"], buzz(0.9 + 0.05 * place, hertz=hertz, seed=place), RATE)


def write_pack(pack: Path) -> None:
    """A prepared folder with the clips in it: they speak from 0.1 s to 0.7 s, the sounds never."""
    write_data(pack)
    with (pack / "index.jsonl").open("w", encoding="utf-8") as index:
        for name, rows in TABLES.items():
            spans: list[list[float]] = [] if name in SOUND_SETS else [[0.1, 0.7]]
            for row in rows:
                index.write(json.dumps({**row, "set": name, "speech": spans}) + "\n")
    (pack / "music").mkdir()
    for number in range(2):
        soundfile.write(pack / "music" / f"{number}.ogg", buzz(2.0, hertz=300.0, seed=number), RATE, subtype="OPUS")
    rooms = np.zeros((2, RATE), dtype=np.float16)
    rooms[:, 0], rooms[:, 4000] = 0.8, 0.6
    np.savez_compressed(pack / "rooms.npz", near=rooms, far=rooms)


def campplus(seed: int = 0) -> dict[str, Tensor]:
    """Random weights under the names and in the shapes of 3D-Speaker's CAM++, the parts that are not used included."""
    draw = torch.Generator().manual_seed(seed)
    weights: dict[str, Tensor] = {}

    def conv(name: str, *shape: int, bias: bool = False) -> None:
        inputs = float(np.prod(shape[1:]))
        weights[f"{name}.weight"] = torch.randn(*shape, generator=draw) * (2 / inputs) ** 0.5
        if bias:
            weights[f"{name}.bias"] = torch.zeros(shape[0])

    def norm(name: str, width: int) -> None:
        weights[f"{name}.weight"] = torch.ones(width)
        weights[f"{name}.bias"] = 0.1 * torch.randn(width, generator=draw)
        weights[f"{name}.running_mean"] = torch.zeros(width)
        weights[f"{name}.running_var"] = torch.ones(width)
        weights[f"{name}.num_batches_tracked"] = torch.tensor(1)

    for number, channels in ((1, 1), (2, 32)):
        conv(f"head.conv{number}", 32, channels, 3, 3)
        norm(f"head.bn{number}", 32)
    for layer, place in itertools.product((1, 2), (0, 1)):
        for number in (1, 2):
            conv(f"head.layer{layer}.{place}.conv{number}", 32, 32, 3, 3)
            norm(f"head.layer{layer}.{place}.bn{number}", 32)
        if place == 0:
            conv(f"head.layer{layer}.0.shortcut.0", 32, 32, 1, 1)
            norm(f"head.layer{layer}.0.shortcut.1", 32)
    conv("xvector.tdnn.linear", 128, 320, 5)
    norm("xvector.tdnn.nonlinear.batchnorm", 128)
    for block, count, width in ((1, 12, 128), (2, 24, 256), (3, 1, 512)):
        for index in range(count):
            layer_name = f"xvector.block{block}.tdnnd{index + 1}"
            norm(f"{layer_name}.nonlinear1.batchnorm", width + 32 * index)
            conv(f"{layer_name}.linear1", 128, width + 32 * index, 1)
            norm(f"{layer_name}.nonlinear2.batchnorm", 128)
            conv(f"{layer_name}.cam_layer.linear_local", 32, 128, 3)
            conv(f"{layer_name}.cam_layer.linear1", 64, 128, 1, bias=True)
            conv(f"{layer_name}.cam_layer.linear2", 32, 64, 1, bias=True)
    norm("xvector.transit1.nonlinear.batchnorm", 512)
    conv("xvector.transit1.linear", 256, 512, 1)
    conv("xvector.dense.linear", 192, 1024, 1)
    return weights


@dataclass(frozen=True)
class Tiny:
    """The pack, the weights to begin with, and all that is made of them."""

    pack: Path
    start: Path
    corpus: Corpus
    labels: Labels
    rows: Rows


CPU = torch.device("cpu")
SHORT = AugmentSettings(seconds=1.0, condition=0.8, event=0.3, music=0.3, strange=0.2, warp=0.03)
"""Rows of a second, with more of everything than in earnest, but warped so little that voices keep their size."""


def make_tiny(folder: Path) -> Tiny:
    """The tiny corpus, loaded, with 40 rows."""
    torch.set_num_threads(1)
    write_pack(folder / "pack")
    start = save_start(folder / "start.safetensors")
    corpus = load_corpus(folder / "pack", workers=1)
    labels = label_tensors(corpus.clips, corpus.sounds)
    everything = np.arange(len(corpus.clips))
    rows = make_rows(
        corpus, labels, SHORT, which=everything, count=40, sound_share=0.2, sounds=SOUND_SETS, start=start, device=CPU
    )
    return Tiny(folder / "pack", start, corpus, labels, rows)


def save_start(path: Path) -> Path:
    """The random weights as a file to begin with."""
    save_file({name: value.half() for name, value in from_campplus(campplus()).items()}, path)
    return path
