"""Direction for a new take, in the words of a director: what to change, and which words of the story ask for it.

Rhythm is directed by differences: what was asked for and what was heard are points on four scales (pace, energy,
weight, tension), and every scale on which they lie apart gives a word. An aspect that fits well (3.5 of 5 or more) is
left as it is.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from aptone.errors import RecordError
from aptone.messages import message, name_in, translate
from aptone.report.plan_text import in_words, place_of
from aptone.rooms.aptness.production.book_lines import Aspect, ProductionLine
from aptone.types import (
    ClosedSet,
    Emotion,
    Intonation,
    Language,
    Plan,
    RecordingCondition,
    Rhythm,
    in_language,
)

FITS = 3.5
"""Least score of an aspect that needs no direction."""

APART = 0.75
"""Least difference on a scale of the rhythm that is worth a word."""

MOST_EVIDENCE = 2
"""Quotations of the story in a direction."""


Member = TypeVar("Member", bound=ClosedSet)


class RhythmPoint(NamedTuple):
    """A rhythm on four scales from -1 to 1."""

    pace: float
    energy: float
    weight: float
    tension: float


RHYTHM_POINTS: Mapping[Rhythm, RhythmPoint] = {
    Rhythm.BRISK: RhythmPoint(1.0, 0.5, -1.0, 0.0),
    Rhythm.HIGH_ENERGY: RhythmPoint(0.5, 1.0, 0.0, 0.25),
    Rhythm.TENSE: RhythmPoint(0.5, 0.5, 0.0, 1.0),
    Rhythm.HEAVY: RhythmPoint(-0.5, 0.25, 1.0, 0.25),
    Rhythm.LOW_PACED: RhythmPoint(-1.0, -1.0, 0.5, 0.0),
    Rhythm.RELAXED: RhythmPoint(-0.25, -0.5, -0.25, -1.0),
}
_RHYTHM_WORDS = {
    "pace": ("production.slower", "production.faster"),
    "energy": ("production.less-energy", "production.more-energy"),
    "weight": ("production.lighter", "production.heavier"),
    "tension": ("production.looser", "production.tenser"),
}
_RHYTHM_ITSELF = {
    Rhythm.BRISK: "production.play-brisk",
    Rhythm.HIGH_ENERGY: "production.play-high-energy",
    Rhythm.TENSE: "production.play-tense",
    Rhythm.HEAVY: "production.play-heavy",
    Rhythm.LOW_PACED: "production.play-low-paced",
    Rhythm.RELAXED: "production.play-relaxed",
}
_INTONATION_WORDS = {
    Intonation.FALLING: "production.let-fall",
    Intonation.RISING: "production.let-rise",
    Intonation.CURVED: "production.let-turn",
    Intonation.FLAT: "production.keep-level",
}


def direct(line: ProductionLine, *, language: Language) -> str:
    """Return what to change in a new take, in a sentence.

    >>> from aptone.types import Evidence
    >>> plan = Plan("sad", Rhythm.HEAVY, Intonation.FALLING, evidence=(Evidence("wept", "sad", 1, 0, 4, "tag"),))
    >>> aspects = {"rhythm": Aspect(1.0, "heavy", "brisk"), "intonation": Aspect(2.0, "falling", "rising")}
    >>> line = ProductionLine("1", 0, "Gone.", "", "Ann", True, plan=plan, aspects=aspects)
    >>> direct(line, language="en")
    'heavier and slower; let the voice fall at the end; the story: “wept” (its tag)'
    """
    given = [*changes(line, language=language), *_because(line.plan, language)]
    return translate(message("production.semicolon"), language).join(given)


def changes(line: ProductionLine, *, language: Language) -> list[str]:
    """Return what to change, the aspect that fits worst first; one remark where every aspect fits."""
    plan, aspects = line.plan, line.aspects or {}
    if plan is None:
        return [translate(message("production.listen"), language)]
    found: list[tuple[float, str]] = []
    for name, aspect in aspects.items():
        if aspect.score < FITS and (text := _change(name, aspect, plan, line.heard or {}, language)):
            found.append((aspect.score, text))
    found.sort(key=lambda pair: pair[0])
    if plan.voice and any(name in ("emotion", "rhythm") for name, one in aspects.items() if one.score < FITS):
        voice = in_words(", ".join(plan.voice), language)
        found.append((math.inf, translate(message("production.voice-is", voice=voice), language)))
    return [text for _, text in found] or [translate(message("production.listen"), language)]


def instructions(plan: Plan, *, language: Language, evidence: bool = True, is_speech: bool = True) -> list[str]:
    """Return what a plan asks of an actor, in the words of a director; or that the story leaves it open.

    >>> instructions(Plan("sad", Rhythm.HEAVY, Intonation.FALLING, voice=("trembling",), intensity=0.8), language="en")
    ['sad, strongly', 'weighty, every word counts', 'let the voice fall at the end', 'voice: trembling']

    Args:
        evidence: whether the words of the story that ask for it are quoted.
        is_speech: whether somebody says it; narration has pace and tone also where no feeling is asked for.
    """
    found = [translate(one, language) for one in _asked(plan, language)]
    if (plan.is_unsaid or plan.is_unsure) and (is_speech or not found):
        return [translate(message("production.left-open"), language)]
    if not is_speech:
        found.insert(0, translate(message("production.told"), language))
    return [*found, *(_because(plan, language) if evidence else ())]


def _asked(plan: Plan, language: Language) -> Iterator[str]:
    if plan.says_emotion:
        yield _feeling(plan, language)
    if plan.rhythm is not None:
        yield message(_RHYTHM_ITSELF[plan.rhythm])
    if plan.intonation is not None:
        yield message(_INTONATION_WORDS[plan.intonation])
    if plan.voice:
        yield message("production.voice-is", voice=in_words(", ".join(plan.voice), language))
    if plan.recording_condition and _member(RecordingCondition, plan.recording_condition) != "normal":
        asked = in_language(plan.recording_condition, RecordingCondition, language)
        yield message("production.condition-missing", condition=asked)
    if plan.sounds:
        yield message("production.with-sound", sound=_listed([name_in(language, one) for one in plan.sounds], language))


def _feeling(plan: Plan, language: Language) -> str:
    asked = in_language(plan.emotion, Emotion, language)
    if math.isnan(plan.intensity):
        return asked
    if plan.intensity < 0.4:
        return message("production.faintly", feeling=asked)
    return message("production.strongly", feeling=asked) if plan.intensity >= 0.75 else asked


def _listed(parts: Sequence[str], language: Language) -> str:
    return translate(message("production.comma"), language).join(parts)


def _change(name: str, aspect: Aspect, plan: Plan, heard: Mapping[str, str], language: Language) -> str:
    if name == "rhythm" and plan.rhythm is not None:
        return _rhythm(plan.rhythm, _member(Rhythm, aspect.heard), language)
    if name == "intonation" and plan.intonation is not None:
        return translate(message(_INTONATION_WORDS[plan.intonation]), language)
    if name == "emotion" and plan.says_emotion:
        return _emotion(plan, aspect, heard.get(language, ""), language)
    if name == "recording_condition" and plan.recording_condition:
        asked = in_language(plan.recording_condition, RecordingCondition, language)
        return translate(message("production.condition-missing", condition=asked), language)
    if name == "paralinguistics" and plan.sounds:
        listed = _listed([name_in(language, sound) for sound in plan.sounds], language)
        return translate(message("production.sound-missing", sound=listed), language)
    return ""


def _rhythm(asked: Rhythm, heard: Rhythm | None, language: Language) -> str:
    if heard is None or heard is asked:
        return translate(message(_RHYTHM_ITSELF[asked]), language)
    words = []
    for scale, (less, more) in _RHYTHM_WORDS.items():
        difference = getattr(RHYTHM_POINTS[asked], scale) - getattr(RHYTHM_POINTS[heard], scale)
        if abs(difference) >= APART:
            words.append((-abs(difference), message(more if difference > 0 else less)))
    if not words:
        return translate(message(_RHYTHM_ITSELF[asked]), language)
    words.sort(key=lambda pair: pair[0])
    first, *rest = (word for _, word in words[:2])
    both = message("production.both", first=first, second=rest[0]) if rest else first
    return translate(both, language)


def _emotion(plan: Plan, aspect: Aspect, heard: str, language: Language) -> str:
    asked = in_language(plan.emotion, Emotion, language)
    is_heard = bool(aspect.heard) and _member(Emotion, plan.emotion) is _member(Emotion, aspect.heard)
    if is_heard:
        return translate(message("production.feeling-plainer", feeling=asked), language)
    if not heard:
        return translate(message("production.feeling-is", feeling=asked), language)
    return translate(message("production.feeling-not", feeling=asked, heard=heard), language)


def _because(plan: Plan | None, language: Language) -> Iterator[str]:
    if plan is None or not plan.evidence:
        return
    quoted = [
        translate(message("production.quoted", words=one.words, place=place_of(one, language)), language)
        for one in plan.evidence[:MOST_EVIDENCE]
    ]
    yield translate(message("production.story-says", quoted=_listed(quoted, language)), language)


def _member(closed: type[Member], name: str) -> Member | None:
    try:
        return closed.parse(name)
    except RecordError:
        return None
