import numpy as np
import pytest
import scipy.fft

from aptone.ear.transform import autocorrelations, spectra
from aptone.ear.voice import fast_length


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])
def test_spectra_are_those_of_scipy_rounded_to_32_bits(rows: int) -> None:
    frames = np.random.default_rng(rows).standard_normal((rows, 512)).astype(np.float32)
    found = spectra(frames)
    assert found.dtype == np.complex64
    expected = scipy.fft.rfft(frames.astype(np.float64))
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_a_cosine_has_its_power_in_one_line_and_its_period_in_the_autocorrelation() -> None:
    frame = np.cos(2 * np.pi * np.arange(64) / 16).astype(np.float32)[np.newaxis]  # 4 turns in 64 samples
    power = np.abs(spectra(frame)) ** 2
    assert power[0].argmax() == 4
    assert power[0, 4] == pytest.approx(32.0**2, rel=1e-6)  # n / 2 for a cosine of amplitude 1
    lags = autocorrelations(power, lags=33)
    # Σ x(t) x(t + k) = n / 2 · cos(2 π k / 16), times n since the inverse is not scaled
    assert lags[0] == pytest.approx(64 * 32 * np.cos(2 * np.pi * np.arange(33) / 16), abs=1e-2)


@pytest.mark.parametrize("rows", [1, 64, 130])
def test_autocorrelations_are_the_cosine_transform_of_the_power(rows: int) -> None:
    power = np.square(np.random.default_rng(rows).standard_normal((rows, 513))).astype(np.float32)
    expected = scipy.fft.dct(power.astype(np.float64), type=1)[:, :300]
    found = autocorrelations(power, lags=300)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_fast_lengths_are_those_of_scipy() -> None:
    lengths = range(1, 3000)
    assert [fast_length(least) for least in lengths] == [scipy.fft.next_fast_len(n, real=True) for n in lengths]
