"""Ranks with ties, and how far two orders disagree."""

import numpy as np
import numpy.typing as npt

from aptone.stats.arrays import FloatArray


def average_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1 upwards; equal values share the mean of the ranks that they take up.

    Values are tied only if they are equal bit for bit: round means of ratings before they come here.

    Args:
        values: one-dimensional, without NaN.

    >>> average_ranks(np.array([10.0, 30.0, 20.0, 30.0]))
    array([1. , 3.5, 2. , 3.5])
    """
    _, position, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: FloatArray = (last - (counts - 1) / 2)[position]
    return ranks


def tied_pairs(values: npt.NDArray[np.generic]) -> int:
    """Number of pairs with equal values.

    >>> tied_pairs(np.array([1, 1, 1, 2, 2, 3]))
    4
    """
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def inversions(ranks: npt.NDArray[np.int64]) -> int:
    """Number of pairs in which the earlier number is the larger one, in O(n log² n).

    From the highest bit down, numbers with the same higher bits form a group in their original order; each zero bit
    is inverted against the one bits before it in its group. Every inverted pair is counted at the highest bit in
    which its two numbers differ, and only there.

    Args:
        ranks: numbers from 0 upwards, one-dimensional.

    >>> inversions(np.array([2, 0, 1]))
    2
    """
    if ranks.size < 2:
        return 0
    total = 0
    arranged = ranks
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        group = arranged >> (bit + 1)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        ones = (arranged >> bit) & 1
        ones_before = np.cumsum(ones) - ones
        ones_before_group = np.repeat(ones_before[starts], np.diff(starts, append=arranged.size))
        total += int(((ones_before - ones_before_group) * (1 - ones)).sum())
        arranged = arranged[np.argsort(arranged >> bit, kind="stable")]
    return total
