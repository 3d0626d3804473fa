"""One speaker or several? By how far apart two groups of windows of a clip lie in the ear's stem.

The stem of the ear is the lower half of a speaker network. Its numbers over a second of speech (means and deviations)
tell who speaks, and much else: what is felt, which sounds are spoken. A few directions in which speakers differ more
than one speaker does from second to second (linear discriminants, ``weights/speakers.npz``) are kept; the windows of a
clip are put into two groups there, and if the groups lie far apart, two people speak. ``benchmarks/style_speakers.py``
makes the directions and says how often this is right.

Transcripts of models that mark speakers (``[S1] … [S2] …``, as whisperD does) are the other way to count them.
"""

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from aptone.audio import find_speech, resample
from aptone.ear import load_ear
from aptone.ear.network.filter_bank import RATE
from aptone.ear.network.inference import STEM_NUMBERS, frame_flags
from aptone.messages import message
from aptone.types import Audio

Floats = npt.NDArray[np.float64]

WINDOW, HOP = 50, 25
"""Frames of 20 ms: a second of speech, every half second."""
FEWEST_WINDOWS = 4
MOST_ROUNDS = 20

_TAG = re.compile(r"\[\s*S(?:PEAKER)?[ _]?(\d{1,3})\s*\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Axes:
    """Directions in which speakers differ.

    Args:
        mean: mean of windows of many speakers, [numbers].
        directions: [numbers, directions].
        threshold: distance of the two groups from which on they are two people.
    """

    mean: Floats
    directions: Floats
    threshold: float


@dataclass(frozen=True, slots=True)
class Speakers:
    """Verdict on several speakers, by the distance of two groups of windows, 0 to 2; or ``None``, NaN and a reason."""

    several: bool | None
    distance: float = math.nan
    reason: str = ""


def count_speakers(audio: Audio) -> Speakers:
    """Decide whether one person speaks in a clip, or several."""
    axes = load_axes()
    windows = window_numbers(stem_frames(audio))
    if len(windows) < FEWEST_WINDOWS:
        return Speakers(None, reason=message("style.too-little-speech"))
    distance = group_distance((windows - axes.mean) @ axes.directions)
    return Speakers(distance >= axes.threshold, distance)


def tagged_speakers(transcript: str) -> int:
    """Count the speakers that a transcript marks; 0 if it marks none.

    >>> tagged_speakers("[S1] Hello. [S2] Hello. [S1] Sit down.")
    2
    """
    return len({int(number) for number in _TAG.findall(transcript)})


def stem_frames(audio: Audio) -> Floats:
    """Return the stem's features for each 20 ms of speech, [frames, `STEM_NUMBERS`]."""
    heard = resample(audio, rate=RATE)
    flags = frame_flags(heard.samples.size, [(span.start, span.end) for span in find_speech(heard)])
    if not flags.any():
        return np.empty((0, STEM_NUMBERS))
    frames = load_ear("permissive").network.frames(heard.samples, flags)  # every ear has the same stem
    return np.asarray(frames[: flags.size, :STEM_NUMBERS][flags], dtype=np.float64)


def window_numbers(frames: Floats) -> Floats:
    """Means and deviations over each second of speech, [windows, 2 × numbers]."""
    parts = (frames[begin : begin + WINDOW] for begin in range(0, len(frames) - WINDOW + 1, HOP))
    rows = [np.concatenate([part.mean(axis=0), part.std(axis=0)]) for part in parts]
    return np.array(rows).reshape(len(rows), 2 * frames.shape[1])


def group_distance(windows: Floats) -> float:
    """Return the distance of the two clusters of windows: 1 minus the cosine of their centres, 0 to 2.

    Groups are found by two-means on the sphere, begun with the two windows that are least alike.

    >>> round(group_distance(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])), 2)
    0.9
    """
    units = windows / np.maximum(np.linalg.norm(windows, axis=1, keepdims=True), 1e-12)
    alike = units @ units.T
    centres = units[list(np.unravel_index(int(alike.argmin()), alike.shape))]
    groups = np.full(len(units), -1)
    for _ in range(MOST_ROUNDS):
        new = (units @ centres.T).argmax(axis=1)
        if np.array_equal(new, groups) or new.min() == new.max():
            break
        groups = new
        sums = np.stack([units[groups == group].sum(axis=0) for group in (0, 1)])
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return float(1.0 - centres[0] @ centres[1])


@cache
def load_axes() -> Axes:
    """The directions inside the package."""
    with files("aptone.rooms.style").joinpath("weights", "speakers.npz").open("rb") as file:
        held = np.load(file, allow_pickle=False)
        return Axes(held["mean"].astype(np.float64), held["directions"].astype(np.float64), float(held["threshold"]))
