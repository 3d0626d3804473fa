"""Training data of the ear: labelled folders of clips, and the index of them in a pack.

A data folder holds a folder for each set, and in it clips and a `labels.csv` with the columns file, speaker, sex, age,
language, emotion, intensity, text, split. A pack is made from it once by `python -m recipes.ear prepare`: `index.jsonl`
(labels and speech segments), `rooms.npz` and `music/`. Its `pack.json` names the data folder; without that file the
clips lie in the pack itself.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import RecordError, UsageError

SPEECH_SETS = ("ravdess", "nemo", "emodb", "csemotions")
"""Sets of acted sentences with at least six emotions; the left-out figures are of these."""
MORE_SETS = ("emospeech", "korean")
"""Sets of a few emotions each. Trained on besides, they lower recall on left-out sets of sentences, so by default they
are not (`benchmarks/README.md`)."""
EMOTION_SETS = (*SPEECH_SETS, *MORE_SETS)
READ_SET = "speechocean"
"""Read speech of children and adults, without emotions: sex and age."""
SYNTHETIC_SET = "synthetic"
"""Clean synthetic speech (`recipes.ear.synthetic_clips`): recording condition only."""
PLAIN_SETS = (READ_SET, SYNTHETIC_SET)
PERMISSIVE_SETS = ("emodb", "csemotions")
SOUND_SET = "esc50"
BURST_SET = "emogator"
"""Vocal bursts without words, free for any use."""
SOUND_SETS = (SOUND_SET, BURST_SET)
INTENSITY_SET = "ravdess"
"""The only set with labels of intensity."""
EVERYONE = ("train", "dev", "test")
"""All parts of a set."""
FOLDS = {
    "csemotions": (
        ("csemotions001", "csemotions002"),
        ("csemotions003", "csemotions004"),
        ("csemotions005", "csemotions006"),
    ),
    "emodb": (
        ("emodb03", "emodb08"),
        ("emodb09", "emodb10"),
        ("emodb11", "emodb13"),
        ("emodb12", "emodb14"),
        ("emodb15", "emodb16"),
    ),
}
"""Speakers that are held out together; in EmoDB a man and a woman each time."""
JUDGE_FOLDS = tuple(
    (*(f"ravdess{5 * fold + actor:02d}" for actor in range(1, 6)), f"csemotions{fold + 1:03d}") for fold in range(4)
)
"""All English and Mandarin training speakers, in four folds."""
STYLE_FOLDS = tuple(
    (*train, *others)
    for train, others in zip(
        JUDGE_FOLDS,
        (
            ("nemoEB0", "nemoKS0", "emodb03", "emodb08"),
            ("nemoIC0", "nemoTP0", "emodb11", "emodb09"),
            ("nemoMP0", "nemoWR0", "emodb13", "emodb12"),
            ("nemoMK0", "emodb10", "emodb14"),
        ),
        strict=True,
    )
)
"""All training speakers, in four folds."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One labelled clip; unknown labels are empty."""

    path: Path
    set: str
    speaker: str
    sex: str
    age: str
    language: str
    label: str
    intensity: str
    split: str
    speech: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """Set and file, which together are unique."""
        return f"{self.set}/{self.path.name}"


def read_pack(pack: Path) -> list[Clip]:
    """Return the clips of a pack, in the order of its index.

    Raises:
        UsageError: if there is no index.
        RecordError: if the index or `pack.json` cannot be used.
    """
    index = pack / "index.jsonl"
    if not index.is_file():
        raise UsageError(f"{index}: no such file; make the pack with `python -m recipes.ear prepare`.")
    return read_index(_data_of(pack), index)


def _data_of(pack: Path) -> Path:
    kept = pack / "pack.json"
    if not kept.is_file():
        return pack
    try:
        return Path(json.loads(kept.read_text(encoding="utf-8"))["data"])
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{kept}: names no data folder ({error}); prepare the pack again.") from error


def read_index(data: Path, index: Path) -> list[Clip]:
    """Return the clips of an index, with files under ``data/<set>/``.

    Raises:
        RecordError: if a line lacks a field.
    """
    with index.open(encoding="utf-8") as lines:
        return [_clip(data, line, f"{index}, line {number}") for number, line in enumerate(lines, start=1)]


RENAMED = {"emospeech": {"calm": "neutral"}}
"""Labels that mean something else here: the calm of everyday calls is what others call neutral."""
BURSTS = {"02": "laughing", "22": "sighing", "24": "crying", "27": "gasping", "28": "gasping"}
"""Sound by which most people express a category without words, by its number in the file's name."""


def _label(of_set: str, label: str, file: str) -> str:
    if of_set == BURST_SET:
        return BURSTS.get(file.split("-")[1], "")
    return RENAMED.get(of_set, {}).get(label, label)


def _clip(data: Path, line: str, place: str) -> Clip:
    try:
        row = json.loads(line)
        return Clip(
            path=data / row["set"] / row["file"],
            set=row["set"],
            speaker=row["speaker"],
            sex=row["sex"],
            age=row["age"],
            language=row["language"],
            label=_label(row["set"], row["emotion"], row["file"]),
            intensity=row["intensity"],
            split=row["split"],
            speech=tuple((float(start), float(end)) for start, end in row["speech"]),
        )
    except KeyError as error:
        raise RecordError(f"{place}: {error} is missing; prepare the pack again.") from error
    except (ValueError, TypeError, IndexError) as error:
        raise RecordError(f"{place}: cannot be read ({error}); prepare the pack again.") from error
