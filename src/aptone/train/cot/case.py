"""Material of a reasoning: a rated line with its plan, what annotators heard, and the relation between the two.

Plans and annotations are free text in either language; a reasoning in the other one translates what it can (an emotion
by a word of the same feeling, closed sets by their names) and quotes the rest.
"""

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aptone.ear.describe import VocalEvent, mentions
from aptone.errors import RecordError
from aptone.judge.aspects.comparison import LANGUAGES, sounds_asked
from aptone.judge.aspects.feelings import read_feeling
from aptone.judge.chat.verdict import ASPECTS
from aptone.judge.parameters import load_parameters
from aptone.lexicon.feelings import FEELINGS
from aptone.models.asking.guard import guard
from aptone.rooms.aptness.build.proxy_grade import ProxySettings
from aptone.types import Annotation, ClosedSet, Language, Plan, RecordingCondition, language_of_text

SAME_WITHIN = 0.2
"""Largest distance in valence, arousal and dominance of two feelings that are called the same."""
NEAR_WITHIN = ProxySettings().half_within
"""Largest distance of two feelings that are called near each other: half a fit in the proxy benchmark."""
LONGEST_QUOTE = 80
"""Longest quotation of an annotator's or a plan's own words, in characters."""

_NOTHING = frozenset({"none", "no", "nothing", "n/a", "无", "没有", "无声音", "否"})
_LISTED = re.compile(r"[,，、;；/|]+|\band\b|和")


class Relation(StrEnum):
    """Relation of what was heard to what was planned."""

    SAME = "same"
    NEAR = "near"
    OTHER = "other"
    OPEN = "open"
    """Nothing was planned, nothing was annotated, or the words of one are unknown."""


@dataclass(frozen=True, slots=True)
class Case:
    """A rated line.

    Args:
        score: score by people, 0 to 5.
        aspects: known scores of single aspects; a reasoning then covers these, and no others.

    Raises:
        ValueError: if a score is out of range, or there is no such aspect.
    """

    line: str
    plan: Plan
    heard: Annotation
    score: float
    aspects: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for score in (self.score, *self.aspects.values()):
            if not 0.0 <= score <= 5.0:
                raise ValueError(f"a score lies between 0 and 5, got {score}.")
        if unknown := sorted(set(self.aspects) - set(ASPECTS)):
            raise ValueError(f"aspects are {', '.join(ASPECTS)}, got {unknown[0]!r}.")


@dataclass(frozen=True, slots=True)
class Aspect:
    """One aspect of a case, in one language.

    Args:
        planned: planned delivery; empty for none.
        heard: annotated delivery; empty for none.
        silent: true if annotators noted that there was nothing to hear.
    """

    planned: str = ""
    heard: str = ""
    relation: Relation = Relation.OPEN
    silent: bool = False


def case_aspects(case: Case, language: Language) -> dict[str, Aspect]:
    """Return all six aspects of a case, in the order of judges."""
    plan, heard = case.plan, case.heard
    found = {
        "emotion": Aspect(
            worded_feeling(plan.emotion, language),
            worded_feeling(heard.emotion, language),
            feelings_relation(plan.emotion, heard.emotion),
        ),
        "rhythm": _member_aspect(plan.rhythm, heard.rhythm, language),
        "intonation": _member_aspect(plan.intonation, heard.intonation, language),
        "recording_condition": Aspect(
            _named(RecordingCondition, plan.recording_condition, language),
            _named(RecordingCondition, heard.recording_condition, language),
            _texts_relation(RecordingCondition, plan.recording_condition, heard.recording_condition),
        ),
        "paralinguistics": _sounds(case, language),
        "naturalness": Aspect(),
    }
    return {name: found[name] for name in ASPECTS}


def feelings_relation(planned: str, heard: str) -> Relation:
    """Return the relation of two feelings, by the words for them.

    >>> feelings_relation("gentle", "温柔"), feelings_relation("calm", "furious"), feelings_relation("", "calm")
    (<Relation.SAME: 'same'>, <Relation.OTHER: 'other'>, <Relation.OPEN: 'open'>)
    """
    if not planned.strip() or not heard.strip():
        return Relation.OPEN
    if _plain(planned) == _plain(heard):
        return Relation.SAME
    first, second = read_feeling(planned), read_feeling(heard)
    if first is None or second is None:
        return Relation.OPEN
    squares = [
        (getattr(first.vad, name) - getattr(second.vad, name)) ** 2 for name in ("valence", "arousal", "dominance")
    ]
    known = [square for square in squares if not math.isnan(square)]
    if not known:
        return Relation.OPEN
    distance = math.sqrt(math.fsum(known))
    if distance <= SAME_WITHIN:
        return Relation.SAME
    return Relation.NEAR if distance <= NEAR_WITHIN else Relation.OTHER


def worded_feeling(text: str, language: Language) -> str:
    """Return words for a feeling in a language: the text itself if it is in it, else words of the same feelings.

    >>> worded_feeling("温柔而疲惫", "en"), worded_feeling("angry", "zh"), worded_feeling("zorbly", "zh")
    ('tender and tired', '愤怒', 'zorbly')
    """
    if not text.strip() or language_of_text(text) == language:
        return _quoted(text)
    feeling = read_feeling(text)
    if feeling is None:
        return _quoted(text)
    words = dict.fromkeys(_other_word(word, language) for word in feeling.words)
    return (" and " if language == "en" else "、").join(words)


@functools.cache
def _translations() -> Mapping[str, tuple[str, str]]:
    """Return each word's first English and first Mandarin synonym."""
    found: dict[str, tuple[str, str]] = {}
    for _, english, mandarin in FEELINGS:
        listed = english.split(", "), mandarin.split("，")
        found |= {word: (listed[0][0], listed[1][0]) for words in listed for word in words}
    return found


def _other_word(word: str, language: Language) -> str:
    if (pair := _translations().get(word)) is not None:
        return pair[0] if language == "en" else pair[1]
    feeling = read_feeling(word)
    if feeling is None or not feeling.emotions:
        return word
    return max(feeling.emotions, key=lambda name: feeling.emotions[name]).label(language)


def _member_aspect(planned: ClosedSet | None, heard: ClosedSet | None, language: Language) -> Aspect:
    relation = Relation.OPEN
    if planned is not None and heard is not None:
        relation = Relation.SAME if planned is heard else Relation.NEAR if _akin(planned, heard) else Relation.OTHER
    return Aspect(
        planned.label(language) if planned is not None else "",
        heard.label(language) if heard is not None else "",
        relation,
    )


def _akin(first: ClosedSet, second: ClosedSet) -> bool:
    """Return true for two rhythms, or two intonations, that the built-in judge considers related."""
    parameters = load_parameters()
    kind = type(first).__name__.lower()
    places = parameters.kinship[kind]
    return math.dist(places[first.value], places[second.value]) <= parameters.kinship_reach[kind]


def _texts_relation(kind: type[ClosedSet], planned: str, heard: str) -> Relation:
    if not planned.strip() or not heard.strip():
        return Relation.OPEN
    members = _member(kind, planned), _member(kind, heard)
    if None not in members:
        return Relation.SAME if members[0] is members[1] else Relation.OTHER
    return Relation.SAME if _plain(planned) == _plain(heard) else Relation.OPEN


def _sounds(case: Case, language: Language) -> Aspect:
    asked = sounds_asked(case.plan, case.line)
    said = [text for text in (case.heard.vocalisations, case.heard.sound_events) if text.strip()]
    parts = [part.strip() for text in said for part in _LISTED.split(text) if part.strip()]
    parts = [part for part in parts if part.casefold() not in _NOTHING]
    planned = _joined([sound.label(language) for sound in asked], language)
    events = [_event(part) for part in parts]
    named = [event.label(language) if event else _quoted(part) for event, part in zip(events, parts, strict=True)]
    heard = _joined(named, language)
    if not said or (parts and not asked):
        relation = Relation.OPEN
    elif not asked:
        relation = Relation.SAME
    else:
        there = set(asked) & set(events)
        relation = Relation.SAME if there == set(asked) else Relation.NEAR if there else Relation.OTHER
    return Aspect(planned, heard, relation, silent=bool(said) and not parts)


def _event(text: str) -> ClosedSet | None:
    """Return the sound that an annotator's word means, in either language; ``None`` for an unknown one."""
    meant = [
        sense.value
        for language in LANGUAGES
        for mention in mentions(text, language=language)
        for sense in mention.entry.means
        if isinstance(sense.value, VocalEvent)
    ]
    return _member(VocalEvent, text) or next(iter(meant), None)


def _named(kind: type[ClosedSet], text: str, language: Language) -> str:
    member = _member(kind, text)
    return member.label(language) if member is not None else _quoted(text)


def _member(kind: type[ClosedSet], text: str) -> ClosedSet | None:
    try:
        return kind.parse(text) if text.strip() else None
    except RecordError:
        return None


def _joined(names: list[str], language: Language) -> str:
    return ("、" if language == "zh" else ", ").join(dict.fromkeys(names))


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _quoted(text: str) -> str:
    words = guard(text)
    return words if len(words) <= LONGEST_QUOTE else words[: LONGEST_QUOTE - 1] + "…"
