"""Isotonic regression: the best curve that never falls."""

import numpy as np

from aptone.errors import RecordError
from aptone.stats.arrays import Values, complete_items

Knots = tuple[tuple[float, float], ...]
"""Points of a curve, from left to right."""


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
