"""Fourier transforms of the frames of a clip.

Frames are transformed in 64 bits and the result is rounded to 32: so last digits are the same for every build of numpy.
Rows are taken some at a time, so that what lies between stays in the processor's cache.
"""

import numpy as np
import numpy.typing as npt

from aptone.ear.measures.frames import Samples

_ROWS = 64


def spectra(frames: Samples) -> npt.NDArray[np.complex64]:
    """Return the spectrum of each row, from 0 to half the rate."""
    found = np.empty((len(frames), frames.shape[1] // 2 + 1), dtype=np.complex64)
    for begin in range(0, len(frames), _ROWS):
        found[begin : begin + _ROWS] = np.fft.rfft(frames[begin : begin + _ROWS].astype(np.float64))
    return found


def autocorrelations(power: Samples, *, lags: int) -> Samples:
    """Return the circular autocorrelation, at lags from 0 on, behind each row of a power spectrum.

    Args:
        power: rows of n / 2 + 1 numbers, for frames of n samples.
        lags: how many, at most n / 2 + 1.
    """
    size = 2 * (power.shape[1] - 1)
    found = np.empty((len(power), lags), dtype=np.float32)
    for begin in range(0, len(power), _ROWS):
        rows = power[begin : begin + _ROWS].astype(np.complex128)
        found[begin : begin + _ROWS] = np.fft.irfft(rows, size, norm="forward")[:, :lags]
    return found
