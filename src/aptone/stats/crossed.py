"""Means and differences of ratings by several people of several items, for people and items like these.

Whoever tests on twenty listeners and ten sentences wants to say something about other listeners and other sentences. So
both are random effects that cross: ``y = mean + rater + item + rest``. Their variances are estimated by Henderson's
first method (1953), which equates three sums of squares with what they are on average. It allows missing ratings; where
none are missing it is the analysis of variance, and where no variance is negative also REML. The variance of the mean
and its degrees of freedom (Satterthwaite 1946) follow, as in Clark's quasi-F (1973).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, Values, is_constant, vector
from aptone.stats.intervals import check_resampling, percentile_interval
from aptone.stats.student import t_p_value, t_quantile
from aptone.types import Estimate

Labels = Sequence[Hashable]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CrossedMean:
    """Mean over raters and items.

    Args:
        estimate: the mean with its interval; ``count`` is the number of rater-item cells.
        error: standard error, over raters and items; NaN where there is no interval.
        freedom: degrees of freedom of the error.
        p_value: two-sided, of a mean of 0.
        rater_variance, item_variance, rest_variance: variance components; negative estimates are 0.
    """

    estimate: Estimate
    error: float
    freedom: float
    p_value: float
    raters: int
    items: int
    rater_variance: float = math.nan
    item_variance: float = math.nan
    rest_variance: float = math.nan


def crossed_mean(values: Values, raters: Labels, items: Labels, *, confidence: float = 0.95) -> CrossedMean:
    """Mean of numbers by raters and items, with an interval that holds for other raters and other items, too.

    With N cells, nᵣ of rater r and nᵢ of item i, the variance of the mean is
    ``σᵣ² Σnᵣ²/N² + σᵢ² Σnᵢ²/N² + σₑ²/N``. Several numbers of one rater and item count as their mean. With a single
    rater or item the interval is over the other alone, and the reason says so.

    Raises:
        RecordError: if the sequences differ in length, or hold numbers that are missing or infinite.

    >>> mean = crossed_mean([1, 2, 3, 2, 3, 5], ["a", "a", "a", "b", "b", "b"], ["x", "y", "z"] * 2)
    >>> round(mean.estimate.value, 4), round(mean.error, 4), round(mean.freedom, 2)
    (2.6667, 0.9718, 2.65)
    """
    cells, by_rater, by_item = _cells(values, raters, items)
    people, things = (int(places.max(initial=-1)) + 1 for places in (by_rater, by_item))
    count = cells.size
    if not count:
        nothing = Estimate(math.nan, reason=message("stats.no-items"))
        return CrossedMean(nothing, math.nan, math.nan, math.nan, 0, 0)
    value = float(cells.mean())
    method = message("stats.crossed-random-effects")
    if count < 2:
        alone = Estimate(value, count=count, method=method, reason=message("stats.no-interval-one-item"))
        return CrossedMean(alone, math.nan, math.nan, math.nan, people, things)
    if is_constant(cells):
        # no spread to estimate: people are the units, and each could as well have leaned the other way
        same = Estimate(value, value, value, count, confidence, method, message("stats.answers-all-equal"))
        p_value = 1.0 if value == 0 else min(1.0, 2.0 ** (1 - people))
        return CrossedMean(same, 0.0, math.nan, p_value, people, things, 0.0, 0.0, 0.0)
    found = _variance(cells, by_rater, by_item)
    return estimated_mean(value, found, count=count, raters=people, items=things, confidence=confidence)


@dataclass(frozen=True, slots=True)
class CrossedVariance:
    """Variance of a mean over raters and items, its degrees of freedom, and the components; NaN where unknown."""

    variance: float
    freedom: float
    rater: float = math.nan
    item: float = math.nan
    rest: float = math.nan


def estimated_mean(
    value: float, found: CrossedVariance, *, count: int, raters: int, items: int, confidence: float
) -> CrossedMean:
    """Mean of so many cells with the interval and the test by Student's t that its variance gives."""
    error = math.sqrt(found.variance)
    reach = t_quantile(found.freedom, confidence) * error
    one_way = {1: message("stats.one-rater-only")}.get(raters) or {1: message("stats.one-item-only")}.get(items) or ""
    method = message("stats.crossed-random-effects")
    estimate = Estimate(value, value - reach, value + reach, count, confidence, method, one_way)
    p_value = t_p_value(value / error, found.freedom)
    return CrossedMean(estimate, error, found.freedom, p_value, raters, items, found.rater, found.item, found.rest)


def satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of variances, each with its own (Satterthwaite 1946)."""
    whole, spread = math.fsum(part for part, _ in parts), math.fsum(part**2 / freedom for part, freedom in parts)
    return whole**2 / spread if spread else math.inf


def _cells(values: Values, raters: Labels, items: Labels) -> tuple[FloatArray, Places, Places]:
    """Return one number for each rater and item, with the place of each among raters and items."""
    numbers = vector(values, name="values")
    if not numbers.size == len(raters) == len(items):
        raise RecordError(f"expected a rater and an item for each of {numbers.size} values.")
    if np.isnan(numbers).any():
        raise RecordError("values: some are missing; leave these ratings out first.")
    people, things = label_places(raters), label_places(items)
    width = int(things.max(initial=-1)) + 1
    keys, inverse = np.unique(people * max(width, 1) + things, return_inverse=True)
    means = np.bincount(inverse, weights=numbers) / np.bincount(inverse) if numbers.size else numbers
    return means, keys // max(width, 1), keys % max(width, 1)


def label_places(labels: Labels) -> Places:
    """Number of each label, in the order in which they first come."""
    known = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return np.array([known[label] for label in labels], dtype=np.intp)


def _variance(cells: FloatArray, by_rater: Places, by_item: Places) -> CrossedVariance:
    count = cells.size
    people, things = np.bincount(by_rater), np.bincount(by_item)
    raters, items = people.size, things.size
    if raters == 1 or items == 1 or raters == count or items == count:  # one of the two tells all that differs
        units = max(raters, items) if min(raters, items) == 1 else min(raters, items)
        places, sizes = (by_rater, people) if units == raters else (by_item, things)
        return CrossedVariance(_cluster_variance(cells, places, sizes), units - 1)
    centred = cells - cells.mean()
    of_raters = float((np.bincount(by_rater, weights=centred) ** 2 / people).sum())
    of_items = float((np.bincount(by_item, weights=centred) ** 2 / things).sum())
    whole = float((centred**2).sum())
    rater_size, item_size = float((people**2).sum()) / count, float((things**2).sum()) / count
    left = count - raters - items + 1
    # expected sums of squares; columns: variance of raters, of items, and the rest
    expected = np.array(
        [
            [count - rater_size, raters - item_size, raters - 1],
            [items - rater_size, count - item_size, items - 1],
            [rater_size - items, item_size - raters, left],
        ]
    )
    sums = np.array([of_raters, of_items, whole - of_raters - of_items])
    if left < 1 or np.linalg.cond(expected) > 1e10:
        worst = max(_cluster_variance(cells, by_rater, people), _cluster_variance(cells, by_item, things))
        return CrossedVariance(worst, min(raters, items) - 1)
    rater_part, item_part, rest = (max(0.0, float(one)) for one in np.linalg.solve(expected, sums))
    noise = rest / count
    of_people, of_things = rater_part * rater_size / count + noise, item_part * item_size / count + noise
    freedom = satterthwaite([(of_people, raters - 1), (of_things, items - 1), (-noise, left)])
    return CrossedVariance(of_people + of_things - noise, freedom, rater_part, item_part, rest)


def _cluster_variance(cells: FloatArray, places: Places, sizes: npt.NDArray[np.intp]) -> float:
    """Variance of the mean with whole groups as units: ``k/(k-1) Σ(Σ(y - ȳ))² / N²``."""
    sums = np.bincount(places, weights=cells - cells.mean())
    return float((sums**2).sum() / cells.size**2 * sizes.size / (sizes.size - 1))


def crossed_bootstrap(
    statistic: Callable[[FloatArray], float],
    values: Values,
    raters: Labels,
    items: Labels,
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> Estimate:
    """A statistic with a percentile interval, raters and items both drawn with replacement (Owen 2007).

    For statistics without a closed form, such as the median. It is conservative: what is left besides raters and items
    counts up to three times.

    >>> crossed_bootstrap(np.median, [1, 2, 3, 4], ["a", "a", "b", "b"], ["x", "y"] * 2, seed=0).value
    2.5
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    cells, by_rater, by_item = _cells(values, raters, items)
    method = message("stats.crossed-bootstrap")
    if not cells.size:
        return Estimate(math.nan, reason=message("stats.no-items"))
    value = float(statistic(cells))
    if cells.size < 2:
        return Estimate(value, count=cells.size, method=method, reason=message("stats.no-interval-one-item"))
    people, things = int(by_rater.max()) + 1, int(by_item.max()) + 1
    table = np.full((people, things), np.nan)
    table[by_rater, by_item] = cells
    generator = np.random.default_rng(seed)
    drawn = np.full(resamples, np.nan)
    for place in range(resamples):
        rows, columns = generator.integers(0, people, people), generator.integers(0, things, things)
        chosen = table[np.ix_(rows, columns)].ravel()
        chosen = chosen[~np.isnan(chosen)]
        if chosen.size:
            drawn[place] = statistic(chosen)
    (low, high), remark = percentile_interval(drawn, confidence=confidence)
    return Estimate(value, low, high, cells.size, confidence, method, remark)
