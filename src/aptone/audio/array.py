"""Sound that is in memory already: arrays in, records out."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aptone.audio.stream import Block, check_samples, check_shape
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio

Channel = int | Literal["mix", "only"]
"""Which channel: its number from 0 on, the mean of all, or the only one there is."""

FULL_SCALE = {np.dtype(np.int16): 2.0**15, np.dtype(np.int32): 2.0**31}
"""What counts as ±1 in arrays of integers."""


def pick_channel(block: Block, channel: Channel, *, name: str) -> Block:
    """One channel of frames × channels, as a vector.

    Raises:
        AudioError: if there is no such channel, or several where one was expected.
    """
    channels = block.shape[1]
    if channel == "mix":
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused by whoever takes the mix
            mixed: Block = block.mean(axis=1, dtype=np.float32)
        return mixed
    if channel == "only":
        if channels != 1:
            raise AudioError(message("audio.several-channels", name=name, channels=channels, last=channels - 1))
        return block[:, 0]
    if isinstance(channel, bool) or not isinstance(channel, int):
        raise AudioError(message("audio.no-such-channel-kind", name=name, what=repr(channel)))
    if not 0 <= channel < channels:
        raise AudioError(message("audio.no-such-channel", name=name, channel=channel, last=channels - 1))
    return block[:, channel]


def from_array(samples: npt.ArrayLike, *, rate: int, source: str = "array", channel: Channel = "only") -> Audio:
    """Samples in memory as a record.

    Args:
        samples: a vector, or frames × channels. Full scale is ±1 for floats, 2^15 for int16 and 2^31 for int32.
        rate: samples per second; there is no default, because a rate cannot be guessed.
        source: where it came from, for messages.
        channel: which channel of a two-dimensional array.

    Raises:
        AudioError: if there are no samples, NaN, infinite or absurdly large ones, another type or shape, several
            channels without a choice, or an absurd rate.

    >>> from_array(np.array([0, 16384], dtype=np.int16), rate=16_000).samples.tolist()
    [0.0, 0.5]
    """
    array: npt.NDArray[Any] = np.asarray(samples)
    if array.dtype in FULL_SCALE:
        array = (array / FULL_SCALE[array.dtype]).astype(np.float32)
    if array.dtype.kind != "f":
        raise AudioError(message("audio.wrong-dtype", name=source, what=array.dtype))
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise AudioError(message("audio.wrong-shape", name=source, shape=array.shape))
    if array.shape[0] == 0:
        raise AudioError(message("audio.array-empty", name=source))
    check_shape(rate=rate, channels=array.shape[1], name=source)
    with np.errstate(over="ignore"):
        vector = pick_channel(array.astype(np.float32, copy=False), channel, name=source)
    check_samples(vector, name=source)
    return Audio(vector, rate=rate, source=source)
