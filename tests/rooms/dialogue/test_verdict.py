"""The verdict on an answer: the paper's table, the way to balance, and anger that meets anger."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.rooms.dialogue.config import TABLE
from aptone.rooms.dialogue.score import score_turn
from aptone.rooms.dialogue.verdict import (
    Course,
    Fit,
    Side,
    TurnVerdict,
    course,
    fit_word,
    mean_reaction,
    reaction,
    turn_verdict,
)
from aptone.types import Score
from tests.tables import for_each

ANGRY, CALM = np.array([[-0.4, 0.5, 0.3]] * 3), np.array([[0.2, 0.1, 0.4]] * 3)


def side(points: npt.NDArray[np.float64], label: str = "") -> Side:
    return Side(points, {label: 1.0} if label else {}, label, "" if label else "nobody said")


def verdict(user: Side, agent: Side) -> TurnVerdict:
    return turn_verdict(user, agent, score_turn(user.points, agent.points))


@for_each("user", list(TABLE))
def test_a_sure_pair_has_the_value_of_the_table(user: str) -> None:
    for agent, value in TABLE[user].items():
        assert reaction({user: 1.0}, {agent: 1.0}) == value


def test_unsure_pairs_are_weighed_by_their_probabilities() -> None:
    # 0.7 · (0.6 · 0.8 + 0.4 · 0.5) + 0.3 · (0.6 · 0.6 + 0.4 · 0.9) = 0.476 + 0.216
    found = reaction({"angry": 0.7, "sad": 0.3}, {"neutral": 0.6, "sad": 0.4})
    assert found == pytest.approx(0.692)


def test_a_calm_answer_to_anger_eases_and_an_angry_one_follows() -> None:
    eased, followed = (
        verdict(side(ANGRY, "angry"), side(CALM, "neutral")),
        verdict(side(ANGRY, "angry"), side(ANGRY, "angry")),
    )
    assert (eased.course, eased.in_kind, eased.lifts) == (Course.EASES, False, False)
    assert (followed.course, followed.in_kind, followed.lifts) == (Course.FOLLOWS, True, True)
    assert eased.reaction.value > followed.reaction.value


def test_half_the_way_to_balance_is_where_easing_begins() -> None:
    user, half = np.array([[0.0, 0.5, 0.3]]), np.array([[0.0, 0.5 - 0.0526, 0.3]])  # just over half of -0.105
    assert course(user, half, ("arousal",)) is Course.EASES
    assert course(user, half + np.array([0.0, 0.002, 0.0]), ("arousal",)) is Course.FOLLOWS
    assert course(CALM, CALM, ()) is Course.NOT_NEEDED
    assert course(np.empty((0, 3)), CALM, ("arousal",)) is Course.UNKNOWN


def test_without_labels_the_trajectories_say_whether_anger_meets_anger() -> None:
    found = verdict(side(ANGRY), side(ANGRY))
    assert math.isnan(found.reaction.value)
    assert found.reaction.reason == "the user: nobody said"
    assert (found.in_kind, found.lifts) == (True, True)
    assert not verdict(side(ANGRY), side(CALM)).in_kind
    assert not verdict(side(CALM), side(CALM)).in_kind


def test_anger_that_meets_anger_is_no_caution_where_balancing_scores_higher() -> None:
    near = ANGRY + np.array([0.211, -0.105, 0.0])  # just where balancing wants it: EBS 1, ECS below
    found = verdict(side(ANGRY, "angry"), side(near, "angry"))
    assert (found.in_kind, found.lifts) == (True, False)


@for_each(("value", "word"), [(0.55, Fit.FITS), (0.5, Fit.DOUBTFUL), (0.45, Fit.DOUBTFUL), (0.44, Fit.MISFITS)])
def test_the_word_follows_from_the_number(value: float, word: Fit) -> None:
    assert fit_word(Score(value)) is word


def test_a_turn_without_a_reaction_leaves_the_dialogue_without_one() -> None:
    known, unknown = (verdict(side(ANGRY, "angry"), side(CALM, label)) for label in ("neutral", ""))
    assert mean_reaction([known, known]).value == 0.8
    assert mean_reaction([known, unknown]).reason == "turn 2: the agent: nobody said"
    assert fit_word(mean_reaction([unknown])) is None
