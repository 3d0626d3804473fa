"""Changes over time as claims: "starts calm and ends furious", "gets louder".

The clip is split where its feeling changes most (`aptone.ear.measures.change_point`); for pitch and volume, in the
middle of its speech. With d the usual way from the first value to the second (in valence and arousal; of scales, up or
down) and m the way that the clip went from the one part to the other,

    amount = m · d / |d|

in units of valence and arousal, semitones, or decibels. From one limit on the change is true, below another false. What
the ear has no course of (the rate) stays undecided.
"""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from aptone.ear.claims import wording as words
from aptone.ear.claims.rules import Hearing, Reading
from aptone.ear.describe import Attribute, values_of
from aptone.ear.measures.change_point import change_point
from aptone.types import TYPICAL_VAD, ClosedSet, Emotion, Perception

SHORTEST = 0.5
"""Seconds of speech before and behind a change of the feeling."""
FEWEST = 10
"""Frames with a pitch, or a level, in each half."""
QUIET = 35.0
"""Decibels below the loudest frame from which on a frame is no speech."""


def read_change(hearing: Hearing, attribute: Attribute, before: ClosedSet, after: ClosedSet) -> Reading:
    """Apply the rule of a change."""
    moved = course(hearing.perception, attribute, before, after)
    if math.isnan(moved):
        return Reading(math.nan, words.unchanging(attribute))
    return Reading(hearing.limits.changes[attribute].lean(moved), words.change(attribute, before, after, moved))


def course(perception: Perception, attribute: Attribute, before: ClosedSet, after: ClosedSet) -> float:
    """Return how far a clip goes the way from one value to another; NaN where that cannot be told."""
    if attribute == "emotion":
        return _feeling(perception, cast("Emotion", before), cast("Emotion", after))
    if attribute not in ("pitch", "volume") or perception.tracks is None:
        return math.nan
    scale = values_of(attribute)
    way = np.sign(scale.index(after) - scale.index(before))
    track = perception.tracks.pitch if attribute == "pitch" else perception.tracks.loudness
    return float(way) * _halves(track, in_hertz=attribute == "pitch")


def _feeling(perception: Perception, before: Emotion, after: Emotion) -> float:
    trajectory = perception.trajectory
    first, second = TYPICAL_VAD[before], TYPICAL_VAD[after]
    way = np.array([second.valence - first.valence, second.arousal - first.arousal])
    if trajectory is None or not way.any():
        return math.nan
    split = change_point(trajectory, shortest=SHORTEST)
    if not split.is_defined:
        return math.nan
    points = np.array([trajectory.valence, trajectory.arousal], dtype=np.float64)
    times = (np.arange(len(trajectory)) + 0.5) * trajectory.step
    spoken = ~np.isnan(points).any(axis=0)
    early, late = points[:, spoken & (times < split.value)], points[:, spoken & (times >= split.value)]
    if not (early.size and late.size):
        return math.nan
    return float((late.mean(axis=1) - early.mean(axis=1)) @ way / np.linalg.norm(way))


def _halves(track: Sequence[float], *, in_hertz: bool) -> float:
    """Return the second half of the speech less the first: in semitones, or in decibels."""
    levels = np.array(track, dtype=np.float64)
    if in_hertz:
        kept = 12.0 * np.log2(levels[np.isfinite(levels) & (levels > 0.0)])
    else:
        kept = levels[np.isfinite(levels)]
        kept = kept[kept > kept.max() - QUIET] if kept.size else kept
    if kept.size < 2 * FEWEST:
        return math.nan
    middle = kept.size // 2
    return float(np.median(kept[middle:]) - np.median(kept[:middle]))
