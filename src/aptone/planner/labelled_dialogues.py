"""Dialogues with labelled emotions: MELD and CPED.

| set | language | labels | files below the data folder |
| --- | --- | --- | --- |
| MELD | English TV dialogues | 7 emotions | ``meld/train.csv``, ``dev.csv``, ``test.csv`` |
| CPED | Mandarin TV dialogues | 13 emotions | ``cped/valid.csv``, ``test.csv`` |

The published file names are accepted too (``train_sent_emo.csv``, ``valid_split.csv``, …). The built-in planner was
trained on CPED's ``valid`` and half of its ``test``, by TV series; the other half is held out. It was never trained on
MELD: proxy benchmarks and comparisons are made from it.

Each dataset has its own list of labels, so the model answers in one list at a time. `emotion_shares` maps the answer to
our emotions.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aptone.errors import RecordError, UsageError
from aptone.types import TYPICAL_VAD, Emotion, Language, Line, Vad

LABEL_SETS: Mapping[str, tuple[str, ...]] = {
    "meld": ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"),
    "goemotions": ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"),
    "cped": (
        "anger",
        "astonished",
        "depress",
        "disgust",
        "fear",
        "grateful",
        "happy",
        "negative-other",
        "neutral",
        "positive-other",
        "relaxed",
        "sadness",
        "worried",
    ),
}
OURS: Mapping[str, Emotion] = {
    "anger": Emotion.ANGRY,
    "astonished": Emotion.SURPRISE,
    "depress": Emotion.SAD,
    "disgust": Emotion.DISGUST,
    "fear": Emotion.FEAR,
    "grateful": Emotion.HAPPY,
    "happy": Emotion.HAPPY,
    "joy": Emotion.HAPPY,
    "neutral": Emotion.NEUTRAL,
    "relaxed": Emotion.CALM,
    "sadness": Emotion.SAD,
    "surprise": Emotion.SURPRISE,
    "worried": Emotion.FEAR,
}
"""Our emotion of each label; CPED's "positive-other" and "negative-other" have none."""
_PLEASANT = (Emotion.CALM, Emotion.HAPPY, Emotion.PLAYFUL)
_UNPLEASANT = (Emotion.SAD, Emotion.ANGRY, Emotion.FEAR, Emotion.DISGUST, Emotion.BOREDOM)


def typical_vad(label: str) -> Vad:
    """Return the place of a label: the typical point of its emotion, or the centre of all that is as (un)pleasant.

    >>> typical_vad("joy") == TYPICAL_VAD[Emotion.HAPPY]
    True
    """
    if label in OURS:
        return TYPICAL_VAD[OURS[label]]
    chosen = _PLEASANT if label == "positive-other" else _UNPLEASANT
    points = [TYPICAL_VAD[emotion] for emotion in chosen]
    mean = np.mean([(point.valence, point.arousal, point.dominance) for point in points], axis=0)
    return Vad(*(float(value) for value in mean))


def emotion_shares(shares: Mapping[str, float]) -> dict[Emotion, float]:
    """Return probabilities of our emotions from those of a set's labels; others are left out, the rest sums to 1.

    >>> emotion_shares({"sadness": 0.25, "depress": 0.25, "negative-other": 0.5})
    {<Emotion.SAD: 'sad'>: 1.0}
    """
    summed: dict[Emotion, float] = {}
    for label, share in shares.items():
        if label in OURS:
            summed[OURS[label]] = summed.get(OURS[label], 0.0) + share
    total = sum(summed.values())
    return {emotion: share / total for emotion, share in summed.items()} if total > 0 else {}


CPED_TRAIN = ("32", "39", "40", "44", "27", "30", "34", "36")
"""TV series of the training set: four of ``valid`` and about half of the lines of ``test``."""
CPED_DEV = ("45",)
"""TV series of the development set, one of ``valid``."""
CPED_REPORTED = ("28", "29", "31", "35", "37")
"""TV series of the held-out test set: the other half of ``test``."""
PARTS = ("train", "dev", "test")
SERIES_OF_CPED = {"train": CPED_TRAIN, "dev": CPED_DEV, "test": CPED_REPORTED}
FILES_OF_CPED = {"train": ("valid", "test"), "dev": ("valid",), "test": ("test",)}
MELD_COLUMNS = ("Dialogue_ID", "Utterance_ID", "Speaker", "Utterance", "Emotion")
CPED_COLUMNS = ("TV_ID", "Dialogue_ID", "Speaker", "Utterance", "Emotion")
PUBLISHED_AS = {"meld": "{part}_sent_emo.csv", "cped": "{part}_split.csv"}
"""Published file names."""


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """Labelled line.

    Args:
        labels: share of each label; empty without labels.
        vad: valence, arousal, dominance from -1 to 1; ``None`` without ratings.
    """

    line: Line
    labels: Mapping[str, float] = field(default_factory=dict)
    vad: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Labelled lines of a dataset (meld, cped, goemotions or emobank), in order."""

    set: str
    part: str
    language: Language
    lines: tuple[LabelledLine, ...]


def read_meld(folder: Path, *, parts: Sequence[str] = PARTS) -> list[Dialogue]:
    """Read MELD's dialogues; its own three parts.

    Raises:
        UsageError: if a file is not there.
        RecordError: if a table lacks a column.
    """
    found = []
    for part in parts:
        rows = _table_of(folder / "meld", part, MELD_COLUMNS)
        rows.sort(key=lambda row: (int(row["Dialogue_ID"]), int(row["Utterance_ID"])))
        found += [Dialogue("meld", part, "en", _labelled(lines)) for lines in _grouped(rows, "Dialogue_ID")]
    return found


def read_cped(folder: Path, *, parts: Sequence[str] = PARTS) -> list[Dialogue]:
    """Read CPED's dialogues; parts by TV series. Series that are in none of them are left out.

    Raises:
        UsageError: if a file is not there.
        RecordError: if a table lacks a column.
    """
    found = []
    for name in ("valid", "test"):
        if any(name in FILES_OF_CPED[part] for part in parts):
            for lines in _grouped(_table_of(folder / "cped", name, CPED_COLUMNS), "Dialogue_ID"):
                part = next((part for part in parts if lines[0]["TV_ID"] in SERIES_OF_CPED[part]), None)
                if part is not None:
                    found.append(Dialogue("cped", part, "zh", _labelled(lines)))
    return found


def read_table(path: Path, *, columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """Read the rows of a CSV file; raises `UsageError` if it cannot be read, `RecordError` if it lacks a column."""
    reader = csv.DictReader(read_text(path).splitlines(keepends=True))
    if lacking := [column for column in columns if column not in (reader.fieldnames or ())]:
        raise RecordError(f"{path}: expected the columns {', '.join(columns)}; {', '.join(lacking)} missing.")
    return list(reader)


def read_text(path: Path) -> str:
    """Read the text of a file of a data folder; raises `UsageError` if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); expected a folder with meld/, cped/, … in it."
        ) from error


def _table_of(folder: Path, part: str, columns: Sequence[str]) -> list[dict[str, str]]:
    published = folder / PUBLISHED_AS[folder.name].format(part=part)
    return read_table(published if published.is_file() else folder / f"{part}.csv", columns=columns)


def _labelled(rows: Sequence[Mapping[str, str]]) -> tuple[LabelledLine, ...]:
    return tuple(LabelledLine(Line(row["Utterance"], row["Speaker"]), {row["Emotion"]: 1.0}) for row in rows)


def _grouped(rows: Sequence[dict[str, str]], key: str) -> Iterator[list[dict[str, str]]]:
    kept: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        kept.setdefault(row[key], []).append(row)
    yield from kept.values()
