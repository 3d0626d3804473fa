"""Statements of a description: each property that it claims or denies, with the words that say so."""

import functools
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from aptone.ear.describe import Attribute, Entry, Mention, Sense, values_of
from aptone.ear.describe.lexicon import Change, OtherSense
from aptone.ear.reading.change import CHANGING, Candidate, ReadChange, read_changes
from aptone.ear.reading.coverage import coverage
from aptone.ear.reading.persons import (
    is_compared,
    is_listeners,
    is_person,
    is_somebody_else,
    is_voice,
    pronoun_within,
)
from aptone.ear.reading.scope import Place, Scopes, places_of, scopes
from aptone.ear.reading.senses import GRADED_WITHIN, Around, Properties, senses
from aptone.ear.reading.vocabularies import read_mentions
from aptone.lexicon.phrases import PhraseBook, tokens
from aptone.types import Emotion, Language, language_of_text

Span = tuple[int, int]
SCALES: frozenset[Attribute] = frozenset(("pitch", "pitch_variation", "rate", "volume", "intensity"))
"""Attributes whose values have an order and a middle."""
TOPICS: dict[Attribute, str] = {"texture": "resonance", "rhythm": "fluency"}
"""Topics of values beyond the closed sets, by attribute; the others are about the speaker's attitude."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One property that a description states or denies; ``text[start:end]`` is exactly `words`.

    Args:
        senses: values of which one is meant, the likeliest first ("husky": rough or breathy); empty where the value is
            beyond the closed sets, or changes.
        grades: emotions whose strength it is; empty for what is no strength.
        is_hedged: whether it is said with care ("perhaps", 略带).
        is_plain: whether the words mean this wherever they stand.
        other: value beyond the closed sets, such as a "confident" emotion.
        change: values of which the second takes the place of the first in the course of a clip.
    """

    senses: tuple[Sense, ...]
    is_denied: bool
    words: str
    start: int
    end: int
    grades: tuple[Emotion, ...] = ()
    is_hedged: bool = False
    is_plain: bool = True
    other: OtherSense | None = None
    change: Change | None = None


class Remark(NamedTuple):
    """Words about a voice that no measure here judges, and their topic, such as ``accent``."""

    topic: str
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a description.

    Args:
        statements: what is stated, as often as it is, in the order of the text.
        remarks: words about a voice that cannot be judged from a recording as a whole.
        unread: words that may be claims and were not understood, each once.
        understood: places of words that were read, with or without a claim.
    """

    language: Language
    statements: tuple[Statement, ...]
    remarks: tuple[Remark, ...] = ()
    unread: tuple[str, ...] = ()
    understood: tuple[Span, ...] = ()

    @property
    def judged(self) -> tuple[Statement, ...]:
        """The statements of values in closed sets that hold throughout, each once."""
        found: dict[tuple[tuple[Sense, ...], bool], Statement] = {}
        for one in self.statements:
            if one.senses:
                found.setdefault((one.senses, one.is_denied), one)
        return tuple(found.values())


def read_description(text: str, *, language: Language | None = None, quoted: Sequence[Span] = ()) -> Reading:
    """Read a description, in English or Mandarin. Takes time linear in the text.

    A denied emotion that is said with its strength ("not furious") denies the emotion or, where the text claims that
    emotion elsewhere ("angry, but not furious"), its strength. A denial of a person with a quality ("not an angry man")
    denies the quality. Pronouns give a sex where nothing else does. People who are not the speaker ("as if to a child")
    give nothing. What changes in the course of the clip ("starts calm and ends furious") is one statement.

    Args:
        language: language of the text; by default the one of its letters.
        quoted: places of what the speaker says, in which nothing is read.

    >>> [(one.words, one.is_denied) for one in read_description("a man who is not angry, but sad").statements]
    [('man', False), ('angry', True), ('sad', False)]
    >>> read_description("a zorbly, nasal woman").unread
    ('zorbly',)
    """
    spoken = language or language_of_text(text)
    reader = _Reader(text, spoken, quoted)
    statements = tuple(_middled(text, sorted(reader.statements(), key=lambda one: one.start)))
    understood = tuple(reader.understood())
    remarks = tuple(_remarks(text, statements, understood, spoken))
    told = [(one.start, one.end) for one in remarks]
    read = [(one.start, one.end) for one in statements]
    left = coverage(text, read, language=spoken, understood=[*understood, *told], quoted=quoted)
    return Reading(spoken, statements, remarks, left.doubtful_words(text), understood)


class _Reader:
    """A description with its mentions and what is said of them, found once."""

    def __init__(self, text: str, language: Language, quoted: Sequence[Span]) -> None:
        self.text = text
        self.language = language
        self.said = tuple(_outside(read_mentions(text, language=language), quoted))
        self.words = tokens(text, language)
        self.places = places_of(self.said, self.words)
        persons = frozenset(number for number, mention in enumerate(self.said) if is_person(mention))
        denying = frozenset(number for number, mention in enumerate(self.said) if mention.entry.denied)
        silent = frozenset(number for number, mention in enumerate(self.said) if mention.entry == Entry())
        self.scopes: Scopes = scopes(self.words, self.places, language, persons=persons, denying=denying, silent=silent)
        self.others = self._somebody_else()
        self.properties = self._meant()
        self.changes = self._changes()

    def statements(self) -> Iterator[Statement]:
        """Yield every statement, changes first."""
        for change in self.changes:
            yield self._change(change)
        replaced = {number for change in self.changes for number in change.replaced}
        hidden = self.others | replaced
        shown = [number for number in range(len(self.said)) if not self.scopes.strange[number] and number not in hidden]
        names_sex = any(
            _says_sex(self.said[number]) and not self.said[number].entry.pronoun and not self._is_denied(number)
            for number in shown
        )
        for number in shown:
            if not (names_sex and self.said[number].entry.pronoun):
                yield from self._of_mention(number)
        if not any(_says_sex(self.said[number]) for number in shown):
            yield from self._pronoun_within([self.places[number] for number in shown])

    def _pronoun_within(self, places: Sequence[Place]) -> Iterator[Statement]:
        """Yield the sex that a pronoun inside a phrase gives: "at the top of his lungs"."""
        if (found := pronoun_within(self.words, places, self.language)) is not None:
            token, sex = found
            start, end = self.words.places[token]
            yield Statement((Sense("sex", sex),), False, self.text[start:end], start, end)

    def understood(self) -> Iterator[Span]:
        """Yield places of mentions, and of denials, hedges and the like."""
        for mention in self.said:
            yield mention.start, mention.end
        for place in self.scopes.read:
            yield self.words.places[place.start][0], self.words.places[place.end - 1][1]

    def _of_mention(self, number: int) -> Iterator[Statement]:
        mention, entry = self.said[number], self.said[number].entry
        make = functools.partial(
            Statement,
            is_denied=self._is_denied(number),
            words=mention.evidence,
            start=mention.start,
            end=mention.end,
            is_hedged=self.scopes.hedged[number],
            is_plain=not entry.may_mean,
        )
        for meant in self.properties[number]:
            grades = self._graded(number) if meant[0].attribute == "intensity" else ()
            yield make(meant, grades=grades)
        for other in entry.others:
            yield make((), other=other)
        if entry.change is not None:
            yield make((), change=entry.change)

    def _graded(self, number: int) -> tuple[Emotion, ...]:
        """Return the emotions whose strength a word says: its own, or those of the word beside it."""
        own = _emotions(self.properties[number])
        if own:
            return own
        for beside, gap in ((number + 1, 0), (number - 1, 1)):
            if 0 <= beside < len(self.said):
                first, second = (number, beside) if not gap else (beside, number)
                near = self.places[second].start - self.places[first].end < GRADED_WITHIN
                if near and (found := _emotions(self.properties[beside])):
                    return found
        return ()

    def _is_denied(self, number: int) -> bool:
        """Return True if what a mention names is said not to be so: "not angry", "joyless", but not "not joyless"."""
        entry = self.said[number].entry
        return not entry.pronoun and self.scopes.denied[number] != entry.denied

    def _change(self, change: ReadChange) -> Statement:
        start, end = self.words.places[change.start][0], self.words.places[change.end - 1][1]
        return Statement(
            (), self.scopes.denied[change.last], self.text[start:end], start, end,
            change=Change(change.attribute, change.before, change.after),
        )  # fmt: skip

    def _meant(self) -> list[Properties]:
        """Return the values that each mention claims."""
        claimed = {
            sense
            for number, mention in enumerate(self.said)
            if not self._is_denied(number)
            for sense in mention.entry.means
        }
        numbered = list(enumerate(zip(self.said, self.places, strict=True)))
        covered = frozenset(
            token for _, (one, place) in numbered if one.entry != Entry() for token in range(place.start, place.end)
        )
        emotions = frozenset(
            token for _, (one, place) in numbered if _may_be_emotion(one) for token in range(place.start, place.end)
        )
        around = Around(self.words, covered, emotions)
        return [
            _unless_denied(
                senses(mention, place, around, self.language, stated=claimed),
                claimed,
                is_denied=self._is_denied(number),
            )
            for number, (mention, place) in numbered
        ]

    def _somebody_else(self) -> frozenset[int]:
        """Return the mentions of people who are not the speaker, and of what listeners feel.

        The former are people to whom something is said or done, and, where a text names both sexes, those of the one
        that it does not name first, unless it is a voice that is called so.
        """
        others = set()
        first: Sense | None = None
        pronouns = {sense for mention in self.said if mention.entry.pronoun for sense in mention.entry.means}
        for number, (mention, place) in enumerate(zip(self.said, self.places, strict=True)):
            if _may_be_emotion(mention) and is_listeners(self.words, place, self.language):
                others.add(number)
                continue
            about = [sense for sense in mention.entry.means if sense.attribute in ("sex", "age")]
            if not about or (self.scopes.denied[number] and not mention.entry.pronoun):
                continue
            if is_somebody_else(self.words, place, self.language, is_pronoun=mention.entry.pronoun):
                others.add(number)
                continue
            if len(pronouns) == 1 and not pronouns & set(about) and is_compared(self.words, place, self.language):
                others.add(number)
                continue
            for sense in about:
                if sense.attribute == "sex":
                    if first is None:
                        first = sense
                    elif sense != first and not is_voice(self.words.words, place):
                        others.add(number)
        return frozenset(others)

    def _changes(self) -> list[ReadChange]:
        candidates = [
            Candidate(number, place, meant[0].attribute, meant[0].value)
            for number, (place, found) in enumerate(zip(self.places, self.properties, strict=True))
            if not self.scopes.strange[number] and not self.said[number].entry.denied
            for meant in found
            if meant[0].attribute in CHANGING
        ]
        return read_changes(self.words, candidates, self.language)


def _may_be_emotion(mention: Mention) -> bool:
    entry = mention.entry
    named = (*entry.means, *entry.may_mean)
    return any(sense.attribute == "emotion" for sense in named) and not any(
        sense.attribute == "intensity" for sense in entry.may_mean
    )


def _says_sex(mention: Mention) -> bool:
    return any(sense.attribute == "sex" for sense in mention.entry.means)


def _emotions(properties: Properties) -> tuple[Emotion, ...]:
    return tuple(one[0].value for one in properties if isinstance(one[0].value, Emotion))


def _unless_denied(found: Properties, claimed: Container[Sense], *, is_denied: bool) -> Properties:
    """Return a word's claim: "not furious" says that the speaker is not angry, or else, that an anger is not strong.

    A denied sound that tells a feeling, too ("without crying"), is denied as a sound alone.
    """
    if is_denied and any(one[0].attribute == "events" for one in found):
        return tuple(one for one in found if one[0].attribute == "events")
    emotions = [one for one in found if one[0].attribute == "emotion"]
    strengths = tuple(one for one in found if one[0].attribute == "intensity")
    if not (is_denied and emotions and strengths):
        return found
    if any(one[0] in claimed for one in emotions):
        return strengths
    return tuple(one for one in found if one not in strengths)


def _outside(found: Sequence[Mention], quoted: Sequence[Span]) -> Iterator[Mention]:
    """Yield the mentions that no place overlaps; both are in the order of the text."""
    number = 0
    for mention in found:
        while number < len(quoted) and quoted[number][1] <= mention.start:
            number += 1
        if number == len(quoted) or mention.end <= quoted[number][0]:
            yield mention


BETWEEN = 24
"""Most characters between two denials that leave the middle of a scale only."""


def _middled(text: str, found: Sequence[Statement]) -> Iterator[Statement]:
    """Yield the statements, and the middle of a scale for denials of both its sides: "not loud, not soft"."""
    waiting: Statement | None = None
    for one in found:
        middle = None if waiting is None else _middle(waiting, one)
        if waiting is not None and middle is not None and one.start - waiting.end <= BETWEEN:
            yield Statement((middle,), False, text[waiting.start : one.end], waiting.start, one.end)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting = one
    if waiting is not None:
        yield waiting


def _middle(one: Statement, other: Statement) -> Sense | None:
    """Return the middle of the scale of which two denials name both sides."""
    if not (one.is_denied and other.is_denied):
        return None
    for first in one.senses:
        for second in other.senses:
            if first.attribute == second.attribute and first.attribute in SCALES:
                scale = values_of(first.attribute)
                middle = len(scale) // 2
                if (scale.index(first.value) - middle) * (scale.index(second.value) - middle) < 0:
                    return Sense(first.attribute, scale[middle])
    return None


def _remarks(
    text: str, statements: Sequence[Statement], understood: Sequence[Span], language: Language
) -> Iterator[Remark]:
    """Yield what cannot be judged: values beyond the closed sets, changes, and words of topics that nobody measures."""
    for one in statements:
        if one.other is not None:
            yield Remark(TOPICS.get(one.other.attribute, "attitude"), one.words, one.start, one.end)
        elif one.change is not None:
            yield Remark("change", one.words, one.start, one.end)
    topics, book = _remark_book(language)
    words = tokens(text, language)
    taken = bytearray(len(text))
    for start, end in (*understood, *((one.start, one.end) for one in statements)):
        taken[start:end] = b"\x01" * (end - start)
    for hit in sorted(book.find(words), key=lambda hit: (hit.start, -hit.end)):
        start, end = words.places[hit.start][0], words.places[hit.end - 1][1]
        if not any(taken[start:end]):
            taken[start:end] = b"\x01" * (end - start)
            yield Remark(topics[hit.key], text[start:end], start, end)


@functools.cache
def _remark_book(language: Language) -> tuple[tuple[str, ...], PhraseBook]:
    """Return topics, and the phrases of each."""
    text = (files("aptone.ear.reading") / f"unjudged.{language}.tsv").read_text(encoding="utf-8")
    rows = [row.split("\t") for row in text.splitlines() if row and not row.startswith("#")]
    return tuple(topic for topic, _ in rows), PhraseBook([said for _, said in rows], families={}, language=language)
