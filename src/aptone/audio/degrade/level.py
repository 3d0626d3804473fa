"""Root mean square level, on which every ratio of sounds here rests."""

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
