"""Sound as a record: it belongs to nobody else, and its hash is that of the sound alone."""

import copy
import hashlib
import math
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.types import Audio, AudioRef, Segment
from tests.tables import for_each

WAVE = np.array([0.0, 0.5, -0.5, 1.0], np.float32)


def test_samples_are_kept_as_32_bit_floats() -> None:
    for kind in (np.float16, np.float32, np.float64, np.longdouble, ">f4"):
        kept = Audio(WAVE.astype(kind), 8000).samples
        assert kept.dtype == np.float32
        np.testing.assert_array_equal(kept, WAVE)


def test_samples_cannot_be_written_to() -> None:
    audio = Audio(WAVE, 8000)
    with pytest.raises(ValueError, match="read-only"):
        audio.samples[0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        audio.samples.setflags(write=True)


def test_samples_do_not_follow_the_array_they_came_from() -> None:
    mine = WAVE.copy()
    view = mine[:]
    view.setflags(write=False)
    strided = np.repeat(WAVE, 2)[::2]
    locked = WAVE.copy()
    locked.setflags(write=False)
    audios = [Audio(array, 8000) for array in (mine, view, strided, locked)]
    locked.setflags(write=True)
    for array in (mine, strided, locked):
        array[:] = 9.0
    for audio in audios:
        np.testing.assert_array_equal(audio.samples, WAVE)


def test_making_audio_does_not_lock_the_array_of_the_caller() -> None:
    mine = WAVE.copy()
    Audio(mine, 8000)
    mine[0] = 1.0
    assert mine[0] == 1.0


def test_samples_that_cannot_change_are_shared_and_not_copied() -> None:
    audio = Audio(WAVE, 8000)
    assert np.shares_memory(Audio(audio.samples, 8000, source="again").samples, audio.samples)


@for_each("again", [lambda a: pickle.loads(pickle.dumps(a)), copy.copy, copy.deepcopy])
def test_samples_stay_read_only_in_a_copy_and_in_another_process(again: Any) -> None:
    audio = Audio(WAVE, 8000, source="a.wav")
    other = again(audio)
    assert other == audio
    assert other.hash == audio.hash
    assert not other.samples.flags.writeable


def test_the_hash_is_that_of_rate_and_samples() -> None:
    # 0.5 is 3f000000 in IEEE 754, little-endian below.
    expected = hashlib.sha256(b"8000:" + bytes.fromhex("0000003f")).hexdigest()
    assert Audio(np.array([0.5]), 8000).hash == expected


@settings(max_examples=50, derandomize=True, deadline=None)
@given(st.lists(st.floats(-1, 1, width=32), min_size=1), st.integers(1, 192_000), st.text(), st.text())
def test_the_hash_ignores_the_source_and_equality_does_not(
    values: list[float], rate: int, source: str, other: str
) -> None:
    samples: Any = np.array(values, np.float64)
    first, second = Audio(samples, rate, source=source), Audio(samples.astype(np.float32), rate, source=other)
    assert first.hash == second.hash
    assert (first == second) == (source == other)
    assert Audio(samples, rate + 1, source=source).hash != first.hash
    assert Audio(samples, rate + 1, source=source) != first
    assert Audio(np.append(samples, 0.0), rate, source=source).hash != first.hash


def test_equal_audio_has_an_equal_hash_even_where_zeros_differ_in_sign() -> None:
    plus, minus = Audio(np.array([0.0, 1.0]), 8000), Audio(np.array([-0.0, 1.0]), 8000)
    assert plus == minus
    assert plus.hash == minus.hash
    assert len({plus, minus}) == 1


def test_audio_is_not_equal_to_anything_else() -> None:
    assert Audio(WAVE, 8000) != "a.wav"
    assert Audio(WAVE, 8000) != Audio(WAVE[:3], 8000)


def test_duration_is_the_number_of_samples_over_the_rate() -> None:
    assert Audio(np.zeros(12_000, np.float32), 8000).seconds == 1.5  # 12000 / 8000


@for_each(
    ("samples", "message"),
    [
        (np.zeros((2, 3), np.float32), r"expected one channel with samples, got shape \(2, 3\)"),
        (np.zeros((1, 3), np.float32), r"expected one channel with samples, got shape \(1, 3\)"),
        (np.zeros((), np.float32), r"expected one channel with samples, got shape \(\)"),
        (np.zeros(0, np.float32), r"expected one channel with samples, got shape \(0,\)"),
        (np.zeros(3, np.int16), "expected floating-point samples, got int16"),
        (np.zeros(3, np.bool_), "expected floating-point samples, got bool"),
        (np.zeros(3, np.complex64), "expected floating-point samples, got complex64"),
        (np.array([0.0, math.nan]), "some samples are NaN or infinite"),
        (np.array([0.0, -math.inf], np.float32), "some samples are NaN or infinite"),
        (np.array([1e300]), "some samples are NaN or infinite"),  # more than 32 bits can hold
    ],
)
def test_samples_that_are_no_sound_are_refused_and_the_source_is_named(samples: npt.NDArray[Any], message: str) -> None:
    with pytest.raises(ValueError, match=rf"^a\.wav: {message}"):
        Audio(samples, 8000, source="a.wav")


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_is_positive(rate: int) -> None:
    with pytest.raises(ValueError, match=rf"^a\.wav: expected a positive sample rate, got {rate}\.$"):
        Audio(WAVE, rate, source="a.wav")


@for_each("rate", [16_000.0, 22_050.5, math.nan, None, "16000"])
def test_a_rate_is_a_whole_number(rate: Any) -> None:
    with pytest.raises(ValueError, match=r"^a\.wav: expected a whole number as sample rate, got "):
        Audio(WAVE, rate, source="a.wav")


def test_a_numpy_rate_becomes_a_plain_number() -> None:
    rate: Any = np.int64(8000)
    assert type(Audio(WAVE, rate).rate) is int


def test_a_clip_of_a_file_has_a_path_and_ends_after_it_starts() -> None:
    AudioRef("a.wav", start=1.0, end=1.5)
    with pytest.raises(ValueError, match="path of a recording is empty"):
        AudioRef("")
    for start in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"^a\.wav: a clip cannot start at {start} s"):
            AudioRef("a.wav", start=start)
    for end in (0.5, 1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"^a\.wav: a clip that starts at 1\.0 s cannot end at {end} s"):
            AudioRef("a.wav", start=1.0, end=end)


def test_a_segment_lasts_from_its_start_to_its_end() -> None:
    assert Segment(0.5, 2.0).seconds == 1.5
    assert Segment(2.0, 2.0).seconds == 0.0


@for_each(("start", "end"), [(-1.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (0.0, math.nan), (0.0, math.inf)])
def test_a_segment_that_cannot_be_is_refused(start: float, end: float) -> None:
    with pytest.raises(ValueError, match=f"cannot run from {start} s to {end} s"):
        Segment(start, end)
