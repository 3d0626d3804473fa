"""Exact dynamic time warping of two sequences."""

import math

import numpy as np
import numpy.typing as npt
from dtaidistance import dtw_cc

from aptone.errors import RecordError, UsageError
from aptone.stats.arrays import FloatArray, Values, vector
from aptone.stats.wavefront import wavefront_dtw

ABSOLUTE = 1
"""dtaidistance's number for ``|a - b|`` as the local cost; its default squares the difference."""

LONG = 700
"""From this length on, whole anti-diagonals at once beat one cell after the other, also in a call out of the blue."""

MOST_CELLS = 100_000_000
"""Largest table that `dtw_path` fills: 800 MB. When memory runs out, the library answers without an error."""


def dtw(x: Values, y: Values) -> float:
    """Dynamic time warping distance with ``|a - b|`` as the local cost and no window: EMO-Reasoning's distance.

    ``D(i, j) = |x_i - y_j| + min(D(i-1, j), D(i, j-1), D(i-1, j-1))``, ``D(0, 0) = 0``; the answer is ``D(n, m)``. From
    0 upwards, in the unit of the sequences, lower is more alike; it grows with length, so callers divide by it.

    This is the exact minimum; fastdtw, which the paper's scripts use, gives an approximation from above. Short
    sequences go through dtaidistance's compiled loop, long ones through `aptone.stats.wavefront`, which is faster there
    and adds the same numbers in another order. Time grows with n · m, memory with the length of a sequence.

    Args:
        x: at least one finite number.
        y: at least one finite number.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.
        UsageError: if dtaidistance is installed without its compiled part.

    >>> dtw([1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 4.0])
    1.0
    """
    first, second = _sequence(x, name="x"), _sequence(y, name="y")
    _check_compiled()
    if min(first.size, second.size) >= LONG:
        distance = wavefront_dtw(first, second)
    else:
        # straight to the compiled function: the library's front door takes ten times as long as a short comparison
        distance = float(dtw_cc.distance(first, second, inner_dist=ABSOLUTE, use_pruning=True))
    if not math.isfinite(distance):
        raise RecordError("x, y: their differences are too large to add up in 64 bits; scale the sequences down.")
    return distance


def dtw_path(x: Values, y: Values) -> npt.NDArray[np.intp]:
    """The alignment behind `dtw`: which steps of the two sequences are set side by side. For pictures.

    Several alignments may cost the same; this is one of them. Memory grows with n · m (8 bytes a pair), so sequences
    are limited to 100 million pairs.

    Args:
        x: at least one finite number.
        y: at least one finite number.

    Returns:
        One row a pair: position in `x`, position in `y`. From (0, 0) to the last of both; no position is skipped.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.
        UsageError: if the sequences are too long, or dtaidistance is installed without its compiled part.

    >>> dtw_path([1.0, 2.0, 3.0], [1.0, 3.0]).tolist()
    [[0, 0], [1, 0], [2, 1]]
    """
    first, second = _sequence(x, name="x"), _sequence(y, name="y")
    _check_compiled()
    if first.size * second.size > MOST_CELLS:
        raise UsageError(
            f"an alignment of {first.size} with {second.size} steps takes more than {MOST_CELLS * 8 // 10**6} MB; "
            "shorten or average the sequences, or ask for the distance alone, which needs no table."
        )
    pairs: npt.NDArray[np.intp] = np.array(dtw_cc.warping_path(first, second, inner_dist=ABSOLUTE), dtype=np.intp)
    return pairs


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


def _check_compiled() -> None:
    if dtw_cc is None:
        raise UsageError(
            "dtaidistance is installed without its compiled part; reinstall it from a wheel "
            "(pip install --force-reinstall --only-binary :all: dtaidistance)."
        )
