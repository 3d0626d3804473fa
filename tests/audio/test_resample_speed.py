"""Longer at the same pitch, higher at the same length, and both at once."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.audio.resample import change_speed, shift_pitch, stretch
from aptone.errors import AudioError, UsageError
from aptone.types import Audio
from tests.tables import for_each

RATE = 16_000
FACTORS = st.floats(0.25, 4.0)


def tone(hertz: float, *, seconds: float = 0.8, rate: int = RATE) -> Audio:
    time = np.arange(round(seconds * rate)) / rate
    return Audio((0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32), rate=rate, source="tone")


def frequency(audio: Audio) -> float:
    """Of a tone: how often its middle half crosses zero upwards, between the first and the last time."""
    quarter = audio.samples.size // 4
    middle = audio.samples[quarter:-quarter].astype(np.float64)
    before = np.flatnonzero((middle[:-1] < 0) & (middle[1:] >= 0))
    crossings = before + middle[before] / (middle[before] - middle[before + 1])
    return float((crossings.size - 1) / (crossings[-1] - crossings[0]) * audio.rate)


def level(audio: Audio) -> float:
    quarter = audio.samples.size // 4
    return float(np.sqrt(np.mean(np.square(audio.samples[quarter:-quarter]))))


@settings(max_examples=15, deadline=None)
@given(factor=FACTORS, hertz=st.floats(100.0, 400.0))
def test_a_stretched_tone_keeps_its_pitch_and_level_and_gets_its_length(factor: float, hertz: float) -> None:
    longer = stretch(tone(hertz), factor)
    assert longer.samples.size == round(0.8 * RATE * factor)
    assert frequency(longer) == pytest.approx(hertz, rel=0.02)
    assert level(longer) == pytest.approx(0.5 / math.sqrt(2), rel=0.05)
    assert (longer.rate, longer.source) == (RATE, "tone")


@settings(max_examples=15, deadline=None)
@given(semitones=st.floats(-12.0, 12.0), hertz=st.floats(150.0, 300.0))
def test_a_shifted_tone_keeps_its_length_and_gets_its_pitch(semitones: float, hertz: float) -> None:
    higher = shift_pitch(tone(hertz), semitones)
    assert higher.samples.size == round(0.8 * RATE)
    assert frequency(higher) == pytest.approx(hertz * 2 ** (semitones / 12), rel=0.02)
    assert (higher.rate, higher.source) == (RATE, "tone")


@settings(max_examples=15, deadline=None)
@given(factor=FACTORS)
def test_a_tone_played_faster_is_shorter_and_higher_by_the_same_factor(factor: float) -> None:
    faster = change_speed(tone(200.0), factor)
    # the rate that it is read at is a whole number: 16,000 × factor, rounded
    assert faster.samples.size == pytest.approx(0.8 * RATE / factor, rel=1e-3)
    assert frequency(faster) == pytest.approx(200.0 * factor, rel=1e-3)
    assert (faster.rate, faster.source) == (RATE, "tone")


@settings(max_examples=30, deadline=None)
@given(
    size=st.integers(1, 6000), rate=st.integers(1, 48_000), factor=FACTORS, seed=st.integers(0, 9), loud=st.booleans()
)
def test_nothing_gets_louder_than_it_was_whatever_is_stretched(
    size: int, rate: int, factor: float, seed: int, loud: bool
) -> None:
    samples = np.random.default_rng(seed).uniform(-1.0, 1.0, size).astype(np.float32) * loud
    longer = stretch(Audio(samples, rate=rate), factor)
    assert longer.samples.size in (size, round(size * factor))
    # neighbouring windows overlap by half and sum to 1, so every sample is a mean of two
    assert np.abs(longer.samples).max() <= np.abs(samples).max() + 1e-6


@for_each("factor", [1.0, 0.5, 3.0])
def test_what_is_too_short_to_be_cut_stays_as_it_is(factor: float) -> None:
    # windows of 32 ms at 16 kHz are 512 samples; two of them are not enough, one sample more is
    short = tone(300.0, seconds=1024 / RATE)
    assert stretch(short, factor) is short
    assert shift_pitch(short, 12.0 * math.log2(factor)) is short
    enough = tone(300.0, seconds=1025 / RATE)
    assert stretch(enough, factor).samples.size == round(1025 * factor)


def test_the_factor_of_one_and_the_shift_of_none_change_nothing() -> None:
    clip = tone(220.0)
    assert stretch(clip, 1.0) is clip
    assert shift_pitch(clip, 0.0) is clip
    assert change_speed(clip, 1.0) == clip


@for_each("factor", [0.24, 4.01, 0.0, -1.0, math.inf, math.nan])
def test_beyond_a_factor_of_four_nothing_is_done(factor: float) -> None:
    with pytest.raises(UsageError, match="by a factor between 1/4 and 4, got"):
        stretch(tone(200.0), factor)
    with pytest.raises(UsageError, match="by a factor between 1/4 and 4, got"):
        change_speed(tone(200.0), factor)


@for_each("semitones", [24.1, -24.1, 1e6, math.inf, -math.inf, math.nan])
def test_beyond_two_octaves_nothing_is_done(semitones: float) -> None:
    with pytest.raises(UsageError, match="moved by up to 24 semitones, got"):
        shift_pitch(tone(200.0), semitones)


def test_a_clip_of_which_nothing_would_be_left_is_refused() -> None:
    with pytest.raises(AudioError, match="leave none"):
        change_speed(Audio(np.ones(1, dtype=np.float32), rate=RATE), 4.0)
    with pytest.raises(AudioError):
        change_speed(Audio(np.ones(8, dtype=np.float32), rate=1), 0.25)
