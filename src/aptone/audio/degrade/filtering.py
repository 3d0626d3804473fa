"""Root mean square level, and linear filters: a band-pass, any spectrum, convolution in bounded memory."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio


def rms(samples: npt.NDArray[np.floating]) -> float:
    """Root of the mean of the squares, linear, full scale ±1.

    >>> rms(np.array([3.0, -3.0, 3.0, -3.0]))
    3.0
    """
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def audible_rms(audio: Audio) -> float:
    """The level of a clip that has one.

    Raises:
        AudioError: if the clip is silent: a ratio to its level is not defined.
    """
    level = rms(audio.samples)
    if level == 0:
        raise AudioError(message("audio.silent-level", name=audio.source))
    return level


Taps = npt.NDArray[np.float64]

_KAISER_BETA_60_DB = 5.653
_BLOCK = 1 << 17


def band_pass(*, low: float, high: float, transition: float, rate: int) -> Taps:
    """A linear-phase band-pass with 60 dB of stop-band attenuation, odd in length, -6 dB at both edges.

    The difference of two ideal low-passes, h(n) = 2 f2 sinc(2 f2 n) - 2 f1 sinc(2 f1 n), under a Kaiser window whose
    length follows Kaiser's formula N = (A - 7.95) / (2.285 Δω) (Oppenheim & Schafer, Discrete-Time Signal Processing).

    Args:
        low, high: edges in Hz.
        transition: width in Hz in which the response falls from passed to stopped, around each edge.
    """
    half = int(np.ceil((60 - 7.95) / (2.285 * 2 * np.pi * transition / rate) / 2))
    time = np.arange(-half, half + 1)
    upper, lower = high / rate, low / rate
    ideal = 2 * upper * np.sinc(2 * upper * time) - 2 * lower * np.sinc(2 * lower * time)
    taps: Taps = ideal * np.kaiser(2 * half + 1, _KAISER_BETA_60_DB)
    return taps


STOP_RATIO = 8 / 7
"""Where a low-pass stops, over where it passes: 3.5 kHz to 4 kHz, as ITU-R BS.1534-3 (5.1) wants of its anchor."""


def low_pass(audio: Audio, *, cutoff: float) -> Audio:
    """The clip without what lies above a frequency, at the same rate and length and without delay.

    It passes everything up to `cutoff` (Hz) within 0.1 dB, and stops by 60 dB from 8/7 of that on: at 3.5 and 7 kHz
    these are the anchors of ITU-R BS.1534-3.

    Raises:
        AudioError: if the clip's rate holds nothing above the cutoff, so that nothing would change.
    """
    if audio.rate <= 2 * cutoff:
        raise AudioError(message("audio.nothing-above-cutoff", name=audio.source, rate=audio.rate, cutoff=cutoff))
    transition = cutoff * (STOP_RATIO - 1)
    taps = band_pass(low=0.0, high=cutoff + transition / 2, transition=transition, rate=audio.rate)
    return Audio(convolve_centred(audio.samples, taps).astype(np.float32), rate=audio.rate, source=audio.source)


def with_spectrum(amplitude: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]], *, rate: int) -> Taps:
    """A linear-phase filter of 4,097 taps whose gain follows a function of the frequency in Hz (frequency sampling)."""
    length = 4096
    gains = amplitude(np.fft.rfftfreq(length, 1 / rate).astype(np.float64))
    taps = np.roll(np.fft.irfft(gains, length), length // 2)
    symmetric: Taps = np.append(taps, taps[0]) * np.hanning(length + 1)
    return symmetric


def convolve(samples: npt.NDArray[np.floating], taps: Taps) -> npt.NDArray[np.float64]:
    """The causal convolution, cut to the length of the samples, by overlap-add."""
    size = 1 << (_BLOCK + len(taps) - 2).bit_length()
    block = size - len(taps) + 1
    spectrum = np.fft.rfft(taps, size)
    out = np.zeros(len(samples) + len(taps) - 1)
    for begin in range(0, len(samples), block):
        piece = np.asarray(samples[begin : begin + block], dtype=np.float64)
        filtered = np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
        out[begin : begin + len(piece) + len(taps) - 1] += filtered[: len(piece) + len(taps) - 1]
    return out[: len(samples)]


def convolve_centred(samples: npt.NDArray[np.floating], taps: Taps) -> npt.NDArray[np.float64]:
    """The convolution with symmetric taps of odd length, without their delay, in the length of the samples."""
    delay = len(taps) // 2
    return convolve(np.concatenate([samples, np.zeros(delay)]), taps)[delay:]
