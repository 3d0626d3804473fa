"""Reading descriptions: which words name which value, and where a text uses them.

What `describe` says stands in `english` and `mandarin`; ``synonyms.en.tsv`` and ``synonyms.zh.tsv`` hold words that
other people use, and those that can mean several things. A word that is added to a row is known.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from aptone.ear.describe import english, mandarin
from aptone.ear.describe.attributes import CLOSED_SETS, Attribute, Intensity, Style, VocalEvent, checked
from aptone.errors import RecordError, UsageError
from aptone.types import ClosedSet, Emotion, Language

_MODULES: Mapping[Language, ModuleType] = {"en": english, "zh": mandarin}
_WORD = re.compile(r"([a-z]+)(?:['’]s(?![a-z]))?", re.IGNORECASE | re.ASCII)
_GAP = re.compile(r"[\s‐‑-]+")


class Sense(NamedTuple):
    """One value of one attribute. The attribute counts: a "clear" intensity is not a "clear" texture."""

    attribute: Attribute
    value: ClosedSet


class OtherSense(NamedTuple):
    """A value of an attribute in words beyond its closed set: a "confident" emotion, a "nasal" texture."""

    attribute: Attribute
    value: str


class Change(NamedTuple):
    """Two values of one attribute, the second of which takes the place of the first in the course of a clip."""

    attribute: Attribute
    before: ClosedSet
    after: ClosedSet


class Entry(NamedTuple):
    """Meaning of a word or phrase about a voice; without any, it claims nothing about it ("deep thought").

    Args:
        means: values that hold, all of them: "furious" is angry and strong.
        may_mean: values of which one holds; what stands around the word decides: "tense" is a rhythm or a texture.
        pronoun: whether the word only points back at somebody ("her") rather than describing.
        others: values beyond the closed sets; see `aptone.ear.reading.vocabularies`.
        change: change over time, "speeds up"; see there.
        denied: whether the values are what the word says not to be so: "joyless"; see there.
    """

    means: tuple[Sense, ...] = ()
    may_mean: tuple[Sense, ...] = ()
    pronoun: bool = False
    others: tuple[OtherSense, ...] = ()
    change: Change | None = None
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text that names a value: ``text[start:end]`` is exactly `evidence`."""

    start: int
    end: int
    evidence: str
    entry: Entry


@functools.cache
def lexicon(language: Language) -> Mapping[str, Entry]:
    """Every word and phrase that names a value, the longest first, so that the first match is the most specific.

    English keys are lower case, with hyphens as spaces and without articles and possessive endings. It holds all that
    `describe` can say, and more that people say.

    >>> [str(sense.value) for sense in lexicon("en")["furious"].means]
    ['angry', 'strong']
    >>> [sense.attribute for sense in lexicon("zh")["紧张"].may_mean]
    ['emotion', 'rhythm']

    Raises:
        UsageError: if the language is not known.
    """
    if language not in _MODULES:
        raise UsageError(f"there is a lexicon for {' and '.join(_MODULES)}, got {language!r}.")
    entries: dict[str, Entry] = {}
    for phrase, entry in _entries(language):
        key = _key(phrase, language)
        if entries.setdefault(key, entry) != entry:
            raise ValueError(f"{key!r} stands twice in the lexicon: {entries[key]} and {entry}.")
    return MappingProxyType({key: entries[key] for key in sorted(entries, key=lambda key: (-len(key), key))})


def mentions(text: str, *, language: Language) -> tuple[Mention, ...]:
    """Find the values that a text names, from left to right, the longest phrase at each place, without overlaps.

    Only words are looked at: negation, hedges and contrast are for the caller to see. Takes time linear in the text.

    Raises:
        UsageError: if the language is not known.

    >>> [found.evidence for found in mentions("Her deep, very slow voice", language="en")]
    ['Her', 'deep', 'very slow']
    """
    entries, index = lexicon(language), _lengths(language)
    return tuple(_english(text, entries, index) if language == "en" else _mandarin(text, entries, index))


def style_in(text: str, *, language: Language) -> Style:
    """The style that a text states, by its unambiguous words; the inverse of `describe` for what that wrote.

    >>> style_in("Her furious voice", language="en") == style_in("一位非常愤怒的女性", language="zh")
    True

    Raises:
        RecordError: if the text gives an attribute two values.
    """
    found: dict[Attribute, ClosedSet] = {}
    events: list[VocalEvent] = []
    for mention in mentions(text, language=language):
        for attribute, value in mention.entry.means:
            if isinstance(value, VocalEvent):
                events.append(value)
            elif found.setdefault(attribute, value) != value:
                raise RecordError(f"the text says both {found[attribute]} and {value} about the {attribute}.")
    return Style(**found, events=tuple(events))  # type: ignore[arg-type]


def _entries(language: Language) -> Iterator[tuple[str, Entry]]:
    module = _MODULES[language]
    for attribute, by_value in module.WORDS.items():
        for value, words in by_value.items():
            yield from ((phrase, Entry((Sense(attribute, value),))) for phrases in words for phrase in phrases)
    for emotion in Emotion:
        for intensity in (None,) if emotion is Emotion.NEUTRAL else (None, *Intensity):
            entry = Entry(_senses(emotion, intensity))
            yield from ((phrase, entry) for phrase in _emotion_phrases(emotion, intensity, language))
    people = (english.PERSONS, english.OWNERS) if language == "en" else (mandarin.PERSONS, mandarin.VOICES)
    for (age, sex), names in ((speaker, names) for table in people for speaker, names in table.items()):
        if age or sex:
            yield from ((name if isinstance(name, str) else name[1], Entry(_senses(sex, age))) for name in names)
    for sex, pronouns in module.PRONOUNS.items():
        yield from ((pronoun, Entry(_senses(sex), pronoun=True)) for pronoun in pronouns)
    yield from _synonyms(language)


def _synonyms(language: Language) -> Iterator[tuple[str, Entry]]:
    text = (files("aptone.ear.describe") / f"synonyms.{language}.tsv").read_text(encoding="utf-8")
    for row in text.splitlines():
        if row.startswith("#"):
            continue
        said, words = row.split("\t")
        named = [pair.split(": ") for pair in said.removeprefix("perhaps ").split(", ")]
        senses = tuple(Sense(checked(name), CLOSED_SETS[checked(name)].parse(value)) for name, value in named)
        entry = Entry(may_mean=senses) if said.startswith("perhaps ") else Entry(senses)
        yield from ((word, entry) for word in re.split(", |，", words))


def _emotion_phrases(emotion: Emotion, intensity: Intensity | None, language: Language) -> tuple[str, ...]:
    if language == "en":
        return english.emotion_adjectives(emotion, intensity) + english.emotion_nouns(emotion, intensity)
    said = mandarin.emotion_adjectives(emotion, intensity) + mandarin.emotion_nouns(emotion, intensity)
    return said + mandarin.emotion_clauses(emotion, intensity)


@functools.cache
def _lengths(language: Language) -> Mapping[str, tuple[int, ...]]:
    """Return the lengths of keys in words (Mandarin: characters) by their first word (character), longest first."""
    lengths: dict[str, set[int]] = {}
    for key in lexicon(language):
        words = key.split() if language == "en" else key
        lengths.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(counts, reverse=True)) for first, counts in lengths.items()}


def _english(text: str, entries: Mapping[str, Entry], index: Mapping[str, tuple[int, ...]]) -> Iterator[Mention]:
    words = list(_WORD.finditer(text))
    names = [word[1].lower() for word in words]
    # reach[i]: the first word after i that punctuation parts from its forerunner; a phrase does not go that far
    reach = [len(words)] * len(words)
    for place in range(len(words) - 2, -1, -1):
        joined = _GAP.fullmatch(text, words[place].end(), words[place + 1].start())
        reach[place] = reach[place + 1] if joined else place + 1
    place = 0
    while place < len(words):
        step = 1
        for count in index.get(names[place], ()):
            end = place + count
            entry = entries.get(" ".join(names[place:end])) if end <= reach[place] else None
            if entry is not None:
                start, stop = words[place].start(), words[end - 1].end(1)
                yield Mention(start, stop, text[start:stop], entry)
                step = count
                break
        place += step


def _mandarin(text: str, entries: Mapping[str, Entry], index: Mapping[str, tuple[int, ...]]) -> Iterator[Mention]:
    place = 0
    while place < len(text):
        step = 1
        for count in index.get(text[place], ()):
            phrase = text[place : place + count]
            entry = entries.get(phrase) if len(phrase) == count else None
            if entry is not None:
                yield Mention(place, place + count, phrase, entry)
                step = count
                break
        place += step


def _senses(*values: ClosedSet | None) -> tuple[Sense, ...]:
    return tuple(Sense(_attribute_of(value), value) for value in values if value is not None)


def _attribute_of(value: ClosedSet) -> Attribute:
    return next(attribute for attribute, closed in CLOSED_SETS.items() if isinstance(value, closed))


def _key(phrase: str, language: Language) -> str:
    if language != "en":
        return phrase
    words = [word[1] for word in _WORD.finditer(phrase)]
    return " ".join(words[1:] if words[0] in ("a", "an") else words)
