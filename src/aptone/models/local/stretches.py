"""Long recordings for models that hear a whole clip at once: in stretches of equal length, and the mean over them."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

STRETCH = 10.0
"""Longest stretch in seconds: what the shortest-sighted models for audio classification hear at once."""


def mean_over_stretches(
    samples: Floats, hear: Callable[[Floats], npt.NDArray[np.floating]], *, rate: int
) -> npt.NDArray[np.float64]:
    """Return the mean of what a model says about each stretch, which is at most `STRETCH` seconds long.

    >>> mean_over_stretches(np.arange(40, dtype=np.float32), lambda part: np.array([len(part), part[0]]), rate=2)
    array([20., 10.])
    """
    parts = max(1, math.ceil(samples.size / (STRETCH * rate)))
    edges = [round(samples.size * number / parts) for number in range(parts + 1)]
    heard = [np.asarray(hear(samples[first:behind]), dtype=np.float64) for first, behind in itertools.pairwise(edges)]
    mean: npt.NDArray[np.float64] = np.mean(heard, axis=0)
    return mean
