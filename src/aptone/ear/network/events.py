"""Sounds besides words: from what the network says about every frame to stretches with a name."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from aptone.ear.network.filter_bank import FRAME_SECONDS
from aptone.ear.network.inference import frame_times
from aptone.types import SoundEvent

SHORTEST_EVENT = 0.15
EVENT_GAP = 0.25
"""Seconds: shorter events are left out, and events closer than this are one."""
EVENT_AROUND = 15
"""Frames over which it is decided which of several events is meant: 0.3 s."""

PEAK_FRAMES = 7
"""Frames over which the most that a sound is heard is averaged: 0.14 s, so that a click is no laugh."""

Floats = npt.NDArray[np.floating]


def sound_events(probabilities: Floats, thresholds: Mapping[str, float]) -> tuple[SoundEvent, ...]:
    """Stretches in which an event stays above its threshold, and above it by more than any other event, by time.

    Args:
        probabilities: [frames, events].
        thresholds: by event, in the order of the columns.
    """
    if not thresholds:
        return ()
    times = frame_times(len(probabilities))
    excess = probabilities / np.array(list(thresholds.values()))
    foremost = _smoothed(excess, frames=EVENT_AROUND).argmax(axis=1)
    events = []
    for column, name in enumerate(thresholds):
        loud = np.flatnonzero((excess[:, column] >= 1.0) & (foremost == column))
        if not loud.size:
            continue
        breaks = np.flatnonzero(np.diff(loud) > EVENT_GAP / FRAME_SECONDS)
        for first, last in zip(loud[[0, *breaks + 1]], loud[[*breaks, -1]], strict=True):
            start, end = times[first] - FRAME_SECONDS / 2, times[last] + FRAME_SECONDS / 2
            if end - start >= SHORTEST_EVENT:
                confidence = float(probabilities[first : last + 1, column].max())
                events.append(SoundEvent(name, max(0.0, round(float(start), 3)), round(float(end), 3), confidence))
    return tuple(sorted(events, key=lambda event: (event.start, event.name)))


def sound_peaks(probabilities: Floats, names: Iterable[str]) -> dict[str, float]:
    """The most that each sound is heard anywhere in a clip: the highest mean over 0.14 s.

    Args:
        probabilities: [frames, events].
        names: of the columns, in their order.

    >>> sound_peaks(np.array([[0.0], [0.5], [1.0]]), ["laughing"])  # fewer frames than 0.14 s: their mean
    {'laughing': 0.5}
    """
    if not len(probabilities):
        return {}
    peaks = _smoothed(probabilities, frames=PEAK_FRAMES).max(axis=0)
    return {name: round(float(peak), 6) for name, peak in zip(names, peaks, strict=True)}


def _smoothed(values: Floats, *, frames: int) -> Floats:
    """Means over some frames around each; over fewer at the ends."""
    sums = np.concatenate([np.zeros((1, values.shape[1])), values.cumsum(axis=0, dtype=np.float64)])
    place = np.arange(len(values))
    first, behind = np.maximum(place - frames // 2, 0), np.minimum(place + frames // 2 + 1, len(values))
    means: Floats = (sums[behind] - sums[first]) / (behind - first)[:, np.newaxis]
    return means
