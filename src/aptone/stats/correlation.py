"""Correlation of two sequences of scores: linear, by rank, by order within an item, and in absolute terms.

Sequences hold one number an item, in the same order. NaN (or ``None``) means that a value is missing: the item is left
out of both sequences, `count` is the number of items that stayed, and `reason` counts the others. `confidence` is the
coverage of the interval.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.stats.arrays import FloatArray, Values, check_confidence, complete_items, is_constant, joined, same_items
from aptone.stats.intervals import PERFECT, check_resampling, fisher_interval, mean_of_items
from aptone.types import Estimate


def average_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1 upwards of numbers without NaN; equal ones share the mean of the ranks that they take up.

    Values are tied only if they are equal bit for bit: round means of ratings before they come here.

    >>> average_ranks(np.array([10.0, 30.0, 20.0, 30.0]))
    array([1. , 3.5, 2. , 3.5])
    """
    _, position, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: FloatArray = (last - (counts - 1) / 2)[position]
    return ranks


def tied_pairs(values: npt.NDArray[np.generic]) -> int:
    """Number of pairs with equal values.

    >>> tied_pairs(np.array([1, 1, 1, 2, 2, 3]))
    4
    """
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def inversions(ranks: npt.NDArray[np.int64]) -> int:
    """Number of pairs of numbers ≥ 0 in which the earlier one is the larger one, in O(n log² n).

    From the highest bit down, numbers with the same higher bits form a group in their original order; each zero bit
    is inverted against the one bits before it in its group. Every inverted pair is counted at the highest bit in
    which its two numbers differ, and only there.

    >>> inversions(np.array([2, 0, 1]))
    2
    """
    if ranks.size < 2:
        return 0
    total = 0
    arranged = ranks
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        group = arranged >> (bit + 1)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        ones = (arranged >> bit) & 1
        ones_before = np.cumsum(ones) - ones
        ones_before_group = np.repeat(ones_before[starts], np.diff(starts, append=arranged.size))
        total += int(((ones_before - ones_before_group) * (1 - ones)).sum())
        arranged = arranged[np.argsort(arranged >> bit, kind="stable")]
    return total


def pearson(predicted: Values, reference: Values, *, confidence: float = 0.95) -> Estimate:
    """Pearson's linear correlation, the LCC of CEAEval and the PCC of EmoSURA.

    ``r = Σ(x - x̄)(y - ȳ) / sqrt(Σ(x - x̄)² · Σ(y - ȳ)²)``, from -1 to 1, higher is better. The interval is Fisher's:
    ``tanh(atanh(r) ± q / sqrt(n - 3))``.

    Undefined (NaN) below two complete items, or if one sequence has no variance. The interval needs four items and
    a correlation that is not perfect.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if `confidence` is not between 0 and 1.

    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 4]).value, 3)
    0.8
    """
    check_confidence(confidence)
    (x, y), missing = complete_items(predicted=predicted, reference=reference)
    reason = _undefined(x, y)
    value = math.nan if reason else _pearson(x, y)
    deviation = 1 / math.sqrt(x.size - 3) if x.size > 3 else math.nan
    return _by_fisher(value, deviation, x.size, confidence, message("stats.fisher-z"), (missing, reason), needed=4)


def spearman(predicted: Values, reference: Values, *, confidence: float = 0.95) -> Estimate:
    """Spearman's rank correlation: Pearson's of the ranks, where equal values share their mean rank.

    From -1 to 1, higher is better. The interval is Fisher's with the variance of Bonett and Wright (2000):
    ``tanh(atanh(r) ± q · sqrt((1 + r²/2) / (n - 3)))``.

    Undefined (NaN) below two complete items, or if one sequence has no variance. The interval needs four items and
    a correlation that is not perfect. Values are tied only if they are equal bit for bit.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if `confidence` is not between 0 and 1.

    >>> round(spearman([1, 2, 3, 4], [1, 9, 4, 16]).value, 3)
    0.8
    """
    check_confidence(confidence)
    (x, y), missing = complete_items(predicted=predicted, reference=reference)
    reason = _undefined(x, y)
    value = math.nan if reason else _pearson(average_ranks(x), average_ranks(y))
    deviation = math.sqrt((1 + value**2 / 2) / (x.size - 3)) if x.size > 3 else math.nan
    return _by_fisher(value, deviation, x.size, confidence, message("stats.bonett-wright"), (missing, reason), needed=4)


def kendall(predicted: Values, reference: Values, *, confidence: float = 0.95) -> Estimate:
    """Kendall's τ-b: pairs of items ordered alike minus pairs ordered otherwise, corrected for ties (Kendall 1945).

    ``τ = (P - Q) / sqrt((N - T_x)(N - T_y))`` with P concordant and Q discordant of the ``N = n(n-1)/2`` pairs, and
    T the pairs tied in one sequence. From -1 to 1, higher is better; 0 for independent sequences. The interval is
    that of Fieller, Hartley and Pearson (1957): ``tanh(atanh(τ) ± q · sqrt(0.437 / (n - 4)))``, made for data
    without ties and ``|τ| < 0.8``; with many ties, ``bootstrap(kendall, …)`` is the safer one.

    Undefined (NaN) below two complete items, or if one sequence has no variance. The interval needs five items and
    a correlation that is not perfect. Values are tied only if they are equal bit for bit.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if `confidence` is not between 0 and 1.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]).value, 3)  # 5 of 6 pairs alike, 1 not
    0.667
    """
    check_confidence(confidence)
    (x, y), missing = complete_items(predicted=predicted, reference=reference)
    reason = _undefined(x, y)
    value = math.nan if reason else _kendall(x, y)
    deviation = math.sqrt(0.437 / (x.size - 4)) if x.size > 4 else math.nan
    return _by_fisher(value, deviation, x.size, confidence, message("stats.fieller"), (missing, reason), needed=5)


def samplewise_tau(
    predicted: Sequence[Values],
    reference: Sequence[Values],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> Estimate:
    """EmoSURA's sample-wise τ: Kendall's τ-b of each item over its own candidates, averaged over the items.

    It asks whether a metric ranks the candidates of one recording as people do, whatever it says across recordings.
    From -1 to 1, higher is better. The interval is a bootstrap over items.

    An item whose τ is undefined (fewer than two complete candidates, or all of them tied) is left out: `count` is the
    number of items that have one, and `reason` counts the others by cause. Undefined (NaN) if no item has one.
    A candidate with a missing score is left out of its item, as in `kendall`.

    Args:
        predicted: one number a candidate, item by item; items may have different numbers of candidates.
        reference: one number a candidate, item by item, in the same order.

    Raises:
        RecordError: if the lists of items or an item's candidates differ in length, or numbers are infinite.
        UsageError: if an option makes no sense.

    >>> samplewise_tau([[1, 2, 3], [1, 2]], [[1, 2, 3], [2, 1]], seed=0).value  # the mean of 1 and -1
    0.0
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    same_items(predicted, reference, names=("predicted", "reference"))
    taus: list[float] = []
    undefined: Counter[str] = Counter()
    candidates_left_out = 0
    for position, (scores, truth) in enumerate(zip(predicted, reference, strict=True)):
        named = {f"predicted[{position}]": scores, f"reference[{position}]": truth}
        (x, y), _ = complete_items(**named)
        candidates_left_out += np.asarray(scores).size - x.size
        if reason := _undefined(x, y):
            # the cause without its numbers, so that causes can be counted
            undefined[message("stats.fewer-two-candidates") if x.size < 2 else reason] += 1
        else:
            taus.append(_kendall(x, y))
    incomplete = message("stats.candidates-left-out", count=candidates_left_out, why=message("stats.value-missing"))
    remark = joined(
        incomplete if candidates_left_out else "",
        *(
            message("stats.items-left-out", count=count, all=len(predicted), why=reason)
            for reason, count in undefined.items()
        ),
    )
    return mean_of_items(taus, remark, seed=seed, resamples=resamples, confidence=confidence)


def concordance(predicted: Values, reference: Values, *, confidence: float = 0.95) -> Estimate:
    """Lin's concordance correlation (1989): Pearson's, lowered by differences in mean and in spread.

    ``CCC = 2 s_xy / (s_x² + s_y² + (x̄ - ȳ)²)`` with variances over n, from -1 to 1, higher is better. The interval is
    Lin's by the z transform, ``tanh(atanh(CCC) ± q · σ)``, with the variance as corrected in 2000 (Biometrics 56:324):
    ``σ² = [(1-r²)c²/((1-c²)r²) + 2c³(1-c)u²/(r(1-c²)²) - c⁴u⁴/(2r²(1-c²)²)] / (n-2)``, where c is CCC, r is Pearson's
    and ``u² = (x̄ - ȳ)²/(s_x s_y)``.

    Undefined (NaN) below two complete items, or if neither sequence has variance. With variance in one only it is 0 by
    the formula, and has no interval. The interval needs three items and a concordance that is neither 0 nor perfect.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if `confidence` is not between 0 and 1.

    >>> round(concordance([1, 2, 3], [2, 3, 4]).value, 3)  # r is 1, but the mean is off: 2·(2/3) / (2/3 + 2/3 + 1)
    0.571
    """
    check_confidence(confidence)
    (x, y), missing = complete_items(predicted=predicted, reference=reference)
    method = message("stats.lin-z")
    if x.size < 2 or (is_constant(x) and is_constant(y)):
        reason = _too_few(x.size) if x.size < 2 else message("stats.no-variance-either")
        return Estimate(math.nan, count=x.size, confidence=confidence, method=method, reason=joined(missing, reason))
    scale = max(np.abs(x).max(), np.abs(y).max())  # so that squares neither overflow nor vanish
    x, y = x / scale, y / scale
    if is_constant(x) or is_constant(y):
        why = message("stats.no-variance-predicted" if is_constant(x) else "stats.no-variance-reference")
        reason = joined(missing, message("stats.no-interval", why=why))
        return Estimate(0.0, count=x.size, confidence=confidence, method=method, reason=reason)
    spread = float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    value = 2 * float(((x - x.mean()) * (y - y.mean())).mean()) / spread
    return _by_fisher(value, _lin_deviation(value, x, y), x.size, confidence, method, (missing, ""), needed=3)


def _lin_deviation(value: float, x: FloatArray, y: FloatArray) -> float:
    r = _pearson(x, y)
    if x.size < 3 or abs(value) < PERFECT or 1 - abs(value) < PERFECT:
        return math.nan
    shift = float((x.mean() - y.mean()) ** 2 / (x.std() * y.std()))
    room = 1 - value**2
    variance = (
        (1 - r**2) * value**2 / (room * r**2)
        + 2 * value**3 * (1 - value) * shift / (r * room**2)
        - value**4 * shift**2 / (2 * r**2 * room**2)
    ) / (x.size - 2)
    return math.sqrt(variance) if variance > 0 else math.nan


def _undefined(x: FloatArray, y: FloatArray) -> str:
    """Return the reason why a correlation is undefined; empty if it is not."""
    if x.size < 2:
        return _too_few(x.size)
    predicted, reference = is_constant(x), is_constant(y)
    if predicted and reference:
        return message("stats.no-variance-both")
    if predicted or reference:
        return message("stats.no-variance-predicted" if predicted else "stats.no-variance-reference")
    return ""


def _too_few(count: int) -> str:
    return message("stats.too-few-items", count=count, needed=2)


def _pearson(x: FloatArray, y: FloatArray) -> float:
    return min(1.0, max(-1.0, float(_direction(x) @ _direction(y))))


def _direction(values: FloatArray) -> FloatArray:
    scaled = values / np.abs(values).max()  # so that squares neither overflow nor vanish
    centred = scaled - scaled.mean()
    direction: FloatArray = centred / np.linalg.norm(centred)
    return direction


def _kendall(x: FloatArray, y: FloatArray) -> float:
    _, x_rank = np.unique(x, return_inverse=True)
    _, y_rank = np.unique(y, return_inverse=True)
    order = np.lexsort((y_rank, x_rank))
    discordant = inversions(y_rank[order].astype(np.int64))  # ties in x come in the order of y, so they do not count
    pairs = x.size * (x.size - 1) // 2
    tied_x, tied_y = tied_pairs(x_rank), tied_pairs(y_rank)
    tied_both = tied_pairs(x_rank.astype(np.int64) * x.size + y_rank)
    difference = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return min(1.0, max(-1.0, difference / (math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y))))


def _by_fisher(
    value: float, deviation: float, count: int, confidence: float, method: str, remarks: tuple[str, str], *, needed: int
) -> Estimate:
    """The estimate with its interval by Fisher's transform, or with the reason why there is none."""
    why = ""
    if not math.isnan(value):
        if count < needed:
            why = message("stats.no-interval-too-few-items", count=count, needed=needed)
        elif 1 - abs(value) < PERFECT:
            why = message("stats.no-interval-perfect-correlation")
        elif math.isnan(deviation):
            why = message("stats.no-interval-no-variance-estimate")
        else:
            low, high = fisher_interval(value, deviation, confidence=confidence)
            return Estimate(value, low, high, count, confidence, method, joined(*remarks))
    return Estimate(value, count=count, confidence=confidence, method=method, reason=joined(*remarks, why))
