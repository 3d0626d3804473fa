import math

import numpy as np
import pytest

from aptone.ear.measures.change_point import change_point
from aptone.types import Trajectory


def trajectory(arousal: list[float], *, step: float = 0.5) -> Trajectory:
    return Trajectory(step, tuple(arousal), tuple(arousal), tuple(arousal))


def test_a_step_is_found_where_it_is() -> None:
    # seven points of 0.5 s before the change: 3.5 s
    assert change_point(trajectory([0.1] * 7 + [0.6] * 5)).value == 3.5


def test_a_step_is_found_in_noise() -> None:
    noise = 0.1 * np.random.default_rng(3).standard_normal(60)
    values = np.where(np.arange(60) < 24, -0.3, 0.3) + noise
    assert change_point(trajectory(values.tolist(), step=0.1)).value == pytest.approx(2.4, abs=0.2)


def test_where_there_are_pauses_a_change_lies_in_one() -> None:
    # The largest change comes at 2 s, within a phrase; the pause reaches from 3 s to 4 s.
    values = [0.0] * 4 + [0.5] * 2 + [math.nan] * 2 + [0.5] * 4
    assert change_point(trajectory(values)).value == 3.5


def test_a_pause_too_near_to_the_end_does_not_count() -> None:
    values = [0.0, math.nan] + [0.0] * 4 + [0.5] * 4
    assert change_point(trajectory(values)).value == 3.0


def test_too_little_speech_has_a_reason() -> None:
    score = change_point(trajectory([0.1, 0.9, math.nan]))
    assert score.reason == "1.0 s of speech leave no two stretches of 1 s"
    assert math.isnan(change_point(trajectory([])).value)
    assert math.isnan(change_point(trajectory([math.nan])).value)
