"""Sound under the speech, and samples that are lost.

Noise at a stated signal-to-noise ratio, and music at a stated level; peaks clipped by overdrive, packets dropped in
bursts.
"""

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


def clip(audio: Audio, *, level: float) -> Audio:
    """The clip with every sample held between -level and level (hard clipping), linear, where full scale is 1.

    Above the clip's peak nothing changes.

    Raises:
        UsageError: if the level is not a positive number.

    >>> clip(Audio(np.array([0.2, -0.9], dtype=np.float32), rate=16_000), level=0.5).samples.tolist()
    [0.20000000298023224, -0.5]
    """
    if not (math.isfinite(level) and level > 0):
        raise UsageError(f"a clipping level is above 0, got {level}; full scale is 1.")
    return Audio(np.clip(audio.samples, -level, level), rate=audio.rate, source=audio.source)


def drop_outs(
    audio: Audio,
    *,
    share: float,
    seed: int | np.random.Generator,
    packet_seconds: float = 0.02,
    mean_burst_packets: float = 3.0,
) -> Audio:
    """The clip with a share of its packets silenced, as when a network loses them and nothing conceals it.

    The clip is cut into packets; round(share × packets) of them become zeros. They come in bursts of geometrically
    distributed length, as in Gilbert's two-state channel (Gilbert 1960), with at least one packet that arrives between
    two bursts where enough arrive.

    Args:
        share: share of the packets that are lost, 0 to 1; exact to within one packet of time.
        seed: random seed of the places, or a generator.
        mean_burst_packets: mean length of a burst, at least 1.

    Raises:
        UsageError: if an option lies outside its range.
    """
    if not 0 <= share <= 1:
        raise UsageError(f"the share of lost time lies between 0 and 1, got {share}.")
    if not (math.isfinite(packet_seconds) and round(packet_seconds * audio.rate) >= 1):
        raise UsageError(f"a packet holds at least one sample, got {packet_seconds} s at {audio.rate} Hz.")
    if not (math.isfinite(mean_burst_packets) and mean_burst_packets >= 1):
        raise UsageError(f"a burst loses at least one packet, got a mean of {mean_burst_packets}.")
    packet = round(packet_seconds * audio.rate)
    packets = math.ceil(audio.samples.size / packet)
    lost = lost_packets(
        packets, lost=round(share * packets), mean_burst=mean_burst_packets, generator=np.random.default_rng(seed)
    )
    gone = np.repeat(lost, packet)[: audio.samples.size]
    return Audio(np.where(gone, np.float32(0), audio.samples), rate=audio.rate, source=audio.source)


def lost_packets(
    packets: int, *, lost: int, mean_burst: float, generator: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Sample the packets that are lost: exactly ``lost`` of them, in bursts."""
    bursts: list[int] = []
    missing = lost
    while missing > 0:
        bursts.append(min(missing, int(generator.geometric(1 / mean_burst))))
        missing -= bursts[-1]
    kept = packets - lost
    while len(bursts) > kept + 1:
        # Too few packets arrive to stand between all bursts: two bursts become one.
        last = bursts.pop()
        bursts[int(generator.integers(len(bursts)))] += last
    # Each inner gap has one packet for sure; the others are dealt out by choosing where the dividers stand.
    inner = max(0, len(bursts) - 1)
    free = kept - inner
    dividers = np.sort(generator.choice(free + len(bursts), size=len(bursts), replace=False)) - np.arange(len(bursts))
    mask = np.zeros(packets, dtype=np.bool_)
    position = 0
    for index, burst in enumerate(bursts):
        begin = int(dividers[index]) + index + position
        mask[begin : begin + burst] = True
        position += burst
    return mask
