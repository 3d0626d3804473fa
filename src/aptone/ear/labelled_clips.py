"""Recordings with labels: a folder of clips, and a table that says who speaks and what is acted."""

import csv
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import RecordError, UsageError

TABLE = "labels.csv"
COLUMNS = ("file", "speaker", "sex", "age", "language", "emotion", "intensity", "text", "split")


@dataclass(frozen=True, slots=True)
class LabelledClip:
    """One recording and what is known about it; empty text where the table does not say.

    Args:
        emotion: acted emotion; in a set of sounds, the kind of sound.
        intensity: strength of the emotion: ``normal`` or ``strong``.
        split: train, dev or test; by speaker.
    """

    path: Path
    speaker: str
    sex: str
    age: str
    language: str
    emotion: str
    intensity: str
    text: str
    split: str


def read_labels(folder: Path) -> list[LabelledClip]:
    """The recordings of a folder that its ``labels.csv`` lists, in that order.

    Raises:
        UsageError: if there is no table.
        RecordError: if a column is missing, or a file lies outside of the folder.
    """
    table = folder / TABLE
    if not table.is_file():
        raise UsageError(f"{table}: no such file; expected a table with the columns {', '.join(COLUMNS)}.")
    with table.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if lacking := [column for column in COLUMNS if column not in (reader.fieldnames or ())]:
            raise RecordError(f"{table}: expected the columns {', '.join(COLUMNS)}; {', '.join(lacking)} missing.")
        rows = [{column: row[column] or "" for column in COLUMNS} for row in reader]
    root = folder.resolve()
    for number, row in enumerate(rows, start=2):
        if not row["file"] or not (root / row["file"]).resolve().is_relative_to(root):
            raise RecordError(f"{table}, line {number}: {row['file']!r} is no file in this folder.")
    return [LabelledClip(folder / row.pop("file"), **row) for row in rows]
