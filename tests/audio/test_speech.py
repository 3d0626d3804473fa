"""Where somebody speaks."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import find_speech, from_array, read, resample, speech_probabilities, speech_seconds
from aptone.audio.speech import _padded, _stretches
from aptone.errors import UsageError
from aptone.types import Audio, Segment
from tests.tables import for_each

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
CLIPS = sorted((DATA / "emodb").glob("*.ogg"))[:3]
Samples = npt.NDArray[np.float64]


def voice(seconds: float, *, rate: int = 16_000, seed: int = 0) -> Samples:
    """Syllables: pulses at a wandering pitch through four formants that move between vowels, four times a second."""
    generator = np.random.default_rng(seed)
    length = round(seconds * rate)
    time = np.arange(length) / rate
    pitch = 130 + 25 * np.sin(2 * np.pi * 0.7 * time) + 10 * np.sin(2 * np.pi * 2.3 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    vowels = generator.permuted(np.array([[730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480]]))
    which = (time * 4).astype(int)
    signal = np.zeros(length)
    for harmonic in range(1, 50):
        frequency = harmonic * pitch
        gain = np.zeros(length)
        for formant in range(3):
            centre = vowels[which % 4, formant]
            gain += 1 / (1 + ((frequency - centre) / 90) ** 2) / (formant + 1)
        signal += gain * np.sin(harmonic * phase) * (frequency < rate / 2)
    envelope = np.abs(np.sin(np.pi * 4 * time)) ** 0.5
    spoken: Samples = 0.3 * signal * envelope / np.abs(signal).max() + 0.002 * generator.standard_normal(length)
    return spoken


@pytest.fixture(scope="module")
def clip() -> Audio:
    """One second of near silence, two of voice, one of near silence, one of voice, one of near silence."""
    quiet = 0.0005 * np.random.default_rng(5).standard_normal(16_000)
    return from_array(np.concatenate([quiet, voice(2), quiet, voice(1, seed=1), quiet]), rate=16_000)


def test_a_synthetic_voice_is_found_where_it_is(clip: Audio) -> None:
    first, second = find_speech(clip)
    for found, (start, end) in zip((first, second), ((1.0, 3.0), (4.0, 5.0)), strict=True):
        assert found.start == pytest.approx(start, abs=0.3)  # about one syllable
        assert found.end == pytest.approx(end, abs=0.15)


def test_a_detector_remembers_nothing_of_the_clip_before(clip: Audio) -> None:
    first = speech_probabilities(clip)
    speech_probabilities(from_array(voice(1, seed=3), rate=16_000))
    assert np.array_equal(speech_probabilities(clip), first)


@for_each(("length", "chunks"), [(1, 1), (511, 1), (512, 1), (513, 2), (5120, 10)])
def test_every_sample_counts_and_the_last_chunk_is_filled_up(length: int, chunks: int) -> None:
    assert speech_probabilities(from_array(np.zeros(length), rate=16_000)).size == chunks


def test_other_rates_are_brought_to_the_detectors_rate(clip: Audio) -> None:
    wide = resample(clip, rate=48_000)
    found, expected = find_speech(wide), find_speech(clip)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.start == pytest.approx(other.start, abs=0.1)
        assert one.end == pytest.approx(other.end, abs=0.1)


def test_blocks_make_no_difference(clip: Audio, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = from_array(np.repeat(clip.samples[:32_000], 3), rate=48_000)
    expected = speech_probabilities(wide)
    monkeypatch.setattr("aptone.audio.speech._BLOCK", 10_007)
    assert np.allclose(speech_probabilities(wide), expected, atol=1e-5)


def test_nobody_speaks_in_silence_and_noise() -> None:
    assert find_speech(from_array(np.zeros(16_000), rate=16_000)) == ()
    noise = 0.1 * np.random.default_rng(0).standard_normal(32_000)
    assert find_speech(from_array(noise, rate=16_000)) == ()


@for_each(
    "options",
    [
        {"threshold": 1.5},
        {"threshold": 0.5, "leave_threshold": 0.6},
        {"leave_threshold": -0.1},
        {"min_speech_seconds": -1.0},
        {"min_silence_seconds": float("nan")},
        {"padding_seconds": float("inf")},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float], clip: Audio) -> None:
    with pytest.raises(UsageError, match=r"threshold|durations"):
        find_speech(clip, **options)


@for_each(
    ("probabilities", "min_silence", "expected"),
    [
        ([0, 0.6, 0.6, 0, 0, 0], 2, [(1, 3)]),
        ([0, 0.6, 0.4, 0.4, 0.4, 0], 1, [(1, 5)]),  # 0.4 is not below the leaving threshold
        ([0, 0.4, 0.4, 0], 1, []),  # and does not reach the entering one
        ([0.6, 0, 0.6, 0, 0], 2, [(0, 3)]),  # a pause of one chunk does not count
        ([0.6, 0, 0.4, 0, 0.6], 2, [(0, 5)]),  # 0.4 ends a pause
        ([0.6, 0, 0, 0.6], 2, [(0, 1), (3, 4)]),
        ([0.6, 0.6, 0], 2, [(0, 2)]),  # the clip ends in a pause that is too short
    ],
)
def test_two_thresholds_bound_the_stretches(
    probabilities: list[float], min_silence: float, expected: list[tuple[int, int]]
) -> None:
    found = _stretches(np.array(probabilities, dtype=np.float32), enter=0.5, leave=0.35, min_silence=min_silence)
    assert found == expected


def test_padding_stops_at_the_ends_and_in_the_middle_of_a_pause() -> None:
    assert _padded([(0.1, 1.0), (1.2, 2.0)], padding=0.3, seconds=2.1) == (Segment(0.0, 1.1), Segment(1.1, 2.1))
    assert _padded([], padding=0.3, seconds=2.0) == ()


def test_short_stretches_are_dropped(clip: Audio) -> None:
    long_only = find_speech(clip, min_speech_seconds=1.5)
    assert long_only == find_speech(clip)[:1]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=8))
def test_speech_seconds_is_the_length_of_the_union(pairs: list[tuple[int, int]]) -> None:
    segments = [Segment(float(min(pair)), float(max(pair))) for pair in pairs]
    covered = {second for pair in pairs for second in range(min(pair), max(pair))}
    assert speech_seconds(segments) == len(covered)


@pytest.mark.skipif(not CLIPS, reason="the recordings are not part of the project")
def test_real_speech_fills_most_of_a_recorded_sentence() -> None:
    for path in CLIPS:
        audio = read(path, rate=16_000)
        segments = find_speech(audio)
        assert 0.5 * audio.seconds < speech_seconds(segments) <= audio.seconds
        assert segments[-1].end <= audio.seconds
