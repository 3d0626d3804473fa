"""The maths of the ear's table: recall, area under the curve, pairs, calibration, intervals over clips and speakers.

A missing answer never helps: it is a wrong decision in a recall, and a coin toss in a comparison of two scores.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.stats import bootstrap
from aptone.types import Estimate

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Statistic = Callable[..., float]

NO_ANSWER = -1
SEED = 20_250_311
RESAMPLES = 2000
FEWEST_SPEAKERS = 5
"""Below so many speakers, drawing speakers gives a handful of different results and no interval."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its interval over clips and, where there are enough, over speakers."""

    over_clips: Estimate
    over_speakers: Estimate

    @property
    def value(self) -> float:
        """The figure itself."""
        return self.over_clips.value


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers whose confidence lies in one tenth of the scale: how many, how confident, how often right."""

    count: int
    confidence: float
    right: float


def unweighted_recall(truth: Integers, decided: Integers) -> float:
    """Mean over the classes that occur in `truth` of the share that was decided right; 0 to 1, higher is better.

    >>> unweighted_recall(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))  # (2/3 + 1) / 2
    0.8333333333333333
    """
    if not truth.size:
        return math.nan
    right = (truth == decided).astype(np.float64)
    counts = np.bincount(truth)
    hits = np.bincount(truth, weights=right)
    return float(np.mean(hits[counts > 0] / counts[counts > 0]))


def area_under_curve(scores: Floats, positive: npt.NDArray[np.bool_]) -> float:
    """Share of pairs of a positive and a negative clip in which the positive one scores higher; ties count half.

    NaN where one of the classes is empty. A pair in which a score is missing counts half.

    >>> area_under_curve(np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False]))  # (1 + 1 + 0 + 0.5) / 4
    0.625
    """
    high, low = scores[positive, np.newaxis], scores[~positive]
    if not (high.size and low.size):
        return math.nan
    return float(np.mean(won(high, low)))


def won(first: Floats, second: Floats) -> Floats:
    """1 where the first is larger, 0 where it is smaller, 1/2 where they are equal or one is missing.

    >>> won(np.array([2.0, 1.0, 1.0, math.nan]), np.array([1.0, 2.0, 1.0, 0.0])).tolist()
    [1.0, 0.0, 0.5, 0.5]
    """
    return np.where(first > second, 1.0, np.where(first < second, 0.0, 0.5))


def reliability(confidence: Floats, right: npt.NDArray[np.bool_]) -> tuple[Bin, ...]:
    """The answers in ten bins of confidence, empty ones left out."""
    bin_of = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    return tuple(
        Bin(int(inside.sum()), float(confidence[inside].mean()), float(right[inside].mean()))
        for inside in (bin_of == number for number in range(BINS))
        if inside.any()
    )


def expected_calibration_error(confidence: Floats, right: npt.NDArray[np.bool_]) -> float:
    """Mean over the answers of |confidence - share right| of their bin (Naeini et al. 2015); 0 is best, NaN if none.

    >>> expected_calibration_error(np.array([0.95, 0.95, 0.55, 0.55]), np.array([True, True, True, False]))
    0.05
    """
    bins = reliability(confidence, right)
    if not bins:
        return math.nan
    return round(sum(one.count * abs(one.confidence - one.right) for one in bins) / confidence.size, 12)


def measured(statistic: Statistic, *arrays: npt.NDArray[np.generic], speakers: Sequence[str]) -> Measured:
    """A statistic of arrays with one entry a clip, with both intervals.

    Args:
        statistic: called with the arrays.
        arrays: one entry a clip.
        speakers: who speaks in each clip; or what else binds clips together.
    """
    over_clips = bootstrap(statistic, *arrays, seed=SEED, resamples=RESAMPLES)
    return Measured(over_clips, by_speaker(statistic, *arrays, speakers=speakers))


def by_speaker(statistic: Statistic, *arrays: npt.NDArray[np.generic], speakers: Sequence[str]) -> Estimate:
    """A statistic with an interval for other speakers: whole speakers are drawn, with all their clips."""
    names = sorted(set(speakers))
    value = statistic(*arrays)
    if math.isnan(value):
        return Estimate(value, reason="the statistic is undefined on these clips")
    if len(names) < FEWEST_SPEAKERS:
        reason = f"no interval: {len(names)} speakers, need {FEWEST_SPEAKERS}"
        return Estimate(value, count=len(names), method="bootstrap-percentile over speakers", reason=reason)
    of_speaker = np.asarray(speakers)
    rows = [np.flatnonzero(of_speaker == name) for name in names]

    def of_drawn(drawn: Integers) -> float:
        chosen = np.concatenate([rows[speaker] for speaker in drawn])
        return statistic(*(array[chosen] for array in arrays))

    drawn = bootstrap(of_drawn, np.arange(len(names)), seed=SEED, resamples=RESAMPLES)
    return Estimate(
        value, drawn.low, drawn.high, len(names), method="bootstrap-percentile over speakers", reason=drawn.reason
    )
