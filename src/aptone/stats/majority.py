"""Agreement of several raters on labels: how many side with the majority."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from aptone.messages import message
from aptone.stats.arrays import joined
from aptone.stats.intervals import bootstrap, check_resampling
from aptone.stats.labels import label_codes
from aptone.types import Estimate


def majority_agreement(
    labels: Sequence[Sequence[Hashable]],
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
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
