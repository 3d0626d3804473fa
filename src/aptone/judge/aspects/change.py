"""Feelings that change within a line: "calm turning into joy", 由平静转为喜悦.

The ear's valence, arousal and dominance over time tell whether a voice goes from the one to the other: those of the
first third of the speech belong to the first feeling, those of the last third to the last one.
"""

import functools
import math
import re
from collections.abc import Sequence

from aptone.judge.aspects.feelings import LONGEST_TEXT, Feeling, read_feeling
from aptone.lexicon.plan_feelings import TURNS
from aptone.types import Plan, Trajectory, Vad

STEP = 0.5
"""Seconds between two points of the trajectory."""
PARTS = 3
"""The first and the last of so many parts of the speech are compared."""

_FROM_TO = re.compile(r"(?i:(?<=\bfrom\b)(.+?)\b(?:in)?to\b)|(?<=[从由])([^，。；]+?)到")


def planned_change(plan: Plan) -> tuple[Feeling, Feeling] | None:
    """The first and the last feeling of a plan whose words name a change; None for a plan that names none.

    A place that the planner gave is one place for the whole line.

    >>> first, last = planned_change(Plan("calm turning into joy"))
    >>> first.words, last.words
    (('calm',), ('joy',))
    >>> planned_change(Plan("calm and joyful")) is None
    True
    """
    if plan.vad is not None:
        return None
    parts = _turn().split(_FROM_TO.sub(r"\1\2→", plan.emotion[:LONGEST_TEXT]))
    first, last = read_feeling(parts[0]), read_feeling(parts[-1])
    return (first, last) if len(parts) > 1 and first is not None and last is not None else None


def first_and_last(trajectory: Trajectory | None) -> tuple[Vad, Vad] | None:
    """Mean places of the first and the last third of the speech; None where there are not enough points."""
    points = [point for point in trajectory.points if not math.isnan(point.valence)] if trajectory else []
    count = len(points) // PARTS
    return (_mean(points[:count]), _mean(points[-count:])) if count else None


def _mean(points: Sequence[Vad]) -> Vad:
    columns = zip(*((point.valence, point.arousal, point.dominance) for point in points), strict=True)
    return Vad(*(math.fsum(column) / len(points) for column in columns))


@functools.cache
def _turn() -> re.Pattern[str]:
    english, mandarin = (listed.split(mark) for listed, mark in zip(TURNS, (", ", "，"), strict=True))
    return re.compile(rf"(?i:\b(?:{'|'.join(english)})\b)|{'|'.join(mandarin)}|->|→")
