"""Quantiles of the F distribution, which intervals of intraclass correlations need."""

import math

_TINY = 1e-300
_STEPS = 100_000
"""Of the continued fraction: it needs about the square root of the larger parameter."""


def f_quantile(numerator: float, denominator: float, level: float) -> float:
    """Return the number below which an F-distributed variable lies with probability `level`.

    With ``x`` the `level` quantile of the beta distribution with parameters ``numerator / 2`` and ``denominator / 2``,
    the quantile is ``denominator · x / (numerator · (1 - x))``. Relative error below 1e-9 up to thousands of degrees of
    freedom, 1e-7 at a hundred million.

    Args:
        numerator: degrees of freedom, above 0; need not be whole.
        denominator: likewise.
        level: above 0 and below 1.

    Returns:
        The quantile; NaN where a parameter is out of range.

    >>> round(f_quantile(5, 10, 0.95), 4)  # as in every table
    3.3258
    """
    finite = all(map(math.isfinite, (numerator, denominator, level)))
    if not finite or min(numerator, denominator) <= 0 or not 0 < level < 1:
        return math.nan
    a, b, level = float(numerator) / 2, float(denominator) / 2, float(level)
    # The smaller of x and 1 - x is searched, on a log scale: neither end loses digits.
    if beta_probability(a, b, 0.5) >= level:
        x = _inverse(a, b, level)
        return b * x / (a * (1 - x))
    rest = _inverse(b, a, 1 - level)
    return b * (1 - rest) / (a * rest)


def beta_probability(a: float, b: float, x: float) -> float:
    """Return the probability that a beta-distributed variable lies below `x`: the regularized incomplete beta function.

    The continued fraction of Numerical Recipes (6.4), evaluated by Lentz's method.

    >>> round(beta_probability(2, 3, 0.5), 6)  # 11 / 16
    0.6875
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - beta_probability(b, a, 1 - x)
    return x * (1 - x) * math.exp(_log_density(a, b, x)) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _inverse(a: float, b: float, level: float) -> float:
    """The x of at most about a half with the given probability below it.

    Newton's steps in log x towards the logarithm of the level, which is almost straight there; a step that leaves the
    bracket becomes a bisection.
    """
    low, high = -700.0, math.log(0.5) + 1e-9
    at, goal = max(low, min(high, math.log(a / (a + b)))), math.log(level)
    for _ in range(200):
        x = math.exp(at)
        reached = beta_probability(a, b, x)
        low, high = (at, high) if reached < level else (low, at)
        step = math.nan
        if reached > 0.0:
            slope = math.exp(_log_density(a, b, x) + at) / reached
            step = (goal - math.log(reached)) / slope if slope else math.nan
        nearer = at + step
        if not low < nearer < high:
            nearer = (low + high) / 2
        if abs(nearer - at) <= 1e-15 * max(1.0, abs(at)):
            break
        at = nearer
    return math.exp(at)


def _log_density(a: float, b: float, x: float) -> float:
    return (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
