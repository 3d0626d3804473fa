"""Power of a listening test of two systems, from variance components, as `aptone.stats.crossed` tests it.

The test estimates three variances from the ratings, and takes what comes out below zero as zero. Where few people rate
few items this costs power, so the promise is the mean over what the estimates can be: the mean squares of raters, items
and the rest are independent of each other and of the mean, each distributed as chi-square.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from aptone.errors import UsageError
from aptone.stats.arrays import FloatArray
from aptone.stats.student import t_power, t_quantile

MOST_RATERS = 2000
_cdf = np.vectorize(NormalDist().cdf, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Deviations:
    """Standard deviations of the difference of two systems: between raters, between items, and of what is left."""

    rater: float
    item: float
    rest: float


@dataclass(frozen=True, slots=True)
class Design:
    """Who rates what of two systems.

    Args:
        share: ratings, over those of a study in which everybody rates every item by both systems.
        paired: whether a person who rates an item rates it by both systems; otherwise ratings are compared beside the
            levels of raters and items.
        balanced: whether each rater and item meets both systems equally often; otherwise by chance.
    """

    raters: int
    items: int
    share: float = 1.0
    paired: bool = True
    balanced: bool = True

    def __post_init__(self) -> None:
        """Check that something can be estimated."""
        if self.raters < 2 or self.items < 2:
            raise UsageError(f"a test needs at least two raters and two items, got {self.raters} and {self.items}.")
        if not 0 < self.share <= 1:
            raise UsageError(f"a share of the ratings is above 0 and at most 1, got {self.share}.")

    @property
    def freedom(self) -> float:
        """Degrees of freedom that are left beside raters and items, at least 1."""
        cells = self.share * self.raters * self.items
        left = cells - self.raters - self.items + 1
        return max(1.0, left if self.paired else cells + left - self.raters - self.items + 1)

    @property
    def loss(self) -> float:
        """Factor of the rest's variance for sides that are balanced by chance only."""
        ratings = 2 * self.share * self.raters * self.items
        levels = self.raters + self.items - 1
        return 1.0 if self.paired or self.balanced else ratings / max(1.0, ratings - levels)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Variance of a difference by what it is of: people and items each with the noise in them, and the noise alone."""

    people: FloatArray
    things: FloatArray
    noise: FloatArray

    @property
    def variance(self) -> FloatArray:
        return self.people + self.things - self.noise

    def freedom(self, design: Design) -> FloatArray:
        spread = self.people**2 / (design.raters - 1) + self.things**2 / (design.items - 1)
        spread = spread + self.noise**2 / design.freedom
        found: FloatArray = self.variance**2 / np.maximum(spread, 1e-300)
        return found


def _true_parts(deviations: Deviations, design: Design) -> _Parts:
    noise = deviations.rest**2 * design.loss / (design.share * design.raters * design.items)
    people, things = deviations.rater**2 / design.raters + noise, deviations.item**2 / design.items + noise
    return _Parts(np.array(people), np.array(things), np.array(noise))


def difference_error(deviations: Deviations, design: Design) -> float:
    """Standard error of a difference: ``√(σᵣ²/R + σᵢ²/I + σₑ²/(s·R·I))`` with a share s of the ratings.

    >>> round(difference_error(Deviations(0.3, 0.3, 1.0), Design(20, 20)), 4)
    0.1072
    """
    return math.sqrt(float(_true_parts(deviations, design).variance))


def difference_power(difference: float, deviations: Deviations, design: Design, *, alpha: float = 0.05) -> float:
    """Chance that a true difference of two systems is found at a level, whatever its sign in the ratings.

    >>> round(difference_power(0.3, Deviations(0.3, 0.3, 1.0), Design(20, 20)), 2)
    0.77
    """
    parts = _true_parts(deviations, design)
    error = math.sqrt(float(parts.variance))
    if not error:
        return 1.0 if difference else 0.0
    (people, p), (things, t), (noise, n) = (
        _mean_squares(freedom, count)
        for freedom, count in ((design.raters - 1, 24), (design.items - 1, 24), (design.freedom, 5))
    )
    weights = p[:, None, None] * t[None, :, None] * n[None, None, :]
    rest = parts.noise * noise[None, None, :]
    found = _Parts(
        np.maximum(parts.people * people[:, None, None], rest),
        np.maximum(parts.things * things[None, :, None], rest),
        rest,
    )
    reach = _critical(found.freedom(design), alpha) * np.sqrt(found.variance) / error
    shift = abs(difference) / error
    return float((weights * (_cdf(shift - reach) + _cdf(-shift - reach))).sum())


def _mean_squares(freedom: float, count: int) -> tuple[FloatArray, FloatArray]:
    """Values and weights for means over χ²/ν: generalised Gauss-Laguerre (Golub and Welsch 1969).

    >>> values, weights = _mean_squares(5.0, 8)
    >>> round(float(weights @ values), 6), round(float(weights @ (values - 1) ** 2), 6)  # 1 and 2/ν
    (1.0, 0.4)
    """
    shape, steps = freedom / 2 - 1, np.arange(count)
    beside = np.sqrt(steps[1:] * (steps[1:] + shape))
    values, vectors = np.linalg.eigh(np.diag(2 * steps + 1 + shape) + np.diag(beside, 1) + np.diag(beside, -1))
    return 2 * values / freedom, vectors[0] ** 2


_INVERSE = np.linspace(0.0, 4.0, 161)


@lru_cache(maxsize=8)
def _critical_table(alpha: float) -> FloatArray:
    return np.array([math.log(t_quantile(1 / max(one, 1e-9), 1 - alpha)) for one in _INVERSE])


def _critical(freedom: FloatArray, alpha: float) -> FloatArray:
    """Critical values of Student's t, from a table by ``1/ν``; below a quarter of a degree those of a quarter."""
    found: FloatArray = np.exp(np.interp(1 / freedom, _INVERSE, _critical_table(alpha)))
    return found


def smallest_difference(deviations: Deviations, design: Design, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest true difference that is found with a given power; infinite where there is none.

    >>> round(smallest_difference(Deviations(0.3, 0.3, 1.0), Design(20, 20)), 2)
    0.31
    """
    error = difference_error(deviations, design)
    return error * _smallest(lambda shift: difference_power(shift * error, deviations, design, alpha=alpha), power)


def detectable_shift(freedom: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """True difference, in standard errors, that a two-sided t-test finds with a given power.

    >>> round(detectable_shift(1000), 2)  # 1.96 + 0.84
    2.8
    """
    return _smallest(lambda shift: t_power(shift, freedom, alpha=alpha), power)


def _smallest(found: Callable[[float], float], power: float) -> float:
    low, high = 0.0, 1.0
    while found(high) < power:
        low, high = high, 2 * high
        if high > 1e6:
            return math.inf
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle) < power else (low, middle)
    return high


def raters_needed(
    difference: float, deviations: Deviations, design: Design, *, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Fewest raters that find a difference with a given power, all else as designed; 0 if more raters never do.

    >>> raters_needed(0.3, Deviations(0.3, 0.3, 1.0), Design(2, 20))
    23
    """
    if not difference:
        raise UsageError("a difference of 0 cannot be found; name the smallest one that matters.")

    def enough(raters: int) -> bool:
        return difference_power(difference, deviations, replace(design, raters=raters), alpha=alpha) >= power

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_RATERS:
            return 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
