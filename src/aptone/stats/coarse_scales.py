"""Ratings on a scale with few points: what is left of a difference, and of people's deviations, after rounding.

Listeners hear a quality on no scale in particular; what they answer is the nearest point of the scale, and never beyond
its ends. Rounding adds noise (about ``step² / 12`` of variance), the ends take away a part of a difference. A promise
of power has to count both. Everything here follows from the normal distribution: probabilities of points are exact,
means over listeners and items are Gauss-Hermite sums.
"""

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from aptone.errors import UsageError
from aptone.stats.arrays import FloatArray
from aptone.stats.power import Design, Deviations, difference_power

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_cdf = np.vectorize(NormalDist().cdf, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Listeners:
    """Standard deviations of what people hear, before a scale rounds it.

    Args:
        rater_level, item_level: of a rater's and an item's own level, for all systems alike.
        rater, item: of their own difference between two systems.
        rest: of a single rating.
    """

    rater_level: float
    item_level: float
    rater: float
    item: float
    rest: float


TYPICAL_MOS = Listeners(rater_level=0.4, item_level=0.3, rater=0.3, item=0.3, rest=0.7)
"""Assumed before a study of opinion scores from 1 to 5, with systems around `TYPICAL_CENTRE`; a pilot is better."""
TYPICAL_CENTRE = 3.5


@dataclass(frozen=True, slots=True)
class Points:
    """Points that can be answered, in ascending order, and the borders between what is answered by one and the next."""

    values: tuple[float, ...]
    borders: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check that there is a border between each two points."""
        ordered = all(first < second for first, second in itertools.pairwise(self.borders))
        if len(self.values) < 2 or len(self.borders) != len(self.values) - 1 or not ordered:
            raise UsageError("points of a scale: expected two or more, with ascending borders between them.")


def scale_points(low: float, high: float, step: float) -> Points:
    """Points of a scale; what lies between two of them counts as the nearest.

    >>> scale_points(1, 5, 1).borders
    (1.5, 2.5, 3.5, 4.5)
    """
    count = round((high - low) / step) + 1
    values = tuple(low + step * place for place in range(count))
    return Points(values, tuple((first + second) / 2 for first, second in itertools.pairwise(values)))


def preference_points(*, same_within: float = 0.0) -> Points:
    """Choice of the first (-1) or the second (1) of two; what is heard as less apart than a limit is "the same" (0)."""
    return Points((-1.0, 0.0, 1.0), (-same_within, same_within)) if same_within else Points((-1.0, 1.0), (0.0,))


def rated_difference(
    difference: float, listeners: Listeners, points: Points, *, centre: float
) -> tuple[float, Deviations]:
    """Difference of the mean ratings of two systems, and its deviations, where each clip is rated by itself.

    Args:
        difference: that is heard, second minus first; half of it lies on each side of the centre.
        centre: mean of the two systems as heard, on the scale.

    >>> heard = Listeners(0.4, 0.3, 0.3, 0.2, 0.7)
    >>> mean, shown = rated_difference(0.3, heard, scale_points(1, 5, 1), centre=3.2)
    >>> round(mean, 3), round(shown.rest, 3)  # heard: 0.3 and 0.99
    (0.294, 1.054)
    """
    means = (centre - difference / 2, centre + difference / 2)
    of_raters = _Own(listeners.rater_level, listeners.rater)
    of_items = _Own(listeners.item_level, listeners.item)
    rest = listeners.rest**2
    shown = [_moments(mean, of_raters.variance + of_items.variance + rest, points) for mean in means]
    people = _shared(means, of_raters, of_items.variance + rest, points)
    things = _shared(means, of_items, of_raters.variance + rest, points)
    left = max(0.0, sum(variance for _, variance in shown) - people.total - things.total)
    parts = (people.of_difference, things.of_difference, left)
    return shown[1][0] - shown[0][0], Deviations(*map(math.sqrt, parts))


def smallest_rated_difference(
    listeners: Listeners, points: Points, design: Design, *, centre: float, power: float = 0.8
) -> float:
    """Smallest difference of mean ratings that is found with a given power; infinite where the scale shows none.

    >>> round(smallest_rated_difference(TYPICAL_MOS, scale_points(1, 5, 1), Design(20, 20), centre=3.5), 2)
    0.31
    """

    def found(difference: float) -> tuple[float, float]:
        shown, deviations = rated_difference(difference, listeners, points, centre=centre)
        return difference_power(shown, deviations, design), shown

    low, high = 0.0, points.values[-1] - points.values[0]
    if found(high)[0] < power:
        return math.inf
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle)[0] < power else (low, middle)
    return found(high)[1]


def compared_difference(difference: float, deviations: Deviations, points: Points) -> tuple[float, Deviations]:
    """Mean comparison of two systems and its deviations, where one answer is about both: CMOS, or a preference.

    >>> mean, shown = compared_difference(0.5, Deviations(0.0, 0.0, 1.0), preference_points())
    >>> round(mean, 3), round(shown.rest, 3)  # 2·Φ(0.5) - 1, and √(1 - mean²)
    (0.383, 0.924)
    """
    parts = (deviations.rater**2, deviations.item**2, deviations.rest**2)
    mean, whole = _moments(difference, sum(parts), points)
    rater, item = (_variance_of_means(difference, own, sum(parts) - own, points) for own in (parts[0], parts[1]))
    return mean, Deviations(math.sqrt(rater), math.sqrt(item), math.sqrt(max(0.0, whole - rater - item)))


@dataclass(frozen=True, slots=True)
class _Own:
    """A group's own level and difference; half of the difference counts for one system, half against the other."""

    level: float
    leaning: float

    @property
    def variance(self) -> float:
        return self.level**2 + self.leaning**2 / 4


@dataclass(frozen=True, slots=True)
class _Shared:
    """Variances of the mean rating of both systems that a group brings about, and their covariance."""

    first: float
    second: float
    covariance: float

    @property
    def total(self) -> float:
        return self.first + self.second

    @property
    def of_difference(self) -> float:
        return max(0.0, self.total - 2 * self.covariance)


def _shared(means: tuple[float, float], own: _Own, rest: float, points: Points) -> _Shared:
    levels, leanings = own.level * _NODES[:, None], own.leaning / 2 * _NODES[None, :]
    weights = _WEIGHTS[:, None] * _WEIGHTS[None, :]
    first, second = (
        _mean_rating(mean + levels + side * leanings, rest, points) for mean, side in zip(means, (-1, 1), strict=True)
    )
    first, second = first - (weights * first).sum(), second - (weights * second).sum()
    return _Shared(*(float((weights * one).sum()) for one in (first**2, second**2, first * second)))


def _variance_of_means(mean: float, own: float, rest: float, points: Points) -> float:
    rated = _mean_rating(mean + math.sqrt(own) * _NODES, rest, points)
    centred = rated - (_WEIGHTS * rated).sum()
    return float((_WEIGHTS * centred**2).sum())


def _mean_rating(heard: FloatArray, variance: float, points: Points) -> FloatArray:
    """Mean rating of what is heard with some variance, one for each of several means."""
    steps = np.diff(points.values)
    above = _cdf((heard[..., None] - np.array(points.borders)) / math.sqrt(max(variance, 1e-12)))
    rated: FloatArray = points.values[0] + above @ steps
    return rated


def _moments(mean: float, variance: float, points: Points) -> tuple[float, float]:
    """Mean and variance of a rating."""
    edges = np.concatenate([[0.0], _cdf((np.array(points.borders) - mean) / math.sqrt(max(variance, 1e-12))), [1.0]])
    shares, values = np.diff(edges), np.array(points.values)
    rated = float(shares @ values)
    return rated, float(shares @ (values - rated) ** 2)
