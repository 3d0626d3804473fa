"""Sounds behind the words and under them."""

import numpy as np
import pytest

from aptone.types import Audio
from recipes.claims.clips import active_level
from recipes.claims.sounds import GAP, LONGEST, PLACINGS, active_part, behind, under

RATE = 16_000


def tone(seconds: float, *, level: float, before: float = 0.0) -> Audio:
    wave = level * np.sign(np.sin(2.0 * np.pi * 200.0 * np.arange(round(seconds * RATE)) / RATE))
    return Audio(np.concatenate([np.zeros(round(before * RATE)), wave]).astype(np.float32), RATE)


def test_a_sound_begins_where_it_is_heard_and_lasts_two_seconds_at_most() -> None:
    part = active_part(tone(5.0, level=0.1, before=1.0))
    assert part.seconds == pytest.approx(LONGEST)
    assert np.flatnonzero(part.samples)[0] < 0.06 * RATE
    assert active_part(tone(0.5, level=0.1)).seconds == pytest.approx(0.5, abs=0.07)


def test_behind_the_words_a_sound_is_as_loud_as_they_are() -> None:
    joined = behind(tone(1.0, level=0.1), tone(1.0, level=0.01))
    last = Audio(joined.samples[round((1.0 + GAP) * RATE) :], RATE)
    assert active_level(last) == pytest.approx(-20.0, abs=0.2)  # as the words: 0.1 of full scale
    assert joined.seconds == pytest.approx(1.0 + GAP + 1.0, abs=0.05)


def test_under_the_words_a_sound_has_the_level_that_is_asked_for() -> None:
    speech = tone(1.0, level=0.1)
    mixed = under(-6.0)(speech, tone(1.0, level=0.5))
    added = mixed.samples - speech.samples
    # 6 dB below a square wave of 0.1
    assert float(np.sqrt(np.mean(added**2))) == pytest.approx(0.1 * 10.0 ** (-6.0 / 20.0), rel=0.01)


def test_every_placing_has_a_name_of_its_own() -> None:
    assert len({placing.name for placing in PLACINGS}) == len(PLACINGS)
