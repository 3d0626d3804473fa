"""Consistency of a character's voice over a book: lines and chapters whose pitch, tempo or level is out of the usual.

A line is an outlier where a measure lies far from the median of its character, by the robust z-score
``(x - median) / (1.4826 · MAD)`` (Iglewicz and Hoaglin 1993) and by a difference that one can hear. What the plan asks
for (a shout, a whisper) is no fault, and not listed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.rooms.aptness.production.book_lines import MEASURES, ProductionLine
from aptone.types import TYPICAL_VAD, Emotion, Plan

FEWEST_LINES = 8
"""Lines of a character with a measure, below which nothing is usual."""

FEWEST_IN_CHAPTER = 4
"""Lines of a character in a chapter, below which its median says nothing."""

Z_SCORE = 3.5
"""Robust z-score from which on a line is an outlier, as Iglewicz and Hoaglin propose."""

LEAST_HEARD: Mapping[str, float] = {"pitch level": 3.0, "articulation rate": 1.0, "loudness": 5.0}
"""Least difference that counts: semitones, syllables per second, dB."""

LEAST_DRIFT: Mapping[str, float] = {"pitch level": 1.5, "articulation rate": 0.6, "loudness": 3.0}
"""Least difference of the median of a chapter that counts, in the same units."""

LIVELY = 0.3
"""Arousal from which on a plan asks for a higher, faster or louder voice; below its negative, for the contrary."""

_RAISED = frozenset({"shout", "scream", "loud", "shrill", "fast"})
_LOWERED = frozenset({"whisper", "quiet", "low", "soft", "weak", "slow", "mumbling"})


@dataclass(frozen=True, slots=True)
class VoiceHabit:
    """Usual value of a measure in the lines of a character: the median, and 1.4826 times the median deviation."""

    role: str
    measure: str
    median: float
    deviation: float
    lines: int


@dataclass(frozen=True, slots=True)
class VoiceOutlier:
    """A line whose measure is out of the usual by so much, in the unit of the measure."""

    line: ProductionLine
    habit: VoiceHabit
    difference: float


@dataclass(frozen=True, slots=True)
class VoiceDrift:
    """A chapter in which the median of a character differs from that of the book by so much."""

    chapter: str
    habit: VoiceHabit
    difference: float
    lines: int


@dataclass(frozen=True, slots=True)
class VoiceReport:
    """Habits of the characters of a book, the chapters that drift, and the lines that are out of the usual."""

    habits: tuple[VoiceHabit, ...]
    drifts: tuple[VoiceDrift, ...]
    outliers: tuple[VoiceOutlier, ...]


def voice_report(lines: Iterable[ProductionLine]) -> VoiceReport:
    """Return how consistent the voices of a book are, as far as the ear measured them.

    Narration is one voice. Speech of unknown speakers is left out, since it may be several.
    """
    by_role: defaultdict[str, list[ProductionLine]] = defaultdict(list)
    for line in lines:
        if line.measures and (line.role or not line.is_speech):
            by_role[line.role].append(line)
    habits: list[VoiceHabit] = []
    drifts: list[VoiceDrift] = []
    outliers: list[VoiceOutlier] = []
    for role, theirs in by_role.items():
        for measure in MEASURES:
            known = [(line, line.measures[measure]) for line in theirs if line.measures and measure in line.measures]
            if len(known) < FEWEST_LINES:
                continue
            habit = habit_of(role, measure, [value for _, value in known])
            habits.append(habit)
            drifts += _drifts(habit, known)
            outliers += _outliers(habit, known)
    outliers.sort(key=lambda one: -abs(one.difference) / LEAST_HEARD[one.habit.measure])
    drifts.sort(key=lambda one: -abs(one.difference) / LEAST_DRIFT[one.habit.measure])
    return VoiceReport(tuple(habits), tuple(drifts), tuple(outliers))


def habit_of(role: str, measure: str, values: Sequence[float]) -> VoiceHabit:
    """Return the usual value of a measure.

    >>> habit_of("Ann", "loudness", [-21.0, -20.0, -19.0])
    VoiceHabit(role='Ann', measure='loudness', median=-20.0, deviation=1.4826, lines=3)
    """
    median = float(np.median(values))
    deviation = 1.4826 * float(np.median(np.abs(np.asarray(values) - median)))
    return VoiceHabit(role, measure, median, deviation, len(values))


def _outliers(habit: VoiceHabit, known: Sequence[tuple[ProductionLine, float]]) -> list[VoiceOutlier]:
    found = []
    for line, value in known:
        difference = value - habit.median
        is_far = abs(difference) >= max(LEAST_HEARD[habit.measure], Z_SCORE * habit.deviation)
        if is_far and not is_asked(line.plan, difference):
            found.append(VoiceOutlier(line, habit, difference))
    return found


def _drifts(habit: VoiceHabit, known: Sequence[tuple[ProductionLine, float]]) -> list[VoiceDrift]:
    chapters: defaultdict[str, list[float]] = defaultdict(list)
    for line, value in known:
        chapters[line.chapter].append(value)
    if len(chapters) < 2:
        return []
    return [
        VoiceDrift(chapter, habit, difference, len(values))
        for chapter, values in chapters.items()
        if len(values) >= FEWEST_IN_CHAPTER
        and abs(difference := float(np.median(values)) - habit.median) >= LEAST_DRIFT[habit.measure]
    ]


def is_asked(plan: Plan | None, difference: float) -> bool:
    """Return true if a plan asks for a voice that is raised (or lowered) like this.

    >>> is_asked(Plan("angry"), 6.0), is_asked(Plan("angry"), -6.0), is_asked(Plan("", voice=("whisper",)), -9.0)
    (True, False, True)
    """
    if plan is None:
        return False
    if set(plan.voice) & (_RAISED if difference > 0 else _LOWERED):
        return True
    arousal = next((TYPICAL_VAD[one].arousal for one in Emotion if one == plan.emotion or one.zh == plan.emotion), 0.0)
    return arousal >= LIVELY if difference > 0 else arousal <= -LIVELY * 0.8
