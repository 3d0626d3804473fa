"""Exact dynamic time warping of two sequences.

Long ones are compared one anti-diagonal of the table at a time. A compiled loop over the table waits for each cell
before it begins the next. The cells of an anti-diagonal do not wait for each other, so numpy works on all of them at
once; and since the table can be walked from both of its corners at the same time, two anti-diagonals share every call.
The two walks meet in the middle.
"""

import math
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.stats.arrays import FloatArray, Values, vector

SMALL = 400  # cells of the largest table that a plain loop fills: beyond, whole anti-diagonals at once are faster
MOST_CELLS = 100_000_000  # largest table that `dtw_path` fills: 200 MB


def dtw(x: Values, y: Values) -> float:
    """Dynamic time warping distance with ``|a - b|`` as the local cost and no window: EMO-Reasoning's distance.

    ``D(i, j) = |x_i - y_j| + min(D(i-1, j), D(i, j-1), D(i-1, j-1))``, ``D(0, 0) = 0``; the answer is ``D(n, m)``. From
    0 upwards, in the unit of the sequences, lower is more alike; it grows with length, so callers divide by it.

    This is the exact minimum; fastdtw, which the paper's scripts use, gives an approximation from above. Short
    sequences (up to 20 steps each) are compared cell by cell, longer ones by anti-diagonals, which is faster
    there and adds the same numbers in another order. Time grows with n · m, memory with the length of a sequence.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.

    >>> dtw([1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 4.0])
    1.0
    """
    first, second = finite_sequence(x, name="x"), finite_sequence(y, name="y")
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

    Returns:
        One row a pair: position in `x`, position in `y`. From (0, 0) to the last of both; no position is skipped.

    Raises:
        RecordError: if a sequence is empty, not one-dimensional, not numbers, or holds NaN or infinite numbers.
        UsageError: if the sequences are too long.

    >>> dtw_path([1.0, 2.0, 3.0], [1.0, 3.0]).tolist()
    [[0, 0], [1, 0], [2, 1]]
    """
    first, second = finite_sequence(x, name="x"), finite_sequence(y, name="y")
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


def finite_sequence(values: Values, *, name: str) -> FloatArray:
    """Return the values as an array of 64-bit numbers in one piece; see `dtw` for what is refused."""
    # most callers come with ready arrays: look at those once and let them through
    ready = type(values) is np.ndarray and values.dtype == np.float64 and values.ndim == 1
    numbers = np.ascontiguousarray(values if ready else vector(values, name=name), dtype=np.float64)
    if not numbers.size:
        raise RecordError(f"{name}: expected at least one number to compare, got an empty sequence.")
    if not np.isfinite(numbers).all():
        count = int((~np.isfinite(numbers)).sum())
        raise RecordError(f"{name}: {count} of {numbers.size} values are NaN or infinite; fill or cut the gaps first.")
    return numbers


BLOCK = 64  # anti-diagonals that share one width, so that views are cut once for all of them
COSTS = 8192  # local costs that are computed at once: as many as stay in a fast cache


def wavefront_dtw(x: FloatArray, y: FloatArray) -> float:
    """The distance of `aptone.stats.dtw`, for two sequences of finite numbers with at least two steps each.

    With ``s`` steps in the shorter and ``l`` in the longer sequence, anti-diagonal ``k`` holds the cells
    ``(i, k - i)``. The forward walk fills 0 … K with ``K = (s + l - 2) // 2``, the backward walk the others. Both are
    kept in one array, interleaved: entry ``2 i`` belongs to the forward walk, ``2 i + 1`` to the backward walk, which
    sees both sequences reversed. Since K < l, an anti-diagonal always begins at i = 0; beyond i = k the local cost is
    infinite.
    """
    short, long = (x, y) if x.size <= y.size else (y, x)
    steps, last = short.size, (short.size + long.size - 2) // 2
    newest, older, oldest = _walk(short, long, last)
    backward = (newest, older, oldest)
    # The backward walk has its own count: anti-diagonal k of the table is its number s + l - 2 - k.
    behind = last - (steps + long.size - 3 - last)
    forward_here, forward_before = newest[2::2], older[2::2]
    next_one, next_but_one = (backward[behind + ahead][3::2][::-1] for ahead in (0, 1))
    # A path leaves the forward half by a step to the next anti-diagonal, or by a diagonal step that skips one.
    crossings = (
        forward_here + next_one,
        np.minimum(forward_here[:-1], forward_before[:-1]) + next_one[1:],
        forward_here[:-1] + next_but_one[1:],
    )
    return min(float(np.minimum.reduce(crossing)) for crossing in crossings)


DIAGONAL, IN_SHORT, IN_LONG = range(3)  # the step into a cell: in both sequences, in the shorter one, in the longer one


def wavefront_path(x: FloatArray, y: FloatArray) -> npt.NDArray[np.intp]:
    """Return an alignment of least cost, one row a pair of positions in `x` and `y`, for at least one step each.

    One walk fills the table from its beginning and keeps the step into every cell, a byte each; the path is then read
    from the end. Of steps that cost the same the diagonal one is taken, then the one in the shorter sequence.
    """
    short, long = (x, y) if x.size <= y.size else (y, x)
    rows, columns = short.size, long.size
    backwards = np.ascontiguousarray(long[::-1])
    steps = np.zeros((rows + columns - 1, rows), dtype=np.uint8)
    # Entry i + 1 belongs to the cell of row i; entry 0 lies outside the table.
    oldest, older, newest = (np.full(rows + 1, np.inf) for _ in range(3))
    newest[1] = abs(short[0] - long[0])
    for front in range(1, rows + columns - 1):
        oldest, older, newest = older, newest, oldest
        first, end = max(0, front - columns + 1), min(front + 1, rows)
        shift = columns - 1 - front  # row i of this anti-diagonal is column `front` - i: backwards[shift + i]
        corner, above, beside = oldest[first:end], older[first:end], older[first + 1 : end + 1]
        step, best = steps[front, first:end], np.minimum(corner, above)
        step[above < corner] = IN_SHORT
        step[beside < best] = IN_LONG
        np.minimum(best, beside, out=best)
        newest[first + 1 : end + 1] = best + np.abs(short[first:end] - backwards[shift + first : shift + end])
    row, column = rows - 1, columns - 1
    path = [(row, column)]
    while row or column:
        step_here = steps[row + column, row]
        row -= step_here != IN_LONG
        column -= step_here != IN_SHORT
        path.append((row, column))
    pairs = np.array(path[::-1], dtype=np.intp)
    return pairs if x.size <= y.size else np.ascontiguousarray(pairs[:, ::-1])


def _walk(short: FloatArray, long: FloatArray, last: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Both walks up to anti-diagonal `last`: that one, the one before, and the one before that."""
    steps = short.size
    fixed = _interleaved(short, short[::-1])
    moving = np.full(2 * (last + steps), np.inf)
    moving[: 2 * (last + 1)] = _interleaved(long[last::-1], long[::-1][last::-1])
    size = moving.itemsize
    # Row k holds what each cell of anti-diagonal k is compared with: `moving`, shifted by one cell a row.
    # (Made by hand: `as_strided` takes as long as ten anti-diagonals of short sequences.)
    compared: FloatArray = np.ndarray(
        (last + 1, 2 * steps), buffer=moving, offset=2 * last * size, strides=(-2 * size, size)
    )
    # Two entries in front stand for i = -1, outside the table. Only the very first cell may come from there.
    oldest, older, newest = np.full((3, 2 * (steps + 1)), np.inf)
    newest[2:4] = np.abs(compared[0, :2] - fixed[:2])
    minimum, add = np.minimum, np.add
    for begin in range(1, last + 1, BLOCK):
        end = min(last + 1, begin + BLOCK)
        width = 2 * min(end, steps)
        kept, rows = fixed[:width], max(1, COSTS // width)
        # Two views of each anti-diagonal: cell i, and the cell i - 1 beside it.
        at_oldest, at_older, at_newest = (front[2 : width + 2] for front in (oldest, older, newest))
        by_oldest, by_older, by_newest = (front[:width] for front in (oldest, older, newest))
        for part in range(begin, end, rows):
            costs = compared[part : min(end, part + rows), :width] - kept
            for cost in np.abs(costs, out=costs):
                at_oldest, at_older, at_newest = at_older, at_newest, at_oldest
                by_oldest, by_older, by_newest = by_older, by_newest, by_oldest
                minimum(at_older, by_older, out=at_newest)
                minimum(at_newest, by_oldest, out=at_newest)
                add(at_newest, cost, at_newest)
        for _ in range((end - begin) % 3):
            oldest, older, newest = older, newest, oldest
    return newest, older, oldest


def _interleaved(forward: FloatArray, backward: FloatArray) -> FloatArray:
    both = np.empty(2 * forward.size)
    both[0::2], both[1::2] = forward, backward
    return both
