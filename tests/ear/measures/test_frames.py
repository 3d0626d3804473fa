"""The frames of a clip: grid, transforms, loudness and the long-term spectrum."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy.fft

from aptone.ear.measures.frames import (
    FLOOR,
    HOP,
    RATE,
    STEP,
    autocorrelations,
    frames_within,
    high_band,
    long_term_spectrum,
    loudness,
    loudness_range,
    loudness_track,
    spectra,
    spectral_tilt,
)
from aptone.ear.measures.voice import fast_length
from aptone.types import Segment
from tests.tables import for_each


def test_step_and_hop_are_the_same_time() -> None:
    assert HOP / RATE == STEP


@for_each(
    ("start", "end", "inside"),
    [
        (0.0, 0.05, [0, 1, 2, 3, 4]),
        (0.005, 0.015, [0]),  # the middles stand at 5, 15, 25 … ms; where a segment ends is outside it
        (0.006, 0.016, [1]),
        (0.02, 9.0, [2, 3, 4]),
        (7.0, 9.0, []),
    ],
)
def test_a_frame_is_inside_where_its_middle_is(start: float, end: float, inside: list[int]) -> None:
    assert frames_within([Segment(start, end)], count=5).nonzero()[0].tolist() == inside


def test_without_segments_nothing_is_inside() -> None:
    assert not frames_within([], count=3).any()


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])
def test_spectra_are_those_of_scipy_rounded_to_32_bits(rows: int) -> None:
    frames = np.random.default_rng(rows).standard_normal((rows, 512)).astype(np.float32)
    found = spectra(frames)
    assert found.dtype == np.complex64
    expected = scipy.fft.rfft(frames.astype(np.float64))
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_a_cosine_has_its_power_in_one_line_and_its_period_in_the_autocorrelation() -> None:
    frame = np.cos(2 * np.pi * np.arange(64) / 16).astype(np.float32)[np.newaxis]  # 4 turns in 64 samples
    power = np.abs(spectra(frame)) ** 2
    assert power[0].argmax() == 4
    assert power[0, 4] == pytest.approx(32.0**2, rel=1e-6)  # n / 2 for a cosine of amplitude 1
    lags = autocorrelations(power, lags=33)
    # Σ x(t) x(t + k) = n / 2 · cos(2 π k / 16), times n since the inverse is not scaled
    assert lags[0] == pytest.approx(64 * 32 * np.cos(2 * np.pi * np.arange(33) / 16), abs=1e-2)


@pytest.mark.parametrize("rows", [1, 64, 130])
def test_autocorrelations_are_the_cosine_transform_of_the_power(rows: int) -> None:
    power = np.square(np.random.default_rng(rows).standard_normal((rows, 513))).astype(np.float32)
    expected = scipy.fft.dct(power.astype(np.float64), type=1)[:, :300]
    found = autocorrelations(power, lags=300)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_fast_lengths_are_those_of_scipy() -> None:
    lengths = range(1, 3000)
    assert [fast_length(least) for least in lengths] == [scipy.fft.next_fast_len(n, real=True) for n in lengths]


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


Samples = npt.NDArray[np.float32]
EVERY = np.arange(2, 398)  # the frames of four seconds, less those whose window reaches beyond


def noise(power: float) -> Samples:
    """Four seconds of noise whose amplitude falls with frequency to this power."""
    spectrum = np.fft.rfft(np.random.default_rng(0).standard_normal(4 * RATE))
    spectrum /= np.maximum(np.fft.rfftfreq(4 * RATE, 1.0 / RATE), 20.0) ** power
    sound = np.fft.irfft(spectrum)
    return np.asarray(0.1 * sound / sound.std(), dtype=np.float32)


def tilt(samples: Samples) -> float:
    return spectral_tilt(long_term_spectrum(samples, EVERY), count=EVERY.size).value


@for_each("power", [0.0, 0.5, 1.0, 2.0])
def test_noise_has_the_tilt_that_it_was_made_with(power: float) -> None:
    assert tilt(noise(power)) == pytest.approx(-20.0 * np.log10(2.0) * power, abs=0.4)  # 6.02 dB an octave for each 1


@for_each("hz", [80.0, 100.0, 130.0])
def test_a_sawtooth_falls_by_six_decibels_an_octave(hz: float) -> None:
    phase = 2.0 * np.pi * hz * np.arange(4 * RATE) / RATE
    sound = sum(np.sin(number * phase) / number for number in range(1, int(7_900 / hz)))
    # amplitude 1/n: half of it an octave up, -6.02 dB; bands hold from one harmonic to many
    assert tilt(np.float32(0.05) * np.asarray(sound, dtype=np.float32)) == pytest.approx(-6.02, abs=0.8)


def test_level_does_not_change_the_tilt() -> None:
    assert tilt(noise(1.0) * np.float32(0.01)) == pytest.approx(tilt(noise(1.0)), abs=1e-3)


@for_each("loss", [0.0, 20.0, 60.0])
def test_the_high_band_is_as_much_lower_as_it_was_made(loss: float) -> None:
    spectrum = np.fft.rfft(noise(0.0).astype(np.float64))
    frequency = np.fft.rfftfreq(4 * RATE, 1.0 / RATE)
    spectrum[frequency > 4_000.0] *= 10.0 ** (-loss / 20.0)
    measured = high_band(long_term_spectrum(np.fft.irfft(spectrum).astype(np.float32), EVERY), count=EVERY.size)
    # 4 kHz of noise against 3.1 kHz of it: 10 log10(4 / 3.1) = 1.11 dB, less the loss; the window lets a little through
    assert measured.value == pytest.approx(1.11 - loss, abs=0.4 if loss < 30.0 else 35.0)
    assert measured.value <= 1.5 - min(loss, 25.0)


def test_a_spectrum_without_anything_above_four_kilohertz_has_the_lowest_level() -> None:
    spectrum = np.where(np.arange(257) < 100, 1.0, 0.0)
    assert high_band(spectrum, count=10).value == -100.0


def test_blocks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    samples, frames = noise(0.5), np.array([0, 1, 2, 50, 51, 200, 398, 399])
    whole = long_term_spectrum(samples, frames)
    monkeypatch.setattr("aptone.ear.measures.frames._BLOCK", 3)
    assert long_term_spectrum(samples, frames) == pytest.approx(whole, rel=1e-5)


def test_few_frames_and_silence_are_undefined() -> None:
    silent = long_term_spectrum(np.zeros(4 * RATE, dtype=np.float32), EVERY)
    assert spectral_tilt(silent, count=EVERY.size).reason == "a band of the spectrum is silent"
    assert high_band(silent, count=EVERY.size).reason == "silence from 0.3 to 3.4 kHz"
    nothing = long_term_spectrum(noise(0.0), np.empty(0, dtype=np.intp))
    assert not nothing.any()
    assert spectral_tilt(nothing, count=0).reason == "0 voiced frames, need 5"
    assert high_band(nothing, count=4).reason == "4 frames of speech, need 5"
