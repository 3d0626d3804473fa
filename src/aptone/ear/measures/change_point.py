"""Change point of a feeling: the time that splits a trajectory into the two parts that differ most."""

import math

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.types import Score, Trajectory

SHORTEST_STRETCH = 1.0
"""Seconds of speech, pauses between included, that lie before and behind a change at the least."""

FINE_STEP = 0.1
"""Seconds between two points of a trajectory in which changes are looked for: pauses between phrases show as gaps."""


def change_point(trajectory: Trajectory, *, shortest: float = SHORTEST_STRETCH) -> Score:
    """Return the time at which valence, arousal and dominance change most, in seconds.

    Of all places that leave two stretches, the one where the squares of the distances to the two means sum up to least.
    A feeling mostly changes with a new phrase: where there are pauses (points that are NaN), only those are looked at,
    and the answer is the middle of one. Use a fine step, such as 0.1 s, so that pauses are seen.

    Undefined (NaN) where there is too little speech to leave two stretches.

    Args:
        trajectory: points with NaN where there is no speech.
        shortest: seconds that a stretch lasts at least.

    >>> change_point(Trajectory(1.0, (0.1, 0.1, 0.9, 0.9), (0.0,) * 4, (0.0,) * 4)).value
    2.0
    """
    points = np.array((trajectory.valence, trajectory.arousal, trajectory.dominance), dtype=np.float64).T.reshape(-1, 3)
    spoken = np.flatnonzero(~np.isnan(points).any(axis=1))
    times = (spoken + 0.5) * trajectory.step
    half = trajectory.step / 2
    before, behind = times[:-1] - times[:1] + half, times[-1:] - times[1:] + half
    possible = (before + half >= shortest - 1e-9) & (behind + half >= shortest - 1e-9)
    if not possible.any():
        seconds = spoken.size * trajectory.step
        reason = message("ear.no-two-stretches", count=seconds, needed=shortest)
        return Score(math.nan, unit="s", reason=reason, higher_is_better=None)
    pauses = possible & (np.diff(spoken) > 1)
    errors = np.where(pauses if pauses.any() else possible, _errors(points[spoken]), np.inf)
    place = int(errors.argmin())
    return Score(float(times[place] + times[place + 1]) / 2, unit="s", higher_is_better=None)


def _errors(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the squared distances to the means before and behind each place between two points."""
    sums, squares = points.cumsum(axis=0), np.square(points).sum(axis=1).cumsum()
    counts = np.arange(1, len(points))
    left = squares[:-1] - np.square(sums[:-1]).sum(axis=1) / counts
    right = squares[-1] - squares[:-1] - np.square(sums[-1] - sums[:-1]).sum(axis=1) / counts[::-1]
    errors: npt.NDArray[np.float64] = left + right
    return errors
