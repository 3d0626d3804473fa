"""Another sample rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import Quality, from_array, resample
from aptone.audio.resample import resampled_length
from aptone.errors import AudioError
from tests.tables import for_each


@for_each("quality", ["HQ", "VHQ"])
@for_each(("old", "new"), [(44_100, 16_000), (8_000, 48_000), (16_000, 22_050)])
def test_a_tone_stays_the_same_tone_in_place(old: int, new: int, quality: Quality) -> None:
    def tone(rate: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return 0.5 * np.sin(2 * np.pi * 1_000 * np.arange(rate) / rate)

    audio = resample(from_array(tone(old), rate=old), rate=new, quality=quality)
    middle = slice(new // 10, -new // 10)  # away from the edges, where the filter sees the silence outside
    assert np.abs(audio.samples - tone(new))[middle].max() < 1e-4  # 80 dB below full scale


@given(
    st.integers(1, 5_000), st.sampled_from([8_000, 11_025, 16_000, 22_050, 44_100, 48_000]), st.integers(4_000, 96_000)
)
def test_the_length_is_rounded_and_exact(length: int, old: int, new: int) -> None:
    audio = from_array(np.zeros(length), rate=old)
    expected = int(np.floor(length * new / old + 0.5))
    assert resampled_length(length, old=old, new=new) == expected
    if expected == 0:
        with pytest.raises(AudioError, match="leave none"):
            resample(audio, rate=new)
    else:
        assert resample(audio, rate=new).samples.size == expected


def test_the_same_rate_changes_nothing() -> None:
    audio = from_array([0.1, 0.2], rate=8_000, source="x")
    assert resample(audio, rate=8_000) is audio
    assert resample(audio, rate=16_000).source == "x"


def test_an_absurd_rate_is_refused() -> None:
    with pytest.raises(AudioError, match="expected a sample rate"):
        resample(from_array([0.1], rate=8_000), rate=5)
