"""Difference of two systems from ratings by several people of several items, whoever heard what.

Where everybody who rated an item rated it from both systems, it is the mean of the differences. Otherwise it is that of
least squares, ``θ = Σ w·y``, beside effects of raters and items, so that nobody's own level counts. Raters and items
also have differences of their own, as random effects; three sums of squares of what each rater, item and cell
contributes to the residual, ``Σ w·e``, are equated with what they are on average (Henderson 1953), which gives their
variances.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from aptone.errors import RecordError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, Values, vector
from aptone.stats.crossed import (
    CrossedMean,
    CrossedVariance,
    Labels,
    Places,
    crossed_mean,
    estimated_mean,
    label_places,
    satterthwaite,
)
from aptone.types import Estimate


def crossed_difference(
    values: Values, is_second: Sequence[bool], raters: Labels, items: Labels, *, confidence: float = 0.95
) -> CrossedMean:
    """Difference of two systems, second minus first, with an interval that holds for other raters and items.

    Undefined (NaN) if nobody heard both systems and no item has both.

    Raises:
        RecordError: as `aptone.stats.crossed.crossed_mean`.

    >>> difference = crossed_difference([3, 4, 2, 4], [False, True] * 2, ["a", "a", "b", "b"], ["x"] * 4)
    >>> difference.estimate.value
    1.5
    """
    numbers = vector(values, name="values")
    second = np.asarray(is_second, dtype=bool)
    if not numbers.size == second.size == len(raters) == len(items):
        raise RecordError(f"expected a system, a rater and an item for each of {numbers.size} values.")
    means: list[dict[tuple[Hashable, Hashable], list[float]]] = [{}, {}]
    for cell, number, side in zip(zip(raters, items, strict=True), numbers.tolist(), second.tolist(), strict=True):
        means[side].setdefault(cell, []).append(number)
    if means[0] and means[0].keys() == means[1].keys():
        apart = [float(np.mean(means[1][cell]) - np.mean(given)) for cell, given in means[0].items()]
        people, things = [cell[0] for cell in means[0]], [cell[1] for cell in means[0]]
        return crossed_mean(apart, people, things, confidence=confidence)
    return _contrast(numbers, second.astype(np.float64) - 0.5, raters, items, confidence=confidence)


def _contrast(
    numbers: FloatArray, side: FloatArray, raters: Labels, items: Labels, *, confidence: float
) -> CrossedMean:
    by_rater, by_item = label_places(raters), label_places(items)
    people, things = int(by_rater.max(initial=-1)) + 1, int(by_item.max(initial=-1)) + 1
    levels = np.concatenate([_indicators(by_rater, people), _indicators(by_item, things)], axis=1)
    basis = _orthonormal(levels)
    own = side - basis @ (basis.T @ side)
    size = float(own @ own)
    if size < 1e-9 * max(1, numbers.size):
        unknown = Estimate(math.nan, reason=message("stats.no-rater-with-both"))
        return CrossedMean(unknown, math.nan, math.nan, math.nan, people, things)
    weights = own / size
    value = float(weights @ numbers)
    rest = numbers - basis @ (basis.T @ numbers) - value * own
    keys, by_cell = np.unique(by_rater * things + by_item, return_inverse=True)
    fitted = np.column_stack([basis, own / math.sqrt(size)])
    found = _variance(weights, rest, side, (by_rater, by_item, by_cell), fitted)
    if found is None:  # too few to tell raters, items and the rest apart
        parts = keys.size * np.bincount(by_cell, weights=weights * rest)
        cells = parts - parts.mean() + value
        return crossed_mean(cells, (keys // things).tolist(), (keys % things).tolist(), confidence=confidence)
    return estimated_mean(value, found, count=keys.size, raters=people, items=things, confidence=confidence)


def _variance(
    weights: FloatArray, rest: FloatArray, side: FloatArray, groups: tuple[Places, Places, Places], fitted: FloatArray
) -> CrossedVariance | None:
    """Variance of ``Σ w·y``; ``None`` where its parts cannot be told apart.

    With the projection ``M = 1 - H·H'`` the residual of a random effect with columns Z is ``M·Z``, so that the sum of
    squares of groups G is on average ``σ²·|G·w·M·Z|²``.
    """
    raters, items, _ = groups
    people, things = int(raters.max()) + 1, int(items.max()) + 1
    leanings = [side[:, None] * _indicators(places, count) for places, count in ((raters, people), (items, things))]
    sums, expected = [], []
    for places in groups:
        sums.append(float((np.bincount(places, weights=weights * rest) ** 2).sum()))
        shares = _summed(weights[:, None] * fitted, places)
        squares = [
            float(((_summed(weights[:, None] * own, places) - shares @ (fitted.T @ own)) ** 2).sum())
            for own in leanings
        ]
        expected.append([*squares, float((weights**2).sum() - (shares**2).sum())])
    left = weights.size - fitted.shape[1] - (people - 1) - (things - 1)
    table = np.array(expected)
    scale = np.abs(table).max(axis=0)
    if left < 1 or min(people, things) < 2 or not sums[2] or scale.min() <= 1e-12 * scale.max():
        return None
    if np.linalg.cond(table / scale) > 1e10:
        return None
    rater, item, error = (max(0.0, float(one)) for one in np.linalg.solve(table / scale, np.array(sums)) / scale)
    noise = error * float((weights**2).sum())
    of_people, of_things = (
        part * float((_summed((weights * side)[:, None], places) ** 2).sum()) + noise
        for part, places in ((rater, raters), (item, items))
    )
    variance = of_people + of_things - noise
    if not variance:
        return None
    freedom = satterthwaite([(of_people, people - 1), (of_things, things - 1), (-noise, left)])
    # as those of a study in which everybody rates everything by both systems: a pair has the noise of two ratings
    return CrossedVariance(variance, freedom, rater, item, 2 * error)


def _summed(rows: FloatArray, places: Places) -> FloatArray:
    """Sums of rows by group."""
    found = np.zeros((int(places.max()) + 1, rows.shape[1]))
    np.add.at(found, places, rows)
    return found


def _indicators(places: Places, count: int) -> FloatArray:
    found = np.zeros((places.size, count))
    found[np.arange(places.size), places] = 1.0
    return found


def _orthonormal(columns: FloatArray) -> FloatArray:
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    kept: FloatArray = left[:, sizes > 1e-10 * sizes.max(initial=0.0)]
    return kept
