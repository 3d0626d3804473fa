"""Exact binomial test and interval: for ABX trials and choices between two."""

import math

from aptone.errors import UsageError
from aptone.stats.icc import beta_probability


def _check(hits: int, count: int) -> None:
    if not 0 <= hits <= count:
        raise UsageError(f"hits are between 0 and the count, got {hits} of {count}.")


def binomial_p_value(hits: int, count: int, *, above: bool = False) -> float:
    """P-value of so many hits if each trial is a fair coin; NaN without trials.

    ``P(X ≥ k) = I_½(k, n - k + 1)``, the regularized incomplete beta function. The two-sided p-value is twice the
    smaller tail, at most 1 (the distribution is symmetric).

    Args:
        above: one-sided, for more hits than chance; an ABX test asks for this.

    >>> round(binomial_p_value(12, 16, above=True), 4)  # the usual table of ABX
    0.0384
    >>> binomial_p_value(8, 16)
    1.0
    """
    _check(hits, count)
    if not count:
        return math.nan
    upper = beta_probability(hits, count - hits + 1, 0.5) if hits else 1.0
    if above:
        return upper
    lower = beta_probability(count - hits, hits + 1, 0.5) if hits < count else 1.0
    return min(1.0, 2 * min(upper, lower))


def clopper_pearson(hits: int, count: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Exact interval of a share (Clopper and Pearson 1934); ``(NaN, NaN)`` without trials.

    >>> [round(end, 4) for end in clopper_pearson(12, 16)]
    [0.4762, 0.9273]
    """
    _check(hits, count)
    if not count:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low = _beta_quantile(hits, count - hits + 1, tail) if hits else 0.0
    high = _beta_quantile(hits + 1, count - hits, 1 - tail) if hits < count else 1.0
    return low, high


def _beta_quantile(a: float, b: float, level: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if beta_probability(a, b, middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
