"""The grid on which the ear measures: a frame every 10 ms, at 16 kHz."""

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from aptone.types import Segment

Samples = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

RATE = 16_000
STEP = 0.01
"""Seconds between two frames; frame i stands at (i + 1/2) * STEP."""

HOP = 160
"""Samples between two frames."""


def frames_within(segments: Iterable[Segment], *, count: int) -> Flags:
    """Which of `count` frames stand inside one of the segments: those whose middle does.

    >>> frames_within([Segment(0.01, 0.03)], count=5)
    array([False,  True,  True, False, False])
    """
    inside = np.zeros(count, dtype=np.bool_)
    for segment in segments:
        inside[math.ceil(segment.start / STEP - 0.5) : math.ceil(segment.end / STEP - 0.5)] = True
    return inside
