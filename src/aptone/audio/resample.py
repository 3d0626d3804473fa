"""Another sample rate, by soxr."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import soxr

from aptone.audio.stream import check_shape
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio

Quality = Literal["HQ", "VHQ"]
"""soxr's recipes: ``HQ`` keeps 20 bits, ``VHQ`` 28 bits of precision; both linear in phase."""


def resampled_length(length: int, *, old: int, new: int) -> int:
    """How many samples ``length`` samples become: length × new / old, rounded, halves upwards.

    >>> resampled_length(3, old=48_000, new=8_000)
    1
    """
    return (2 * length * new + old) // (2 * old)


def resample(audio: Audio, *, rate: int, quality: Quality = "HQ") -> Audio:
    """The same sound at another rate; unchanged where the rate is the same already.

    The result has round(n × new / old) samples and no delay: a sample at t seconds stays at t seconds.

    Args:
        audio: what to resample.
        rate: samples per second to come to.
        quality: ``HQ`` or ``VHQ`` of soxr.

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
        raise AudioError(
            message("audio.none-left", name=audio.source, count=audio.samples.size, own=audio.rate, rate=rate)
        )
    samples: npt.NDArray[np.float32] = soxr.resample(audio.samples, audio.rate, rate, quality=quality)
    return Audio(samples, rate=rate, source=audio.source)
