"""The long-term spectrum, and what is measured on it."""

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures.spectrum import high_band, long_term_spectrum, spectral_tilt
from tests.tables import for_each

RATE = 16_000
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
    monkeypatch.setattr("aptone.ear.measures.spectrum._BLOCK", 3)
    assert long_term_spectrum(samples, frames) == pytest.approx(whole, rel=1e-5)


def test_few_frames_and_silence_are_undefined() -> None:
    silent = long_term_spectrum(np.zeros(4 * RATE, dtype=np.float32), EVERY)
    assert spectral_tilt(silent, count=EVERY.size).reason == "a band of the spectrum is silent"
    assert high_band(silent, count=EVERY.size).reason == "silence from 0.3 to 3.4 kHz"
    nothing = long_term_spectrum(noise(0.0), np.empty(0, dtype=np.intp))
    assert not nothing.any()
    assert spectral_tilt(nothing, count=0).reason == "0 voiced frames, need 5"
    assert high_band(nothing, count=4).reason == "4 frames of speech, need 5"
