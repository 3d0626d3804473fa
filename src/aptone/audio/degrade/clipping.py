"""An overdriven recording."""

import math

import numpy as np

from aptone.errors import UsageError
from aptone.types import Audio


def clip(audio: Audio, *, level: float) -> Audio:
    """The clip with every sample held between -level and level (hard clipping).

    Args:
        audio: what to clip.
        level: linear, where full scale is 1; above the clip's peak nothing changes.

    Raises:
        UsageError: if the level is not a positive number.

    >>> clip(Audio(np.array([0.2, -0.9], dtype=np.float32), rate=16_000), level=0.5).samples.tolist()
    [0.20000000298023224, -0.5]
    """
    if not (math.isfinite(level) and level > 0):
        raise UsageError(f"a clipping level is above 0, got {level}; full scale is 1.")
    return Audio(np.clip(audio.samples, -level, level), rate=audio.rate, source=audio.source)
