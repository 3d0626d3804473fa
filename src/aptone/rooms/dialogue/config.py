"""Every constant of the scores, in one record that can be read from a file and estimated again.

The defaults are those of EMO-Reasoning, whose thresholds come from MSP-Conversation as its own model hears it. Another
model of emotion over time has another scale: `aptone build emo-thresholds` estimates them from a corpus of yours.

EMO-Reasoning sets its thresholds at the 80th percentile of MSP-Conversation and does not print how the shifts follow.
We read both so:

- A turn's mean decides whether its speaker is extreme, so percentiles are taken over the means of turns. Four fifths of
  the turns are not extreme: the threshold is the 80th percentile of arousal, and from below (the 20th) of valence and
  dominance, where low is what needs balancing.
- The shift leads from the threshold back to the mean of the corpus. By the paper's own numbers that mean would be a
  valence of 0.141, an arousal of 0.24 and a dominance of 0.308, which is how people talk in podcasts.
- The limit of steadiness is the same percentile of all changes from one point to the next.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.stats import dtw, fast_dtw
from aptone.stats.arrays import FloatArray, matrix
from aptone.types import Vad, dumps, from_json, loads, signature, to_json

TABLE: Mapping[str, Mapping[str, float]] = {
    "neutral": {"neutral": 0.9, "happy": 0.6, "angry": 0.3, "sad": 0.4},
    "happy": {"neutral": 0.5, "happy": 1.0, "angry": 0.2, "sad": 0.2},
    "angry": {"neutral": 0.8, "happy": 0.1, "angry": 0.4, "sad": 0.5},
    "sad": {"neutral": 0.6, "happy": 0.2, "angry": 0.4, "sad": 0.9},
}
"""Fit of an answer in one emotion (inner) to a user in another (outer), rated by people, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the three parts of a reasoning score.

    Raises:
        ValueError: if one is negative or no number.
    """

    contagion: float
    balancing: float
    stability: float

    def __post_init__(self) -> None:
        parts = (self.contagion, self.balancing, self.stability)
        if not all(0 <= part < math.inf for part in parts):
            raise ValueError(f"weights are numbers of 0 or more, got {parts}.")


Distance = Literal["exact", "fastdtw"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
"""Dynamic time warping: the exact minimum, or FastDTW (radius 1), which the released scripts call."""

EXTREME = Vad(-0.07, 0.345, 0.210)
SHIFT = Vad(0.211, -0.105, 0.098)


@dataclass(frozen=True)
class DialogueConfig:
    """The constants of the scores; see `aptone.rooms.dialogue.score` for the formulas that they stand in.

    Args:
        scale: K, how hard a distance counts.
        extreme: a user is extreme whose mean valence lies below, mean arousal above, or mean dominance below this.
        shift: shift that balancing adds to the curves of an extreme user.
        unsteady: changes from one point to the next that exceed this count against stability.
        turn_weights: weights for a turn that needs balancing.
        calm_turn_weights: weights for a turn that does not; there is no balancing score to weigh.
        dialogue_weights: weights for a dialogue in which some turn needs balancing.
        calm_dialogue_weights: weights for one in which none does.
        table: fit of an answer, by the user's emotion and then the agent's.
        distance: one of `DISTANCES`; ``fastdtw`` gives the numbers of the released scripts.

    Raises:
        ValueError: if a constant makes no sense.
    """

    scale: float = 5.0
    extreme: Vad = EXTREME
    shift: Vad = SHIFT
    unsteady: float = 0.04
    turn_weights: Weights = Weights(0.4, 0.4, 0.2)
    calm_turn_weights: Weights = Weights(0.7, 0.0, 0.3)
    dialogue_weights: Weights = Weights(0.35, 0.35, 0.3)
    calm_dialogue_weights: Weights = Weights(0.6, 0.0, 0.4)
    table: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: TABLE)
    distance: Distance = "exact"

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf:
            raise ValueError(f"the scale K is a positive number, got {self.scale}.")
        if not 0 <= self.unsteady < math.inf:
            raise ValueError(f"the limit of steadiness is a number of 0 or more, got {self.unsteady}.")
        for name in ("extreme", "shift"):
            point: Vad = getattr(self, name)
            if any(math.isnan(value) for value in (point.valence, point.arousal, point.dominance)):
                raise ValueError(f"{name}: valence, arousal and dominance are all needed.")
        if not self.table or any(set(row) != set(self.table) for row in self.table.values()):
            raise ValueError("the table has one row and one column for each of its emotions.")
        if any(not math.isfinite(value) for row in self.table.values() for value in row.values()):
            raise ValueError("the table holds numbers only.")
        if self.distance not in DISTANCES:
            raise ValueError(f"the distance is one of {', '.join(DISTANCES)}, got {self.distance!r}.")

    def apart(self, first: FloatArray, second: FloatArray) -> float:
        """Return the distance of two curves."""
        return dtw(first, second) if self.distance == "exact" else fast_dtw(first, second)

    @cached_property
    def signature(self) -> str:
        """Signature of these constants within the signature of a score."""
        constants = {name: value for name, value in to_json(self).items() if name != "distance"}
        digest = hashlib.sha256(dumps(constants).encode()).hexdigest()[:12]
        approximate = {} if self.distance == "exact" else {"distance": self.distance}
        return signature("emo-reasoning", {"config": digest, **approximate})

    @property
    def table_range(self) -> tuple[float, float]:
        """The lowest and the highest number in the table."""
        values = [value for row in self.table.values() for value in row.values()]
        return min(values), max(values)


PAPER = DialogueConfig()
"""The constants of EMO-Reasoning."""


def read_config(path: Path) -> DialogueConfig:
    """The constants in a file, as `aptone build emo-thresholds` writes it; what it does not name is as in the paper.

    Raises:
        RecordError: if it cannot be read, or a constant makes no sense; the message names the file.
    """
    try:
        return from_json(DialogueConfig, loads(path.read_bytes(), what=str(path)))
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); name a file with the constants.") from error
    except (RecordError, ValueError) as error:
        where = "" if str(error).startswith(str(path)) else f"{path}: "
        raise RecordError(f"{where}{error} See aptone build emo-thresholds.") from error


PERCENTILE = 80.0

FEWEST_TURNS = 5
"""With four or fewer, no turn lies beyond the 80th percentile."""


def estimate_thresholds(
    turns: Sequence[npt.ArrayLike], *, percentile: float = PERCENTILE, config: DialogueConfig = PAPER
) -> DialogueConfig:
    """The constants for a corpus.

    Args:
        turns: one trajectory a turn, [points, 3]; points without speech (NaN) are left out.
        percentile: percentage of turns that are not extreme, above 50 and below 100.

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
    return replace(
        config,
        extreme=Vad(*extreme.tolist()),
        shift=Vad(*np.clip(means.mean(axis=0) - extreme, -1, 1).tolist()),
        unsteady=float(np.percentile(changes, percentile)) if changes.size else config.unsteady,
    )


def _spoken(turn: npt.ArrayLike, number: int) -> npt.NDArray[np.float64]:
    points = matrix(turn, name=f"turn {number}") if np.asarray(turn).size else np.empty((0, 3))
    if points.shape[1] != 3 or (np.abs(points) > 1).any():
        raise RecordError(f"turn {number}: expected valence, arousal and dominance, each from -1 to 1.")
    return points[~np.isnan(points).any(axis=1)]
