"""Our ear over the clips of a benchmark: what it says, as the table needs it."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from aptone.audio import read
from aptone.ear.perceive import Ear
from aptone.types import Perception, Sex
from benchmarks.ear_data import EMOTIONS, Answers, Clip, no_answers

LEAST = 1e-12
"""Probabilities below it count as this, so that their logarithm is finite."""


def hear(ear: Ear, clips: Sequence[Clip], *, progress: Callable[[int], None] = lambda _: None) -> list[Perception]:
    """Hear each clip, from its file."""
    heard = []
    for number, clip in enumerate(clips):
        heard.append(ear.perceive(read(clip.path, rate=None)))
        progress(number + 1)
    return heard


def answers_from(clips: Sequence[Clip], heard: Sequence[Perception]) -> Answers:
    """The answers in a row of Perceptions; NaN where one was not judged."""
    answers = no_answers(clips)
    for row, perception in enumerate(heard):
        for name, probability in perception.emotion.items():
            answers.emotion[row, EMOTIONS.index(str(name))] = math.log(max(probability, LEAST))
        if perception.vad is not None:
            answers.arousal[row] = perception.vad.arousal
        answers.intensity[row] = perception.intensity
        answers.female[row] = female_logit(perception)
    return answers


def female_logit(perception: Perception) -> float:
    """Logarithm of the odds of a female voice against a male one; NaN where the sex was not judged."""
    female, male = perception.sex.get(Sex.FEMALE), perception.sex.get(Sex.MALE)
    if female is None or male is None:
        return math.nan
    return math.log(max(female, LEAST)) - math.log(max(male, LEAST))


def unjudged_counts(heard: Sequence[Perception]) -> dict[str, int]:
    """Count the clips in which each part of a Perception was not judged."""
    names = [name for perception in heard for name in perception.unjudged]
    found, counts = np.unique(np.array(names, dtype=np.str_), return_counts=True)
    return {str(name): int(count) for name, count in zip(found, counts, strict=True)}
