"""The telephone band."""

import numpy as np
import pytest

from aptone.audio import from_array, telephone_band
from aptone.errors import AudioError
from tests.tables import for_each


def gain_db(hertz: float, rate: int) -> float:
    """Level of a tone after the band over its level before, away from the edges of the clip."""
    tone = 0.5 * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)
    heard = telephone_band(from_array(tone, rate=rate)).samples
    middle = slice(rate // 4, 3 * rate // 4)
    return float(20 * np.log10(np.std(heard[middle]) / np.std(tone[middle])))


@for_each("rate", [8_000, 16_000, 48_000])
def test_the_band_passes_and_the_rest_does_not(rate: int) -> None:
    for hertz in (400, 1_000, 3_300):
        assert gain_db(hertz, rate) == pytest.approx(0, abs=0.05)
    for hertz in (300, 3_400):
        assert gain_db(hertz, rate) == pytest.approx(-6.02, abs=0.1)  # half the amplitude: 20 log10 0.5
    for hertz in (50, 200, 3_500):
        assert gain_db(hertz, rate) < -55
    if rate > 10_000:
        assert gain_db(5_000, rate) < -55


def test_a_tone_inside_the_band_is_neither_delayed_nor_shortened() -> None:
    tone = 0.5 * np.sin(2 * np.pi * 1_000 * np.arange(16_000) / 16_000)
    heard = telephone_band(from_array(tone, rate=16_000, source="x"))
    assert heard.samples.size == 16_000
    assert heard.source == "x"
    assert np.abs(heard.samples - tone)[2_000:-2_000].max() < 2e-3


def test_a_rate_that_cannot_hold_the_band_is_refused() -> None:
    with pytest.raises(AudioError, match="6000 Hz cannot hold the telephone band"):
        telephone_band(from_array(np.zeros(100), rate=6_000))
