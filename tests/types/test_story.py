"""Plans and their votes."""

import math

import pytest

from aptone.types import Intonation, Plan, Rhythm, Vad, Vote
from tests.tables import for_each


def vote(window: int, emotion: str, rhythm: Rhythm = Rhythm.RELAXED, recording_condition: str = "normal") -> Vote:
    return Vote(window, emotion, rhythm, Intonation.FLAT, recording_condition)


def plan(*votes: Vote) -> Plan:
    return Plan("calm", Rhythm.RELAXED, Intonation.FLAT, "normal", votes=votes)


def test_the_vote_share_is_the_share_of_windows_with_this_very_plan() -> None:
    votes = (vote(1, "calm"), vote(2, "calm"), vote(3, "joy"), vote(4, "calm", Rhythm.BRISK))
    assert plan(*votes).vote_share == 0.5  # 2 of 4


def test_a_plan_is_voted_on_as_a_whole() -> None:
    assert plan(vote(1, "calm", recording_condition="phone")).vote_share == 0.0


def test_the_entropy_of_votes_that_agree_is_zero() -> None:
    entropy = plan(vote(1, "calm"), vote(2, "calm")).vote_entropy
    assert entropy == 0.0
    assert math.copysign(1.0, entropy) == 1.0  # not the -0.0 that a negated sum gives


def test_the_entropy_of_votes_is_in_bits() -> None:
    # shares 1/2, 1/4, 1/4: 1/2 * 1 + 1/4 * 2 + 1/4 * 2 = 1.5 bits
    votes = (vote(1, "calm"), vote(2, "calm"), vote(3, "joy"), vote(4, "fear"))
    assert plan(*votes).vote_entropy == 1.5


def test_a_plan_that_was_not_voted_on_has_no_share_and_no_entropy() -> None:
    assert math.isnan(Plan("calm").vote_share)
    assert math.isnan(Plan("calm").vote_entropy)


def test_the_window_of_a_vote_is_not_part_of_the_choice() -> None:
    assert vote(1, "calm").choice == vote(15, "calm").choice == ("calm", Rhythm.RELAXED, Intonation.FLAT, "normal")


@for_each("position", [0, 1, 2])
@for_each("bad", [-1.01, 1.01, math.inf])
def test_valence_arousal_and_dominance_lie_between_minus_1_and_1(position: int, bad: float) -> None:
    values = [0.0, math.nan, 1.0]
    assert Vad(*values).dominance == 1.0
    values[position] = bad
    name = ("valence", "arousal", "dominance")[position]
    with pytest.raises(ValueError, match=f"^{name} lies between -1 and 1, got {bad}"):
        Vad(*values)
