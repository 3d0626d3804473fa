"""Intervals: closed forms for correlations and shares, and the bootstrap for everything else."""

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.stats.arrays import check_confidence, check_whole, joined
from aptone.types import Estimate

Statistic = Callable[..., Estimate | float]
"""A function of arrays that gives a number or an `Estimate`; NaN where it is undefined."""

PERFECT = 1e-12  # a coefficient nearer to ±1 than this is perfect but for rounding; Fisher's z would be infinite


def normal_quantile(confidence: float) -> float:
    """Half the width of a two-sided interval of the standard normal distribution, for instance 1.96 for 0.95.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def fisher_interval(coefficient: float, deviation: float, *, confidence: float) -> tuple[float, float]:
    """Interval of a coefficient between -1 and 1 by Fisher's transform: ``tanh(atanh(c) ± q · deviation)``.

    Args:
        coefficient: inside (-1, 1).
        deviation: standard deviation of ``atanh(c)``.

    >>> [round(end, 3) for end in fisher_interval(0.5, 1 / math.sqrt(28 - 3), confidence=0.95)]
    [0.156, 0.736]
    """
    centre = math.atanh(coefficient)
    reach = normal_quantile(confidence) * deviation
    return math.tanh(centre - reach), math.tanh(centre + reach)


def wilson_interval(hits: int, count: int, *, confidence: float) -> tuple[float, float]:
    """Interval of a share (Wilson 1927): unlike the textbook interval it stays in [0, 1] and has width at 0 and 1.

    ``(p + q²/2n ± q · sqrt(p(1-p)/n + q²/4n²)) / (1 + q²/n)`` with ``q`` the normal quantile.

    Args:
        hits: number of hits among the `count`; at least 0, at most `count`.
        count: at least 1.

    >>> [round(end, 4) for end in wilson_interval(0, 10, confidence=0.95)]
    [0.0, 0.2775]
    """
    quantile = normal_quantile(confidence)
    share = hits / count
    shrink = 1 + quantile**2 / count
    centre = (share + quantile**2 / (2 * count)) / shrink
    reach = quantile * math.sqrt(share * (1 - share) / count + quantile**2 / (4 * count**2)) / shrink
    return max(0.0, centre - reach) if hits else 0.0, min(1.0, centre + reach) if hits < count else 1.0


def normal_mean(count: int, mean: float, deviation: float, *, confidence: float = 0.95) -> Estimate:
    """A mean with its interval ``mean ± q · deviation / √count``, from sums alone: for many items, where it holds.

    Args:
        deviation: sample standard deviation (divisor n - 1); NaN below two items, which leaves the interval open.

    >>> estimate = normal_mean(400, 3.0, 1.0)
    >>> round(estimate.low, 3), round(estimate.high, 3)
    (2.902, 3.098)
    """
    if not count:
        return Estimate(math.nan, reason=message("stats.no-items"))
    if count < 2:
        return Estimate(mean, count=count, reason=message("stats.no-interval-one-item"))
    reach = normal_quantile(confidence) * deviation / math.sqrt(count)
    return Estimate(mean, mean - reach, mean + reach, count, confidence, message("stats.normal"))


def check_resampling(*, seed: int, resamples: int, confidence: float) -> None:
    """Refuse options with which a bootstrap has no percentiles to read.

    Raises:
        UsageError: if the seed is negative, the confidence is not between 0 and 1, a tail holds no resample, or a
            number is not whole.
    """
    check_confidence(confidence)
    check_whole(seed, name="a seed", least=0)
    check_whole(resamples, name="the number of resamples", least=1)
    needed = math.ceil(2 / (1 - confidence) - 1e-9)
    if resamples < needed:
        raise UsageError(f"an interval of {confidence} needs at least {needed} resamples, got {resamples}.")


def percentile_interval(values: npt.NDArray[np.float64], *, confidence: float) -> tuple[tuple[float, float], str]:
    """The two ends that the middle of the resampled values spans (NaN if there are none), and a remark.

    Undefined resamples (NaN) are left out and counted in the remark; if they are more than half, there is no interval.
    """
    defined = values[~np.isnan(values)]
    undefined = values.size - defined.size
    remark = message("stats.resamples-undefined-left-out", count=undefined, all=values.size) if undefined else ""
    if 2 * defined.size < values.size:
        return (math.nan, math.nan), joined(remark, message("stats.no-interval-undefined-resamples"))
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    if low == high == defined.min() == defined.max():
        remark = joined(remark, message("stats.resamples-all-equal"))
    return (float(low), float(high)), remark


def number(result: Estimate | float) -> float:
    """The value of what a statistic gave."""
    return result.value if isinstance(result, Estimate) else float(result)


def mean_of_items(values: npt.ArrayLike, remark: str, *, seed: int, resamples: int, confidence: float) -> Estimate:
    """The mean over items with its `bootstrap` interval; a remark counts the items that were left out."""
    estimate = bootstrap(np.mean, values, seed=seed, resamples=resamples, confidence=confidence)
    return replace(estimate, reason=joined(remark, estimate.reason) if estimate.count or not remark else remark)


def bootstrap(
    statistic: Statistic, *arrays: npt.ArrayLike, seed: int, resamples: int = 2000, confidence: float = 0.95
) -> Estimate:
    """A statistic with a bootstrap percentile interval (Efron 1979), items drawn with replacement and jointly.

    The percentile form is used rather than BCa because it needs no jackknife and survives statistics that are
    undefined on some resamples. With fewer than about 20 items it is a little too narrow; where this room has a
    closed form (`pearson`, `icc_2_1`, …), that form is the better one.

    NaN inside the arrays is passed on: what it means is up to the statistic.

    Args:
        statistic: called with the arrays; gives a number or an `Estimate`, NaN where it is undefined. Those resamples
            are left out and counted in `reason`.
        arrays: one entry an item along the first axis, all of the same length.
        seed: random seed from 0 upwards. The same seed gives the same interval.

    Returns:
        The statistic on the arrays as they are. `count` is the statistic's own count if it gives one, else the number
        of items. The interval is NaN with a reason below two items, or if most resamples are undefined.

    Raises:
        RecordError: if the arrays differ in length, have no items axis, or hold infinite numbers.
        UsageError: if the seed, the number of resamples or the confidence makes no sense, or no array is given.

    >>> estimate = bootstrap(np.mean, [1.0, 2.0, 3.0, 4.0], seed=1)
    >>> estimate.value, estimate.low, estimate.high
    (2.5, 1.5, 3.5)
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    samples = [np.asarray(array) for array in arrays]
    if not samples:
        raise UsageError("a bootstrap needs at least one array to draw from.")
    for position, sample in enumerate(samples):
        if sample.ndim == 0:
            raise RecordError(f"array {position}: expected one entry an item, got a single number.")
        if sample.dtype.kind == "f" and np.isinf(sample).any():
            raise RecordError(f"array {position}: some values are infinite; mark missing values by NaN.")
    lengths = [len(sample) for sample in samples]
    if len(set(lengths)) > 1:
        raise RecordError(f"expected arrays with one entry an item each, got lengths {lengths}; align them first.")
    items, method = lengths[0], message("stats.bootstrap-percentile")
    if not items:
        return Estimate(math.nan, confidence=confidence, method=method, reason=message("stats.no-items"))
    whole = statistic(*samples)
    value = number(whole)
    count = whole.count if isinstance(whole, Estimate) else items
    # the statistic's own reason may speak of its own interval, which is not the one given here
    remark = message("stats.rests-items", count=count, items=items) if count < items else ""
    if math.isnan(value):
        reason = whole.reason if isinstance(whole, Estimate) else message("stats.statistic-undefined-these-items")
        return Estimate(math.nan, count=count, confidence=confidence, method=method, reason=reason)
    if items < 2:
        reason = joined(remark, message("stats.no-interval-one-item"))
        return Estimate(value, count=count, confidence=confidence, method=method, reason=reason)
    generator = np.random.default_rng(seed)
    drawn = np.empty(resamples)
    for resample in range(resamples):
        chosen = generator.integers(0, items, size=items)
        drawn[resample] = number(statistic(*(sample[chosen] for sample in samples)))
    (low, high), about_interval = percentile_interval(drawn, confidence=confidence)
    return Estimate(value, low, high, count, confidence, method, joined(remark, about_interval))
