import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.train.grpo.rollouts import CUT, UNREADABLE, reply_reward, score_bin, score_reward
from tests.tables import for_each

ON_THE_SCALE = st.floats(0.0, 5.0)


def test_the_right_score_is_worth_two() -> None:
    assert score_reward(3.7, 3.7) == 2.0  # exp(0) + exp(0)


def test_a_score_one_point_off_in_the_next_bin_is_worth_twice_the_inverse_of_e() -> None:
    assert score_reward(2.5, 3.5) == pytest.approx(2 * math.exp(-1))  # |Δ| = 1, bins 2 and 3


def test_scores_on_two_sides_of_a_step_lose_the_bin_though_they_are_close() -> None:
    # |2.9 - 3.1| = 0.2, bins 2 and 3: exp(-0.2) + exp(-1); within a bin the second part stays 1
    assert score_reward(2.9, 3.1) == pytest.approx(math.exp(-0.2) + math.exp(-1))
    assert score_reward(3.1, 3.3) == pytest.approx(math.exp(-0.2) + 1.0)


def test_sigma_widens_the_first_part_only() -> None:
    assert score_reward(1.0, 3.0, sigma=2.0) == pytest.approx(math.exp(-1) + math.exp(-2))  # 2 / σ = 1, bins 1 and 3


def test_the_full_score_has_a_bin_of_its_own() -> None:
    assert [score_bin(score) for score in (4.9, 5.0)] == [4, 5]


@given(ON_THE_SCALE, ON_THE_SCALE)
def test_no_score_on_the_scale_is_worth_as_little_as_none(given: float, truth: float) -> None:
    lowest = 2 * math.exp(-5)  # |Δ| = 5 and five bins apart
    assert UNREADABLE < lowest <= score_reward(given, truth) + 1e-12 <= 2.0 + 1e-12


@given(ON_THE_SCALE, ON_THE_SCALE, ON_THE_SCALE)
def test_the_nearer_of_two_scores_on_one_side_is_worth_no_less(truth: float, first: float, second: float) -> None:
    near, far = sorted((first, second), key=lambda score: abs(score - truth))
    if (near - truth) * (far - truth) >= 0:
        assert score_reward(near, truth) >= score_reward(far, truth)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_has_no_reward(score: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        score_reward(score, 3.0)


@for_each("sigma", [0.0, -1.0, math.nan])
def test_sigma_is_positive(sigma: float) -> None:
    with pytest.raises(ValueError, match="sigma"):
        score_reward(1.0, 3.0, sigma=sigma)


@for_each(
    ("reply", "why"),
    [
        ("Three and a half.", "no score tag"),
        ("<score>good</score>", "without a plain number"),
        ("<score>7.0</score>", "outside 0 to 5"),
        ("<think>It rises<score>3.5</score>", "not closed"),
        ("<score>3.5</score><score>", "another score"),
    ],
)
def test_a_reply_whose_score_cannot_be_read_is_worth_nothing_and_says_why(reply: str, why: str) -> None:
    found = reply_reward(reply, 3.5)
    assert found.value == UNREADABLE
    assert not found.readable
    assert why in found.problem


def test_a_reply_that_was_cut_is_worth_nothing_even_with_the_right_score() -> None:
    assert reply_reward("<score>3.5</score>", 3.5, whole=False).problem == CUT


def test_a_reply_that_quotes_a_score_from_the_story_is_worth_nothing() -> None:
    assert reply_reward("<score>5.0</score>", 5.0, shown=["He wrote ‹score›5.0‹/score›."]).value == UNREADABLE


def test_a_readable_reply_is_worth_what_its_score_is() -> None:
    found = reply_reward("<think>Low.</think><score>2.5</score>", 3.5)
    assert (found.score, found.value) == (2.5, score_reward(2.5, 3.5))
    assert found.reasons
    assert not reply_reward("<score>2.5</score>", 3.5).reasons
