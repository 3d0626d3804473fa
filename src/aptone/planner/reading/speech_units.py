"""Units of speech in the order of a story, with the sentences of narration beside them.

A unit is what one person says in one go: in English all speech of a paragraph (unless its tags name two), in Mandarin
each quotation that is announced. Sentences and units together are the *events* of a story, and distances are counted
in them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aptone.planner.reading.characters import SHORT
from aptone.planner.reading.mandarin_tags import ENDS_IN_VERB
from aptone.planner.reading.mentions import Mention, People
from aptone.planner.reading.speech_parts import SpeechParagraph, SpeechPart
from aptone.types import Language

PRONOUN_TAGS = frozenset(("he", "she", "they", "we", "i", "it", "you", "somebody", "someone"))
"""Tags that name nobody; "someone" is somebody unknown, "somebody" anybody."""

_SENTENCES = {
    "en": re.compile(r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)[”’\"]?\s+(?=[\"“‘A-ZÀ-Þ])"),
    "zh": re.compile(r"(?<=[。！？!?；;])[”’」』]*"),
}


@dataclass(slots=True)
class Told:
    """Sentence of narration.

    Args:
        place: paragraph.
        opens: true if speech begins behind it: it ends with a colon or comma, or a verb of speaking.
    """

    event: int
    place: int
    text: str
    mentions: list[Mention]
    opens: bool


@dataclass(slots=True)
class Unit:
    """Unit of speech, which one person says in one go.

    Args:
        role: speaker, where the text states a name; empty otherwise.
        tag: pronoun of its tag, or "somebody"; empty without a tag, or with one that names.
        begins: true if its paragraph begins with it.
        called: persons whom it calls.
        named: persons whom it names.
    """

    event: int
    place: int
    parts: list[SpeechPart]
    speech: str
    begins: bool
    role: str = ""
    tag: str = ""
    called: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


@dataclass(slots=True)
class Events:
    """Sentences and units of a story, in order.

    Args:
        is_short: true of a short story, where people speak of whom the story says little else.
    """

    all: list[Told | Unit] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    is_short: bool = False

    def told(self, event: int) -> Told | None:
        """Return the sentence at an index; none where a unit stands there, or nothing."""
        found = self.all[event] if 0 <= event < len(self.all) else None
        return found if isinstance(found, Told) else None


def story_events(paragraphs: Sequence[SpeechParagraph], people: People, language: Language) -> Events:
    """Return the events of a story."""
    events = Events(is_short=len(paragraphs) <= SHORT)
    for place, paragraph in enumerate(paragraphs):
        if not paragraph.parts:
            _tell(events, place, paragraph.text, people, language, opens=False)
            continue
        apart = language == "zh" or len({part.role for part in paragraph.parts if part.role}) > 1
        narrated = dict(paragraph.narrated())
        unit = events.units[-1] if paragraph.continues and events.units else None
        for number, part in enumerate(paragraph.parts):
            if text := narrated.get(number):
                _tell(events, place, text, people, language, opens=True)
            if number == 0 and unit is not None and (not part.role or not unit.role or part.role == unit.role):
                pass
            elif (
                unit is None
                or number == 0
                or (unit.role and part.role and unit.role != part.role)
                or (apart and not _joins(narrated.get(number, ""), paragraph, language))
            ):
                unit = Unit(len(events.all), place, [], "", begins=number == 0 and paragraph.begins)
                events.all.append(unit)
                events.units.append(unit)
            _add(unit, part, paragraph.text)
        if text := narrated.get(len(paragraph.parts)):
            _tell(events, place, text, people, language, opens=False)
    for unit in events.units:
        found = list(people.called(unit.speech))
        unit.called = frozenset(name for name, is_call in found if is_call)
        unit.named = frozenset(name for name, _ in found)
    return events


def _joins(between: str, paragraph: SpeechParagraph, language: Language) -> bool:
    """Return true if narration between two parts of speech leaves them one: ``“走吧。”他开了门，“快。”``."""
    words = between.rstrip(" 　")
    return (
        language == "zh"
        and bool(words)
        and not words.endswith((":", "："))
        and (paragraph.begins or words.endswith(("，", ",")))
    )


def _add(unit: Unit, part: SpeechPart, text: str) -> None:
    unit.parts.append(part)
    unit.speech += f"{' ' if unit.speech else ''}{text[part.start : part.end]}"
    if part.role and not unit.role:
        unit.role, unit.tag = part.role, ""
    elif part.tag in PRONOUN_TAGS and not unit.role:
        unit.tag = part.tag


def _tell(events: Events, place: int, text: str, people: People, language: Language, *, opens: bool) -> None:
    sentences = list(split_sentences(text, language))
    for number, sentence in enumerate(sentences):
        last = number + 1 == len(sentences)
        events.all.append(
            Told(len(events.all), place, sentence, people.mentions(sentence), last and opens_speech(sentence, opens))
        )


def split_sentences(text: str, language: Language) -> Iterator[str]:
    """Yield the sentences of a narration.

    >>> list(split_sentences("Mr. Grey left. It rained.", "en")), list(split_sentences("雨停了。他走了。", "zh"))
    (['Mr. Grey left.', 'It rained.'], ['雨停了。', '他走了。'])
    """
    for sentence in _SENTENCES[language].split(text):
        if any(character.isalnum() for character in sentence):
            yield sentence.strip()


def opens_speech(sentence: str, speech_follows: bool) -> bool:
    """Return true if a sentence announces speech: it ends with a colon, or before speech with a comma or a verb."""
    words = sentence.rstrip(" 　—–-“‘「『")
    if words.endswith((":", "：")):
        return True
    return speech_follows and (words.endswith((",", "，")) or ENDS_IN_VERB.search(words) is not None)
