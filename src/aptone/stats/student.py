"""Student's t: quantiles, p-values, and the power of a test, from the incomplete beta function."""

import math
from statistics import NormalDist

import numpy as np

from aptone.messages import message
from aptone.stats.arrays import Values, vector
from aptone.stats.icc import beta_probability, f_quantile
from aptone.types import Estimate


def t_quantile(freedom: float, confidence: float) -> float:
    """Half the width of a two-sided interval of Student's t: ``√F(1, ν; confidence)``; NaN without freedom.

    >>> round(t_quantile(10, 0.95), 4)
    2.2281
    """
    return math.sqrt(f_quantile(1, freedom, confidence))


def t_p_value(statistic: float, freedom: float) -> float:
    """Two-sided p-value of a t statistic: ``I_x(ν/2, 1/2)`` at ``x = ν / (ν + t²)``; NaN if either is undefined.

    >>> round(t_p_value(2.2281, 10), 4)
    0.05
    """
    if math.isnan(statistic) or not freedom > 0:
        return math.nan
    return beta_probability(freedom / 2, 0.5, freedom / (freedom + statistic**2))


def student_mean(values: Values, *, confidence: float = 0.95) -> Estimate:
    """Mean with the interval ``mean ± t(N-1) · s / √N``, all values taken as independent, as ITU-R BS.1534-3 has it.

    It speaks of these listeners and items; `aptone.stats.crossed.crossed_mean` speaks of others, too.

    >>> estimate = student_mean([70, 80, 90])
    >>> round(estimate.low, 2), estimate.value, round(estimate.high, 2)
    (55.16, 80.0, 104.84)
    """
    numbers = vector(values, name="values")
    if not numbers.size:
        return Estimate(math.nan, reason=message("stats.no-items"))
    mean = float(numbers.mean())
    if numbers.size < 2:
        return Estimate(mean, count=1, reason=message("stats.no-interval-one-item"))
    reach = t_quantile(numbers.size - 1, confidence) * float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    return Estimate(mean, mean - reach, mean + reach, numbers.size, confidence, message("stats.student-t"))


_POINTS = 4001


def t_power(shift: float, freedom: float, *, alpha: float = 0.05) -> float:
    """Power of a two-sided t-test: the chance that a noncentral t lies beyond the critical value.

    ``1 - ∫ [Φ(c·s - δ) - Φ(-c·s - δ)] f(s) ds`` with ``s = √(χ²/ν)``, ``c`` the critical value and ``δ`` the shift;
    the integral by the trapezoid rule over 4001 points.

    Args:
        shift: true difference in standard errors (the noncentrality).
        freedom: degrees of freedom of the test; need not be whole.

    >>> round(t_power(2.0, 20), 3), round(t_power(0.0, 20), 3)
    (0.478, 0.05)
    """
    if not freedom > 0 or math.isnan(shift):
        return math.nan
    critical = t_quantile(freedom, 1 - alpha)
    spread = 12 / math.sqrt(2 * freedom)
    scale = np.linspace(max(1e-9, 1 - spread), 1 + spread, _POINTS)
    # density of s: 2 (ν/2)^(ν/2) / Γ(ν/2) · s^(ν-1) exp(-ν s² / 2)
    log = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)
    density = np.exp(log + (freedom - 1) * np.log(scale) - freedom * scale**2 / 2)
    normal = NormalDist()
    inside = np.array([normal.cdf(critical * s - shift) - normal.cdf(-critical * s - shift) for s in scale])
    held = float(np.trapezoid(inside * density, scale) / np.trapezoid(density, scale))
    return min(1.0, max(0.0, 1 - held))
