"""What the journal says about the turns of a dialogue, read with care: it may come from anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.types import Entry, Json, Score, Trajectory, Vad, from_json

DIMENSIONS = ("valence", "arousal", "dominance")


@dataclass(frozen=True, slots=True)
class HeardSide:
    """What was heard of one speaker in a turn: when the points with speech lie, and their values, [points, 3]."""

    times: npt.NDArray[np.float64]
    points: npt.NDArray[np.float64]
    emotion: str


@dataclass(frozen=True, slots=True)
class HeardExchange:
    """A turn of the user and the answer to it.

    Args:
        user: what was heard of the user.
        agent: what was heard of the agent.
        extreme: in which dimensions the user is extreme.
        scores: of the answer, by name.
        step: seconds between two points.
    """

    user: HeardSide
    agent: HeardSide
    extreme: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    step: float = 1.0


def exchanges_of(entry: Entry) -> tuple[HeardExchange, ...]:
    """The turns in the evidence of an entry; empty where it is about no dialogue, or cannot be read."""
    given = entry.outcome.evidence.get("exchanges")
    if not isinstance(given, Sequence) or isinstance(given, str):
        return ()
    try:
        return tuple(_exchange(one) for one in given)
    except (RecordError, ValueError, TypeError):
        return ()


def zone_of(entry: Entry, name: str) -> Vad | None:
    """The thresholds (``extreme``) or the shifts (``shift``) that the scores rest on, if they can be read."""
    try:
        return from_json(Vad, entry.outcome.evidence.get(name))
    except (RecordError, ValueError):
        return None


def _exchange(data: Json) -> HeardExchange:
    if not isinstance(data, Mapping):
        raise RecordError("expected an exchange.")
    user, step = _side(data.get("user"))
    agent, other_step = _side(data.get("agent"))
    extreme, scores = data.get("extreme", ()), data.get("scores", {})
    if not isinstance(extreme, Sequence) or not isinstance(scores, Mapping):
        raise RecordError("expected names and scores.")
    return HeardExchange(
        user,
        agent,
        tuple(name for name in DIMENSIONS if name in extreme),
        {name: from_json(Score, score) for name, score in scores.items()},
        step or other_step or 1.0,
    )


def _side(data: Json) -> tuple[HeardSide, float]:
    if not isinstance(data, Mapping):
        raise RecordError("expected what was heard of a speaker.")
    emotion = data.get("emotion")
    shown = emotion if isinstance(emotion, str) else ""
    if data.get("trajectory") is None:
        return HeardSide(np.empty(0), np.empty((0, 3)), shown), 0.0
    trajectory = from_json(Trajectory, data.get("trajectory"))
    columns = (trajectory.valence, trajectory.arousal, trajectory.dominance)
    points = np.array(columns, dtype=np.float64).T.reshape(-1, 3)
    spoken = np.flatnonzero(np.isfinite(points).all(axis=1) & (np.abs(points) <= 1).all(axis=1))
    times = (spoken.astype(np.float64) + 0.5) * trajectory.step
    return HeardSide(times, points[spoken], shown), trajectory.step
