"""The scores against a transcription of the formulas that shares nothing with them."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aptone.errors import RecordError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.rooms.dialogue.score import across_turns, categorical, ebs, ecs, ess, mean_turn, score_dialogue, score_turn
from aptone.types import ScoreState, Vad
from tests.tables import for_each

Points = npt.NDArray[np.float64]


def warped(x: Points, y: Points) -> float:
    """D(i, j) = |x_i - y_j| + min of the three cells before, by the book."""
    table = np.full((len(x) + 1, len(y) + 1), math.inf)
    table[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            before = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
            table[i, j] = abs(x[i - 1] - y[j - 1]) + before
    return float(table[-1, -1])


def transcribed_turn(u: Points, a: Points) -> tuple[float, float | None, float, float]:
    """ECS, EBS (None: not needed), ESS, ERS of one turn."""
    longer = max(len(u), len(a))
    contagion = 1 - 5 * (warped(u[:, 0], a[:, 0]) + warped(u[:, 1], a[:, 1])) / (4 * longer)
    means = [sum(u[:, k]) / len(u) for k in range(3)]
    total, extreme = 0.0, 0
    for k, (is_extreme, shift) in enumerate(
        [(means[0] < -0.07, 0.211), (means[1] > 0.345, -0.105), (means[2] < 0.210, 0.098)]
    ):
        if is_extreme:
            total += warped(u[:, k] + shift, a[:, k])
            extreme += 1
    balancing = 1 - 5 / extreme * total / len(u) if extreme else None
    jumps = [abs(a[t + 1, k] - a[t, k]) for t in range(len(a) - 1) for k in range(3)]
    jumps = [jump for jump in jumps if jump > 0.04]
    stability = 1 - 5 * sum(jumps) / len(jumps) if jumps else 1.0
    if balancing is None:
        return contagion, None, stability, 0.7 * contagion + 0.3 * stability
    return contagion, balancing, stability, 0.4 * contagion + 0.4 * balancing + 0.2 * stability


def transcribed_dialogue(users: list[Points], agents: list[Points]) -> tuple[float, float | None, float, float]:
    """CT-ECS, CT-EBS, CT-ESS, CT-ERS."""
    count = min(len(users), len(agents))
    users, agents = users[:count], agents[:count]
    turns = [transcribed_turn(u, a) for u, a in zip(users, agents, strict=True)]
    contagion = sum(turn[0] for turn in turns) / count
    needed = [turn[1] for turn in turns if turn[1] is not None]
    balancing = sum(needed) / len(needed) if needed else None
    apart = [sum(warped(p[:, k], q[:, k]) for k in range(3)) / (6 * max(len(p), len(q))) for p, q in pairwise(agents)]
    stability = 1 - 5 * sum(apart) / len(apart)
    if balancing is None:
        return contagion, None, stability, 0.6 * contagion + 0.4 * stability
    return contagion, balancing, stability, 0.35 * contagion + 0.35 * balancing + 0.3 * stability


def random_turn(generator: np.random.Generator) -> Points:
    """A trajectory of 1 to 12 points: calm or extreme, still or jumpy, sometimes at the very ends of the scale."""
    length = int(generator.integers(1, 13))
    centre = generator.uniform(-0.6, 0.6, size=3) if generator.random() < 0.7 else np.array([0.2, 0.1, 0.4])
    spread = generator.choice([0.0, 0.02, 0.2, 1.0])
    points: Points = np.clip(centre + spread * generator.standard_normal((length, 3)), -1, 1)
    return np.sign(points) if generator.random() < 0.03 else points


@pytest.mark.slow
def test_a_thousand_random_dialogues_score_as_the_formulas_say() -> None:
    generator = np.random.default_rng(5)
    not_needed = several_lengths = 0
    for _ in range(1000):
        users = [random_turn(generator) for _ in range(int(generator.integers(2, 6)))]
        agents = [random_turn(generator) for _ in range(int(generator.integers(2, 6)))]
        several_lengths += len(users) != len(agents)
        for user, agent in zip(users, agents, strict=False):
            expected = transcribed_turn(user, agent)
            found = score_turn(user, agent)
            for score, value in zip((found.ecs, found.ebs, found.ess, found.ers), expected, strict=True):
                if value is None:
                    not_needed += 1
                    assert score.state is ScoreState.NOT_NEEDED
                else:
                    assert abs(score.value - value) <= 1e-9
        across = score_dialogue(users, agents)
        for score, value in zip(across.by_name().values(), transcribed_dialogue(users, agents), strict=True):
            if value is None:
                assert score.state is ScoreState.NOT_NEEDED
            else:
                assert abs(score.value - value) <= 1e-9
    assert not_needed > 100  # both ways of weighing, and dialogues with a turn left over, were among them
    assert several_lengths > 100


def test_the_single_functions_say_what_the_whole_turn_says() -> None:
    generator = np.random.default_rng(6)
    for _ in range(50):
        user, agent = random_turn(generator), random_turn(generator)
        whole = score_turn(user, agent)
        assert (ecs(user, agent), ess(agent)) == (whole.ecs, whole.ess)
        balancing = ebs(user, agent)
        assert balancing.state is whole.ebs.state
        assert math.isnan(balancing.value) or balancing.value == whole.ebs.value


def test_a_perfect_balance_is_not_the_same_as_none_needed() -> None:
    user = [[-0.211, 0.1, 0.3]]
    perfect = ebs(user, [[0.0, 0.1, 0.3]])  # -0.211 + 0.211 = 0; only valence is extreme
    assert (perfect.state, perfect.value) == (ScoreState.DEFINED, 1.0)
    calm = ebs([[0.2, 0.1, 0.3]], [[0.2, 0.1, 0.3]])
    assert calm.state is ScoreState.NOT_NEEDED
    assert math.isnan(calm.value)
    # 0.4 · (1 - 5 · 0.211 / 4) + 0.4 · 1 + 0.2 · 1: the perfect turn is weighed as one that needed balancing
    assert score_turn(user, [[0.0, 0.1, 0.3]]).ers.value == pytest.approx(1 - 0.4 * 5 * 0.211 / 4)


def test_a_mean_on_the_threshold_is_not_extreme() -> None:
    assert not ebs([[-0.07, 0.345, 0.210]], [[0.0, 0.0, 0.0]]).needed
    assert score_turn([[-0.0701, 0.3451, 0.2099]], [[0.0, 0.0, 0.0]]).extreme == ("valence", "arousal", "dominance")


def test_one_point_is_enough_for_every_score_of_a_turn() -> None:
    turn = score_turn([[0.3, 0.1, 0.4]], [[0.2, 0.1, 0.4]])
    assert turn.ecs.value == pytest.approx(1 - 5 * 0.1 / 4)
    assert turn.ess.value == 1.0
    assert turn.ers.value == pytest.approx(0.7 * (1 - 5 * 0.1 / 4) + 0.3)


def test_without_points_there_is_a_reason_instead_of_a_score() -> None:
    turn = score_turn(np.empty((0, 3)), [[0.0, 0.0, 0.0]])
    assert {turn.ecs.reason, turn.ebs.reason, turn.ers.reason} == {"the user has no points"}
    assert turn.ess.value == 1.0
    assert ess([]).reason == "the agent has no points"


def test_an_extreme_user_without_an_answer_has_no_balancing_score() -> None:
    turn = score_turn([[-0.5, 0.5, 0.1]], [])
    assert (turn.ebs.state, turn.ebs.reason) == (ScoreState.UNDEFINED, "the agent has no points")
    assert turn.extreme == ("valence", "arousal", "dominance")


def test_undefined_points_are_counted_not_compared() -> None:
    turn = score_turn([[0.0, 0.0, 0.3], [0.1, 0.0, 0.3]], [[0.0, math.nan, 0.0], [0.0, 0.0, 0.0]])
    assert turn.ecs.reason == turn.ess.reason == "1 of 2 points of the agent are undefined"


@for_each(
    ("points", "message"),
    [
        ([[0.0, 1.2, 0.0]], "arousal lies between -1 and 1, got 1.2 at point 1"),
        ([[0.0, 0.0]], "expected the columns valence, arousal and dominance, got 2 columns"),
        ([0.1, 0.2, 0.3], "rows of numbers"),
        ([[0.0, math.inf, 0.0]], "infinite"),
        ([["0.1", "0.2", "0.3"]], "convert to numbers first"),
    ],
)
def test_what_is_no_trajectory_is_refused(points: npt.ArrayLike, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        score_turn(points, [[0.0, 0.0, 0.0]])


def test_a_bad_turn_of_a_dialogue_is_named() -> None:
    fine, bad = [[0.0, 0.0, 0.3]], [[0.0, 0.0, 30.0]]
    with pytest.raises(RecordError, match="turn 2: agent: dominance"):
        score_dialogue([fine, fine], [fine, bad])


def test_one_turn_has_no_scores_across_turns() -> None:
    across = score_dialogue([[[0.0, 0.0, 0.3]], [[0.0, 0.0, 0.3]]], [[[0.0, 0.0, 0.3]]])
    reasons = {score.reason for score in across.by_name().values()}
    assert reasons == {"scores across turns need 2 turns of the user and of the agent, got 2 and 1"}


def test_a_turn_that_cannot_be_judged_is_not_forgotten_in_the_mean() -> None:
    fine = [[0.0, 0.0, 0.3]]
    turns = [score_turn(fine, fine), score_turn(fine, [])]
    assert mean_turn(turns).ecs.reason == "turn 2: the agent has no points"
    assert across_turns(turns, [fine, []]).ess.reason == "turn 2: the agent has no points"
    assert mean_turn([]).ers.reason == "no turn has an answer"


def test_every_constant_can_be_changed() -> None:
    user, agent = [[-0.2, 0.1, 0.3], [-0.2, 0.1, 0.3]], [[0.0, 0.1, 0.3], [0.1, 0.1, 0.3]]
    milder = DialogueConfig(scale=1.0, extreme=Vad(-0.3, 0.5, 0.0))
    assert not ebs(user, agent, config=milder).needed
    # (0.2 + 0.3) / (4 · 2) with K = 1
    assert ecs(user, agent, config=milder).value == pytest.approx(1 - 0.5 / 8)
    assert ess(agent, config=replace(PAPER, unsteady=0.1)).value == 1.0
    # dtw(0.011, 0.011; 0, 0.1) = 0.011 + 0.089 with the shift of the paper; 0.2 + 0.3 without one
    assert ebs(user, agent).value == pytest.approx(1 - 5 * 0.1 / 2)
    assert ebs(user, agent, config=replace(PAPER, shift=Vad(0.0, 0.0, 0.0))).value == pytest.approx(1 - 5 * 0.5 / 2)


def test_scores_of_other_constants_have_another_signature() -> None:
    signatures = {ecs([[0, 0, 0]], [[0, 0, 0]], config=config).signature for config in (PAPER, DialogueConfig(scale=4))}
    assert len(signatures) == 2


def test_the_table_is_that_of_the_paper() -> None:
    names = ("neutral", "happy", "angry", "sad")
    values = [[categorical([(user, agent)]).value for agent in names] for user in names]
    assert values == [[0.9, 0.6, 0.3, 0.4], [0.5, 1.0, 0.2, 0.2], [0.8, 0.1, 0.4, 0.5], [0.6, 0.2, 0.4, 0.9]]


def test_an_emotion_that_the_table_does_not_know_is_an_error_not_a_zero() -> None:
    with pytest.raises(RecordError, match="turn 2: the table knows neutral, happy, angry, sad, but not 'fear'"):
        categorical([("sad", "sad"), ("sad", "fear")])


def test_no_labels_give_no_score() -> None:
    assert categorical([]).reason == "no turn has an answer"


trajectories = st.integers(1, 8).flatmap(lambda n: arrays(np.float64, (n, 3), elements=st.floats(-1, 1, width=32)))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(user=trajectories, agent=trajectories)
def test_no_score_exceeds_1_and_contagion_has_no_direction(user: Points, agent: Points) -> None:
    turn = score_turn(user, agent)
    assert all(score.value <= 1 + 1e-12 for score in turn.by_name().values() if score.is_defined)
    assert ecs(agent, user).value == pytest.approx(turn.ecs.value, abs=1e-12)
    assert ecs(user, user).value == 1.0
    assert turn.ebs.needed == bool(turn.extreme)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(agents=st.lists(trajectories, min_size=2, max_size=5))
def test_stability_across_turns_does_not_depend_on_the_direction_of_time(agents: list[Points]) -> None:
    forwards = score_dialogue(agents, agents).ess.value
    backwards = score_dialogue(agents[::-1], [turn[::-1] for turn in agents[::-1]]).ess.value
    assert forwards == pytest.approx(backwards, abs=1e-9)
