"""What the ear is trained on: labelled folders of clips, their labels as numbers, and all samples in one tensor.

A folder holds clips and a `labels.csv` with the columns file, speaker, sex, age, language, emotion, intensity, text,
split. No set carries valence, arousal and dominance per clip: they are taken from the emotion by the published means
of Russell & Mehrabian (1977, *Evidence for a three-factor theory of emotions*), moved towards neutral where a clip
is marked as spoken with normal rather than strong intensity.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import torch
from torch import Tensor

from aptone.ear.grid import RATE
from aptone.errors import RecordError
from aptone.types import Emotion

HOP = 320
"""Samples to one mark of activity: 20 ms."""
EMOTION_ORDER = tuple(Emotion)
SPEECH_SETS = ("ravdess", "nemo", "emodb", "csemotions")
PERMISSIVE_SETS = ("emodb", "csemotions")
SOUND_SET = "esc50"

RUSSELL_MEHRABIAN = {
    Emotion.NEUTRAL: (0.0, 0.0, 0.0),
    Emotion.CALM: (0.50, -0.40, 0.05),
    Emotion.HAPPY: (0.81, 0.51, 0.46),
    Emotion.SAD: (-0.63, -0.27, -0.33),
    Emotion.ANGRY: (-0.51, 0.59, 0.25),
    Emotion.FEAR: (-0.64, 0.60, -0.43),
    Emotion.DISGUST: (-0.60, 0.35, 0.11),
    Emotion.SURPRISE: (0.40, 0.67, -0.13),
    Emotion.BOREDOM: (-0.65, -0.62, -0.33),
    Emotion.PLAYFUL: (0.65, 0.43, 0.30),
}
"""Valence, arousal, dominance. Calm and playful are not on their list: calm is put near its "relaxed", playful near its "happy"."""
NORMAL_INTENSITY = 0.7
"""Share of the way from neutral that a clip of normal intensity goes."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One labelled clip; what is not known is empty."""

    path: Path
    set: str
    speaker: str
    sex: str
    language: str
    label: str
    intensity: str
    split: str
    speech: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """Set and file, which together are unique."""
        return f"{self.set}/{self.path.name}"


def write_index(data: Path, sets: Iterable[str], index: Path) -> int:
    """Find the speech in every clip once and keep it beside the labels, one JSON line a clip; how many there are."""
    from aptone.audio import find_speech, read

    count = 0
    with index.open("w", encoding="utf-8") as out:
        for name in sets:
            with (data / name / "labels.csv").open(encoding="utf-8", newline="") as labels:
                for row in csv.DictReader(labels):
                    speech = find_speech(read(data / name / row["file"], rate=RATE))
                    spans = [[round(span.start, 3), round(span.end, 3)] for span in speech]
                    out.write(json.dumps({**row, "set": name, "speech": spans}, ensure_ascii=False) + "\n")
                    count += 1
    return count


def read_index(data: Path, index: Path) -> list[Clip]:
    """The clips of an index, their files under ``data/<set>/``."""
    clips = []
    for number, line in enumerate(index.read_text(encoding="utf-8").splitlines(), start=1):
        row = json.loads(line)
        try:
            clips.append(
                Clip(
                    path=data / row["set"] / row["file"],
                    set=row["set"],
                    speaker=row["speaker"],
                    sex=row["sex"],
                    language=row["language"],
                    label=row["emotion"],
                    intensity=row["intensity"],
                    split=row["split"],
                    speech=tuple((float(start), float(end)) for start, end in row["speech"]),
                )
            )
        except KeyError as error:
            raise RecordError(f"{index}, line {number}: {error} is missing; write the index again.") from error
    return clips


def _decode(path: Path, limit: float | None = None) -> npt.NDArray[np.int16]:
    samples, rate = soundfile.read(path, dtype="int16", frames=-1 if limit is None else int(limit * RATE))
    if rate != RATE:
        raise RecordError(f"{path}: has {rate} Hz, the ear is trained on {RATE} Hz; resample it first.")
    decoded: npt.NDArray[np.int16] = samples if samples.ndim == 1 else samples[:, 0]
    return decoded


@dataclass(frozen=True, slots=True)
class Bank:
    """Many clips in one tensor.

    Args:
        samples: all clips behind one another, half precision, full scale 1.
        speech: for every 20 ms of `samples`, whether it is speech (0 or 1).
        start: where each clip begins in `samples`; a multiple of the hop.
        length: samples of each clip.
        first, last: sample of the clip where its speech begins and ends; the whole clip where there is none.
    """

    samples: Tensor
    speech: Tensor
    start: Tensor
    length: Tensor
    first: Tensor
    last: Tensor

    def to(self, device: torch.device) -> "Bank":
        """The same on another device."""
        return Bank(*(getattr(self, name).to(device) for name in self.__slots__))


def load_bank(paths: Sequence[Path], speech: Sequence[Sequence[tuple[float, float]] | None], *, workers: int) -> Bank:
    """Decode clips, with a process for each worker.

    Args:
        paths: of the clips.
        speech: where each clip speaks; None marks as active what lies less than 35 dB below its loudest moment.
        workers: how many processes decode.
    """
    with ProcessPoolExecutor(workers) as pool:
        waves = list(pool.map(partial(_decode), paths, chunksize=32))
    sizes = [-(-wave.size // HOP) * HOP + HOP for wave in waves]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    samples = np.zeros(sum(sizes), dtype=np.float16)
    active = np.zeros(sum(sizes) // HOP, dtype=np.uint8)
    first, last = [], []
    for wave, start, spans in zip(waves, starts, speech, strict=True):
        samples[start : start + wave.size] = (wave / 32768.0).astype(np.float16)
        if spans is None:
            spans = _loud_spans(wave)
        for begin, end in spans:
            active[int(start // HOP + begin * RATE // HOP) : int(start // HOP + -(-end * RATE // HOP))] = 1
        first.append(int(spans[0][0] * RATE) if spans else 0)
        last.append(min(int(spans[-1][1] * RATE), wave.size) if spans else wave.size)
    return Bank(
        samples=torch.from_numpy(samples),
        speech=torch.from_numpy(active),
        start=torch.from_numpy(starts.astype(np.int64)),
        length=torch.tensor([wave.size for wave in waves]),
        first=torch.tensor(first),
        last=torch.tensor(last),
    )


def _loud_spans(wave: npt.NDArray[np.int16]) -> list[tuple[float, float]]:
    whole = wave[: wave.size // HOP * HOP].astype(np.float64).reshape(-1, HOP)
    power = np.convolve((whole**2).mean(axis=1), np.ones(3) / 3, mode="same")
    loud = np.flatnonzero(power > max(power.max() * 10**-3.5, 1.0))
    if not loud.size:
        return []
    breaks = np.flatnonzero(np.diff(loud) > 5)
    starts, ends = [loud[0], *loud[breaks + 1]], [*loud[breaks], loud[-1]]
    return [(start * HOP / RATE, (end + 1) * HOP / RATE) for start, end in zip(starts, ends, strict=True)]


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of clips as tensors; a mask of 0 where a clip has none.

    Args:
        emotion: [clips, 10], one-hot or zeros.
        allowed: [clips, 10], 1 for the emotions that the clip's set knows.
        vad: [clips, 3].
        feeling: 1 where there is an emotion.
        intensity: 0 normal, 1 strong. has_intensity: 1 where it is known.
        sex: 1 female, 0 male. has_sex: 1 where it is known.
        sound: index of a sound event, or -1.
    """

    emotion: Tensor
    allowed: Tensor
    vad: Tensor
    feeling: Tensor
    intensity: Tensor
    has_intensity: Tensor
    sex: Tensor
    has_sex: Tensor
    sound: Tensor

    def to(self, device: torch.device) -> "Labels":
        """The same on another device."""
        return Labels(*(getattr(self, name).to(device) for name in self.__slots__))


def label_tensors(clips: Sequence[Clip], sounds: Sequence[str]) -> Labels:
    """Turn the labels of clips into numbers."""
    known = {name: {clip.label for clip in clips if clip.set == name} for name in {clip.set for clip in clips}}
    count = len(clips)
    emotion, allowed = np.zeros((count, len(EMOTION_ORDER))), np.zeros((count, len(EMOTION_ORDER)))
    vad = np.zeros((count, 3))
    for row, clip in enumerate(clips):
        if clip.set not in SPEECH_SETS:
            allowed[row] = 1
            continue
        name = Emotion.parse(clip.label)
        emotion[row, EMOTION_ORDER.index(name)] = 1
        allowed[row] = [label.value in known[clip.set] for label in EMOTION_ORDER]
        vad[row] = np.array(RUSSELL_MEHRABIAN[name]) * (NORMAL_INTENSITY if clip.intensity == "normal" else 1.0)
    has_intensity = [
        clip.set == "ravdess" and clip.label != "neutral" and clip.intensity in {"normal", "strong"} for clip in clips
    ]
    return Labels(
        emotion=torch.tensor(emotion, dtype=torch.float32),
        allowed=torch.tensor(allowed, dtype=torch.float32),
        vad=torch.tensor(vad, dtype=torch.float32),
        feeling=torch.tensor(emotion.sum(axis=1), dtype=torch.float32),
        intensity=torch.tensor([float(clip.intensity == "strong") for clip in clips]),
        has_intensity=torch.tensor([float(known) for known in has_intensity]),
        sex=torch.tensor([float(clip.sex == "female") for clip in clips]),
        has_sex=torch.tensor([float(clip.sex in {"female", "male"}) for clip in clips]),
        sound=torch.tensor([sounds.index(clip.label) if clip.set == SOUND_SET else -1 for clip in clips]),
    )


def sampling_weights(clips: Sequence[Clip], *, mandarin: float) -> npt.NDArray[np.float64]:
    """How often each speech clip is drawn: by the square root of the size of its set, and of its class in the set.

    Mandarin matters most to our users and has the fewest clips: its clips are drawn ``mandarin`` times as often.
    """
    sets = {name: sum(clip.set == name for clip in clips) for name in SPEECH_SETS}
    classes: dict[tuple[str, str], int] = {}
    for clip in clips:
        classes[clip.set, clip.label] = classes.get((clip.set, clip.label), 0) + 1
    weights = np.array(
        [
            sets[clip.set] ** -0.5 * classes[clip.set, clip.label] ** -0.5 * (mandarin if clip.language == "zh" else 1)
            if clip.set in SPEECH_SETS
            else 0.0
            for clip in clips
        ]
    )
    normalised: npt.NDArray[np.float64] = weights / weights.sum()
    return normalised
