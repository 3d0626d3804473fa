"""Agreement of several raters on labels: how many side with the majority."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from aptone.errors import RecordError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, joined
from aptone.stats.intervals import bootstrap, check_resampling
from aptone.types import Estimate


def label_codes(rows: object, *, name: str) -> FloatArray:
    """A code from 0 upwards for every label, items × slots; NaN where there is none.

    ``None``, NaN and empty text mean that a label is missing. Rows may have different lengths: the rest is NaN. Codes
    follow the order in which labels first appear, so they say nothing but equal or not.

    Args:
        rows: the labels of each item.
        name: what the error calls them.

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
        labels: for each item, the label of each rater: words or numbers; items may have different numbers of raters.
        seed: of the bootstrap, from 0 upwards.
        resamples: of the bootstrap.
        confidence: coverage of the interval.

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
    if not shares:
        reason = remark or message("stats.no-items")
        return Estimate(math.nan, confidence=confidence, method=message("stats.bootstrap-percentile"), reason=reason)
    estimate = bootstrap(np.mean, shares, seed=seed, resamples=resamples, confidence=confidence)
    return replace(estimate, reason=joined(remark, estimate.reason))
