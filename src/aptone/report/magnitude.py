"""Numbers of any finite size: means, spreads and places on a scale that neither overflow nor vanish.

A score may be as large as a float can be, and the sum or the difference of two such numbers is infinite. So numbers far
from 1 are first multiplied by a power of two, and the result is multiplied back. That changes no digit, but of numbers
that are far too small beside the largest to matter.
"""

import math
import statistics
from collections.abc import Iterable, Sequence

ORDINARY = 500
"""Binary exponents up to this size are left alone: squares of such numbers, and sums of many, are finite."""


def exponent_of(values: Iterable[float]) -> int:
    """The power of two that the largest of some finite numbers lies just below; 0 where it is of ordinary size.

    >>> exponent_of([3.0, -1e300]), exponent_of([3.0, 1e20]), exponent_of([5e-324]), exponent_of([])
    (997, 0, -1073, 0)
    """
    exponent = math.frexp(max(map(abs, values), default=0.0))[1]
    return exponent if abs(exponent) > ORDINARY else 0


def share(value: float, low: float, high: float) -> float:
    """How far a number lies on the way from `low` (0) to `high` (1); NaN when the two are one.

    >>> share(0.0, -1e308, 1e308), share(4.0, 0.0, 5.0), share(1.0, 2.0, 2.0)
    (0.5, 0.8, nan)
    """
    if low == high:
        return math.nan
    exponent = exponent_of((value, low, high))
    value, low, high = (math.ldexp(number, -exponent) for number in (value, low, high))
    return (value - low) / (high - low) if low != high else math.nan


def between(low: float, high: float, part: float) -> float:
    """The number that lies a part from 0 to 1 on the way from `low` to `high`: the inverse of `share`.

    >>> between(-1e308, 1e308, 0.5), between(0.0, 5.0, 0.2)
    (0.0, 1.0)
    """
    return min(high, max(low, low * (1 - part) + high * part))


def mean(values: Sequence[float]) -> float:
    """The mean; NaN without values.

    >>> mean([1.0, 2.0]), mean([1.5e308, 1.5e308])
    (1.5, 1.5e+308)
    """
    if not values:
        return math.nan
    exponent = exponent_of(values)
    scaled = [math.ldexp(value, -exponent) for value in values]
    # Rounding may lift the mean of equal numbers over them, and the largest float has none above it.
    return math.ldexp(min(max(scaled), max(min(scaled), statistics.fmean(scaled))), exponent)


def median(values: Sequence[float]) -> float:
    """The median; NaN without values.

    >>> median([1.0, 2.0, 9.0]), median([1.5e308, 1.7e308])
    (2.0, 1.6e+308)
    """
    if not values:
        return math.nan
    lower, upper = statistics.median_low(values), statistics.median_high(values)
    return lower if lower == upper else mean([lower, upper])


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation (divisor n - 1) of two or more; NaN in the rare case that it is no finite float.

    >>> deviation([3.0, 5.0]) == math.sqrt(2), deviation([1.7e308, -1.7e308])
    (True, nan)
    """
    exponent = exponent_of(values)
    try:
        return math.ldexp(statistics.stdev(math.ldexp(value, -exponent) for value in values), exponent)
    except OverflowError:
        return math.nan
