"""The grid of the network's frames: one every 20 ms, made of two filter-bank frames of 25 ms each."""

import numpy as np
import numpy.typing as npt

RATE = 16_000
STEP = 320
"""Samples between two frames of the network."""
FRAME_SECONDS = STEP / RATE
BANK_STEP = 160
BANK_SPAN = 400
"""Samples between two filter-bank frames, and in one of them."""


def bank_count(samples: int) -> int:
    """Filter-bank frames for so many samples: those that lie in them, at least one.

    >>> bank_count(400), bank_count(560), bank_count(1)
    (1, 2, 1)
    """
    return max(0, samples - BANK_SPAN) // BANK_STEP + 1


def frame_count(samples: int) -> int:
    """Frames of the network for so many samples: half as many as filter-bank frames, rounded up.

    >>> frame_count(400), frame_count(720), frame_count(16_000)
    (1, 2, 49)
    """
    return (bank_count(samples) + 1) // 2


def frame_centres(count: int) -> npt.NDArray[np.int64]:
    """The sample in the middle of each frame.

    >>> frame_centres(3).tolist()
    [200, 520, 840]
    """
    return np.arange(count, dtype=np.int64) * STEP + BANK_SPAN // 2
