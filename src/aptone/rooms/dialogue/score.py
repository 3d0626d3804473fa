"""The scores of EMO-Reasoning: pure functions of two trajectories.

A trajectory has one row a point in time (a second, by default) and three columns: valence, arousal, dominance, each
from -1 to 1. u is the user, a the agent who answers, n the longer of their two lengths, K and the other constants those
of `DialogueConfig`, dtw the exact distance of `aptone.stats.dtw`, or FastDTW's where `DialogueConfig.distance` says so.

No score exceeds 1, and higher is better. Downwards they are open: an answer that is much longer than the question can
make any distance large.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.dialogue.config import PAPER, DialogueConfig, Weights
from aptone.stats.arrays import FloatArray, matrix
from aptone.types import Score

VALENCE, AROUSAL, DOMINANCE = range(3)
DIMENSIONS = ("valence", "arousal", "dominance")

SEVERAL = 2
"""Turns of the user, and of the agent, from which on a dialogue has scores across turns."""

NO_POINTS = {"user": message("dialogue.user-no-points"), "agent": message("dialogue.agent-no-points")}

NOT_NEEDED = message("dialogue.balancing-not-needed")


@dataclass(frozen=True, slots=True)
class TurnScores:
    """Scores of one answer to one turn of a user: contagion, balancing, stability, and reasoning.

    Args:
        ebs: not needed where the user is not extreme.
        ers: the other three together.
        extreme: dimensions in which the user is extreme.
    """

    ecs: Score
    ebs: Score
    ess: Score
    ers: Score
    extreme: tuple[str, ...] = ()

    def by_name(self) -> dict[str, Score]:
        """The four scores under their names in the paper."""
        return {"ECS": self.ecs, "EBS": self.ebs, "ESS": self.ess, "ERS": self.ers}


@dataclass(frozen=True, slots=True)
class DialogueScores:
    """Scores of a dialogue of several turns, across them; the fields are those of `TurnScores`."""

    ecs: Score
    ebs: Score
    ess: Score
    ers: Score

    def by_name(self) -> dict[str, Score]:
        """The four scores under their names in the paper."""
        return {"CT-ECS": self.ecs, "CT-EBS": self.ebs, "CT-ESS": self.ess, "CT-ERS": self.ers}


def ecs(user: npt.ArrayLike, agent: npt.ArrayLike, *, config: DialogueConfig = PAPER) -> Score:
    """Emotional contagion: does the agent follow the user's valence and arousal?

    ``1 - K · (dtw(V_u, V_a) + dtw(A_u, A_a)) / (4 n)``. Undefined without points.

    >>> ecs([[0.0, 0.2, 0.0]], [[0.1, 0.2, 0.0]]).value  # 1 - 5 · 0.1 / 4
    0.875

    Raises:
        RecordError: if a trajectory has another shape, or a value outside -1 to 1.
    """
    return _ecs(_curves(user, "user"), _curves(agent, "agent"), config)


def ebs(user: npt.ArrayLike, agent: npt.ArrayLike, *, config: DialogueConfig = PAPER) -> Score:
    """Emotional balancing: does the agent bring an extreme user back?

    Over the dimensions in which the user's mean is extreme, m of them, with the user's curve shifted towards balance:
    ``1 - (K / m) · Σ dtw(u + shift, a) / (points of the user)``. Undefined without points. Where no dimension is
    extreme, there is nothing to balance: the score is then not needed, which is not the same as a perfect 1.

    >>> ebs([[-0.211, 0.0, 0.3]], [[0.0, 0.0, 0.3]]).value  # -0.211 + 0.211 is where the agent is
    1.0
    >>> ebs([[0.2, 0.0, 0.3]], [[0.0, 0.0, 0.3]]).state
    <ScoreState.NOT_NEEDED: 'not-needed'>

    Raises:
        RecordError: as `ecs`.
    """
    return _ebs(_curves(user, "user"), _curves(agent, "agent"), config)[0]


def ess(agent: npt.ArrayLike, *, config: DialogueConfig = PAPER) -> Score:
    """Emotional stability: does the agent keep its feeling within a turn?

    ``1 - K · mean |difference|`` over those differences from one point to the next, in all three dimensions, that
    exceed the limit of steadiness; 1 where none does, or with a single point. Undefined without points.

    >>> ess([[0.0, 0.0, 0.0], [0.1, 0.03, 0.0]]).value  # 0.03 does not count: 1 - 5 · 0.1
    0.5

    Raises:
        RecordError: as `ecs`.
    """
    return _ess(_curves(agent, "agent"), config)


def score_turn(user: npt.ArrayLike, agent: npt.ArrayLike, *, config: DialogueConfig = PAPER) -> TurnScores:
    """All four scores of an answer to a turn.

    ERS weighs the other three: by the paper 0.4 ECS + 0.4 EBS + 0.2 ESS where balancing is needed, else 0.7 ECS +
    0.3 ESS. It is undefined where one of them is.

    Raises:
        RecordError: as `ecs`.
    """
    first, second = _curves(user, "user"), _curves(agent, "agent")
    contagion, stability = _ecs(first, second, config), _ess(second, config)
    balancing, extreme = _ebs(first, second, config)
    reasoning = _weighed(contagion, balancing, stability, config.turn_weights, config.calm_turn_weights, config)
    return TurnScores(contagion, balancing, stability, reasoning, extreme)


def mean_turn(turns: Sequence[TurnScores], *, config: DialogueConfig = PAPER) -> TurnScores:
    """The mean of every score over turns: balancing over those that need it only, and not needed where none does.

    A turn without a score leaves the mean undefined: an answer that could not be judged is not to be forgotten.
    """
    names = ("ecs", "ebs", "ess", "ers")
    means = {name: _mean([getattr(turn, name) for turn in turns], config) for name in names}
    extreme = tuple(name for name in DIMENSIONS if any(name in turn.extreme for turn in turns))
    return TurnScores(means["ecs"], means["ebs"], means["ess"], means["ers"], extreme)


def score_dialogue(
    users: Sequence[npt.ArrayLike], agents: Sequence[npt.ArrayLike], *, config: DialogueConfig = PAPER
) -> DialogueScores:
    """The scores across the turns of a dialogue; what one side has more than the other is left out.

    CT-ECS and CT-EBS are means over the turns (EBS over those that need balancing). Over neighbouring turns of the
    agent, with l the longer length, ``CT-ESS = 1 - K · mean((dtw V + dtw A + dtw D) / (6 l))``. CT-ERS weighs the
    three: by the paper 0.35, 0.35, 0.3 where a turn needs balancing, else 0.6 CT-ECS + 0.4 CT-ESS.

    Undefined below two turns of either side, or where a turn has no score.

    Args:
        users: the trajectory of each turn of the user, in order.

    Raises:
        RecordError: as `ecs`; the message names the turn.
    """
    count = min(len(users), len(agents))
    turns = []
    for number in range(count):
        try:
            turns.append(score_turn(users[number], agents[number], config=config))
        except RecordError as error:
            raise RecordError(message("dialogue.turn", number=number + 1, why=error)) from error
    return across_turns(turns, agents, config=config, users=len(users))


def across_turns(
    turns: Sequence[TurnScores],
    agents: Sequence[npt.ArrayLike],
    *,
    config: DialogueConfig = PAPER,
    users: int | None = None,
) -> DialogueScores:
    """The same of scored turns; `users` is how many the user has, for the message (by default all are scored)."""
    if len(turns) < SEVERAL:
        given = f"got {len(turns) if users is None else users} and {len(agents)}"
        nothing = _undefined(f"scores across turns need {SEVERAL} turns of the user and of the agent, {given}", config)
        return DialogueScores(nothing, nothing, nothing, nothing)
    means = mean_turn(turns, config=config)
    stability = _ct_ess([_curves(agent, "agent") for agent in agents[: len(turns)]], config)
    reasoning = _weighed(means.ecs, means.ebs, stability, config.dialogue_weights, config.calm_dialogue_weights, config)
    return DialogueScores(means.ecs, means.ebs, stability, reasoning)


def categorical(pairs: Sequence[tuple[str, str]], *, config: DialogueConfig = PAPER) -> Score:
    """Score how fitting the agent's emotions are, by the table that people filled in, averaged over turns.

    Args:
        pairs: per turn, the user's emotion and the agent's, by the names of the table.

    Raises:
        RecordError: if the table does not know an emotion. It is never counted as 0.

    >>> round(categorical([("angry", "neutral"), ("sad", "sad")]).value, 9)  # (0.8 + 0.9) / 2
    0.85
    """
    for number, pair in enumerate(pairs, start=1):
        if unknown := [emotion for emotion in pair if emotion not in config.table]:
            known = ", ".join(config.table)
            raise RecordError(f"turn {number}: the table knows {known}, but not {unknown[0][:40]!r}; relabel it.")
    if not pairs:
        return _undefined("no turn has an answer", config)
    mean = math.fsum(config.table[user][agent] for user, agent in pairs) / len(pairs)
    low, high = config.table_range
    return Score(min(high, max(low, mean)), range=(low, high), signature=config.signature)


def _curves(points: npt.ArrayLike, name: str) -> FloatArray:
    """The three columns as rows, each in one piece; NaN stays, anything else that is no trajectory is refused."""
    given = np.asarray(points)
    if given.size == 0:
        return np.empty((3, 0))
    array = matrix(given, name=name)
    if array.shape[1] != len(DIMENSIONS):
        raise RecordError(
            f"{name}: expected the columns valence, arousal and dominance, got {array.shape[1]} columns; "
            "choose those three, in this order."
        )
    beyond = np.abs(array) > 1
    if beyond.any():
        row, column = (int(place) for place in np.argwhere(beyond)[0])
        raise RecordError(
            f"{name}: {DIMENSIONS[column]} lies between -1 and 1, got {array[row, column]:g} at point {row + 1}; "
            "divide by the largest value of its scale."
        )
    return np.ascontiguousarray(array.T)


def _gap(*named: tuple[str, FloatArray]) -> str:
    """Return the reason why these curves cannot be compared; empty when they can."""
    for name, curves in named:
        if not curves.shape[1]:
            return NO_POINTS[name]
        if undefined := int(np.isnan(curves).any(axis=0).sum()):
            return message(f"dialogue.{name}-points-undefined", count=undefined, all=curves.shape[1])
    return ""


def _ecs(user: FloatArray, agent: FloatArray, config: DialogueConfig) -> Score:
    if gap := _gap(("user", user), ("agent", agent)):
        return _undefined(gap, config)
    distance = config.apart(user[VALENCE], agent[VALENCE]) + config.apart(user[AROUSAL], agent[AROUSAL])
    return _defined(1 - config.scale * distance / (4 * max(user.shape[1], agent.shape[1])), config)


def _ebs(user: FloatArray, agent: FloatArray, config: DialogueConfig) -> tuple[Score, tuple[str, ...]]:
    if gap := _gap(("user", user)):
        return _undefined(gap, config), ()
    means, limit, shift = user.mean(axis=1), config.extreme, config.shift
    found = (means[VALENCE] < limit.valence, means[AROUSAL] > limit.arousal, means[DOMINANCE] < limit.dominance)
    extreme = tuple(name for name, is_extreme in zip(DIMENSIONS, found, strict=True) if is_extreme)
    if not extreme:
        return Score(math.nan, reason=NOT_NEEDED, signature=config.signature, needed=False), ()
    if gap := _gap(("agent", agent)):
        return _undefined(gap, config), extreme
    shifts = (shift.valence, shift.arousal, shift.dominance)
    distances = [config.apart(user[i] + shifts[i], agent[i]) for i in range(len(DIMENSIONS)) if found[i]]
    return _defined(1 - config.scale / len(extreme) * math.fsum(distances) / user.shape[1], config), extreme


def _ess(agent: FloatArray, config: DialogueConfig) -> Score:
    if gap := _gap(("agent", agent)):
        return _undefined(gap, config)
    changes = np.abs(np.diff(agent, axis=1))
    large = changes[changes > config.unsteady]
    return _defined(1 - config.scale * float(large.mean()) if large.size else 1.0, config)


def _ct_ess(agents: Sequence[FloatArray], config: DialogueConfig) -> Score:
    for number, agent in enumerate(agents, start=1):
        if gap := _gap(("agent", agent)):
            return _undefined(message("dialogue.turn", number=number, why=gap), config)
    parts = []
    for before, after in pairwise(agents):
        distance = math.fsum(config.apart(before[i], after[i]) for i in range(len(DIMENSIONS)))
        parts.append(distance / (6 * max(before.shape[1], after.shape[1])))
    return _defined(1 - config.scale * math.fsum(parts) / len(parts), config)


def _weighed(
    contagion: Score, balancing: Score, stability: Score, weights: Weights, calm: Weights, config: DialogueConfig
) -> Score:
    parts = [contagion, balancing, stability] if balancing.needed else [contagion, stability]
    if missing := [part for part in parts if not part.is_defined]:
        return _undefined(missing[0].reason, config)
    if not balancing.needed:
        return _defined(calm.contagion * contagion.value + calm.stability * stability.value, config)
    value = weights.contagion * contagion.value + weights.balancing * balancing.value
    return _defined(value + weights.stability * stability.value, config)


def _mean(scores: Sequence[Score], config: DialogueConfig) -> Score:
    for number, score in enumerate(scores, start=1):
        if score.needed and not score.is_defined:
            return _undefined(message("dialogue.turn", number=number, why=score.reason), config)
    needed = [score.value for score in scores if score.needed]
    if scores and not needed:
        return scores[0]
    if not scores:
        return _undefined("no turn has an answer", config)
    return _defined(math.fsum(needed) / len(needed), config)


def _defined(value: float, config: DialogueConfig) -> Score:
    return Score(float(value), signature=config.signature)


def _undefined(reason: str, config: DialogueConfig) -> Score:
    return Score(math.nan, reason=reason, signature=config.signature)
