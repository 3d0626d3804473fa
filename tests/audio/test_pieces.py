"""Parts of a recording."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import cut, from_array, speech_seconds, split
from aptone.errors import AudioError, UsageError
from aptone.types import Audio, Segment
from tests.tables import for_each


def silence(seconds: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.zeros(round(seconds * 1_000))


def test_a_cut_takes_the_samples_between_two_times() -> None:
    audio = from_array(np.arange(1_000) / 1_000, rate=1_000, source="x")
    part = cut(audio, Segment(0.25, 0.5))
    assert np.array_equal(part.samples, audio.samples[250:500])
    assert part.source == "x"
    assert np.array_equal(cut(audio, Segment(0.0, audio.seconds)).samples, audio.samples)


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (Segment(0.5, 1.2), r"x: asked for 0\.5 s to 1\.2 s, but the clip lasts 1\.000 s"),
        (Segment(0.5, 0.5), "no sample"),
    ],
)
def test_a_cut_outside_the_clip_is_refused(segment: Segment, message: str) -> None:
    with pytest.raises(AudioError, match=message):
        cut(from_array(silence(1), rate=1_000, source="x"), segment)


def test_speech_that_fits_is_one_piece() -> None:
    audio = from_array(silence(10), rate=1_000)
    assert split(audio, max_seconds=5.0, speech=[Segment(1.0, 2.0), Segment(3.0, 6.0)]) == (Segment(1.0, 6.0),)
    assert split(audio, max_seconds=5.0, speech=[]) == ()


def test_the_cut_is_made_in_the_longest_pause_of_the_second_half() -> None:
    speech = [Segment(0, 1), Segment(3, 6), Segment(7, 8), Segment(8.5, 9), Segment(9.2, 11)]
    # Of 10 s, the second half begins at 5 s: pauses of 1.0 s (at 6), 0.5 s (at 8) and 0.2 s (at 9). The one of 2.0 s
    # begins too early.
    pieces = split(from_array(silence(12), rate=1_000), max_seconds=10.0, speech=speech)
    assert pieces == (Segment(0, 6), Segment(7, 11))


def test_of_equal_pauses_the_later_one_is_taken() -> None:
    speech = [Segment(0, 6), Segment(7, 8), Segment(9, 12)]
    pieces = split(from_array(silence(12), rate=1_000), max_seconds=10.0, speech=speech)
    assert pieces == (Segment(0, 8), Segment(9, 12))


def test_an_early_pause_is_better_than_none() -> None:
    speech = [Segment(0, 1), Segment(2, 11)]
    pieces = split(from_array(silence(11), rate=1_000), max_seconds=10.0, speech=speech)
    assert pieces == (Segment(0, 1), Segment(2, 11))


def test_speech_without_a_pause_is_cut_where_it_is_quietest() -> None:
    samples = np.full(12_000, 0.5)
    samples[7_000:7_020] = 0.0  # 20 ms of silence around 7.01 s
    pieces = split(from_array(samples, rate=1_000), max_seconds=10.0, speech=[Segment(0, 12)])
    assert pieces[0].end == pytest.approx(7.01, abs=1e-9)
    assert pieces == (Segment(0, pieces[0].end), Segment(pieces[0].end, 12))


def test_speech_is_looked_for_when_it_is_not_given() -> None:
    assert split(from_array(np.zeros(32_000), rate=16_000), max_seconds=1.0) == ()


@given(st.lists(st.integers(1, 40), min_size=2, max_size=20), st.integers(2, 60))
def test_pieces_hold_all_speech_and_none_is_too_long(steps: list[int], longest: int) -> None:
    times = np.cumsum(steps) / 10
    speech = [Segment(start, end) for start, end in zip(times[::2], times[1::2], strict=False)]
    audio = from_array(np.zeros(round(times[-1] * 1_000) + 1), rate=1_000)
    pieces = split(audio, max_seconds=longest / 10, speech=speech)
    assert all(piece.seconds <= longest / 10 + 1e-9 for piece in pieces)
    covered = [
        Segment(max(one.start, piece.start), min(one.end, piece.end))
        for piece in pieces
        for one in speech
        if max(one.start, piece.start) <= min(one.end, piece.end)
    ]
    assert speech_seconds(covered) == pytest.approx(speech_seconds(speech))
    assert all(earlier.end <= later.start for earlier, later in itertools.pairwise(pieces))


@for_each("max_seconds", [0.0, -1.0, 0.04, float("nan"), float("inf")])
def test_pieces_need_a_length(max_seconds: float) -> None:
    with pytest.raises(UsageError, match=r"pieces need more than 0\.04 s"):
        split(from_array(silence(1), rate=1_000), max_seconds=max_seconds, speech=[])


def test_speech_of_another_clip_is_refused() -> None:
    with pytest.raises(AudioError, match=r"speech is said to end at 3 s, but the clip lasts 1\.000 s"):
        split(from_array(silence(1), rate=1_000), max_seconds=1.0, speech=[Segment(0, 3)])


def test_a_lone_zero_is_no_quiet_place() -> None:
    # A loud tone with single zeros in it, and 20 ms at a tenth of its level around 0.8 s: there the cut belongs.
    samples = np.full(16_000, 0.5, dtype=np.float32)
    samples[8_000:16_000:97] = 0.0
    samples[12_640:12_960] = 0.05
    pieces = split(Audio(samples, rate=16_000), max_seconds=0.9, speech=[Segment(0.0, 1.0)])
    assert pieces[0].end == pytest.approx(0.8)


@pytest.mark.parametrize(("rate", "max_seconds"), [(1_030, 0.0401), (4, 0.05)])
def test_a_rate_too_low_for_a_window_of_twenty_milliseconds_is_cut_all_the_same(rate: int, max_seconds: float) -> None:
    audio = Audio(np.ones(rate, dtype=np.float32), rate=rate)
    pieces = split(audio, max_seconds=max_seconds, speech=[Segment(0.0, 1.0)])
    assert all(piece.end - piece.start <= max_seconds + 1e-9 for piece in pieces)
    assert (pieces[0].start, pieces[-1].end) == (0.0, 1.0)
