"""A pitch contour, and what is measured on it: level, range, slope, voiced share.

The measures take F0 in Hz, one value every 10 ms, NaN where the voice does not vibrate, and count in semitones: a
listener hears ratios. None of them is good or bad in itself.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.ear.measures.frames import STEP, Flags, Floats
from aptone.messages import message
from aptone.types import Score

REFERENCE = 100.0
"""Hz above which semitones are counted."""

MINIMUM_VOICED_FRAMES = 10
"""A tenth of a second of voice; less has no level, range or slope."""

SLOPE_POINTS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Contour:
    """The pitch of a voice over time: value i stands at (i + 1/2) * `step` seconds.

    Args:
        step: seconds between two values.
        hz: F0; NaN where the voice does not vibrate.
        strength: how periodic the sound is, 0 to 1: the height of the normalised autocorrelation at the period, or at
            the likeliest one where the frame is unvoiced.

    Raises:
        ValueError: if the step is not positive, or there is not one strength for every F0.
    """

    step: float
    hz: Floats
    strength: Floats

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise ValueError(f"the step of a contour is a positive number of seconds, got {self.step}.")
        if self.hz.ndim != 1 or self.hz.shape != self.strength.shape:
            raise ValueError(f"expected one strength for every F0, got {self.hz.shape} and {self.strength.shape}.")

    @property
    def times(self) -> Floats:
        """Seconds at which the values stand."""
        return np.arange(0.5, self.hz.size) * self.step

    @property
    def voiced(self) -> Flags:
        """Where the voice vibrates."""
        return ~np.isnan(self.hz)


def semitones(hz: Floats) -> Floats:
    """Semitones above 100 Hz, ``12 log2(F0 / 100)``; NaN where unvoiced.

    >>> semitones(np.array([50.0, 100.0, 200.0])).tolist()
    [-12.0, 0.0, 12.0]
    """
    counted: Floats = 12.0 * np.log2(hz / REFERENCE)
    return counted


def pitch_level(hz: Floats) -> Score:
    """How high the voice is: the median over voiced frames, in semitones above 100 Hz.

    Undefined (NaN) below ten voiced frames. Men speak around 2, women around 13, children above 17.

    >>> pitch_level(np.full(50, 200.0)).value  # one octave above 100 Hz
    12.0
    """
    voiced = hz[~np.isnan(hz)]
    if reason := _too_few(voiced):
        return Score(math.nan, unit="semitones above 100 Hz", reason=reason, higher_is_better=None)
    level = float(np.median(semitones(voiced)))
    return Score(level, unit="semitones above 100 Hz", higher_is_better=None)


def pitch_range(hz: Floats) -> Score:
    """How far the voice moves: from the 5th to the 95th percentile of voiced frames, in semitones, 0 or more.

    Percentiles rather than extremes, so that one mistaken octave does not count. Undefined below ten voiced frames.

    >>> pitch_range(np.array([100.0] * 50 + [200.0] * 50)).value  # 12 * log2(200 / 100)
    12.0
    """
    voiced = hz[~np.isnan(hz)]
    if reason := _too_few(voiced):
        return Score(math.nan, unit="semitones", reason=reason, higher_is_better=None)
    low, high = np.percentile(semitones(voiced), (5.0, 95.0))
    return Score(float(high - low), unit="semitones", higher_is_better=None)


def pitch_slope(hz: Floats) -> Score:
    """Whether the voice rises or falls over the whole clip, in semitones a second: the line of Theil and Sen.

    The median of the slopes between all pairs of voiced frames (Sen 1968); of a hundred evenly chosen ones where there
    are more. A third of the frames can be wrong and hardly move it. Undefined below ten voiced frames.

    >>> round(pitch_slope(100.0 * 2.0 ** np.linspace(0.0, 1.0, 101)).value, 6)  # one octave in 100 frames, one second
    12.0
    """
    frames = np.flatnonzero(~np.isnan(hz))
    if reason := _too_few(frames):
        return Score(math.nan, unit="semitones/s", reason=reason, higher_is_better=None)
    chosen = frames[np.linspace(0, frames.size - 1, min(frames.size, SLOPE_POINTS)).round().astype(np.intp)]
    heights = semitones(hz[chosen])
    first, second = _pairs(chosen.size)
    slopes = (heights[second] - heights[first]) / ((chosen[second] - chosen[first]) * STEP)
    return Score(float(np.median(slopes)), unit="semitones/s", higher_is_better=None)


def voiced_share(hz: Floats, *, speech: Flags) -> Score:
    """The share of the frames of speech in which the voice vibrates, 0 to 1; low in whispering.

    Undefined without speech.

    >>> voiced_share(np.array([100.0, np.nan, 120.0, 90.0]), speech=np.array([True, True, True, False])).value
    0.6666666666666666
    """
    if not speech.any():
        return Score(math.nan, range=(0.0, 1.0), reason=message("ear.no-speech"), higher_is_better=None)
    share = float(np.mean(~np.isnan(hz[speech])))
    return Score(share, range=(0.0, 1.0), higher_is_better=None)


@functools.cache
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Of so many things, a hundred at most, each with each that comes later."""
    return np.triu_indices(count, k=1)


def _too_few(voiced: npt.NDArray[np.generic]) -> str:
    enough = voiced.size >= MINIMUM_VOICED_FRAMES
    return "" if enough else message("ear.too-few-voiced-frames", count=voiced.size, needed=MINIMUM_VOICED_FRAMES)
