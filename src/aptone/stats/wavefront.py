"""Exact DTW of long sequences, one anti-diagonal of the table at a time.

A compiled loop over the table waits for each cell before it begins the next. The cells of an anti-diagonal do not wait
for each other, so numpy works on all of them at once; and since the table can be walked from both of its corners at the
same time, two anti-diagonals share every call. The two walks meet in the middle.
"""

import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from aptone.stats.arrays import FloatArray

BLOCK = 64
"""Anti-diagonals that share one width, so that views are cut once for all of them."""


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
        forward_here[:-1] + next_one[1:],
        forward_before[:-1] + next_one[1:],
        forward_here[:-1] + next_but_one[1:],
    )
    return min(float(crossing.min(initial=math.inf)) for crossing in crossings)


def _walk(short: FloatArray, long: FloatArray, last: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Both walks up to anti-diagonal `last`: that one, the one before, and the one before that."""
    steps = short.size
    fixed = _interleaved(short, short[::-1])
    moving = np.full(2 * (last + steps), np.inf)
    moving[: 2 * (last + 1)] = _interleaved(long[last::-1], long[::-1][last::-1])
    size = moving.itemsize
    # Row k holds what each cell of anti-diagonal k is compared with: `moving`, shifted by one cell a row.
    compared = as_strided(moving[2 * last :], (last + 1, 2 * steps), (-2 * size, size), writeable=False)
    costs = np.empty(2 * steps)
    # Two entries in front stand for i = -1, outside the table. Only the very first cell may come from there.
    oldest, older, newest = (np.full(2 * (steps + 1), np.inf) for _ in range(3))
    newest[2:4] = np.abs(compared[0, :2] - fixed[:2])
    minimum, add, subtract, absolute = np.minimum, np.add, np.subtract, np.absolute
    for begin in range(1, last + 1, BLOCK):
        end = min(last + 1, begin + BLOCK)
        width = 2 * min(end, steps)
        kept, cost = fixed[:width], costs[:width]
        # Two views of each anti-diagonal: cell i, and the cell i - 1 beside it.
        at_oldest, at_older, at_newest = (front[2 : width + 2] for front in (oldest, older, newest))
        by_oldest, by_older, by_newest = (front[:width] for front in (oldest, older, newest))
        for other in compared[begin:end, :width]:
            at_oldest, at_older, at_newest = at_older, at_newest, at_oldest
            by_oldest, by_older, by_newest = by_older, by_newest, by_oldest
            subtract(other, kept, cost)
            absolute(cost, cost)
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
