"""Another sample rate, speed or pitch.

Rates are changed by soxr. For speed and pitch, speech is cut into overlapping windows that are laid closer together or
further apart; each is taken from where it continues the one before it best (WSOLA; Verhelst & Roelands 1993). Voices
stay natural up to about a third faster or slower and four semitones higher or lower; formants move with the pitch.
"""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
import soxr
from numpy.lib.stride_tricks import sliding_window_view

from aptone.audio.decode import check_shape
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.types import Audio

Quality = Literal["HQ", "VHQ"]
"""soxr's recipes: ``HQ`` keeps 20 bits, ``VHQ`` 28 bits of precision; both linear in phase."""


def resampled_length(length: int, *, old: int, new: int) -> int:
    """Return the length after resampling ``length`` samples: length × new / old, rounded, halves upwards.

    >>> resampled_length(3, old=48_000, new=8_000)
    1
    """
    return (2 * length * new + old) // (2 * old)


def resample(audio: Audio, *, rate: int, quality: Quality = "HQ") -> Audio:
    """The same sound at another rate; unchanged where the rate is the same already.

    The result has round(n × new / old) samples and no delay: a sample at t seconds stays at t seconds.

    Raises:
        AudioError: if the rate lies outside 1 to 768 kHz, or no sample would be left.

    >>> tone = Audio(np.zeros(441, dtype=np.float32), rate=44_100)
    >>> resample(tone, rate=16_000).samples.size
    160
    """
    check_shape(rate=rate, channels=1, name=audio.source)
    if rate == audio.rate:
        return audio
    if resampled_length(audio.samples.size, old=audio.rate, new=rate) == 0:
        count = audio.samples.size
        raise AudioError(message("audio.none-left", name=audio.source, count=count, own=audio.rate, rate=rate))
    samples: npt.NDArray[np.float32] = soxr.resample(audio.samples, audio.rate, rate, quality=quality)
    return Audio(samples, rate=rate, source=audio.source)


WINDOW_SECONDS = 0.032
SEARCH_SECONDS = 0.010
"""Largest shift of a window to continue the last one: more than half a period of a low voice."""
LARGEST_FACTOR = 4.0
MOST_SEMITONES = 12.0 * math.log2(LARGEST_FACTOR)


def stretch(audio: Audio, factor: float) -> Audio:
    """The clip `factor` times as long, at the same pitch; one that is too short to be cut, 64 ms, stays as it is.

    Raises:
        UsageError: if the factor is not between 1/4 and 4.
    """
    _check(factor)
    window = 2 * max(1, round(WINDOW_SECONDS * audio.rate / 2.0))
    hop = window // 2
    if factor == 1.0 or audio.samples.size <= 2 * window:
        return audio
    reach = round(SEARCH_SECONDS * audio.rate)
    length = round(audio.samples.size * factor)
    frames = math.ceil(length / hop) + 1
    source = np.pad(audio.samples.astype(np.float64), (reach, window + 2 * reach + hop))
    shape = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(window) + 0.5) / window)
    made = np.zeros((frames + 1) * hop)
    last = audio.samples.size - 1
    place = reach
    for frame in range(frames):
        wanted = reach + min(last, round(frame * hop / factor))
        if frame:
            place = _most_like(source, source[place + hop : place + hop + window], around=wanted, reach=reach)
        made[frame * hop : frame * hop + window] += shape * source[place : place + window]
    return Audio(made[:length].astype(np.float32), rate=audio.rate, source=audio.source)


def shift_pitch(audio: Audio, semitones: float) -> Audio:
    """The clip so many semitones higher (or, below 0, lower), at the same speed and length; short ones as `stretch`.

    Raises:
        UsageError: if that is more than two octaves.
    """
    if not abs(semitones) <= MOST_SEMITONES:  # written so that NaN refuses too
        raise UsageError(f"a voice can be moved by up to {MOST_SEMITONES:g} semitones, got {semitones:g}.")
    ratio = 2.0 ** (semitones / 12.0)
    longer = stretch(audio, ratio)
    if longer is audio:
        return audio
    samples = change_speed(longer, ratio).samples[: audio.samples.size]
    return Audio(np.pad(samples, (0, audio.samples.size - samples.size)), rate=audio.rate, source=audio.source)


def change_speed(audio: Audio, factor: float) -> Audio:
    """The clip played `factor` times as fast: shorter and higher, as a tape would be.

    Raises:
        UsageError: if the factor is not between 1/4 and 4.
        AudioError: if no sample would be left, or the clip has less than 1000 samples a second.
    """
    _check(factor)
    return resample(Audio(audio.samples, rate=max(1, round(audio.rate * factor)), source=audio.source), rate=audio.rate)


def _most_like(source: npt.NDArray[np.float64], expected: npt.NDArray[np.float64], *, around: int, reach: int) -> int:
    """The place near `around` where the source is most like what is expected there."""
    size = expected.size
    candidates = source[around - reach : around + reach + size]
    products = np.correlate(candidates, expected, mode="valid")
    energies = np.square(sliding_window_view(candidates, size)).sum(axis=1)
    return around - reach + int(np.argmax(products / np.sqrt(energies + 1e-9)))


def _check(factor: float) -> None:
    if not 1.0 / LARGEST_FACTOR <= factor <= LARGEST_FACTOR:  # written so that NaN refuses too
        raise UsageError(f"a recording can be changed by a factor between 1/4 and 4, got {factor:g}.")
