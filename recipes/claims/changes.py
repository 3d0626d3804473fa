"""Clips with a known change of the feeling: two clips of one speaker, one behind the other; and clips without one."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear.claims.change import course
from aptone.ear.describe import Attribute, Pitch, Volume
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.types import Audio, ClosedSet, Emotion
from recipes.claims.clips import spread_over
from recipes.claims.perceptions import Perceptions

RATE = 16_000
GAP = 0.2
"""Seconds of silence between the two clips."""
PAIRS = 60
"""Pairs of each set, and clips without a change."""
WAYS: dict[Attribute, tuple[ClosedSet, ClosedSet]] = {
    "pitch": (Pitch.MEDIUM, Pitch.HIGH),
    "volume": (Volume.MEDIUM, Volume.LOUD),
}
"""Ways up on the scales whose course within ordinary clips is measured."""

Floats = npt.NDArray[np.float64]


def joined(first: Path, second: Path) -> Audio:
    """Return two clips with a short silence between."""
    one, other = read(first, rate=RATE), read(second, rate=RATE)
    silence = np.zeros(round(GAP * RATE), dtype=np.float32)
    return Audio(np.concatenate([one.samples, silence, other.samples]), RATE, source=one.source)


def pairs(clips: list[LabelledClip], *, count: int, seed: int) -> Iterator[tuple[LabelledClip, LabelledClip]]:
    """Yield pairs of clips of one speaker with two emotions."""
    dice = np.random.default_rng(seed)
    for clip in spread_over(clips, count=count, seed=seed):
        others = [one for one in clips if one.speaker == clip.speaker and one.emotion != clip.emotion]
        if others:
            yield clip, others[int(dice.integers(len(others)))]


def measure_changes(
    data: Path, sets: tuple[str, ...], heard: Perceptions, *, splits: tuple[str, ...], seed: int, count: int = PAIRS
) -> tuple[Floats, Floats, dict[Attribute, Floats]]:
    """Return how far clips go the way from one emotion to another: with that change, and without any.

    Without one the way is from the clip's emotion to another one, or from another one to it. The third are the courses
    of pitch and volume within ordinary clips.
    """
    dice = np.random.default_rng(seed)
    changed, unchanged = [], []
    courses: dict[Attribute, list[float]] = {name: [] for name in WAYS}
    for name in sets:
        clips = [clip for clip in read_labels(data / name) if clip.split in splits]
        for one, other in pairs(clips, count=count, seed=seed):
            key = f"{name}/{one.path.name}+{other.path.name}"
            perception = heard(key, partial(joined, one.path, other.path), one.language)
            before, after = Emotion.parse(one.emotion), Emotion.parse(other.emotion)
            changed.append(course(perception, "emotion", before, after))
        for clip in spread_over(clips, count=count, seed=seed):
            perception = heard(f"{name}/{clip.path.name}", partial(read, clip.path, rate=RATE), clip.language)
            truth = Emotion.parse(clip.emotion)
            others = [emotion for emotion in Emotion if emotion is not truth]
            way = [truth, others[int(dice.integers(len(others)))]]
            if dice.random() < 0.5:
                way.reverse()
            unchanged.append(course(perception, "emotion", way[0], way[1]))
            for attribute, (low, high) in WAYS.items():
                courses[attribute].append(course(perception, attribute, low, high))
    return _finite(changed), _finite(unchanged), {name: _finite(values) for name, values in courses.items()}


def _finite(values: list[float]) -> Floats:
    numbers = np.array(values, dtype=np.float64)
    return numbers[np.isfinite(numbers)]
