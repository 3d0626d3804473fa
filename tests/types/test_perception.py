"""What an ear heard: the share of speech, and that nothing judged means nothing claimed."""

import math

import pytest

from aptone.types import Perception, Trajectory, Vad
from tests.tables import for_each


def test_speech_coverage_is_the_share_of_the_clip_that_is_speech() -> None:
    assert Perception(4.0, speech_seconds=3.0).speech_coverage == 0.75  # 3 / 4
    assert Perception(4.0, speech_seconds=0.0).speech_coverage == 0.0


def test_speech_coverage_is_nan_when_it_was_not_measured_or_there_is_no_clip() -> None:
    assert math.isnan(Perception(4.0).speech_coverage)
    assert math.isnan(Perception(0.0, speech_seconds=0.0).speech_coverage)
    assert math.isnan(Perception(math.nan, speech_seconds=1.0).speech_coverage)


def test_an_ear_that_judged_nothing_claims_nothing() -> None:
    silent = Perception(1.0)
    assert (silent.emotion, silent.rhythm, silent.intonation, silent.recording_condition) == ({}, {}, {}, {})
    assert (silent.sex, silent.age, silent.vad, silent.events) == ({}, {}, None, ())
    assert (silent.trajectory, silent.tracks) == (None, None)
    assert all(math.isnan(number) for number in (silent.intensity, silent.music, silent.naturalness))


def test_a_trajectory_gives_its_columns_as_points() -> None:
    track = Trajectory(0.5, (0.1, 0.2), (0.3, 0.4), (0.5, 0.6))
    assert len(track) == 2
    assert track.points == (Vad(0.1, 0.3, 0.5), Vad(0.2, 0.4, 0.6))
    assert Trajectory(1.0, (), (), ()).points == ()


def test_a_trajectory_holds_nan_where_nobody_speaks() -> None:
    (point,) = Trajectory(1.0, (math.nan,), (math.nan,), (math.nan,)).points
    assert all(math.isnan(value) for value in (point.valence, point.arousal, point.dominance))


@for_each("step", [0.0, -1.0, math.nan])
def test_a_trajectory_without_a_positive_step_is_refused(step: float) -> None:
    with pytest.raises(ValueError, match="the step of a trajectory is a positive number of seconds"):
        Trajectory(step, (), (), ())


def test_a_trajectory_with_columns_of_different_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="the three columns of a trajectory have the same length"):
        Trajectory(1.0, (0.0,), (0.0, 0.1), (0.0,))
