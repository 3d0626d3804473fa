"""Arrays to records."""

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import from_array
from aptone.audio.read import pick_channel
from aptone.errors import AudioError
from tests.tables import for_each


def test_integers_are_scaled_by_their_full_scale() -> None:
    half = from_array(np.array([-32768, 16384], dtype=np.int16), rate=8_000)
    assert half.samples.tolist() == [-1.0, 0.5]  # -2^15 / 2^15, 2^14 / 2^15
    wide = from_array(np.array([-(2**31), 2**30], dtype=np.int32), rate=8_000)
    assert wide.samples.tolist() == [-1.0, 0.5]


def test_floats_of_all_widths_and_lists_are_taken() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        assert from_array(np.array([0.5, -0.25], dtype=dtype), rate=8_000).samples.tolist() == [0.5, -0.25]
    assert from_array([0.5, -0.25], rate=8_000, source="list").source == "list"


def test_later_changes_of_the_array_do_not_reach_the_record() -> None:
    array = np.zeros(4, dtype=np.float32)
    audio = from_array(array, rate=8_000)
    array[:] = 1
    assert audio.samples.tolist() == [0, 0, 0, 0]
    assert not audio.samples.flags.writeable


def test_columns_are_channels() -> None:
    array = np.array([[0.1, 0.3], [0.2, 0.4], [0.0, 0.0]], dtype=np.float32)
    assert from_array(array, rate=8_000, channel=1).samples.tolist() == array[:, 1].tolist()
    assert np.allclose(from_array(array, rate=8_000, channel="mix").samples, [0.2, 0.3, 0.0])
    assert from_array(array[:, :1], rate=8_000).samples.tolist() == array[:, 0].tolist()


def test_the_mix_of_one_channel_is_the_mean_over_it_to_the_last_bit() -> None:
    column = np.array([[0.1], [-0.0], [0.0], [-1e-40], [3e38]], dtype=np.float32)
    mean = column.mean(axis=1, dtype=np.float32)
    assert pick_channel(column, "mix", name="mic").tobytes() == mean.tobytes()


@for_each(
    ("array", "message"),
    [
        (np.zeros((3, 2)), "mic: expected one channel, got 2; choose one with channel=0 to channel=1"),
        (np.zeros((2, 3, 4)), r"expected a vector, or frames × channels, got the shape \(2, 3, 4\)"),
        (np.zeros((2, 800)), "expected 1 to 64 channels, got 800; .* turned round"),
        (np.zeros(0), "mic: no samples"),
        (np.array([0.0, np.nan]), "some samples are NaN, infinite"),
        (np.array([1e300]), "some samples are NaN, infinite"),  # beyond what 32 bits hold
        (np.zeros(4, dtype=np.int64), "expected floats .*, int16 or int32, got int64"),
        (np.array(["a"]), "expected floats"),
    ],
)
def test_what_is_no_sound_is_refused(array: npt.NDArray[np.float64], message: str) -> None:
    with pytest.raises(AudioError, match=message):
        from_array(array, rate=8_000, source="mic")


@for_each("rate", [0, -8_000, 999, 768_001, 16_000.0, True])
def test_absurd_rates_are_refused(rate: int) -> None:
    with pytest.raises(
        AudioError, match=f"expected a sample rate between 1000 and 768000 Hz, a whole number, got {rate}"
    ):
        from_array([0.1], rate=rate)


@for_each("channel", [True, "left", 1.0])
def test_a_channel_is_a_number_or_a_known_word(channel: int) -> None:
    with pytest.raises(AudioError, match="expected a channel number"):
        from_array(np.zeros((3, 2)), rate=8_000, channel=channel)
