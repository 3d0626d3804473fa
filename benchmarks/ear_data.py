"""The recordings that the ear is measured on: which clips, who speaks, what is acted, and in which part they are.

A data folder holds one folder a set, with the recordings and ``labels.csv``: file, speaker, sex, age, language,
emotion, intensity, text, split. The parts are by speaker: nobody who is heard in ``test`` is heard in the others.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.types import Emotion

SPEECH_SETS = ("ravdess", "emodb", "csemotions", "nemo")
EMOTIONS = tuple(emotion.value for emotion in Emotion)
COLUMNS = ("file", "speaker", "sex", "emotion", "intensity", "text", "split")
PARTS = ("train", "dev", "test")
ARRAYS = ("name", "emotion_logits", "arousal", "intensity", "sex_logit")

SHARED = ("neutral", "happy", "sad", "angry", "fear", "surprise")
"""The emotions that at least three of the four sets have; EmoDB has no surprise."""
HIGH_AROUSAL = ("angry", "happy", "fear", "surprise")
LOW_AROUSAL = ("sad", "calm", "neutral")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording and what is known about it; empty text where a set does not say."""

    set: str
    name: str
    path: Path
    speaker: str
    sex: str
    emotion: str
    intensity: str
    text: str
    part: str


@dataclass(frozen=True)
class Answers:
    """Predictions of an ear or a rival for some clips, one entry a clip; NaN where it gives none.

    Args:
        clips: which clips.
        emotion: logarithms of probabilities, or any scores whose largest wins, [clips, emotions of `EMOTIONS`]; NaN for
            emotions that were not among the choices.
        arousal: higher is more aroused; any scale.
        intensity: higher is stronger; any scale.
        female: higher is more female, above 0 is female.
    """

    clips: tuple[Clip, ...]
    emotion: Floats
    arousal: Floats
    intensity: Floats
    female: Floats

    def __post_init__(self) -> None:
        for name, values in (("arousal", self.arousal), ("intensity", self.intensity), ("female", self.female)):
            if values.shape != (len(self.clips),):
                raise RecordError(f"{name}: expected {len(self.clips)} numbers, got shape {values.shape}.")
        if self.emotion.shape != (len(self.clips), len(EMOTIONS)):
            raise RecordError(
                f"emotion: expected {len(self.clips)} rows of {len(EMOTIONS)} numbers, got {self.emotion.shape}."
            )

    def of(self, wanted: Iterable[Clip]) -> "Answers":
        """The answers about these clips, in their order.

        Raises:
            RecordError: if there is none about one of them.
        """
        clips = tuple(wanted)
        place = {(clip.set, clip.name): position for position, clip in enumerate(self.clips)}
        missing = [clip.name for clip in clips if (clip.set, clip.name) not in place]
        if missing:
            raise RecordError(
                f"{len(missing)} of {len(clips)} clips have no answer, {missing[0]} among them; run that part again."
            )
        rows = np.array([place[clip.set, clip.name] for clip in clips], dtype=np.int64)
        return Answers(clips, self.emotion[rows], self.arousal[rows], self.intensity[rows], self.female[rows])


def no_answers(clips: Sequence[Clip]) -> Answers:
    """Answers that say nothing, to be filled in."""
    count = len(clips)
    blank = np.full(count, math.nan)
    return Answers(tuple(clips), np.full((count, len(EMOTIONS)), math.nan), blank, blank.copy(), blank.copy())


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers about different clips, one after the other."""
    return Answers(
        tuple(clip for part in parts for clip in part.clips),
        np.concatenate([part.emotion for part in parts]),
        np.concatenate([part.arousal for part in parts]),
        np.concatenate([part.intensity for part in parts]),
        np.concatenate([part.female for part in parts]),
    )


def load_set(data: Path, name: str, *, part: str | None = None) -> list[Clip]:
    """The clips of a set, or of a part of it.

    Raises:
        UsageError: if the set is not there.
        RecordError: if its table lacks a column or names an unknown part.
    """
    table = data / name / "labels.csv"
    if not table.is_file():
        raise UsageError(f"{table}: no such file; --data names a folder with one folder a set, each with a labels.csv.")
    with table.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        lacking = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if lacking:
            raise RecordError(f"{table}: expected the columns {', '.join(COLUMNS)}; {', '.join(lacking)} missing.")
        clips = [
            Clip(
                set=name,
                name=row["file"],
                path=table.parent / row["file"],
                speaker=row["speaker"],
                sex=row["sex"],
                emotion=row["emotion"],
                intensity=row["intensity"],
                text=row["text"],
                part=row["split"],
            )
            for row in reader
        ]
    unknown = sorted({clip.part for clip in clips} - set(PARTS))
    if unknown:
        raise RecordError(f"{table}: unknown split {unknown[0]!r}; expected one of {', '.join(PARTS)}.")
    return [clip for clip in clips if part is None or clip.part == part]


def labels_of(clips: Iterable[Clip]) -> tuple[str, ...]:
    """The emotions that occur, in the order of `EMOTIONS`."""
    found = {clip.emotion for clip in clips}
    return tuple(emotion for emotion in EMOTIONS if emotion in found)


def listeners(data: Path) -> dict[str, tuple[float, float]]:
    """EmoDB's perception test: clip to the shares of 20 listeners who recognised the emotion and who found it natural.

    ``erkennung.txt`` is a table in Latin-1 with decimal commas, in percent.

    Raises:
        RecordError: if a line does not hold a name and two percentages.
    """
    path = data / "emodb" / "erkennung.txt"
    shares = {}
    for line in path.read_text(encoding="latin-1").splitlines()[1:]:
        fields = [field.strip(" \xa0") for field in line.split("\t")]
        if len(fields) < 4:
            if not any(fields):
                continue
            raise RecordError(f"{path}: expected number, file and two percentages, got {line!r}.")
        recognised, natural = (float(field.replace(",", ".")) / 100 for field in fields[2:4])
        shares[Path(fields[1]).with_suffix(".ogg").name] = (recognised, natural)
    return shares


def load_answers(path: Path, clips: Iterable[Clip]) -> Answers:
    """The answers of a training run, as its trainer wrote them: a numpy archive, no pickles.

    ``name`` tells the clips, as ``set/file``; ``emotion_logits``, ``arousal``, ``intensity`` and ``sex_logit`` (above 0
    is female) hold the answers. Clips of the archive that are not among `clips` are left out.

    Raises:
        RecordError: if an array is missing.
    """
    known = {f"{clip.set}/{clip.name}": clip for clip in clips}
    with np.load(path, allow_pickle=False) as archive:
        lacking = [name for name in ARRAYS if name not in archive]
        if lacking:
            raise RecordError(f"{path}: the array {lacking[0]!r} is missing; train again with this version.")
        names = [str(name) for name in archive["name"]]
        rows = [row for row, name in enumerate(names) if name in known]
        return Answers(
            tuple(known[names[row]] for row in rows),
            archive["emotion_logits"][rows].astype(np.float64),
            archive["arousal"][rows].astype(np.float64),
            archive["intensity"][rows].astype(np.float64),
            archive["sex_logit"][rows].astype(np.float64),
        )
