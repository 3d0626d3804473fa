"""How loud the voice is, and how much that changes, in dB relative to full scale.

Full scale is 1, for the square root of the mean square: a square wave between -1 and 1 has 0 dBFS, a sine of the same
height -3 dBFS. Nothing here knows how far away the microphone stood: recordings compare only where their levels do.
"""

import math

import numpy as np

from aptone.ear.measures.frames import RATE, STEP, Floats, Samples
from aptone.messages import message
from aptone.types import Score

FLOOR = -100.0
"""dBFS of digital silence, and of all that is fainter: 16 bits end at -96."""

MINIMUM_FRAMES = 10

_WEIGHTS = np.array([1.0, 3.0, 4.0, 3.0, 1.0]) / 12.0  # a raised cosine: long enough to hold a period of a low voice


def loudness_track(samples: Samples, step: float = STEP) -> Floats:
    """The level every `step` seconds, in dBFS from -100 upwards: value i stands at (i + 1/2) * `step`.

    The mean square of each step, averaged over five of them (weights 1, 3, 4, 3, 1), as a level. What is left over
    behind the last whole step does not count.

    >>> square = np.where(np.arange(1_600) % 20 < 10, 0.1, -0.1).astype(np.float32)
    >>> loudness_track(square).round(3).tolist()[:2]  # 20 log10(0.1)
    [-20.0, -20.0]
    """
    hop = round(step * RATE)
    count = samples.size // hop
    if not count:
        return np.empty(0)
    rows = samples[: count * hop].reshape(count, hop)
    power = np.einsum("ij,ij->i", rows, rows, dtype=np.float64) / hop
    half = _WEIGHTS.size // 2
    smooth = np.convolve(np.pad(power, half, mode="edge"), _WEIGHTS, mode="valid")
    level: Floats = 10.0 * np.log10(np.maximum(smooth, 10.0 ** (FLOOR / 10.0)))
    return level


def loudness(levels: Floats) -> Score:
    """The level of the mean energy of these frames, in dBFS: ``10 log10(mean(10^(level / 10)))``.

    Args:
        levels: of the frames of speech. Undefined below ten of them.

    >>> round(loudness(np.array([-20.0] * 10 + [-100.0] * 10)).value, 2)  # half the energy: 3.01 dB less
    -23.01
    """
    if reason := _too_few(levels):
        return Score(math.nan, unit="dBFS", reason=reason, higher_is_better=None)
    mean = float(np.mean(10.0 ** (levels / 10.0)))
    return Score(10.0 * math.log10(mean), unit="dBFS", higher_is_better=None)


def loudness_range(levels: Floats) -> Score:
    """How far the level moves: from the 10th to the 95th percentile of these frames, in dB, 0 or more.

    Args:
        levels: of the frames of speech. Undefined below ten of them.

    >>> loudness_range(np.array([-40.0] * 50 + [-20.0] * 50)).value
    20.0
    """
    if reason := _too_few(levels):
        return Score(math.nan, unit="dB", reason=reason, higher_is_better=None)
    low, high = np.percentile(levels, (10.0, 95.0))
    return Score(float(high - low), unit="dB", higher_is_better=None)


def _too_few(levels: Floats) -> str:
    return (
        ""
        if levels.size >= MINIMUM_FRAMES
        else message("ear.too-few-speech-frames", count=levels.size, needed=MINIMUM_FRAMES)
    )
