"""Convolution in blocks."""

import numpy as np
import pytest

from aptone.audio.degrade.filtering import convolve, convolve_centred, with_spectrum
from tests.tables import for_each


@for_each(("length", "taps"), [(10, 3), (1_000, 77), (3, 10), (5_000, 1)])
def test_blocks_add_up_to_the_convolution(length: int, taps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.audio.degrade.filtering._BLOCK", 100)
    generator = np.random.default_rng(0)
    samples, filter_taps = generator.standard_normal(length), generator.standard_normal(taps)
    assert np.allclose(convolve(samples, filter_taps), np.convolve(samples, filter_taps)[:length])


def test_a_centred_convolution_leaves_an_impulse_in_its_place() -> None:
    samples = np.zeros(50)
    samples[20] = 1
    smooth = convolve_centred(samples, np.array([0.25, 0.5, 0.25]))
    assert np.allclose(smooth[18:23], [0, 0.25, 0.5, 0.25, 0])
    assert smooth.size == 50


def test_a_filter_follows_the_spectrum_that_it_is_given() -> None:
    taps = with_spectrum(lambda hertz: 1 / (1 + hertz / 1_000), rate=16_000)
    response = np.abs(np.fft.rfft(taps, 16_000))  # one value a hertz
    assert response[1_000] == pytest.approx(0.5, rel=0.01)
    assert response[3_000] == pytest.approx(0.25, rel=0.01)
