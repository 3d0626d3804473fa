"""How loud a voice is."""

import numpy as np
import pytest

from aptone.ear.measures.loudness import FLOOR, loudness, loudness_range, loudness_track

RATE = 16_000


def sine(seconds: float, *, amplitude: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    time = np.arange(round(seconds * RATE)) / RATE
    return (amplitude * np.sin(2 * np.pi * 400.0 * time)).astype(np.float32)


def test_a_full_sine_lies_three_decibels_below_full_scale() -> None:
    # mean square 1/2: 10 log10(0.5) = -3.01; 400 Hz goes 4 times into 10 ms, so that every frame is the same
    assert loudness_track(sine(1.0, amplitude=1.0)) == pytest.approx(np.full(100, -3.0103), abs=1e-3)


def test_ten_times_the_amplitude_is_twenty_decibels_more() -> None:
    quiet, loud = loudness_track(sine(0.5, amplitude=0.02)), loudness_track(sine(0.5, amplitude=0.2))
    assert loud - quiet == pytest.approx(np.full(50, 20.0), abs=1e-3)


def test_other_steps_have_as_many_values_as_fit() -> None:
    assert loudness_track(sine(1.0, amplitude=0.1), 0.02).size == 50
    assert loudness_track(sine(0.999, amplitude=0.1)).size == 99


def test_a_step_is_spread_over_five() -> None:
    samples = np.zeros(1_600, dtype=np.float32)
    samples[800:960] = 1.0  # frame 5 of 10
    # weights 1, 3, 4, 3, 1 of 12: 10 log10(1/12) = -10.79, 10 log10(3/12) = -6.02, 10 log10(4/12) = -4.77
    expected = [FLOOR] * 3 + [-10.79, -6.02, -4.77, -6.02, -10.79] + [FLOOR] * 2
    assert loudness_track(samples) == pytest.approx(expected, abs=0.01)


def test_silence_and_nothing_have_a_floor_and_no_warning() -> None:
    assert loudness_track(np.zeros(1_600, dtype=np.float32)).tolist() == [FLOOR] * 10
    assert loudness_track(np.zeros(159, dtype=np.float32)).size == 0


def test_the_range_leaves_out_the_quietest_tenth() -> None:
    levels = np.linspace(-50.0, -10.0, 101)  # percentile p lies at -50 + 0.4 p
    assert loudness_range(levels).value == pytest.approx(0.4 * 85.0)


def test_loudness_is_a_mean_of_energy_and_not_of_decibels() -> None:
    # 10 log10((1 + 0.001) / 2) = -3.006, where the mean of the decibels would be -15
    assert loudness(np.array([0.0] * 10 + [-30.0] * 10)).value == pytest.approx(-3.006, abs=1e-3)


def test_too_little_speech_is_undefined() -> None:
    for score in (loudness(np.zeros(9)), loudness_range(np.zeros(9))):
        assert np.isnan(score.value)
        assert score.reason == "9 frames of speech, need 10"
