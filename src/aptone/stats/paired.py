"""Two judges on the same items: how much they differ, and whether chance alone would do that.

Sequences hold one number an item, in the same order. The seed, from 0 upwards, is that of bootstrap and permutations.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, Values, check_whole, complete_items, is_constant, joined
from aptone.stats.intervals import Statistic, bootstrap, check_resampling, number
from aptone.types import Estimate


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's step-down method (1979): the chance of one false alarm among all of them is bounded.

    The smallest of m p-values is multiplied by m, the next one by m - 1, and so on; none may fall below the one before
    it, nor rise above 1. Nothing is presumed about how the tests depend on each other.

    NaN (a test that could not be made) stays NaN and does not count among the m.

    Raises:
        ValueError: if a p-value is neither NaN nor from 0 to 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if wrong := [value for value in p_values if not (math.isnan(value) or 0 <= value <= 1)]:
        raise ValueError(f"a p-value lies between 0 and 1, got {wrong[0]}.")
    adjusted = [math.nan] * len(p_values)
    order = sorted((place for place, value in enumerate(p_values) if not math.isnan(value)), key=p_values.__getitem__)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


BLOCK = 2_000_000
"""Random signs generated at a time; bounds the memory of a permutation test to a few tens of megabytes."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Difference of two judges on the same items.

    Args:
        difference: second minus first, with its interval; NaN with a reason where it is undefined.
        p_value: probability of a difference at least as large, in either direction, if the judges are swapped
            at random on each item. NaN where the difference is undefined.
        first: the first judge by itself: its mean, or its statistic.
        second: the same of the second judge.
        exact: whether those were all the ways there are, so that the p-value has no chance in it.
    """

    difference: Estimate
    p_value: float
    first: float
    second: float
    permutations: int
    exact: bool


def paired_difference(
    first: Values,
    second: Values,
    *,
    seed: int,
    resamples: int = 2000,
    permutations: int = 10_000,
    confidence: float = 0.95,
) -> PairedComparison:
    """Mean of ``second - first`` over the same items, with a bootstrap interval and a sign-flip permutation test.

    If the judges were alike, each item's difference could as well have the other sign. The p-value (two-sided) is the
    share of sign patterns whose mean is at least as far from 0: over all ``2ⁿ`` of them if that is no more than
    `permutations`, else ``(hits + 1) / (permutations + 1)`` over random ones (Phipson and Smyth 2010), never 0.

    NaN or ``None`` in either sequence: the item is left out of both and counted in the reason of the difference.
    Undefined (NaN) if no item is left; below two items there is no interval.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if an option makes no sense.

    >>> comparison = paired_difference([1, 2, 3], [2, 3, 4], seed=0)
    >>> comparison.difference.value, comparison.p_value  # of 8 sign patterns, +++ and --- lie as far out
    (1.0, 0.25)
    """
    check_whole(permutations, name="the number of permutations", least=1)
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    (x, y), missing = complete_items(first=first, second=second)
    estimate = bootstrap(np.mean, y - x, seed=seed, resamples=resamples, confidence=confidence)
    difference = replace(estimate, reason=joined(missing, estimate.reason))
    if not x.size:
        return PairedComparison(difference, math.nan, math.nan, math.nan, 0, exact=False)

    def mean_when_swapped(swapped: npt.NDArray[np.bool_]) -> FloatArray:
        means: FloatArray = ((y - x).sum() - 2 * (swapped.astype(np.float64) @ (y - x))) / x.size
        return means

    # a mean of differences that cancel out is only as exact as the differences are large
    rounding = 1e-12 * float(np.abs(y - x).mean())
    p_value, tried, exact = _permuted(
        mean_when_swapped, estimate.value, x.size, permutations=permutations, seed=seed, rounding=rounding
    )
    return PairedComparison(difference, p_value, float(x.mean()), float(y.mean()), tried, exact)


def paired_statistic_difference(
    statistic: Statistic,
    reference: Values,
    first: Values,
    second: Values,
    *,
    seed: int,
    resamples: int = 2000,
    permutations: int = 2000,
    confidence: float = 0.95,
    standardise: bool = False,
) -> PairedComparison:
    """Difference of a statistic, for instance LCC, of two judges against the same human scores.

    ``statistic(second, reference) - statistic(first, reference)`` with a bootstrap interval (items drawn jointly for
    people and both judges) and a permutation test: if the judges were alike, swapping their scores on any item would
    change nothing. The p-value is two-sided: over all ``2ⁿ`` ways of swapping if those are no more than `permutations`,
    else ``(hits + 1) / (permutations + 1)`` over random ones (Phipson and Smyth 2010). A swap on which the statistic is
    undefined counts as a hit, which can only make the p-value larger.

    Swapping presumes that both judges speak on one scale. For judges on different scales and a statistic that does not
    depend on the scale (`pearson`, `spearman`, `kendall`), ``standardise=True`` first brings both to mean 0 and
    deviation 1.

    NaN or ``None`` in any of the three: the item is left out of all and counted in the reason of the difference.
    Undefined (NaN) if the statistic is undefined for a judge.

    Args:
        statistic: called as ``statistic(predicted, reference)``; gives a number or an `Estimate`.
        permutations: most ways of swapping to try.
        standardise: bring both judges to one scale before the test.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if an option makes no sense, or `standardise` changes the statistic.

    >>> from aptone.stats import pearson
    >>> people, good, poor = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5], [3, 1, 2, 6, 4, 5]
    >>> comparison = paired_statistic_difference(pearson, people, poor, good, seed=0)
    >>> round(comparison.first, 3), round(comparison.second, 3), comparison.p_value
    (0.657, 0.943, 0.0625)
    """
    check_whole(permutations, name="the number of permutations", least=1)
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    (truth, x, y), missing = complete_items(reference=reference, first=first, second=second)
    if standardise and x.size:
        x, y = _standardised(statistic, truth, x), _standardised(statistic, truth, y)

    def difference_of(people: FloatArray, one: FloatArray, other: FloatArray) -> float:
        return number(statistic(other, people)) - number(statistic(one, people))

    estimate = bootstrap(difference_of, truth, x, y, seed=seed, resamples=resamples, confidence=confidence)
    if not estimate.is_defined:
        why = joined(missing, *_undefined_judges(statistic, truth, x, y)) or estimate.reason
        own = [number(statistic(judge, truth)) if judge.size else math.nan for judge in (x, y)]
        return PairedComparison(replace(estimate, reason=why), math.nan, own[0], own[1], 0, exact=False)

    def difference_when_swapped(swapped: npt.NDArray[np.bool_]) -> FloatArray:
        pairs = ((np.where(mask, y, x), np.where(mask, x, y)) for mask in swapped)
        return np.array([difference_of(truth, one, other) for one, other in pairs])

    p_value, tried, exact = _permuted(
        difference_when_swapped, estimate.value, x.size, permutations=permutations, seed=seed, rounding=1e-12
    )
    difference = replace(estimate, reason=joined(missing, estimate.reason))
    own_first, own_second = number(statistic(x, truth)), number(statistic(y, truth))
    return PairedComparison(difference, p_value, own_first, own_second, tried, exact)


def _undefined_judges(statistic: Statistic, truth: FloatArray, x: FloatArray, y: FloatArray) -> list[str]:
    reasons: list[str] = []
    for name, judge in (("stats.first-judge", x), ("stats.second-judge", y)):
        nothing = Estimate(math.nan, reason=message("stats.no-complete-items"))
        result = statistic(judge, truth) if judge.size else nothing
        if isinstance(result, Estimate) and not result.is_defined:
            reasons.append(message(name, why=result.reason))
    return reasons


def _standardised(statistic: Statistic, truth: FloatArray, judge: FloatArray) -> FloatArray:
    if is_constant(judge):
        return judge  # it has no scale, and correlations are undefined anyway
    scaled: FloatArray = (judge - judge.mean()) / judge.std()
    before, after = number(statistic(judge, truth)), number(statistic(scaled, truth))
    if abs(before - after) > 1e-9:
        raise UsageError(
            f"standardise=True changes this statistic from {before:.6g} to {after:.6g}: it depends on the scale. "
            "Leave it out, and compare judges that speak on one scale."
        )
    return scaled


def _permuted(
    when_swapped: Callable[[npt.NDArray[np.bool_]], FloatArray],
    observed: float,
    items: int,
    *,
    permutations: int,
    seed: int,
    rounding: float,
) -> tuple[float, int, bool]:
    """The p-value, how many ways of swapping it rests on, and whether those are all."""
    exact = 2**items <= permutations
    tried = 2**items if exact else permutations
    generator = np.random.default_rng([seed, 1])  # not the bootstrap's stream
    block = max(1, BLOCK // items)
    hits = 0
    for start in range(0, tried, block):
        size = min(block, tried - start)
        if exact:
            patterns = np.arange(start, start + size)
            swapped = (patterns[:, None] >> np.arange(items)) % 2 == 1
        else:
            drawn = np.frombuffer(generator.bytes(-(-size * items // 8)), dtype=np.uint8)
            swapped = np.unpackbits(drawn, count=size * items).reshape(size, items).astype(np.bool_)
        # differences that are equal in theory may differ by rounding; undefined ones are hits (not below)
        below = np.abs(when_swapped(swapped)) < abs(observed) * (1 - 1e-9) - rounding
        hits += size - int(below.sum())
    return (hits / tried if exact else (hits + 1) / (tried + 1)), tried, exact
