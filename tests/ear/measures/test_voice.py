"""All measures of a voice, on synthetic voices whose irregularity is known and on sounds that are none."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures.intonation import Contour
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.voice import Periods, find_periods, harmonics_to_noise, jitter, measure, shimmer
from aptone.errors import UsageError
from aptone.types import Segment
from tests.tables import for_each

RATE = 16_000
Floats = npt.NDArray[np.float64]
Samples = npt.NDArray[np.float32]
NAMES = [
    "pitch level",
    "pitch range",
    "pitch slope",
    "loudness",
    "loudness range",
    "speech rate",
    "articulation rate",
    "pause share",
    "pauses per minute",
    "longest pause",
    "jitter",
    "shimmer",
    "HNR",
    "spectral tilt",
    "high band",
    "voiced share",
]
WHOLE = (Segment(0.0, 2.0),)


def sentence(*, gain: float = 1.0) -> Samples:
    """Two seconds of a sawtooth that falls from 240 to 120 Hz, in eight syllables, the valleys 20 dB deep."""
    time = np.arange(2 * RATE) / RATE
    phase = 2.0 * np.pi * np.cumsum(np.geomspace(240.0, 120.0, time.size)) / RATE
    sound = sum(np.sin(number * phase) / number for number in range(1, 32))
    syllables = 0.55 - 0.45 * np.cos(2.0 * np.pi * 4.0 * time)
    return (0.2 * gain * np.asarray(sound) * syllables).astype(np.float32)


def test_a_sentence_measures_as_it_was_made() -> None:
    samples = sentence()
    found = measure(samples, track_pitch(samples), WHOLE)
    assert list(found) == NAMES
    assert found["pitch level"].value == pytest.approx(12.0 * math.log2(math.sqrt(2.4 * 1.2)), abs=0.3)  # the middle
    assert found["pitch range"].value == pytest.approx(10.8, abs=0.3)  # 90 % of an octave
    assert found["pitch slope"].value == pytest.approx(-6.0, abs=0.1)  # an octave in two seconds
    assert found["speech rate"].value == found["articulation rate"].value == 4.0  # 8 in 2 s
    # mean square of 0.2 * Σ sin(nx)/n is 0.04 * (π²/6 - 1/32) / 2 = 0.0323; of the syllables 0.55² + 0.45²/2 = 0.404
    assert found["loudness"].value == pytest.approx(10.0 * math.log10(0.0323 * 0.404), abs=0.2)
    assert found["spectral tilt"].value == pytest.approx(-6.0, abs=1.0)
    assert found["voiced share"].value > 0.95
    assert found["HNR"].value > 15.0
    assert found["jitter"].value < 1.0
    assert found["pause share"].value == found["longest pause"].value == found["pauses per minute"].value == 0.0


def test_a_pause_is_measured_and_what_happens_in_it_is_not() -> None:
    samples = np.concatenate([sentence(), sentence(gain=0.5)[::-1], sentence()])
    found = measure(samples, track_pitch(samples), (Segment(0.0, 2.0), Segment(4.0, 6.0)))
    assert found["pause share"].value == pytest.approx(1.0 / 3.0)
    assert found["longest pause"].value == 2.0
    assert found["pauses per minute"].value == 10.0  # one in 6 s
    assert found["speech rate"].value == pytest.approx(16.0 / 6.0)  # the 8 in the pause do not count
    assert found["articulation rate"].value == 4.0
    assert found["loudness"].value == pytest.approx(measure(*_whole(sentence()))["loudness"].value, abs=0.1)


def _whole(samples: Samples) -> tuple[Samples, Contour, tuple[Segment, ...]]:
    return samples, track_pitch(samples), (Segment(0.0, samples.size / RATE),)


def test_only_loudness_depends_on_the_level() -> None:
    loud, quiet = measure(*_whole(sentence())), measure(*_whole(sentence(gain=0.1)))
    assert loud["loudness"].value - quiet["loudness"].value == pytest.approx(20.0, abs=0.01)
    for name in NAMES:
        if name != "loudness":
            assert quiet[name].value == pytest.approx(loud[name].value, rel=1e-3, abs=1e-3), name


def test_without_speech_everything_is_undefined_and_says_why() -> None:
    samples = sentence()
    found = measure(samples, track_pitch(samples), ())
    assert list(found) == NAMES
    assert all(math.isnan(score.value) and score.reason for score in found.values())


SOUNDS = {
    "silence": np.zeros(RATE),
    "an offset": np.full(RATE, 0.5),
    "a click": np.eye(1, RATE, 8_000)[0],
    "noise": 0.1 * np.random.default_rng(0).standard_normal(RATE),
    "clipped": np.clip(20.0 * sentence()[:RATE], -1.0, 1.0),
    "0.2 s": sentence()[:3_200],
    "one frame": sentence()[:160],
    "less than a frame": sentence()[:100],
    "far above full scale": 1e30 * sentence()[:RATE].astype(np.float64),
    "hardly anything": 1e-30 * sentence()[:RATE].astype(np.float64),
    "one sample": np.ones(1),
}


@for_each("name", SOUNDS)
def test_odd_sounds_give_numbers_or_reasons_and_no_warning(name: str) -> None:
    samples = SOUNDS[name].astype(np.float32)
    found = measure(samples, track_pitch(samples), (Segment(0.0, 1.0),))
    assert list(found) == NAMES
    for score in found.values():
        assert math.isfinite(score.value) or score.reason
        assert score.higher_is_better is None


def test_what_is_far_above_full_scale_measures_the_same_but_for_its_level() -> None:
    loud, normal = measure(*_whole(sentence(gain=1e20))), measure(*_whole(sentence()))
    assert loud["loudness"].value - normal["loudness"].value == pytest.approx(400.0, abs=0.01)  # 20 log10(1e20)
    assert loud["jitter"].value == pytest.approx(normal["jitter"].value, rel=1e-2)
    assert loud["spectral tilt"].value == pytest.approx(normal["spectral tilt"].value, abs=0.01)


def test_a_contour_of_other_samples_is_refused() -> None:
    with pytest.raises(UsageError, match="track the pitch of the same samples"):
        measure(sentence(), track_pitch(sentence()[:RATE]), WHOLE)


def pulses(lengths: Floats, heights: Floats) -> Samples:
    """A voice of pulses, each period with its own length in samples and its own height.

    A pulse is the second derivative of a bell, so that it is short, has no offset, and can begin between two samples.
    """
    places = 200.0 + np.cumsum(lengths)
    samples = np.zeros(int(places[-1]) + 400)
    for place, height in zip(places, heights, strict=True):
        near = np.arange(int(place) - 30, int(place) + 31)
        time = (near - place) / 5.0
        samples[near] += height * (1.0 - time**2) * np.exp(-(time**2) / 2.0)
    return (0.1 * samples).astype(np.float32)


def steady(hz: float, samples: Samples) -> Floats:
    """A contour that knows the mean pitch: the measure, not the tracker, is under test."""
    return np.full(samples.size // 160, hz)


def test_a_regular_voice_has_neither_jitter_nor_shimmer() -> None:
    samples = pulses(np.full(200, 133.3), np.ones(200))
    periods = find_periods(samples, steady(RATE / 133.3, samples))
    assert jitter(periods).value < 0.05
    assert shimmer(periods).value < 0.5
    assert np.nanmedian(periods.seconds) == pytest.approx(133.3 / RATE, rel=1e-4)


@for_each("length", [32.0, 80.0, 133.3, 200.0])
@for_each("percent", [0.5, 2.0])
def test_periods_that_alternate_have_the_jitter_that_they_were_made_with(length: float, percent: float) -> None:
    change = length * percent / 200.0  # up and down by half: neighbours differ by `percent` of the mean
    samples = pulses(length + change * np.resize([1.0, -1.0], 200), np.ones(200))
    measured = jitter(find_periods(samples, steady(RATE / length, samples)))
    assert measured.value == pytest.approx(percent, rel=0.15)


@pytest.mark.parametrize("percent", [4.0, 15.0])
def test_heights_that_alternate_have_the_shimmer_that_they_were_made_with(percent: float) -> None:
    samples = pulses(np.full(200, 133.3), 1.0 + percent / 200.0 * np.resize([1.0, -1.0], 200))
    measured = shimmer(find_periods(samples, steady(RATE / 133.3, samples)))
    assert measured.value == pytest.approx(percent, rel=0.1)


def test_irregularities_drawn_at_random_are_measured_with_the_tracked_pitch() -> None:
    generator = np.random.default_rng(0)
    lengths = 100.0 * (1.0 + 0.01 * generator.standard_normal(400))
    heights = 1.0 + 0.05 * generator.standard_normal(400)
    samples = pulses(lengths, heights)
    periods = find_periods(samples, track_pitch(samples).hz)
    # what the definitions say of the numbers drawn: about 2/√π σ, 1.1 % and 5.6 %
    expected_jitter = 100.0 * np.abs(np.diff(lengths)).mean() / lengths.mean()
    expected_shimmer = 100.0 * np.abs(np.diff(heights)).mean() / heights.mean()
    assert jitter(periods).value == pytest.approx(expected_jitter, rel=0.2)
    assert shimmer(periods).value == pytest.approx(expected_shimmer, rel=0.2)


def test_a_glide_is_no_jitter() -> None:
    lengths = np.geomspace(160.0, 80.0, 250)  # an octave in about two seconds: 0.28 % from period to period
    samples = pulses(lengths, np.ones(250))
    assert jitter(find_periods(samples, track_pitch(samples).hz)).value == pytest.approx(0.28, abs=0.1)


def test_stretches_are_not_joined_across_a_gap() -> None:
    hz = np.full(200, 160.0)
    samples = pulses(np.full(330, 100.0), np.ones(330))[: 200 * 160]
    hz[50:60] = np.nan
    joined, apart = find_periods(samples, np.full(200, 160.0)), find_periods(samples, hz)
    assert np.count_nonzero(~joined.follows) == 1  # the first
    assert np.count_nonzero(~apart.follows) == 2
    assert joined.seconds.size - apart.seconds.size == pytest.approx(16, abs=3)  # 0.1 s at 160 Hz and a step more


def test_leaps_beyond_the_largest_ratio_do_not_count() -> None:
    seconds = np.array([0.010] * 12 + [0.014] + [0.010] * 12)  # 1.4 > 1.3
    periods = Periods(seconds, np.array([1.0] * 12 + [2.0] + [1.0] * 12), np.array([False] + [True] * 24))
    assert jitter(periods).value == 0.0
    assert shimmer(periods).value == 0.0


@for_each(
    "hz",
    [np.empty(0), np.array([100.0]), np.full(100, np.nan), np.array([100.0, np.nan] * 50), np.full(8, 100.0)],
    ids=["nothing", "one frame", "unvoiced", "single frames", "0.08 s"],
)
def test_too_few_periods_are_undefined(hz: Floats) -> None:
    samples = pulses(np.full(100, 160.0), np.ones(100))[: hz.size * 160]
    periods = find_periods(samples, hz)
    for score in (jitter(periods), shimmer(periods)):
        assert np.isnan(score.value)
        assert score.reason.endswith("pairs of neighbouring periods, need 10")


def test_silence_where_a_voice_was_tracked_is_undefined() -> None:
    periods = find_periods(np.zeros(RATE, dtype=np.float32), np.full(100, 150.0))
    assert np.isnan(jitter(periods).value)
    assert np.isnan(shimmer(periods).value)


@pytest.mark.parametrize("gain", [1e-6, 1e-4])
def test_faint_voices_measure_as_loud_ones(gain: float) -> None:
    samples = pulses(np.resize([99.0, 101.0], 300), np.resize([0.9, 1.1], 300))
    loud = find_periods(samples, steady(160.0, samples))
    faint = find_periods(samples * np.float32(gain), steady(160.0, samples))
    assert jitter(faint).value == pytest.approx(jitter(loud).value, rel=1e-2)
    assert shimmer(faint).value == pytest.approx(shimmer(loud).value, rel=1e-2)


def test_blocks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    samples = pulses(100.0 * (1.0 + 0.01 * generator.standard_normal(300)), np.ones(300))
    whole = find_periods(samples, steady(160.0, samples))
    monkeypatch.setattr("aptone.ear.measures.voice._BLOCK", 41)
    pieces = find_periods(samples, steady(160.0, samples))
    assert pieces.seconds == pytest.approx(whole.seconds, rel=1e-5, nan_ok=True)
    assert pieces.amplitude == pytest.approx(whole.amplitude, rel=1e-5, nan_ok=True)


@for_each("decibels", [5.0, 10.0, 20.0])
def test_the_ratio_is_that_of_the_tone_and_the_noise_it_was_made_of(decibels: float) -> None:
    time = np.arange(2 * RATE) / RATE
    sound = sum(np.sin(2.0 * np.pi * 150.0 * number * time) / number for number in range(1, 50))
    sound = np.asarray(sound) / np.sqrt(np.mean(np.square(sound)))
    noise = 10.0 ** (-decibels / 20.0) * np.random.default_rng(2).standard_normal(time.size)
    contour = track_pitch((0.1 * (sound + noise)).astype(np.float32))
    measured = harmonics_to_noise(contour.strength[contour.voiced], levels=np.zeros(np.count_nonzero(contour.voiced)))
    assert measured.value == pytest.approx(decibels, abs=1.5)


def test_faint_frames_do_not_enter_the_ratio() -> None:
    strength, levels = np.array([0.9] * 20 + [0.1] * 20), np.array([-20.0] * 20 + [-41.0] * 20)
    assert harmonics_to_noise(strength, levels=levels).value == pytest.approx(10.0 * np.log10(9.0))


def test_few_loud_frames_have_no_ratio() -> None:
    for count in (0, 9):
        score = harmonics_to_noise(np.full(count, 0.9), levels=np.zeros(count))
        assert score.reason == f"{count} voiced frames that are loud, need 10"


def test_perfect_and_absent_periodicity_have_a_finite_ratio() -> None:
    assert harmonics_to_noise(np.ones(20), levels=np.zeros(20)).value == pytest.approx(40.0, abs=0.01)
    assert harmonics_to_noise(np.zeros(20), levels=np.zeros(20)).value == pytest.approx(-30.0, abs=0.01)
