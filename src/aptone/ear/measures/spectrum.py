"""The long-term spectrum of a voice: how steeply it falls, and how much there is above 4 kHz.

A pressed or shouting voice falls less steeply than a soft one; a telephone has nothing above 4 kHz.
"""

import functools
import math

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.ear.measures.frames import HOP, RATE, Floats, Samples
from aptone.ear.transform import spectra
from aptone.messages import message
from aptone.types import Score

WINDOW = 512
"""Samples in a frame, 32 ms; so bins lie 31.25 Hz apart."""

MINIMUM_FRAMES = 5
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
        first = int(chosen[0]) * HOP + (HOP - WINDOW) // 2
        last = int(chosen[-1]) * HOP + (HOP - WINDOW) // 2 + WINDOW
        piece = samples[max(first, 0) : min(last, samples.size)]
        if first < 0 or last > samples.size:
            piece = np.pad(piece, (max(-first, 0), max(last - samples.size, 0)))
        heard = sliding_window_view(piece, WINDOW)[(chosen - chosen[0]) * HOP]
        total += np.square(np.abs(spectra(heard * _taper()))).sum(axis=0)
    return total / frames.size


def spectral_tilt(spectrum: Floats, *, count: int) -> Score:
    """How steeply the spectrum of the voiced frames falls from 100 to 5,000 Hz, in dB an octave; negative as a rule.

    The slope of the straight line (least squares) through the level of the mean power density in bands of one octave,
    half an octave apart, over log2 of their middle: every octave counts the same, and harmonics do not matter as long
    as a band holds one. White noise has 0, a sawtooth -6.

    Args:
        spectrum: of voiced frames (`long_term_spectrum`).
        count: how many frames it is the mean of. Undefined below five, and if a band is silent.

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
        spectrum: of frames of speech, voiced or not (`long_term_spectrum`).
        count: how many frames it is the mean of. Undefined below five, and if the lower band is silent.

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


@functools.cache
def _taper() -> Samples:
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
