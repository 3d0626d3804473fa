"""Power of a listening test in which every listener rates every item: planned from variance components."""

import math
from dataclasses import dataclass

from aptone.errors import UsageError
from aptone.stats.student import t_power


@dataclass(frozen=True, slots=True)
class Deviations:
    """Standard deviations of the difference of two systems: between raters, between items, and of what is left."""

    rater: float
    item: float
    rest: float


TYPICAL_MOS = Deviations(rater=0.3, item=0.3, rest=1.0)
"""Assumed before a study of opinion scores from 1 to 5; a pilot gives better ones."""
MOST_RATERS = 2000


def difference_error(deviations: Deviations, *, raters: int, items: int) -> tuple[float, float]:
    """Standard error of a difference, and its degrees of freedom.

    ``√(σᵣ²/R + σᵢ²/I + σₑ²/(R·I))``; the freedom by Satterthwaite, as `aptone.stats.crossed.crossed_mean` estimates it.

    >>> error, freedom = difference_error(Deviations(0.3, 0.3, 1.0), raters=20, items=20)
    >>> round(error, 4), round(freedom, 1)
    (0.1072, 25.6)
    """
    if raters < 2 or items < 2:
        raise UsageError(f"a test needs at least two raters and two items, got {raters} and {items}.")
    noise = deviations.rest**2 / (raters * items)
    people, things = deviations.rater**2 / raters + noise, deviations.item**2 / items + noise
    variance = people + things - noise
    spread = people**2 / (raters - 1) + things**2 / (items - 1) + noise**2 / ((raters - 1) * (items - 1))
    return math.sqrt(variance), variance**2 / spread if spread else math.inf


def difference_power(
    difference: float, deviations: Deviations, *, raters: int, items: int, alpha: float = 0.05
) -> float:
    """Chance that a true difference of two systems is found at a level.

    >>> round(difference_power(0.3, TYPICAL_MOS, raters=20, items=20), 2)
    0.77
    """
    error, freedom = difference_error(deviations, raters=raters, items=items)
    return t_power(abs(difference) / error, freedom, alpha=alpha)


def smallest_difference(
    deviations: Deviations, *, raters: int, items: int, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Smallest true difference that is found with a given power.

    >>> round(smallest_difference(TYPICAL_MOS, raters=20, items=20), 2)
    0.31
    """
    error, freedom = difference_error(deviations, raters=raters, items=items)
    return detectable_shift(freedom, power=power, alpha=alpha) * error


def detectable_shift(freedom: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """True difference, in standard errors, that a two-sided t-test finds with a given power.

    >>> round(detectable_shift(1000), 2)  # 1.96 + 0.84
    2.8
    """
    low, high = 0.0, 1.0
    while t_power(high, freedom, alpha=alpha) < power:
        high *= 2
        if high > 1e6:
            return math.inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if t_power(middle, freedom, alpha=alpha) < power else (low, middle)
    return high


def raters_needed(
    difference: float, deviations: Deviations, *, items: int, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Fewest raters that find a difference with a given power; 0 if more raters alone never do.

    >>> raters_needed(0.3, TYPICAL_MOS, items=20)
    23
    """
    if not difference:
        raise UsageError("a difference of 0 cannot be found; name the smallest one that matters.")
    raters = 2
    while raters <= MOST_RATERS:
        if difference_power(difference, deviations, raters=raters, items=items, alpha=alpha) >= power:
            low = raters // 2
            return next(
                number
                for number in range(max(2, low), raters + 1)
                if difference_power(difference, deviations, raters=number, items=items, alpha=alpha) >= power
            )
        raters *= 2
    return 0
