"""The frames of a clip, one every 10 ms at 16 kHz: their grid, spectra, loudness and long-term spectrum.

Frames are transformed in 64 bits and the result is rounded to 32: so last digits are the same for every build of numpy.
Rows are taken some at a time, so that what lies between stays in the processor's cache.

Loudness is in dB relative to full scale, which is 1 for the square root of the mean square: a square wave between -1
and 1 has 0 dBFS, a sine of the same height -3 dBFS. Nothing here knows how far away the microphone stood: recordings
compare only where their levels do. The long-term spectrum says how steeply a voice falls, and how much there is above
4 kHz: a pressed or shouting voice falls less steeply than a soft one; a telephone has nothing above 4 kHz.
"""

import functools
import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.messages import message
from aptone.stats.quantiles import percentiles
from aptone.types import Score, Segment

Samples = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

RATE = 16_000
STEP = 0.01
"""Seconds between two frames; frame i stands at (i + 1/2) * STEP."""

HOP = 160
"""Samples between two frames."""


def frames_within(segments: Iterable[Segment], *, count: int) -> Flags:
    """Flag which of `count` frames have their middle inside one of the segments.

    >>> frames_within([Segment(0.01, 0.03)], count=5)
    array([False,  True,  True, False, False])
    """
    inside = np.zeros(count, dtype=np.bool_)
    for segment in segments:
        inside[math.ceil(segment.start / STEP - 0.5) : math.ceil(segment.end / STEP - 0.5)] = True
    return inside


ROWS = 128
"""Frames that are transformed at a time."""


def spectra(frames: Samples) -> npt.NDArray[np.complex64]:
    """Return the spectrum of each row, from 0 to half the rate."""
    found = np.empty((len(frames), frames.shape[1] // 2 + 1), dtype=np.complex64)
    for begin in range(0, len(frames), ROWS):
        found[begin : begin + ROWS] = np.fft.rfft(frames[begin : begin + ROWS].astype(np.float64))
    return found


def autocorrelations(power: Samples, *, lags: int) -> Samples:
    """Return the circular autocorrelation, at lags from 0 on, behind each row of a power spectrum.

    Args:
        power: rows of n / 2 + 1 numbers, for frames of n samples.
        lags: number of lags, at most n / 2 + 1.
    """
    size = 2 * (power.shape[1] - 1)
    found = np.empty((len(power), lags), dtype=np.float32)
    for begin in range(0, len(power), ROWS):
        rows = power[begin : begin + ROWS].astype(np.complex128)
        found[begin : begin + ROWS] = np.fft.irfft(rows, size, norm="forward")[:, :lags]
    return found


FLOOR = -100.0
"""dBFS of digital silence, and of all that is fainter: 16 bits end at -96."""

MINIMUM_SPEECH_FRAMES = 10
"""Frames of speech below which it has no loudness."""

_WEIGHTS = np.array([1.0, 3.0, 4.0, 3.0, 1.0]) / 12.0  # a raised cosine: long enough to hold a period of a low voice


def loudness_track(samples: Samples, step: float = STEP) -> Floats:
    """The level every `step` seconds, in dBFS from -100 upwards: value i stands at (i + 1/2) * `step`.

    The mean square of each step, averaged over five of them (weights 1, 3, 4, 3, 1), as a level. What is left over
    behind the last whole step does not count.

    >>> square = np.where(np.arange(1_600) % 20 < 10, 0.1, -0.1).astype(np.float32)
    >>> loudness_track(square).round(3).tolist()[:2]  # 20 log10(0.1)
    [-20.0, -20.0]
    """
    hop = round(step * RATE)
    count = samples.size // hop
    if not count:
        return np.empty(0)
    rows = samples[: count * hop].reshape(count, hop)
    power = np.einsum("ij,ij->i", rows, rows, dtype=np.float64) / hop
    half = _WEIGHTS.size // 2
    smooth = np.convolve(np.pad(power, half, mode="edge"), _WEIGHTS, mode="valid")
    level: Floats = 10.0 * np.log10(np.maximum(smooth, 10.0 ** (FLOOR / 10.0)))
    return level


def loudness(levels: Floats) -> Score:
    """The level of the mean energy of these frames, in dBFS: ``10 log10(mean(10^(level / 10)))``.

    Args:
        levels: levels of the frames of speech. Undefined below ten of them.

    >>> round(loudness(np.array([-20.0] * 10 + [-100.0] * 10)).value, 2)  # half the energy: 3.01 dB less
    -23.01
    """
    if reason := _too_few(levels):
        return Score(math.nan, unit="dBFS", reason=reason, higher_is_better=None)
    return Score(10.0 * math.log10(float(np.mean(10.0 ** (levels / 10.0)))), unit="dBFS", higher_is_better=None)


def loudness_range(levels: Floats) -> Score:
    """Return the loudness range: from the 10th to the 95th percentile of these frames, in dB, 0 or more.

    Args:
        levels: levels of the frames of speech. Undefined below ten of them.

    >>> loudness_range(np.array([-40.0] * 50 + [-20.0] * 50)).value
    20.0
    """
    if reason := _too_few(levels):
        return Score(math.nan, unit="dB", reason=reason, higher_is_better=None)
    low, high = percentiles(levels, 10.0, 95.0)
    return Score(high - low, unit="dB", higher_is_better=None)


def _too_few(levels: Floats) -> str:
    if levels.size >= MINIMUM_SPEECH_FRAMES:
        return ""
    return message("ear.too-few-speech-frames", count=levels.size, needed=MINIMUM_SPEECH_FRAMES)


WINDOW = 512
"""Samples in a window, 32 ms: short enough to follow a voice that moves, long enough for the lowest period. Bins of its
spectrum lie 31.25 Hz apart."""

MINIMUM_FRAMES = 5
"""Frames below which a long-term spectrum is not measured."""

TILT_BAND = (100.0, 5_000.0)
SPEECH_BAND = (300.0, 3_400.0)
HIGH_BAND = 4_000.0
LOWEST_LEVEL = -100.0
"""dB; what 32-bit arithmetic can tell apart ends a little below."""

_BLOCK = 256


def long_term_spectrum(samples: Samples, frames: npt.NDArray[np.intp]) -> Floats:
    """The mean power spectrum of some frames of the 10 ms grid, in 257 bins from 0 to 8 kHz; zeros without frames.

    Each frame is heard through a Hann window of 32 ms around its middle; silence is put around the clip.
    """
    total = np.zeros(WINDOW // 2 + 1)
    if not frames.size or samples.size == 0:
        return total
    for begin in range(0, frames.size, _BLOCK):
        chosen = frames[begin : begin + _BLOCK]
        piece = around_frames(samples, int(chosen[0]), int(chosen[-1]))
        heard = sliding_window_view(piece, WINDOW)[(chosen - chosen[0]) * HOP]
        total += np.square(np.abs(spectra(heard * hann_window()))).sum(axis=0)
    return total / frames.size


def spectral_tilt(spectrum: Floats, *, count: int) -> Score:
    """Return the slope of the voiced frames' spectrum from 100 to 5,000 Hz, in dB an octave; negative as a rule.

    The slope of the straight line (least squares) through the level of the mean power density in bands of one octave,
    half an octave apart, over log2 of their middle: every octave counts the same, and harmonics do not matter as long
    as a band holds one. White noise has 0, a sawtooth -6.

    Args:
        spectrum: mean spectrum of voiced frames (`long_term_spectrum`).
        count: number of frames in that mean. Undefined below five, and if a band is silent.

    >>> round(spectral_tilt(np.ones(257), count=100).value, 6)
    0.0
    """
    if count < MINIMUM_FRAMES:
        reason = message("ear.too-few-voiced-frames", count=count, needed=MINIMUM_FRAMES)
        return Score(math.nan, unit="dB/octave", reason=reason, higher_is_better=None)
    octaves, places = _bands()
    density = np.array([spectrum[low:high].mean() for low, high in places])
    if not (density > 0.0).all():
        return Score(math.nan, unit="dB/octave", reason=message("ear.silent-band"), higher_is_better=None)
    centred = octaves - octaves.mean()
    tilt = float(centred @ (10.0 * np.log10(density)) / (centred @ centred))
    return Score(tilt, unit="dB/octave", higher_is_better=None)


def high_band(spectrum: Floats, *, count: int) -> Score:
    """The level above 4 kHz against that from 0.3 to 3.4 kHz, in dB, -100 or more.

    Args:
        spectrum: mean spectrum of frames of speech, voiced or not (`long_term_spectrum`).
        count: number of frames in that mean. Undefined below five, and if the lower band is silent.

    >>> spectrum = np.where(np.arange(257) * 31.25 > 4_000.0, 0.01, 1.0)
    >>> round(high_band(spectrum, count=100).value, 2)  # 128 bins of 0.01 against 99 of 1
    -18.88
    """
    if count < MINIMUM_FRAMES:
        reason = message("ear.too-few-speech-frames", count=count, needed=MINIMUM_FRAMES)
        return Score(math.nan, unit="dB", reason=reason, higher_is_better=None)
    frequency = np.arange(spectrum.size) * RATE / WINDOW
    low = float(spectrum[(frequency >= SPEECH_BAND[0]) & (frequency <= SPEECH_BAND[1])].sum())
    if not low > 0.0:
        return Score(math.nan, unit="dB", reason=message("ear.silent-telephone-band"), higher_is_better=None)
    share = float(spectrum[frequency > HIGH_BAND].sum()) / low
    level = 10.0 * math.log10(max(share, 10.0 ** (LOWEST_LEVEL / 10.0)))
    return Score(level, unit="dB", higher_is_better=None)


def around_frames(samples: Samples, first: int, last: int) -> Samples:
    """The samples from the window of one frame to that of another; silence is put around the clip."""
    begin, end = first * HOP + (HOP - WINDOW) // 2, last * HOP + (HOP + WINDOW) // 2
    piece = samples[max(begin, 0) : min(end, samples.size)]
    if begin >= 0 and end <= samples.size:
        return piece
    return np.pad(piece, (max(-begin, 0), max(end - samples.size, 0)))


@functools.cache
def hann_window() -> Samples:
    """Hann's window over `WINDOW` samples."""
    return (0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(WINDOW) + 0.5) / WINDOW)).astype(np.float32)


@functools.cache
def _bands() -> tuple[Floats, tuple[tuple[int, int], ...]]:
    """The middles of the octave bands, as log2 of Hz, and their first bin and the one behind their last."""
    low, high = TILT_BAND
    count = int(2.0 * math.log2(high / low)) - 1
    lower = low * 2.0 ** (np.arange(count) / 2.0)
    width = RATE / WINDOW
    places = tuple((math.ceil(edge / width), math.ceil(2.0 * edge / width)) for edge in lower)
    return np.log2(lower) + 0.5, places
