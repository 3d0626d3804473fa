"""Verdict on an answer: the paper's table of emotions, and whether the agent eases an extreme user or follows.

ERS rewards following the user (ECS) as much as balancing (EBS), so an answer that shouts back at an angry user can
score above a calm one. The verdict does not have that fault: people filled in the table, and to them anger asks for
neither anger nor joy.

- *Reaction*: the table's value, expected over what was heard: ``Σ_u Σ_a P(u) P(a) table[u][a]`` with the probabilities
  of the table's emotions in the two voices. A label that is known for sure has all the probability.
- *Course*: part of the way to balance that the agent's mean lies from the user's, averaged over the dimensions in which
  the user is extreme: ``mean((a - u) / shift)``. 0 is the user's own feeling, 1 the balanced one; from `EASED` on the
  agent eases, below it follows.
- *Answer in kind*: an angry user meets anger. Where contagion then exceeds balancing, following lifts the ERS.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.rooms.dialogue.score import DIMENSIONS, TurnScores
from aptone.types import Emotion, Score

FITS, MISFITS = 0.55, 0.45
"""Reactions from the first on fit; those below the second do not; between them lie joy that meets a neutral voice and
anger that meets sadness, which people rated 0.5."""

EASED = 0.5
"""Part of the way to balance from which on an agent eases the user."""

ANGER = ("valence", "arousal")
"""Dimensions in which a user without a label is extreme who sounds angry."""


class Fit(StrEnum):
    """Verdict in a word."""

    FITS = "fits"
    DOUBTFUL = "doubtful"
    MISFITS = "does-not-fit"


class Course(StrEnum):
    """Direction of an answer to an extreme user."""

    EASES = "eases"
    FOLLOWS = "follows"
    NOT_NEEDED = "not-needed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Side:
    """Side of an exchange: points of its trajectory, probabilities of the table's emotions (empty: no label), and why.

    Args:
        likeliest: likeliest of the table's emotions, even where it is too unlikely for a label.
        why: reason why there is no label.
    """

    points: npt.NDArray[np.float64]
    likely: Mapping[str, float]
    likeliest: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """Verdict on one answer.

    Args:
        reaction: the table's value, undefined without labels.
        in_kind: whether an angry user is answered in anger.
        lifts: whether that raises the ERS: contagion exceeds balancing, or there is none to exceed.
    """

    reaction: Score
    course: Course
    in_kind: bool = False
    lifts: bool = False


def reaction(user: Mapping[str, float], agent: Mapping[str, float], *, config: DialogueConfig = PAPER) -> float:
    """Return the table's value of an answer, expected over the emotions heard; within the range of the table.

    >>> reaction({"angry": 1.0}, {"neutral": 0.5, "angry": 0.5})  # (0.8 + 0.4) / 2
    0.6
    """
    pairs = ((one, other) for one in user for other in agent)
    value = math.fsum(user[one] * agent[other] * config.table[one][other] for one, other in pairs)
    low, high = config.table_range
    return min(high, max(low, round(value, 9)))


def course(
    user: npt.NDArray[np.float64],
    agent: npt.NDArray[np.float64],
    extreme: Sequence[str],
    *,
    config: DialogueConfig = PAPER,
) -> Course:
    """Return whether an agent eases an extreme user or follows; see the module.

    Args:
        user: points of the user, [points, 3]; so is `agent`.
        extreme: dimensions in which the user is extreme.

    >>> angry, calm = np.array([[-0.4, 0.5, 0.3]]), np.array([[0.2, 0.1, 0.4]])
    >>> course(angry, calm, ("valence", "arousal")).value, course(angry, angry, ("valence", "arousal")).value
    ('eases', 'follows')
    """
    if not len(user) or not len(agent):
        return Course.UNKNOWN
    if not extreme:
        return Course.NOT_NEEDED
    moved = agent.mean(axis=0) - user.mean(axis=0)
    shifts = [(place, float(getattr(config.shift, name))) for place, name in enumerate(DIMENSIONS) if name in extreme]
    parts = [float(moved[place]) / shift for place, shift in shifts if shift]
    if not parts:
        return Course.UNKNOWN
    return Course.EASES if math.fsum(parts) / len(parts) >= EASED else Course.FOLLOWS


def turn_verdict(user: Side, agent: Side, scores: TurnScores, *, config: DialogueConfig = PAPER) -> TurnVerdict:
    """Return the verdict on one answer; `scores` are those of the same turn."""
    missing = next(((who, side) for who, side in (("user", user), ("agent", agent)) if not side.likely), None)
    if missing is None:
        value = Score(reaction(user.likely, agent.likely, config=config), range=config.table_range)
    else:
        why = message(f"dialogue.the-{missing[0]}", why=missing[1].why)
        value = Score(math.nan, range=config.table_range, reason=why)
    direction = course(user.points, agent.points, scores.extreme, config=config)
    angry = user.likeliest == Emotion.ANGRY or (not user.likeliest and set(ANGER) <= set(scores.extreme))
    answered = agent.likeliest == Emotion.ANGRY or (not agent.likeliest and direction is Course.FOLLOWS)
    in_kind = angry and answered
    exceeds = scores.ecs.is_defined and not scores.ecs.value <= scores.ebs.value  # NaN: there is nothing to exceed
    return TurnVerdict(value, direction, in_kind, in_kind and exceeds)


def fit_word(score: Score) -> Fit | None:
    """Return a reaction in a word; ``None`` where it has no number.

    >>> fit_word(Score(0.8)).value, fit_word(Score(0.5)).value, fit_word(Score(0.4)).value
    ('fits', 'doubtful', 'does-not-fit')
    """
    if not score.is_defined:
        return None
    return Fit.FITS if score.value >= FITS else Fit.MISFITS if score.value < MISFITS else Fit.DOUBTFUL


def mean_reaction(turns: Sequence[TurnVerdict], *, config: DialogueConfig = PAPER) -> Score:
    """The mean of the reactions over turns; a turn without one leaves it undefined, and its reason says which."""
    for number, turn in enumerate(turns, start=1):
        if not turn.reaction.is_defined:
            why = message("dialogue.turn", number=number, why=turn.reaction.reason)
            return Score(math.nan, range=config.table_range, reason=why)
    mean = math.fsum(turn.reaction.value for turn in turns) / len(turns)
    low, high = config.table_range
    return Score(min(high, max(low, mean)), range=(low, high))


def dialogue_word(mean: Score, turns: Sequence[Score]) -> Fit | None:
    """Return the verdict on a dialogue: that of its mean, but doubtful where the mean fits and some turn does not.

    Args:
        mean: reaction of the dialogue.
        turns: reactions of its turns.

    >>> dialogue_word(Score(0.6), [Score(0.8), Score(0.4)]).value
    'doubtful'
    """
    word = fit_word(mean)
    return Fit.DOUBTFUL if word is Fit.FITS and Fit.MISFITS in map(fit_word, turns) else word
