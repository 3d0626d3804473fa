"""Exact dynamic time warping of two sequences."""

import math
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.stats.arrays import FloatArray, Values, vector
from aptone.stats.wavefront import wavefront_dtw, wavefront_path

SMALL = 400
"""Cells of the largest table that a plain loop fills: beyond, whole anti-diagonals at once are faster."""

MOST_CELLS = 100_000_000
"""Largest table that `dtw_path` fills: 200 MB."""


def dtw(x: Values, y: Values) -> float:
    """Dynamic time warping distance with ``|a - b|`` as the local cost and no window: EMO-Reasoning's distance.

    ``D(i, j) = |x_i - y_j| + min(D(i-1, j), D(i, j-1), D(i-1, j-1))``, ``D(0, 0) = 0``; the answer is ``D(n, m)``. From
    0 upwards, in the unit of the sequences, lower is more alike; it grows with length, so callers divide by it.

    This is the exact minimum; fastdtw, which the paper's scripts use, gives an approximation from above. Short
    sequences (up to 20 steps each) are compared cell by cell, longer ones by `aptone.stats.wavefront`, which is faster
    there and adds the same numbers in another order. Time grows with n · m, memory with the length of a sequence.

    Args:
        x: at least one finite number.
        y: at least one finite number.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.

    >>> dtw([1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 4.0])
    1.0
    """
    first, second = _sequence(x, name="x"), _sequence(y, name="y")
    if first.size * second.size <= SMALL or min(first.size, second.size) == 1:
        distance = _cell_by_cell(first.tolist(), second.tolist())
    else:
        with np.errstate(over="ignore"):  # an infinite distance is refused below
            distance = wavefront_dtw(first, second)
    if not math.isfinite(distance):
        raise RecordError("x, y: their differences are too large to add up in 64 bits; scale the sequences down.")
    return distance


def dtw_path(x: Values, y: Values) -> npt.NDArray[np.intp]:
    """The alignment behind `dtw`: which steps of the two sequences are set side by side. For pictures.

    Several alignments may cost the same; this is the one that, seen from the end, takes diagonal steps where it can.
    Memory grows with n · m (up to 2 bytes a pair), so sequences are limited to 100 million pairs.

    Args:
        x: at least one finite number.
        y: at least one finite number.

    Returns:
        One row a pair: position in `x`, position in `y`. From (0, 0) to the last of both; no position is skipped.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.
        UsageError: if the sequences are too long.

    >>> dtw_path([1.0, 2.0, 3.0], [1.0, 3.0]).tolist()
    [[0, 0], [1, 0], [2, 1]]
    """
    first, second = _sequence(x, name="x"), _sequence(y, name="y")
    if first.size * second.size > MOST_CELLS:
        raise UsageError(
            f"an alignment of {first.size} with {second.size} steps takes more than {MOST_CELLS * 2 // 10**6} MB; "
            "shorten or average the sequences, or ask for the distance alone, which needs no table."
        )
    with np.errstate(over="ignore"):
        return wavefront_path(first, second)


def _cell_by_cell(x: list[float], y: list[float]) -> float:
    """Fill the table row by row, keeping one row."""
    outer, inner = (x, y) if len(x) <= len(y) else (y, x)
    above = list(accumulate(abs(outer[0] - other) for other in inner))
    for value in outer[1:]:
        corner = above[0]
        left = corner + abs(value - inner[0])
        row = [left]
        for other, up in zip(inner[1:], above[1:], strict=True):
            best = corner if corner < up else up  # two comparisons take half the time of a call of min
            if left < best:
                best = left
            left = best + abs(value - other)
            row.append(left)
            corner = up
        above = row
    return above[-1]


def _sequence(values: Values, *, name: str) -> FloatArray:
    # most callers come with ready arrays: look at those once and let them through
    ready = type(values) is np.ndarray and values.dtype == np.float64 and values.ndim == 1
    numbers = np.ascontiguousarray(values if ready else vector(values, name=name), dtype=np.float64)
    if not numbers.size:
        raise RecordError(f"{name}: expected at least one number to compare, got an empty sequence.")
    if not np.isfinite(numbers).all():
        count = int((~np.isfinite(numbers)).sum())
        raise RecordError(f"{name}: {count} of {numbers.size} values are NaN or infinite; fill or cut the gaps first.")
    return numbers
