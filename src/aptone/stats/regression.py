"""Regression under a constraint: a curve that never falls, and weights of 0 or more."""

import numpy as np

from aptone.errors import RecordError, UsageError
from aptone.stats.arrays import FloatArray, Values, complete_items

Knots = tuple[tuple[float, float], ...]  # points of a curve, from left to right


def isotonic(x: Values, y: Values) -> Knots:
    """The never-falling step function with the least squared error, as one point for each of its steps.

    Pool adjacent violators (Ayer et al. 1955): items in the order of x, those with one x first pooled to their mean;
    neighbouring pools whose means fall are pooled until none does. A point stands at the mean x of its pool.

    NaN or ``None`` in either sequence: the item is left out.

    Raises:
        RecordError: if the sequences differ in length, hold infinite numbers, or no complete item is left.

    >>> isotonic([1, 2, 3, 4], [1, 3, 2, 4])
    ((1.0, 1.0), (2.5, 2.5), (4.0, 4.0))
    """
    (places, values), _ = complete_items(x=x, y=y)
    if not places.size:
        raise RecordError("an isotonic regression needs at least one complete item.")
    distinct, inverse = np.unique(places, return_inverse=True)
    counts = np.bincount(inverse)
    sums = np.bincount(inverse, weights=values)
    pools: list[tuple[float, float, int]] = []  # sum of x, sum of y, items
    for place, total, count in zip(distinct.tolist(), sums.tolist(), counts.tolist(), strict=True):
        pool = (place * count, total, count)
        while pools and pools[-1][1] * pool[2] >= pool[1] * pools[-1][2]:
            before = pools.pop()
            pool = (before[0] + pool[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    return tuple((across / count, total / count) for across, total, count in pools)


_ROUNDS = 30  # times the number of columns: as many changes of the active set are allowed; a handful is usual


def non_negative_least_squares(columns: FloatArray, target: FloatArray) -> FloatArray:
    """Return the weights w ≥ 0 with the least ``|columns · w - target|²``.

    The active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23): a column enters where
    its weight would reduce the error, and leaves where its weight would turn negative.

    Args:
        columns: one row an observation, one column a weight.

    Raises:
        UsageError: if it does not come to an end, as with columns that are almost the same.

    >>> non_negative_least_squares(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -1.0])).tolist()
    [2.0, 0.0]
    """
    count = columns.shape[1]
    weights, free = np.zeros(count), np.zeros(count, dtype=bool)
    tolerance = 10 * max(columns.shape) * np.finfo(np.float64).eps * float(np.abs(columns).sum(axis=0).max(initial=0.0))
    tolerance *= max(1.0, float(np.abs(target).max(initial=0.0)))
    for _ in range(_ROUNDS * max(1, count)):
        gain = columns.T @ (target - columns @ weights)
        gain[free] = -np.inf
        if free.all() or gain.max(initial=-np.inf) <= tolerance:
            return weights
        free[int(gain.argmax())] = True
        while True:
            solved = np.zeros(count)
            solved[free] = np.linalg.lstsq(columns[:, free], target, rcond=None)[0]
            if (solved[free] > 0.0).all():
                weights = solved
                break
            # As far towards the solution as no weight turns negative; those that reach 0 leave.
            blocked = free & (solved <= 0.0)
            share = float((weights[blocked] / (weights[blocked] - solved[blocked])).min())
            weights = weights + share * (solved - weights)
            free &= weights > 1e-15 * max(1.0, float(weights.max()))
            weights[~free] = 0.0
    raise UsageError("the weights of 0 or more do not settle: columns are almost multiples of each other; drop some.")
