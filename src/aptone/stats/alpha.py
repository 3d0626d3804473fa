"""Krippendorff's alpha of answers that are points, labels or choices between two, with one bootstrap for all.

``α = 1 - D_o / D_e``: one minus the observed over the expected disagreement; 1 is perfect, 0 chance, below 0 worse than
chance. A sample holds sums by item, so that alpha of any weights of the items (each counted so many times) costs
little: the bootstrap draws items with replacement, and leaving somebody out is another sample of the other answers.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.stats.arrays import FloatArray, joined
from aptone.stats.intervals import check_resampling, percentile_interval
from aptone.types import Estimate

IntArray = npt.NDArray[np.intp]
NEGLIGIBLE = 1e-12
"""Share of the squares of all points below which they are taken for equal."""


class AlphaSample(Protocol):
    """Answers by item, from which alpha follows for any weights of the items.

    Attributes:
        names: items with two or more answers.
        sizes: their numbers of answers.
        within: sum over the answers to an item of the mean disagreement with the others.
    """

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Items with two or more answers."""

    @property
    def sizes(self) -> FloatArray:
        """Number of answers to each."""

    @property
    def within(self) -> FloatArray:
        """Disagreement within each, summed over its answers."""

    def alphas(self, weights: FloatArray) -> FloatArray:
        """Alpha for each row of weights (rows × items); NaN where nothing was told apart."""


def sample_alpha(sample: AlphaSample) -> float:
    """Alpha of a sample; NaN without an item with two answers, or if all answers are equal."""
    return float(sample.alphas(np.ones((1, len(sample.names))))[0]) if sample.names else math.nan


def item_disagreements(sample: AlphaSample) -> dict[Hashable, float]:
    """Map item to its disagreement over that of chance: 0 where all say the same, 1 for answers as if drawn at random.

    Empty where alpha is undefined. Their mean, weighted by the numbers of answers, is ``1 - α``.
    """
    alpha = sample_alpha(sample)
    total = float(sample.within.sum())
    if math.isnan(alpha):
        return {}
    if not total:
        return dict.fromkeys(sample.names, 0.0)
    expected = total / float(sample.sizes.sum()) / (1 - alpha)
    return dict(zip(sample.names, (sample.within / sample.sizes / expected).tolist(), strict=True))


def bootstrap_alpha(sample: AlphaSample, *, seed: int, resamples: int, confidence: float = 0.95) -> Estimate:
    """Alpha with a bootstrap percentile interval over items; `count` is the number of items with two answers.

    Undefined (NaN) if no item has two answers, or all answers are equal, since nothing was then told apart.
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    method = message("stats.bootstrap-percentile")
    items = len(sample.names)
    value = sample_alpha(sample)
    if math.isnan(value):
        reason = message("stats.all-ratings-equal") if items else message("stats.no-item-two-ratings")
        return Estimate(math.nan, count=items, confidence=confidence, method=method, reason=reason)
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(items, np.full(items, 1 / items), size=resamples).astype(np.float64)
    (low, high), remark = percentile_interval(sample.alphas(weights), confidence=confidence)
    return Estimate(value, low, high, items, confidence, method, joined(remark))


@dataclass(frozen=True, slots=True)
class PointSample:
    """Points, compared by their squared distance: numbers, times, places of feelings, unit vectors of texts.

    With m points of an item, the squared distances of its pairs sum to ``2m · SS`` (SS: squared distances from the
    item's mean), and alpha weighs them by ``1/(m-1)``; the same holds for all n points together, so
    ``α = 1 - (n-1)/n · Σ_items m/(m-1) · SS_item / SS_all``.
    """

    names: tuple[Hashable, ...]
    sizes: FloatArray
    within: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, points: Sequence[npt.ArrayLike], items: Sequence[Hashable]) -> "PointSample":
        """Build a sample.

        Args:
            points: per unit, answers × dimensions; a unit with fewer than two answers is left out.
            items: item of each unit; units of one item are drawn together.
        """
        kept = [
            (item, array)
            for item, one in zip(items, points, strict=True)
            if (array := np.asarray(one, dtype=np.float64)).size and len(array) > 1
        ]
        if not kept:
            return cls((), np.empty(0), np.empty(0), np.empty((0, 1)), np.empty(0))
        whole = np.concatenate([one for _, one in kept])
        sizes = np.array([float(len(one)) for _, one in kept])
        unit = np.repeat(np.arange(len(kept)), sizes.astype(np.intp))
        whole = whole - whole.mean(axis=0)  # only differences matter: centred, so that squares keep their precision
        sums = np.zeros((len(kept), whole.shape[1]))
        np.add.at(sums, unit, whole)
        means = sums / sizes[:, None]
        apart = _sums(unit, ((whole - means[unit]) ** 2).sum(axis=1), at_least=len(kept))
        squares = _sums(unit, (whole**2).sum(axis=1), at_least=len(kept))
        place, names = _codes([item for item, _ in kept])
        whole_sums = np.zeros((len(names), sums.shape[1]))
        np.add.at(whole_sums, place, sums)
        sizes, within, squares = (_sums(place, one) for one in (sizes, sizes / (sizes - 1) * apart, squares))
        return cls(names, sizes, within, whole_sums, squares)

    def alphas(self, weights: FloatArray) -> FloatArray:
        """Alpha for each row of weights."""
        count = weights @ self.sizes
        total = weights @ self.sums
        squares = weights @ self.squares
        spread = squares - (total**2).sum(axis=1) / count
        defined = spread > NEGLIGIBLE * np.maximum(squares, np.finfo(np.float64).tiny)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(defined, 1 - (count - 1) / count * (weights @ self.within) / spread, np.nan)


@dataclass(frozen=True, slots=True)
class LabelSample:
    """Labels that are equal or not: ``α = 1 - (n-1) · Σ_units Σ_c n_uc (m_u - n_uc)/(m_u - 1) / (n² - Σ_c n_c²)``."""

    names: tuple[Hashable, ...]
    sizes: FloatArray
    within: FloatArray
    place: IntArray
    label: IntArray
    count: FloatArray

    @classmethod
    def of(cls, labels: Sequence[Sequence[Hashable]], items: Sequence[Hashable]) -> "LabelSample":
        """Build a sample; arguments as in `PointSample.of`, a label for each answer."""
        units = [(item, one) for item, one in zip(items, labels, strict=True) if len(one) > 1]
        if not units:
            empty = np.empty(0, dtype=np.intp)
            return cls((), np.empty(0), np.empty(0), empty, empty, np.empty(0))
        item, names = _codes([name for name, _ in units])
        many = np.array([len(one) for _, one in units])
        unit = np.repeat(np.arange(len(units)), many)
        label, _ = _codes([name for _, one in units for name in one])
        kinds = int(label.max()) + 1
        pairs, counts = np.unique(unit * kinds + label, return_counts=True)
        in_unit = counts.astype(np.float64)
        apart = in_unit * (many[pairs // kinds] - in_unit) / (many[pairs // kinds] - 1)
        clusters_of = item[pairs // kinds]
        both, back = np.unique(clusters_of * kinds + pairs % kinds, return_inverse=True)
        return cls(
            names,
            _sums(item, many.astype(np.float64)),
            _sums(clusters_of, apart),
            both // kinds,
            both % kinds,
            _sums(back, in_unit),
        )

    def alphas(self, weights: FloatArray) -> FloatArray:
        """Alpha for each row of weights."""
        count = weights @ self.sizes
        alike = np.array(
            [float(np.square(_sums(self.label, row[self.place] * self.count)).sum()) for row in np.atleast_2d(weights)]
        )
        expected = count**2 - alike
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(expected > 0, 1 - (count - 1) * (weights @ self.within) / expected, np.nan)


@dataclass(frozen=True, slots=True)
class ChoiceSample:
    """Choices between two clips that are shown in random order, some of them perhaps "the same".

    The order is random, so whoever guesses takes either clip as often: the expected disagreement is that of answers of
    which as many are "the same" as there were, and the others fall on both clips alike. Where everybody prefers the
    same system, alpha is 1; Krippendorff's own, which takes the systems' shares for chance, would be undefined.
    """

    names: tuple[Hashable, ...]
    sizes: FloatArray
    within: FloatArray
    same: FloatArray

    @classmethod
    def of(cls, choices: Sequence[Sequence[Hashable]], items: Sequence[Hashable], *, same: Hashable) -> "ChoiceSample":
        """Build a sample from the choices about each item; `same` is the answer that both are alike."""
        named = [(item, one) for item, one in zip(items, choices, strict=True) if len(one) > 1]
        kept = [one for _, one in named]
        sizes = np.array([float(len(one)) for one in kept])
        within = []
        for one in kept:
            counts: dict[Hashable, int] = {}
            for choice in one:
                counts[choice] = counts.get(choice, 0) + 1
            within.append(sum(count * (len(one) - count) for count in counts.values()) / (len(one) - 1))
        alike = np.array([float(sum(choice == same for choice in one)) for one in kept])
        return cls(tuple(item for item, _ in named), sizes, np.array(within, dtype=np.float64), alike)

    def alphas(self, weights: FloatArray) -> FloatArray:
        """Alpha for each row of weights."""
        count = weights @ self.sizes
        alike = weights @ self.same
        other = count - alike
        pairs = count * (count - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = 1 - alike * (alike - 1) / pairs - other * (other - 1) / pairs / 2
            observed = (weights @ self.within) / count
            return np.where(expected > NEGLIGIBLE, 1 - observed / expected, np.nan)


def _sums(code: IntArray, values: FloatArray, *, at_least: int = 0) -> FloatArray:
    """Sum of the values of each code."""
    return np.bincount(code, weights=values, minlength=at_least).astype(np.float64, copy=False)


def _codes(names: Sequence[Hashable]) -> tuple[IntArray, tuple[Hashable, ...]]:
    """A code from 0 upwards for every name, in the order of their first appearance, and the names in that order."""
    known: dict[Hashable, int] = {}
    codes = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.intp)
    return codes, tuple(known)


def rating_variance(alpha: float, *, raters: float) -> float:
    """Variance of alpha over items, times their number less one, for answers with one score each.

    ``2 (1-α)² (1 + (m-1) α)² / (m (m-1))`` (Fisher 1925; Zerbe and Goldgar 1980, of the intraclass correlation, which
    alpha at the interval level equals but for terms of 1/n). It serves for the shape: how the interval shrinks with
    more raters of an item.
    """
    return 2 * (1 - alpha) ** 2 * (1 + (raters - 1) * alpha) ** 2 / (raters * (raters - 1))


WORDS: Mapping[str, float] = {
    "none": -math.inf,
    "slight": 0.0,
    "fair": 0.2,
    "moderate": 0.4,
    "substantial": 0.6,
    "almost-perfect": 0.8,
}
"""Word to the value that the lower end of the interval must pass (Landis and Koch 1977, of kappa)."""


def agreement_word(estimate: Estimate) -> str:
    """Word for an alpha, by the lower end of its interval; empty where there is no interval.

    ``none`` where the interval holds 0, or lies below it: answers that were drawn at random give no other word in 97 of
    100 studies. A wide interval gives a weak word, whatever its middle is.

    >>> agreement_word(Estimate(0.65, 0.45, 0.8)), agreement_word(Estimate(0.3, -0.1, 0.6))
    ('moderate', 'none')
    """
    if math.isnan(estimate.low):
        return ""
    return next(word for word, limit in reversed(list(WORDS.items())) if estimate.low > limit or limit == -math.inf)
