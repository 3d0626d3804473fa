"""Noise and music under speech."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import NoiseKind, add_noise, from_array, mix_in
from aptone.errors import AudioError, UsageError
from tests.tables import for_each

SPEECH = from_array(0.2 * np.sin(2 * np.pi * 300 * np.arange(32_000) / 16_000), rate=16_000, source="x")
KINDS: tuple[NoiseKind, ...] = ("white", "pink", "babble")


def power(samples: npt.NDArray[np.float64]) -> float:
    return float(np.mean(samples**2))


def added(kind: NoiseKind, *, seconds: int = 2, seed: int = 1) -> npt.NDArray[np.float64]:
    tone = from_array(0.2 * np.sin(2 * np.pi * 300 * np.arange(16_000 * seconds) / 16_000), rate=16_000)
    noisy = add_noise(tone, snr_db=0.0, kind=kind, seed=seed)
    return noisy.samples.astype(np.float64) - tone.samples


@for_each("kind", KINDS)
@for_each("snr_db", [-10.0, 0.0, 12.5, 60.0])
def test_the_ratio_is_exact(kind: NoiseKind, snr_db: float) -> None:
    noisy = add_noise(SPEECH, snr_db=snr_db, kind=kind, seed=1)
    speech = SPEECH.samples.astype(np.float64)
    noise = noisy.samples.astype(np.float64) - speech
    assert 10 * math.log10(power(speech) / power(noise)) == pytest.approx(snr_db, abs=1e-3)
    assert (noisy.samples.size, noisy.rate, noisy.source) == (32_000, 16_000, "x")


def octave_slope_db(noise: npt.NDArray[np.float64], low: int, high: int) -> float:
    """Change of power density per octave between two frequencies."""
    density = np.abs(np.fft.rfft(noise)) ** 2
    hertz = np.fft.rfftfreq(noise.size, 1 / 16_000)
    levels, octaves = [], []
    centre = low * math.sqrt(2)
    while centre < high:
        chosen = (hertz >= centre / math.sqrt(2)) & (hertz < centre * math.sqrt(2))
        levels.append(10 * math.log10(density[chosen].mean()))
        octaves.append(math.log2(centre))
        centre *= 2
    return float(np.polyfit(octaves, levels, 1)[0])


def test_each_kind_has_its_spectrum() -> None:
    assert octave_slope_db(added("white", seconds=10), 125, 4_000) == pytest.approx(0, abs=0.3)
    assert octave_slope_db(added("pink", seconds=10), 125, 4_000) == pytest.approx(-3.01, abs=0.3)
    assert octave_slope_db(added("babble", seconds=10), 1_000, 8_000) == pytest.approx(-9, abs=1)


def test_babble_swells_and_fades_and_white_noise_does_not() -> None:
    def unevenness(kind: NoiseKind) -> float:
        frames = added(kind, seconds=10).reshape(-1, 1_600)
        level = np.sqrt(np.mean(frames**2, axis=1))
        return float(np.std(level) / np.mean(level))

    assert unevenness("babble") > 3 * unevenness("white")


def test_the_same_seed_makes_the_same_noise() -> None:
    for kind in KINDS:
        assert add_noise(SPEECH, snr_db=10, kind=kind, seed=5) == add_noise(SPEECH, snr_db=10, kind=kind, seed=5)
        assert add_noise(SPEECH, snr_db=10, kind=kind, seed=5) != add_noise(SPEECH, snr_db=10, kind=kind, seed=6)


def test_a_recorded_noise_is_repeated_from_a_place_that_the_seed_chooses() -> None:
    noise = from_array(np.random.default_rng(0).standard_normal(5_000), rate=16_000, source="street")
    noisy = add_noise(SPEECH, snr_db=5.0, noise=noise, seed=2)
    under = noisy.samples.astype(np.float64) - SPEECH.samples
    assert 10 * math.log10(power(SPEECH.samples.astype(np.float64)) / power(under)) == pytest.approx(5, abs=1e-3)
    assert np.allclose(under[:27_000], under[5_000:], atol=1e-6)
    assert add_noise(SPEECH, snr_db=5.0, noise=noise, seed=3) != noisy


def test_music_is_mixed_in_from_its_beginning_at_its_level() -> None:
    music = from_array(np.random.default_rng(0).standard_normal(20_000), rate=16_000)
    mixed = mix_in(SPEECH, music, level_db=-6.0)
    under = mixed.samples.astype(np.float64) - SPEECH.samples
    ratio = math.sqrt(power(under) / power(SPEECH.samples.astype(np.float64)))
    assert 20 * math.log10(ratio) == pytest.approx(-6, abs=1e-3)
    assert np.corrcoef(under[:20_000], music.samples)[0, 1] > 0.99999
    assert np.corrcoef(under[20_000:], music.samples[:12_000])[0, 1] > 0.99999


def test_a_ratio_to_silence_is_undefined() -> None:
    silent = from_array(np.zeros(100), rate=16_000, source="hush")
    with pytest.raises(AudioError, match="hush: the clip is silent"):
        add_noise(silent, snr_db=0, seed=0)
    with pytest.raises(AudioError, match="hush: silent over the length of the clip"):
        add_noise(SPEECH, snr_db=0, noise=silent, seed=0)
    with pytest.raises(AudioError, match="hush: the clip is silent"):
        mix_in(silent, SPEECH, level_db=0)
    with pytest.raises(AudioError, match="hush: silent over the length of the clip"):
        mix_in(SPEECH, silent, level_db=0)


def test_rates_have_to_agree() -> None:
    other = from_array([0.1, 0.2], rate=8_000, source="music")
    with pytest.raises(AudioError, match="music: has 8000 Hz where the speech has 16000 Hz; bring it to 16000 Hz"):
        mix_in(SPEECH, other, level_db=0)


def test_numbers_and_kinds_have_to_make_sense() -> None:
    with pytest.raises(UsageError, match="lies between ±200 dB"):
        add_noise(SPEECH, snr_db=math.nan, seed=0)
    with pytest.raises(UsageError, match="lies between ±200 dB"):
        mix_in(SPEECH, SPEECH, level_db=math.inf)
    purple: list[NoiseKind] = ["purple"]  # type: ignore[list-item]  # what a caller without a type checker may ask for
    with pytest.raises(UsageError, match="unknown kind of noise 'purple'"):
        add_noise(SPEECH, snr_db=0, kind=purple[0], seed=0)


@for_each("decibels", [1e4, -1e4, 201.0, math.nan])
def test_ratios_that_no_sample_can_hold_are_refused(decibels: float) -> None:
    with pytest.raises(UsageError, match="a signal-to-noise ratio lies between ±200 dB"):
        add_noise(SPEECH, snr_db=decibels, seed=0)
    with pytest.raises(UsageError, match="a level lies between ±200 dB"):
        mix_in(SPEECH, SPEECH, level_db=decibels)
    assert np.isfinite(add_noise(SPEECH, snr_db=-200.0, seed=0).samples).all()
