"""Thresholds and shifts of the scores, estimated from a corpus of trajectories.

EMO-Reasoning sets its thresholds at the 80th percentile of MSP-Conversation and does not print how the shifts follow.
We read both so:

- A turn's mean decides whether its speaker is extreme, so percentiles are taken over the means of turns. Four fifths of
  the turns are not extreme: the threshold is the 80th percentile of arousal, and from below (the 20th) of valence and
  dominance, where low is what needs balancing.
- The shift leads from the threshold back to the mean of the corpus. By the paper's own numbers that mean would be a
  valence of 0.141, an arousal of 0.24 and a dominance of 0.308, which is how people talk in podcasts.
- The limit of steadiness is the same percentile of all changes from one point to the next.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.stats.arrays import matrix
from aptone.types import Vad

PERCENTILE = 80.0

FEWEST_TURNS = 5
"""With four or fewer, no turn lies beyond the 80th percentile."""


def estimate_thresholds(
    turns: Sequence[npt.ArrayLike], *, percentile: float = PERCENTILE, config: DialogueConfig = PAPER
) -> DialogueConfig:
    """The constants for a corpus.

    Args:
        turns: one trajectory a turn, [points, 3]; points without speech (NaN) are left out.
        percentile: of turns that are not extreme, above 50 and below 100.
        config: where the other constants come from.

    Raises:
        UsageError: if the percentile makes no sense.
        RecordError: if there are too few turns, or one is no trajectory.

    >>> corpus = [[[0.1 * n, 0.1 * n, 0.1 * n]] for n in range(-5, 6)]  # means from -0.5 to 0.5
    >>> estimated = estimate_thresholds(corpus)
    >>> round(estimated.extreme.valence, 9), round(estimated.extreme.arousal, 9), round(estimated.shift.arousal, 9)
    (-0.3, 0.3, -0.3)
    """
    if not 50 < percentile < 100:
        raise UsageError(f"the percentile lies between 50 and 100, got {percentile}; the paper takes {PERCENTILE:g}.")
    curves = [_spoken(turn, number) for number, turn in enumerate(turns, start=1)]
    spoken = [curve for curve in curves if len(curve)]
    if len(spoken) < FEWEST_TURNS:
        raise RecordError(
            f"{len(spoken)} of {len(curves)} turns have points to go by, need {FEWEST_TURNS}; add recordings."
        )
    means = np.array([curve.mean(axis=0) for curve in spoken])
    changes = np.concatenate([np.abs(np.diff(curve, axis=0)).ravel() for curve in spoken])
    low, high = np.percentile(means, [100 - percentile, percentile], axis=0)
    extreme = np.array([low[0], high[1], low[2]])
    shift = np.clip(means.mean(axis=0) - extreme, -1, 1)
    return replace(
        config,
        extreme=Vad(*extreme.tolist()),
        shift=Vad(*shift.tolist()),
        unsteady=float(np.percentile(changes, percentile)) if changes.size else config.unsteady,
    )


def _spoken(turn: npt.ArrayLike, number: int) -> npt.NDArray[np.float64]:
    points = matrix(turn, name=f"turn {number}") if np.asarray(turn).size else np.empty((0, 3))
    if points.shape[1] != 3 or (np.abs(points) > 1).any():
        raise RecordError(f"turn {number}: expected valence, arousal and dominance, each from -1 to 1.")
    return points[~np.isnan(points).any(axis=1)]
