"""Labels as people give them (words, numbers, or nothing) turned into rows of codes."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from aptone.errors import RecordError
from aptone.stats.arrays import FloatArray


def label_codes(rows: object, *, name: str) -> FloatArray:
    """A code from 0 upwards for every label, items × slots; NaN where there is none.

    ``None``, NaN and empty text mean that a label is missing. Rows may have different lengths: the rest is NaN. Codes
    follow the order in which labels first appear, so they say nothing but equal or not.

    Args:
        rows: the labels of each item.
        name: what the error calls them.

    Raises:
        RecordError: if a row is not a list of labels, a label cannot be compared, or a number is infinite.

    >>> label_codes([["rising", "flat"], ["flat", None]], name="labels")
    array([[ 0.,  1.],
           [ 1., nan]])
    """
    if isinstance(rows, str | bytes) or not isinstance(rows, Sequence | np.ndarray):
        raise RecordError(f"{name}: expected a list of labels an item, got {type(rows).__name__}.")
    known: dict[Hashable, int] = {}
    coded: list[list[float]] = []
    for position, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
            raise RecordError(f"{name}[{position}]: expected a list of labels, got {type(row).__name__}.")
        try:
            coded.append([_code(label, known) for label in row])
        except (TypeError, ValueError) as error:
            raise RecordError(f"{name}[{position}]: a label is a word or a finite number; {error}.") from error
    codes = np.full((len(coded), max(map(len, coded), default=0)), np.nan)
    for position, numbers in enumerate(coded):
        codes[position, : len(numbers)] = numbers
    return codes


def _code(label: Hashable, known: dict[Hashable, int]) -> float:
    if isinstance(label, float | np.floating):
        if math.isnan(label):
            return math.nan
        if math.isinf(label):
            raise ValueError("got an infinite number")
    return math.nan if label is None or label == "" else float(known.setdefault(label, len(known)))
