"""Trajectories in CSV files, as the authors' scripts write them. Columns are found by name, wherever they stand."""

import math
from pathlib import Path

from aptone.errors import RecordError
from aptone.run.csv_rows import csv_rows
from aptone.types import Trajectory

COLUMNS = ("valence", "arousal", "dominance")


def read_trajectory(path: Path, *, step: float = 1.0) -> Trajectory:
    """The trajectory in a CSV file: one row a point; an empty cell or ``nan`` is undefined.

    Args:
        path: with columns valence, arousal and dominance among others, in any order.
        step: seconds between two rows.

    Raises:
        RecordError: if the file cannot be read, a column is missing, or a value is no number from -1 to 1.
    """
    points = [[_value(row[name], where, name) for name in COLUMNS] for where, row in csv_rows(path, needed=COLUMNS)]
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
