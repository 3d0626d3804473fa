"""Means and differences with intervals, from the index of a run: resampled where items are few, else closed form."""

import numpy as np
import numpy.typing as npt

from aptone.run.index import JournalIndex, RowFilter
from aptone.stats import bootstrap
from aptone.stats.intervals import normal_mean
from aptone.types import Estimate

Floats = npt.NDArray[np.float64]

FEW = 2_000
"""Items up to which an interval is resampled; above, the normal approximation gives the same to two digits."""
RESAMPLES = 1_000
SEED = 0


def mean_estimate(index: JournalIndex, score: str, wanted: RowFilter | None = None) -> Estimate:
    """Mean of a score over the items of a run, with an interval of 95 %."""
    summary = index.summary(score, wanted)
    if summary.count > FEW:
        return normal_mean(summary.count, summary.mean, summary.deviation)
    return bootstrap(np.mean, index.values(score, wanted), seed=SEED, resamples=RESAMPLES)


def difference_estimate(differences: Floats) -> Estimate:
    """Mean of paired differences, with an interval of 95 %."""
    if differences.size > FEW:
        return normal_mean(differences.size, float(differences.mean()), float(differences.std(ddof=1)))
    return bootstrap(np.mean, differences, seed=SEED, resamples=RESAMPLES)
