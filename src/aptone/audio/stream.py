"""What every decoder offers: blocks of samples, so that memory stays bounded whatever a file claims."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.errors import AudioError
from aptone.messages import message

Block = npt.NDArray[np.float32]
"""Samples as an array of frames × channels."""

MIN_RATE = 1_000
MAX_RATE = 768_000
MAX_CHANNELS = 64
MAX_AMPLITUDE = 1e12
"""Times full scale: beyond this, sums and squares of samples no longer fit into 32-bit floats."""

BLOCK_SAMPLES = 1 << 18
"""Most samples, all channels together, that are decoded at a time."""


class Stream(Protocol):
    """An open recording.

    Attributes:
        rate: samples per second and channel, as in the file.
        channels: how many.
        frames: samples per channel that the file promises; ``None`` when only decoding tells.
        position: frames decoded so far, those before the first one asked for included.
        format: container and coding, for instance ``wav pcm_16``.
    """

    rate: int
    channels: int
    frames: int | None
    position: int
    format: str

    def blocks(self, *, first: int) -> Iterator[Block]:
        """Blocks from the frame ``first`` on, in order; an `AudioError` where the file breaks off."""
        ...


def check_shape(*, rate: int, channels: int, name: str) -> None:
    """Refuse what no recording of speech has and a damaged or hostile header may claim.

    Raises:
        AudioError: if the rate is no whole number or outside 1 to 768 kHz, or there are no channels or more than 64.
    """
    if not _is_whole(rate) or not MIN_RATE <= rate <= MAX_RATE:
        raise AudioError(message("audio.wrong-sample-rate", name=name, low=MIN_RATE, high=MAX_RATE, rate=rate))
    if not 1 <= channels <= MAX_CHANNELS:
        raise AudioError(message("audio.wrong-channels", name=name, most=MAX_CHANNELS, channels=channels))


def check_samples(samples: Block, *, name: str) -> None:
    """Refuse what is no sound.

    Raises:
        AudioError: if a sample is NaN, infinite, or beyond 10^12 times full scale.
    """
    peak = float(np.abs(samples).max())
    if not peak <= MAX_AMPLITUDE:  # written so that NaN, which max hands on, refuses too
        raise AudioError(message("audio.wrong-samples", name=name, peak=peak))


def _is_whole(rate: object) -> bool:
    """Whether a number is of a whole type: a caller without a type checker may well give 16000.0."""
    return isinstance(rate, int | np.integer)
