"""What the network is given, on sounds whose bands are known, and where its frames lie."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.network.filter_bank import (
    BANDS,
    BANK_SPAN,
    BANK_STEP,
    FLOOR,
    RATE,
    STEP,
    bands,
    bank_count,
    centred,
    frame_centres,
    frame_count,
    log_energies,
    statistics,
    window,
)
from tests.tables import for_each

Floats = npt.NDArray[np.float32]


def tone(hertz: float, *, amplitude: float = 0.1, seconds: float = 0.5) -> Floats:
    time = np.arange(round(seconds * RATE)) / RATE
    return (amplitude * np.sin(2.0 * np.pi * hertz * time)).astype(np.float32)


def noise(*, seconds: float = 0.5, level: float = 0.1, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(0.0, level, round(seconds * RATE)).astype(np.float32)


def mel(hertz: float) -> float:
    return 1127.0 * math.log(1.0 + hertz / 700.0)


def hertz_of_band(number: int) -> float:
    """The middle of a band: 82 points evenly spaced in mel from 20 to 8,000 Hz, of which the ends are edges only."""
    point = mel(20.0) + (mel(8_000.0) - mel(20.0)) * (number + 1) / 81
    return 700.0 * (math.exp(point / 1127.0) - 1.0)


@for_each("band", [15, 30, 45, 60, 75])
def test_a_tone_lands_in_the_band_around_it(band: int) -> None:
    # from band 15 (some 400 Hz) on; below, bands are narrower than what 25 ms can tell apart
    logs = log_energies(tone(hertz_of_band(band)))
    assert set(logs.argmax(axis=1).tolist()) == {band}


def test_a_thousand_hertz_lies_in_the_band_that_the_mel_scale_says() -> None:
    # mel(1000) = 1000.0, mel(20) = 31.7, mel(8000) = 2840.0: (1000.0 - 31.7) / (2808.3 / 81) = 27.9 points, band 26.9
    assert set(log_energies(tone(1_000.0)).argmax(axis=1).tolist()) == {27}


def test_every_band_is_a_triangle_that_ends_where_its_neighbours_peak() -> None:
    weights = bands()
    assert weights.shape == (257, BANDS)
    lines = np.arange(257) * RATE / 512
    for number in (20, 40, 79):
        inside = weights[:, number] > 0.0
        lower = hertz_of_band(number - 1)
        assert lower < lines[inside].min() < lower + RATE / 512
        assert lines[inside].max() < (hertz_of_band(number + 1) if number < 79 else 8_000.0)
    # where two triangles overlap, one falls as the other rises: weights sum to 1 between the first and last peak
    between = (lines > hertz_of_band(0)) & (lines < hertz_of_band(BANDS - 1))
    assert weights[between].sum(axis=1) == pytest.approx(np.ones(int(between.sum())), abs=1e-5)


def test_the_window_is_hanns_to_the_power_of_eighty_five_hundredths() -> None:
    assert window().shape == (400,)
    assert float(window()[0]) == float(window()[-1]) == 0.0
    # a quarter of the way: sin(π · 100 / 399)² = 0.5020, to the power of 0.85 = 0.5566
    assert float(window()[100]) == pytest.approx(0.5566, abs=1e-4)


def test_a_tone_has_the_energy_of_its_line_under_the_window() -> None:
    # Line 64 of 512 is 2,000 Hz. A sine has A²/4 · (Σ window)² at its line; emphasis is |1 - 0.97 e^(-iω)|², ω = π/4.
    weights = np.hanning(400) ** 0.85
    emphasis = 1.0 + 0.97**2 - 2.0 * 0.97 * math.cos(math.pi / 4.0)
    # Round about the line, the energies are those of the window's own spectrum at 512 points.
    shape = np.abs(np.fft.fft(weights, 512)) ** 2
    number = 42  # mel(2000) = 1521.4: (1521.4 - 31.7) / (2808.3 / 81) = 43.0 points, band 42
    column = bands()[:, number].astype(np.float64)
    expected = 0.1**2 / 4.0 * emphasis * sum(column[64 + shift] * shape[shift] for shift in range(-8, 9))
    found = log_energies(tone(2_000.0, amplitude=0.1))[5, number]
    assert float(found) == pytest.approx(math.log(expected), abs=0.02)


def test_as_many_frames_as_lie_in_the_samples_and_one_where_none_does() -> None:
    assert log_energies(noise(seconds=1.0)).shape == (98, 80)
    assert log_energies(noise()[:1]).shape == (1, 80)
    assert log_energies(noise()[:559]).shape == (1, 80)


def test_a_frame_depends_on_its_own_samples_only() -> None:
    whole = noise()
    assert log_energies(whole)[10] == pytest.approx(log_energies(whole[1_600:2_000])[0], abs=1e-5)


def test_a_constant_offset_is_not_heard() -> None:
    quiet = noise(level=0.01)
    assert log_energies(quiet + np.float32(0.5)) == pytest.approx(log_energies(quiet), abs=0.01)


def test_silence_is_finite_and_lies_at_the_floor() -> None:
    logs = log_energies(np.zeros(RATE, dtype=np.float32))
    assert logs.dtype == np.float32
    assert set(logs.ravel().tolist()) == {float(np.log(np.float32(FLOOR)))}
    flags = np.zeros(len(logs), dtype=np.bool_)
    assert centred(logs, flags) == pytest.approx(np.zeros(logs.shape), abs=1e-4)
    assert np.isfinite(statistics(logs, flags)).all()


def test_ten_times_the_amplitude_is_a_constant_that_centring_takes_away() -> None:
    quiet, loud = log_energies(noise(level=0.01)), log_energies(noise(level=0.1))
    assert loud - quiet == pytest.approx(np.full(loud.shape, math.log(100.0)), abs=1e-3)
    flags = np.arange(len(loud)) % 3 > 0
    assert centred(loud, flags) == pytest.approx(centred(quiet, flags), abs=1e-3)
    assert statistics(loud, flags) == pytest.approx(statistics(quiet, flags), abs=1e-3)


def test_centred_energies_have_zero_mean_over_speech_and_not_over_the_rest() -> None:
    logs = log_energies(np.concatenate([noise(level=0.1), noise(level=0.001, seed=1)]))
    flags = np.arange(len(logs)) < 45
    relative = centred(logs, flags)
    assert relative[flags].mean(axis=0) == pytest.approx(np.zeros(80), abs=1e-5)
    # the rest is 40 dB fainter: ln(10^4) = 9.2 less
    assert float(relative[52:].mean()) == pytest.approx(-math.log(1e4), abs=0.3)


def test_without_speech_centring_takes_the_mean_of_all() -> None:
    logs = log_energies(noise())
    relative = centred(logs, np.zeros(len(logs), dtype=np.bool_))
    assert relative.mean(axis=0) == pytest.approx(np.zeros(80), abs=1e-5)


def test_statistics_of_a_ramp_are_those_of_arithmetic() -> None:
    # Band b holds 0 to 10, plus b; only the frame with 5 is speech, whose mean over all bands is 5 + 39.5 = 44.5.
    ramp = (np.arange(11.0)[:, np.newaxis] + np.arange(80.0)).astype(np.float32)
    found = statistics(ramp, np.arange(11) == 5)
    assert found.shape == (320,)
    assert found.dtype == np.float32
    offset = np.arange(80.0) - 44.5
    assert found[:80] == pytest.approx(5.0 + offset, abs=1e-5)
    assert found[80:160] == pytest.approx(np.full(80, math.sqrt(10.0)), abs=1e-5)  # (11² - 1) / 12 = 10
    assert found[160:240] == pytest.approx(1.0 + offset, abs=1e-5)  # place 0.1 · 10 in order
    assert found[240:] == pytest.approx(9.0 + offset, abs=1e-5)


def test_statistics_of_one_frame_are_the_frame_itself() -> None:
    frame = np.linspace(-1.0, 1.0, 80, dtype=np.float32)[np.newaxis]  # mean 0
    found = statistics(frame, np.ones(1, dtype=np.bool_))
    assert found == pytest.approx(np.concatenate([frame[0], np.zeros(80), frame[0], frame[0]]), abs=1e-6)


def test_statistics_do_not_depend_on_the_order_of_the_frames() -> None:
    logs, flags = log_energies(noise()), np.arange(48) % 2 == 0
    order = np.random.default_rng(1).permutation(48)
    assert statistics(logs[order], flags[order]) == pytest.approx(statistics(logs, flags), abs=1e-4)


def test_the_last_filter_bank_frame_lies_within_the_samples_and_a_further_one_would_not() -> None:
    for samples in (400, 559, 560, 561, 16_000, 192_000, 192_160):
        count = bank_count(samples)
        assert (count - 1) * BANK_STEP + BANK_SPAN <= samples < count * BANK_STEP + BANK_SPAN


@for_each("samples", [0, 1, 399, 400])
def test_less_than_a_frame_is_one_frame(samples: int) -> None:
    assert bank_count(samples) == frame_count(samples) == 1


def test_a_second_has_ninety_eight_filter_bank_frames_and_forty_nine_of_the_network() -> None:
    assert bank_count(RATE) == 98  # (16,000 - 400) / 160 = 97.5: frames 0 to 97
    assert frame_count(RATE) == 49


def test_a_filter_bank_frame_without_a_second_one_is_a_frame_nevertheless() -> None:
    assert [frame_count(400 + 160 * more) for more in range(5)] == [1, 1, 2, 2, 3]


def test_the_middle_of_a_frame_is_that_of_its_first_filter_bank_frame() -> None:
    # frame i begins with filter-bank frame 2 i, at sample 320 i, and that is 400 samples long
    centres = frame_centres(frame_count(RATE))
    assert centres.tolist() == [320 * number + 200 for number in range(49)]
    assert np.diff(centres).tolist() == [STEP] * 48
    assert frame_centres(0).size == 0
