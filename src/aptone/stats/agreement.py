"""Agreement of several raters: with the majority label, between free texts, and beyond chance.

Intervals are bootstraps over items, with a seed from 0 upwards.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, Table, check_whole, joined, matrix
from aptone.stats.intervals import check_resampling, mean_of_items, percentile_interval
from aptone.types import Estimate


def label_codes(rows: object, *, name: str) -> FloatArray:
    """A code from 0 upwards for every label, items × slots; NaN where there is none.

    ``None``, NaN and empty text mean that a label is missing. Rows may have different lengths: the rest is NaN. Codes
    follow the order in which labels first appear, so they say nothing but equal or not.

    Raises:
        RecordError: if a row is not a list of labels, a label cannot be compared, or a number is infinite.

    >>> label_codes([["rising", "flat"], ["flat", None]], name="labels")
    array([[ 0.,  1.],
           [ 1., nan]])
    """
    if isinstance(rows, str | bytes) or not isinstance(rows, Sequence | np.ndarray):
        raise RecordError(f"{name}: expected a list of labels an item, got {type(rows).__name__}.")
    known: dict[Hashable, int] = {}
    coded: list[list[float]] = []
    for position, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
            raise RecordError(f"{name}[{position}]: expected a list of labels, got {type(row).__name__}.")
        try:
            coded.append([_code(label, known) for label in row])
        except (TypeError, ValueError) as error:
            raise RecordError(f"{name}[{position}]: a label is a word or a finite number; {error}.") from error
    codes = np.full((len(coded), max(map(len, coded), default=0)), np.nan)
    for position, numbers in enumerate(coded):
        codes[position, : len(numbers)] = numbers
    return codes


def _code(label: Hashable, known: dict[Hashable, int]) -> float:
    if isinstance(label, float | np.floating):
        if math.isnan(label):
            return math.nan
        if math.isinf(label):
            raise ValueError("got an infinite number")
    return math.nan if label is None or label == "" else float(known.setdefault(label, len(known)))


def majority_agreement(
    labels: Sequence[Sequence[Hashable]], *, seed: int, resamples: int = 2000, confidence: float = 0.95
) -> Estimate:
    """Percent agreement with the majority label (McHugh 2012), CEAEval's agreement on closed questions, as a share.

    For each item the count of its most frequent label over the count of its labels; then the mean over items. If
    labels tie for the majority, either gives the same share, so no tie-break is needed: two against two is 0.5.
    From 1 / (number of labels) to 1, higher is better. It is not corrected for chance: with two labels and few raters
    guessing alone gives more than 0.5. `krippendorff_alpha` is the corrected measure. The interval is a bootstrap
    over items.

    ``None``, NaN and empty text mean that a label is missing. An item with fewer than two labels is left out and
    counted in `reason`; `count` is the number of items that stayed. Undefined (NaN) if none stays.

    Args:
        labels: per item, the label of each rater: words or numbers; items may have different numbers of raters.

    Raises:
        RecordError: if a row is not a list of labels.
        UsageError: if an option makes no sense.

    >>> majority_agreement([["flat", "flat", "rising", "flat"], ["rising", "rising"]], seed=0).value  # 3/4 and 1
    0.875
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    codes = label_codes(labels, name="labels")
    given = (~np.isnan(codes)).sum(axis=1)
    most = np.zeros(len(codes), dtype=np.int64)
    for slot in codes.T:
        most = np.maximum(most, (codes == slot[:, None]).sum(axis=1))  # NaN equals nothing
    shares = (most[given >= 2] / given[given >= 2]).tolist()
    left_out = len(codes) - len(shares)
    too_few = message("stats.fewer-two-labels")
    remark = message("stats.items-left-out", count=left_out, all=len(codes), why=too_few) if left_out else ""
    return mean_of_items(shares, remark, seed=seed, resamples=resamples, confidence=confidence)


_AT_ONCE = 512  # items of one shape that are held in memory together


def mean_pairwise_cosine(
    vectors: Sequence[Table], *, seed: int, resamples: int = 2000, confidence: float = 0.95
) -> Estimate:
    """Mean over items of the mean cosine of all pairs of raters: CEAEval's agreement on free text.

    ``cos(a, b) = a·b / (|a| |b|)``, from -1 to 1, higher is better. Where 0 lies depends on what made the vectors:
    sentence vectors of unrelated texts seldom come near it. The interval is a bootstrap over items.

    A row of NaN is a rater who did not answer, and is left out. An item is undefined with fewer than two answers, or if
    a vector is zero, since zero has no direction; such items are left out, `count` is the number of items that stayed,
    and `reason` counts the others by cause. Undefined (NaN) if none stays.

    Args:
        vectors: per item, raters × dimensions.

    Raises:
        RecordError: if an item is not a matrix, a vector is NaN in part, or numbers are infinite.
        UsageError: if an option makes no sense.

    >>> mean_pairwise_cosine([[[1, 0], [0, 1]], [[1, 0], [2, 0]]], seed=0).value  # cosines 0 and 1
    0.5
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    defined: list[FloatArray] = []
    undefined: Counter[str] = Counter()
    for position, rows in enumerate(vectors):
        answers = _answers(rows, name=f"vectors[{position}]")
        if len(answers) < 2:
            undefined[message("stats.fewer-two-vectors")] += 1
        elif not answers.any(axis=1).all():
            undefined[message("stats.vector-zero")] += 1
        else:
            defined.append(answers)
    remark = joined(
        *(
            message("stats.items-left-out", count=count, all=len(vectors), why=reason)
            for reason, count in undefined.items()
        )
    )
    return mean_of_items(_mean_cosines(defined), remark, seed=seed, resamples=resamples, confidence=confidence)


def _answers(rows: Table, *, name: str) -> FloatArray:
    given = matrix(rows, name=name)
    gaps = np.isnan(given)
    absent = gaps.all(axis=1)
    if (gaps.any(axis=1) & ~absent).any():
        raise RecordError(f"{name}: a vector is NaN in part; a missing answer is NaN throughout.")
    return given[~absent]


def _mean_cosines(items: Sequence[FloatArray]) -> FloatArray:
    """The mean cosine of all pairs, item by item; those of one shape are worked on together."""
    means = np.empty(len(items))
    for shape in {answers.shape for answers in items}:
        places = [place for place, answers in enumerate(items) if answers.shape == shape]
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            answers = np.stack([items[place] for place in some])
            scaled = answers / np.abs(answers).max(axis=2, keepdims=True)  # so that squares neither overflow nor vanish
            units = scaled / np.linalg.norm(scaled, axis=2, keepdims=True)
            cosines = np.clip(units @ units.swapaxes(1, 2), -1.0, 1.0)
            first, second = np.triu_indices(shape[0], k=1)
            means[some] = cosines[:, first, second].mean(axis=1)
    return means


Level = Literal["nominal", "ordinal", "interval"]
"""Level of measurement: two different ratings share nothing, an order, or a distance."""


def krippendorff_alpha(
    ratings: Table | Sequence[Sequence[Hashable]],
    *,
    level: Level,
    seed: int,
    trim: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha: one minus observed over expected disagreement, ``α = 1 - D_o / D_e``.

    ``D_o`` is the mean squared difference of two ratings of the same item, ``D_e`` that of any two ratings
    (Krippendorff 2018). The difference is 0 or 1 (nominal), that of the values (interval), or that of their
    mean ranks among all ratings (ordinal). At most 1, higher is better; 0 is chance, below 0 is systematic
    disagreement. Krippendorff asks for 0.8, and accepts 0.667 for tentative conclusions.

    Who gave a rating does not matter, so the slots of an item may hold other people than those of the next.
    A missing rating is NaN or ``None`` (empty text too, for words). Items with fewer than two ratings cannot be
    compared: they are left out and counted in `reason`, and `count` is the number of items that stayed. The interval
    is a bootstrap over those.

    Undefined (NaN) if no item has two ratings, or if all ratings are equal, since nothing was then told apart. Ratings
    are equal only bit for bit: 0.1 + 0.2 and 0.3 are two ratings, where `icc_2_1` and `pearson`, which ask for
    variance, see one. Round scores that were computed.

    With ``trim=1`` the lowest and the highest rating of each item are dropped first, as S3Bench does for its second
    figure. That raises alpha even of pure noise, because it removes disagreement by rule: a check of how much hangs on
    outliers, never the agreement itself.

    The sums are taken over ratings (time and memory grow with their number) and not over a table of items × values ×
    values, which a scale of continuous values would make too large to hold.

    Args:
        ratings: items × slots. Words are allowed at the nominal level only.
        trim: number of lowest and of highest ratings of each item to drop.

    Raises:
        RecordError: if the ratings are not a matrix, or hold infinite numbers, or words above the nominal level.
        UsageError: if the level is unknown, `trim` is negative or used at the nominal level, which has no extremes, or
            another option makes no sense.

    >>> estimate = krippendorff_alpha([[1, 1], [2, 2], [3, 3], [1, 2]], level="interval", seed=0)
    >>> round(estimate.value, 3)  # 1 - 7/8 · 1 / 4.875
    0.821
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    if level not in get_args(Level):
        raise UsageError(f"level is one of {', '.join(get_args(Level))}; got {level!r}.")
    nominal = level == "nominal"
    check_whole(trim, name="trim", least=0)
    if trim and nominal:
        raise UsageError(f"trim needs ordered ratings; got {trim} at level {level}.")
    table = label_codes(ratings, name="ratings") if nominal else matrix(cast(Table, ratings), name="ratings")
    if trim:
        table = _trimmed(table, trim)
    method = message("stats.bootstrap-percentile")
    pairable = (~np.isnan(table)).sum(axis=1) >= 2
    items, left_out = int(pairable.sum()), int((~pairable).sum())
    too_few = message("stats.fewer-two-ratings-trimmed" if trim else "stats.fewer-two-ratings")
    remark = message("stats.items-left-out", count=left_out, all=len(table), why=too_few) if left_out else ""
    if not items:
        return Estimate(math.nan, confidence=confidence, method=method, reason=remark or message("stats.no-items"))
    pooled = _Pooled.of(table[pairable], level)
    value = pooled.alpha(np.ones(items))
    if math.isnan(value):
        reason = joined(remark, message("stats.all-ratings-equal-trimmed" if trim else "stats.all-ratings-equal"))
        return Estimate(math.nan, count=items, confidence=confidence, method=method, reason=reason)
    generator = np.random.default_rng(seed)
    drawn = np.empty(resamples)
    for resample in range(resamples):
        chosen = generator.integers(0, items, size=items)
        drawn[resample] = pooled.alpha(np.bincount(chosen, minlength=items).astype(np.float64))
    (low, high), about_interval = percentile_interval(drawn, confidence=confidence)
    return Estimate(value, low, high, items, confidence, method, joined(remark, about_interval))


def _trimmed(table: FloatArray, trim: int) -> FloatArray:
    ordered = np.sort(table, axis=1)  # NaN comes last
    given = (~np.isnan(ordered)).sum(axis=1, keepdims=True)
    slot = np.arange(table.shape[1])
    return np.where((slot >= trim) & (slot < given - trim), ordered, np.nan)


@dataclass(frozen=True, slots=True)
class _Pooled:
    """All ratings in one row, with what each resample needs of them.

    With m ratings of an item, the squared differences of its pairs sum to ``2m · SS`` (SS: squared deviations from the
    item's mean), and alpha weighs them by ``1/(m-1)``. The same holds for all n ratings together, so
    ``α = 1 - (n-1)/n · Σ_items m/(m-1) · SS_item / SS_all``, with any items counted more than once.
    """

    level: Level
    values: FloatArray
    code: npt.NDArray[np.intp]
    item: npt.NDArray[np.intp]
    sizes: FloatArray
    within: FloatArray

    @classmethod
    def of(cls, table: FloatArray, level: Level) -> "_Pooled":
        item, slot = np.nonzero(~np.isnan(table))
        values, code = np.unique(table[item, slot], return_inverse=True)
        sizes = np.bincount(item).astype(np.float64)
        if level == "nominal":
            _, first, counts = np.unique(item * values.size + code, return_index=True, return_counts=True)
            alike = np.bincount(item[first], weights=counts.astype(np.float64) ** 2)
            within = (sizes**2 - alike) / (sizes - 1)
        else:
            # only ratios of differences matter: scaled and centred, so that squares keep their precision
            values = values / max(np.abs(values).max(), np.finfo(np.float64).tiny)
            values = values - values.mean()
            within = _within(values[code], item, sizes)
        return cls(level, values, code, item, sizes, within)

    def alpha(self, weights: FloatArray) -> float:
        """Alpha with each item counted `weights` times; NaN if all ratings are equal."""
        count = float(weights @ self.sizes)
        totals = np.bincount(self.code, weights=weights[self.item], minlength=self.values.size)
        if np.count_nonzero(totals) < 2:
            return math.nan
        if self.level == "nominal":
            return 1 - (count - 1) * float(weights @ self.within) / (count**2 - float(totals @ totals))
        values, within = self.values, self.within
        if self.level == "ordinal":
            values = np.cumsum(totals) - totals / 2
            within = _within(values[self.code], self.item, self.sizes)
        mean = float(totals @ values) / count
        spread = float(totals @ (values - mean) ** 2)
        return 1 - (count - 1) / count * float(weights @ within) / spread


def _within(values: FloatArray, item: npt.NDArray[np.intp], sizes: FloatArray) -> FloatArray:
    means = np.bincount(item, weights=values) / sizes
    squares = np.bincount(item, weights=(values - means[item]) ** 2)
    return sizes / (sizes - 1) * squares
