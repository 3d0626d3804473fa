"""Values that come many times a second, as means over steps of equal length."""

import math

import numpy as np
import numpy.typing as npt


def step_count(seconds: float, step: float) -> int:
    """Return the number of steps of a recording; the last one may be shorter.

    >>> step_count(2.0, 1.0), step_count(2.1, 1.0), step_count(0.3, 1.0)
    (2, 3, 1)
    """
    return max(1, math.ceil(round(seconds / step, 6)))


def step_means(
    values: npt.NDArray[np.floating], times: npt.NDArray[np.floating], *, seconds: float, step: float
) -> npt.NDArray[np.float64]:
    """The mean of the values in each step: [steps, columns]; NaN where a step holds none.

    Step i goes from ``i * step`` to ``(i + 1) * step`` seconds. What comes after the last step belongs to that one.

    Args:
        values: [values, columns].
        times: time of each of them, in seconds from the beginning.

    >>> step_means(np.array([[1.0], [3.0], [5.0]]), np.array([0.2, 0.8, 2.5]), seconds=3.0, step=1.0).tolist()
    [[2.0], [nan], [5.0]]
    """
    count = step_count(seconds, step)
    place = np.minimum((times / step).astype(np.int64), count - 1)
    found = np.bincount(place, minlength=count)
    sums = np.zeros((count, values.shape[1]))
    np.add.at(sums, place, values)
    means: npt.NDArray[np.float64] = np.where(found[:, None] > 0, sums / np.maximum(found, 1)[:, None], np.nan)
    return means
