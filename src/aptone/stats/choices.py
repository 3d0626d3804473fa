"""Strengths of systems from choices: Bradley-Terry for pairs, MaxDiff for the best and the worst of a few.

Both are fitted by Newton's method with a weak normal prior (deviation 10), which keeps a system that always won finite
and changes others by less than a thousandth of their error in studies of usual size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import RecordError
from aptone.stats.arrays import FloatArray

PRIOR = 1 / 10**2
"""Inverse variance of the prior of a strength."""
_STEPS = 200


@dataclass(frozen=True, slots=True)
class BestWorst:
    """Choice of the best and the worst among the shown ones, all by their number."""

    shown: tuple[int, ...]
    best: int
    worst: int


def bradley_terry(wins: Sequence[Sequence[float]]) -> FloatArray:
    """Strengths of systems, with mean 0, from a table of wins (Bradley and Terry 1952).

    ``P(i beats j) = 1 / (1 + exp(βⱼ - βᵢ))``; a tie counts as half a win of each. The difference of two strengths is
    the logarithm of the odds that one beats the other.

    Args:
        wins: number of times that the row was preferred to the column.

    Raises:
        RecordError: if the table is not square, or a number is negative.

    >>> [round(float(one), 3) for one in bradley_terry([[0, 30], [10, 0]])]  # log(3) apart
    [0.549, -0.549]
    """
    table = np.asarray(wins, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or (table < 0).any() or np.diag(table).any():
        raise RecordError("wins: expected a square table of numbers from 0 upwards, with nothing on its diagonal.")
    played = table + table.T

    def slope_and_curve(strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        share = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = (table - played * share).sum(axis=1)
        weight = played * share * (1 - share)
        return slope, np.diag(weight.sum(axis=1)) - weight

    return _fitted(slope_and_curve, len(table))


def max_diff(choices: Sequence[BestWorst], *, count: int) -> FloatArray:
    """Strengths of systems, with mean 0, from best-worst choices (the MaxDiff model, Marley and Louviere 2005).

    ``P(best i, worst j) = exp(βᵢ - βⱼ) / Σ exp(βₖ - βₗ)`` over all ordered pairs of those shown.

    Args:
        count: number of systems.

    Raises:
        RecordError: if a choice names what was not shown, or the same as best and worst.

    >>> only = [BestWorst((0, 1), 0, 1)] * 30 + [BestWorst((0, 1), 1, 0)] * 10
    >>> [round(float(one), 3) for one in max_diff(only, count=2)]  # log(3) / 2 apart: best and worst are one choice
    [0.275, -0.275]
    """
    for one in choices:
        if one.best == one.worst or not {one.best, one.worst} <= set(one.shown) or max(one.shown) >= count:
            raise RecordError(f"a best-worst choice names two of those shown, got {one}.")
    grouped: dict[tuple[int, ...], int] = {}
    chosen = np.zeros(count)
    for one in choices:
        key = tuple(sorted(one.shown))
        grouped[key] = grouped.get(key, 0) + 1
        chosen[one.best] += 1
        chosen[one.worst] -= 1

    def slope_and_curve(strengths: FloatArray) -> tuple[FloatArray, FloatArray]:
        slope, curve = chosen.copy(), np.zeros((count, count))
        for shown, times in grouped.items():
            places = np.array(shown)
            first, second = (side.ravel() for side in np.meshgrid(places, places, indexing="ij"))
            first, second = first[first != second], second[first != second]
            odds = np.exp(strengths[first] - strengths[second])
            share = odds / odds.sum()
            design = np.zeros((first.size, count))
            design[np.arange(first.size), first] += 1
            design[np.arange(first.size), second] -= 1
            mean = share @ design
            slope -= times * mean
            curve += times * (design.T @ (share[:, None] * design) - np.outer(mean, mean))
        return slope, curve

    return _fitted(slope_and_curve, count)


def _fitted(slope_and_curve: Callable[[FloatArray], tuple[FloatArray, FloatArray]], count: int) -> FloatArray:
    """Maximise a concave likelihood with the prior by Newton's steps, at most 2 in any strength."""
    strengths: FloatArray = np.zeros(count)
    for _ in range(_STEPS):
        slope, curve = slope_and_curve(strengths)
        step = np.linalg.solve(curve + PRIOR * np.eye(count), slope - PRIOR * strengths)
        largest = float(np.abs(step).max(initial=0.0))
        strengths = strengths + step * min(1.0, 2 / largest if largest else 1.0)
        if largest < 1e-12:
            break
    centred: FloatArray = strengths - strengths.mean()
    return centred
