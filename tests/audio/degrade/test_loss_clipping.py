"""Overdrive."""

import math

import numpy as np
import pytest

from aptone.audio import clip, from_array
from aptone.errors import UsageError
from tests.tables import for_each


def test_samples_are_held_between_the_levels() -> None:
    audio = from_array([-1.0, -0.25, 0.0, 0.25, 1.0], rate=8_000, source="x")
    clipped = clip(audio, level=0.5)
    assert clipped.samples.tolist() == [-0.5, -0.25, 0.0, 0.25, 0.5]
    assert clipped.source == "x"
    assert clip(audio, level=2.0) == audio


def test_a_sine_at_twice_the_level_is_clipped_two_thirds_of_the_time() -> None:
    # |sin| exceeds 1/2 between 30° and 150°: 120 of 180 degrees.
    audio = from_array(np.sin(2 * np.pi * np.arange(3_600) / 3_600), rate=8_000)
    assert np.mean(np.abs(clip(audio, level=0.5).samples) == 0.5) == pytest.approx(2 / 3, abs=1e-3)


@for_each("level", [0.0, -0.5, math.nan, math.inf])
def test_a_level_is_above_zero(level: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        clip(from_array([0.1], rate=8_000), level=level)
