"""Sound under the speech: noise at a stated signal-to-noise ratio, and music at a stated level."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from aptone.audio.degrade.filtering import audible_rms, convolve_centred, rms, with_spectrum
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.types import Audio

NoiseKind = Literal["white", "pink", "babble"]
"""``white``: equal power per hertz; ``pink``: per octave; ``babble``: noise shaped as several voices."""

MAX_DECIBELS = 200.0  # largest ratio of two levels: far beyond any use, and such that samples stay finite
_LOWEST_PINK_HERTZ = 20.0
_TALKERS = 6
_SYLLABLES_PER_SECOND = 4.0


def add_noise(
    audio: Audio,
    *,
    snr_db: float,
    seed: int | np.random.Generator,
    noise: Audio | None = None,
    kind: NoiseKind = "white",
) -> Audio:
    """The clip with noise under it, at a signal-to-noise ratio of 10 log10(mean s² / mean n²) over the whole clip.

    The speech keeps its level; the sum may exceed full scale and is not clipped. The ratio is exact to 0.001 dB up to
    60 dB, above which 32-bit samples round the noise.

    Args:
        snr_db: signal-to-noise ratio in decibels; higher is cleaner.
        seed: random seed of the noise, or of the place where a given noise begins; or a generator.
        noise: a recording to use, at the rate of the speech, repeated as needed; made by ``kind`` when not given.

    Raises:
        AudioError: if the speech or the noise is silent (the ratio is undefined), or their rates differ.
        UsageError: if the ratio lies beyond ±200 dB or the kind is unknown.
    """
    if not abs(snr_db) <= MAX_DECIBELS:  # written so that NaN refuses too
        raise UsageError(f"a signal-to-noise ratio lies between ±{MAX_DECIBELS:g} dB, got {snr_db}.")
    generator = np.random.default_rng(seed)
    if noise is None:
        under = _made(kind, length=audio.samples.size, rate=audio.rate, generator=generator)
    else:
        offset = int(generator.integers(noise.samples.size))
        under = _repeated(noise, length=audio.samples.size, rate=audio.rate, offset=offset)
    return _sum(audio, under, level_db=-snr_db, name="noise" if noise is None else noise.source)


def mix_in(audio: Audio, other: Audio, *, level_db: float) -> Audio:
    """The clip with another sound under it, such as music, repeated from its beginning or cut to the clip's length.

    Args:
        audio: speech; it keeps its level. The sum may exceed full scale and is not clipped.
        other: at the rate of the speech.
        level_db: level of the other sound relative to the speech, 20 log10(rms other / rms speech), over the clip.

    Raises:
        AudioError: if one of them is silent, or their rates differ.
        UsageError: if the level lies beyond ±200 dB.
    """
    if not abs(level_db) <= MAX_DECIBELS:  # written so that NaN refuses too
        raise UsageError(f"a level lies between ±{MAX_DECIBELS:g} dB, got {level_db}.")
    under = _repeated(other, length=audio.samples.size, rate=audio.rate, offset=0)
    return _sum(audio, under, level_db=level_db, name=other.source)


def _sum(audio: Audio, under: npt.NDArray[np.float64], *, level_db: float, name: str) -> Audio:
    speech, level = audible_rms(audio), rms(under)
    if level == 0:
        raise AudioError(message("audio.silent-noise", name=name))
    gain = speech / level * 10 ** (level_db / 20)
    return Audio((audio.samples + gain * under).astype(np.float32), rate=audio.rate, source=audio.source)


def _repeated(other: Audio, *, length: int, rate: int, offset: int) -> npt.NDArray[np.float64]:
    if other.rate != rate:
        raise AudioError(message("audio.other-rate", name=other.source, own=other.rate, rate=rate))
    return np.resize(np.roll(other.samples, -offset), length).astype(np.float64)


def _made(kind: NoiseKind, *, length: int, rate: int, generator: np.random.Generator) -> npt.NDArray[np.float64]:
    if kind == "white":
        return generator.standard_normal(length)
    if kind == "pink":
        return convolve_centred(generator.standard_normal(length), with_spectrum(_pink, rate=rate))
    if kind == "babble":
        return _babble(length=length, rate=rate, generator=generator)
    raise UsageError(f'unknown kind of noise {kind!r}; expected "white", "pink" or "babble".')


def _pink(hertz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Amplitude as 1 / √f, so that power falls by 3 dB an octave, level below 20 Hz."""
    return np.sqrt(_LOWEST_PINK_HERTZ / np.maximum(hertz, _LOWEST_PINK_HERTZ))


def _speech_shape(hertz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Roughly the long-term spectrum of speech (Byrne et al. 1994): level from 100 to 500 Hz, then -9 dB an octave."""
    rise = np.minimum(hertz / 100.0, 1.0)
    fall = np.minimum(1.0, (500.0 / np.maximum(hertz, 1.0)) ** (9 / (20 * np.log10(2))))
    shape: npt.NDArray[np.float64] = rise * fall
    return shape


def _babble(*, length: int, rate: int, generator: np.random.Generator) -> npt.NDArray[np.float64]:
    """Six voices' worth of speech-shaped noise, each rising and falling four times a second on its own."""
    knots = math.ceil(length / rate * 2 * _SYLLABLES_PER_SECOND) + 2
    times = np.arange(length) / rate * 2 * _SYLLABLES_PER_SECOND
    total = np.zeros(length)
    for _ in range(_TALKERS):
        envelope = np.interp(times, np.arange(knots), generator.exponential(size=knots))
        total += envelope * generator.standard_normal(length)
    return convolve_centred(total, with_spectrum(_speech_shape, rate=rate))
