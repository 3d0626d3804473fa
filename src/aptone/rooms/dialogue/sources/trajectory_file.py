"""Trajectories in CSV files, as the authors' scripts write them. Columns are found by name, wherever they stand."""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from aptone.errors import RecordError
from aptone.types import Trajectory

COLUMNS = ("valence", "arousal", "dominance")


def read_rows(path: Path, *, needed: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a CSV file by the names of their columns (in small letters), each behind words for its place.

    Raises:
        RecordError: if the file cannot be read, or a needed column is missing.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); expected a CSV file.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8.") from error
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise RecordError(f"{path}: not a CSV file ({error}).") from error
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if missing := [name for name in needed if name not in names]:
        raise RecordError(
            f"{path}: there is no column {missing[0]!r}; expected {', '.join(needed)} in any order, "
            f"got {', '.join(names)[:200] or 'an empty file'}."
        )
    if len(set(names)) < len(names):
        raise RecordError(f"{path}: two columns have one name; rename one of {', '.join(names)[:200]}.")
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise RecordError(f"{path}, line {number}: expected {len(names)} cells, got {len(row)}.")
        yield f"{path}, line {number}", dict(zip(names, row, strict=True))


def read_trajectory(path: Path, *, step: float = 1.0) -> Trajectory:
    """The trajectory in a CSV file: one row a point; an empty cell or ``nan`` is undefined.

    Args:
        path: with columns valence, arousal and dominance among others, in any order.
        step: seconds between two rows.

    Raises:
        RecordError: if the file cannot be read, a column is missing, or a value is no number from -1 to 1.
    """
    points = [[_value(row[name], where, name) for name in COLUMNS] for where, row in read_rows(path, needed=COLUMNS)]
    return Trajectory(step, *(tuple(point[column] for point in points) for column in range(len(COLUMNS))))


def _value(cell: str, where: str, name: str) -> float:
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise RecordError(f"{where}: {name} is a number, got {cell[:40]!r}.") from None
    if not (math.isnan(value) or -1 <= value <= 1):
        raise RecordError(f"{where}: {name} lies between -1 and 1, got {value:g}; divide by the end of its scale.")
    return value
