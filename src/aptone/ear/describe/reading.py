"""Reading a description: what it states of a voice, what it denies, and which of its words say nothing to us.

`aptone.ear.describe.lexicon` finds the words that name values; here they get their polarity ("not angry", "more hurt
than angry", 毫不生气). The rest is named: words about a voice that no ear here judges ("nasal", an accent), and words
that are in no list at all. Reading takes time linear in the text.
"""

import functools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from aptone.ear.describe.attributes import Attribute
from aptone.ear.describe.lexicon import Mention, Sense, mentions
from aptone.ear.describe.polarity import ADDRESSED_CUE, MarkedMentions, cue_book, plain_mandarin, plain_words, polarity
from aptone.lexicon.phrases import PhraseBook, Tokens, tokens
from aptone.types import Emotion, Language, language_of_text

NOUNS: Mapping[Language, Mapping[str, tuple[Attribute, ...]]] = {
    "en": {
        "pitch": ("pitch", "pitch_variation", "intonation"),
        "pitched": ("pitch",),
        "register": ("pitch",),
        "volume": ("volume",),
        "loudness": ("volume",),
        "pace": ("rate",),
        "tempo": ("rate",),
        "speed": ("rate",),
        "rate": ("rate",),
        "intonation": ("intonation", "pitch_variation"),
        "rhythm": ("rhythm",),
        "energy": ("rhythm",),
        "mood": ("emotion",),
        "emotion": ("emotion",),
        "spirits": ("emotion",),
        "texture": ("texture",),
        "timbre": ("texture",),
    },
    "zh": {
        "音调": ("pitch",),
        "音高": ("pitch",),
        "声调": ("pitch",),
        "音量": ("volume",),
        "语速": ("rate",),
        "速度": ("rate",),
        "语调": ("intonation", "pitch_variation"),
        "节奏": ("rhythm",),
        "音色": ("texture",),
        "情绪": ("emotion",),
    },
}
"""Nouns that tell which attribute an ambiguous word is about, beside it."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One property that a description states or denies; ``text[start:end]`` is exactly `words`.

    Args:
        senses: values of which one is meant; several where a word has several meanings ("husky": rough or breathy).
        grades: emotions whose strength it is; empty for what is no strength.
    """

    senses: tuple[Sense, ...]
    is_denied: bool
    words: str
    start: int
    end: int
    grades: tuple[Emotion, ...] = ()


class Remark(NamedTuple):
    """Words about a voice that no ear here judges, and their topic, such as ``accent``."""

    topic: str
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a description.

    Args:
        statements: each property once, in the order of the text.
        remarks: words about a voice that cannot be judged.
        unread: words that nothing is known about, in the order of the text.
    """

    language: Language
    statements: tuple[Statement, ...]
    remarks: tuple[Remark, ...] = ()
    unread: tuple[str, ...] = ()


def read_description(text: str, *, language: Language | None = None) -> Reading:
    """Read a description, in English or Mandarin.

    A denied emotion that is said with its strength ("not furious") denies the emotion. A denial of a person with a
    quality ("not an angry man") denies the quality. Pronouns give a sex where nothing else does.

    Args:
        language: language of the text; by default the one of its letters.

    >>> [(one.words, one.is_denied) for one in read_description("a man who is not angry, but sad").statements]
    [('man', False), ('angry', True), ('sad', False)]
    >>> read_description("a zorbly, nasal woman").unread
    ('zorbly',)
    """
    spoken = language or language_of_text(text)
    words = tokens(text, spoken)
    found = mentions(text, language=spoken)
    places = _places([(one.start, one.end) for one in found], words)
    hits = sorted(cue_book(spoken).find(words), key=lambda hit: (hit.start, -hit.end))
    covered = {token for start, end in places for token in range(start, end)}
    marked = MarkedMentions(words, found, places, {start: number for number, (start, _) in enumerate(places)}, spoken)
    denied, addressed = polarity(marked, hits, covered)
    statements = tuple(_statements(found, places, words, denied, addressed, spoken))
    remarks = tuple(_remarks(text, words, covered, spoken))
    told = {token for one in remarks for token in range(*_places([(one.start, one.end)], words)[0])}
    cues = {token for hit in hits if hit.key != ADDRESSED_CUE for token in range(hit.start, hit.end)}
    unread = tuple(_unread(text, words, covered | told | cues, spoken))
    return Reading(spoken, statements, remarks, unread)


def _statements(
    found: Sequence[Mention],
    places: Sequence[tuple[int, int]],
    words: Tokens,
    denied: set[int],
    addressed: set[int],
    language: Language,
) -> Iterator[Statement]:
    said: set[tuple[tuple[Sense, ...], bool]] = set()
    own = [number for number in range(len(found)) if number not in addressed]
    has_sex = any(_names_sex(found[number]) and not found[number].entry.pronoun for number in own)
    for number in own:
        mention, is_denied = found[number], number in denied and not found[number].entry.pronoun
        if mention.entry.pronoun and has_sex:
            continue
        for senses, grades in _meanings(mention, places[number], words, language, is_denied=is_denied):
            if (senses, is_denied) not in said:
                said.add((senses, is_denied))
                yield Statement(senses, is_denied, mention.evidence, mention.start, mention.end, grades)


def _names_sex(mention: Mention) -> bool:
    return any(sense.attribute == "sex" for sense in mention.entry.means)


def _meanings(
    mention: Mention, place: tuple[int, int], words: Tokens, language: Language, *, is_denied: bool
) -> Iterator[tuple[tuple[Sense, ...], tuple[Emotion, ...]]]:
    """Yield what a word states: for each property its possible values, and the emotions that it grades."""
    entry = mention.entry
    if entry.may_mean:
        about = next((NOUNS[language][noun] for noun in _beside(place, words, language)), ())
        meant = tuple(sense for sense in entry.may_mean if sense.attribute in about)
        if meant or not about:
            yield meant or entry.may_mean, ()
        return
    emotions = tuple(sense.value for sense in entry.means if isinstance(sense.value, Emotion))
    for sense in entry.means:
        if sense.attribute != "intensity":
            yield (sense,), ()
        elif not is_denied:
            yield (sense,), emotions


def _beside(place: tuple[int, int], words: Tokens, language: Language) -> Iterator[str]:
    """Yield the nouns of attributes beside a word: right behind it, then before it in its clause."""
    start, end = place
    if language == "zh":
        behind, before = "".join(words.words[end : end + 4]), "".join(words.words[max(0, start - 5) : start])
        yield from (noun for noun in NOUNS["zh"] if noun in behind[:3])
        yield from (noun for noun in NOUNS["zh"] if noun in before)
        return
    for word in words.words[end : end + 2]:
        if word in NOUNS["en"]:
            yield word
    for word in reversed(words.words[max(0, start - 4) : start]):
        if word in NOUNS["en"]:
            yield word


def _remarks(text: str, words: Tokens, covered: set[int], language: Language) -> Iterator[Remark]:
    topics, book = _remark_book(language)
    taken = -1
    for hit in sorted(book.find(words), key=lambda hit: (hit.start, -hit.end)):
        if hit.start > taken and not any(token in covered for token in range(hit.start, hit.end)):
            start, end = words.places[hit.start][0], words.places[hit.end - 1][1]
            taken = hit.end - 1
            yield Remark(topics[hit.key], text[start:end], start, end)


def _unread(text: str, words: Tokens, known: set[int], language: Language) -> Iterator[str]:
    """Yield words that nothing is known about, each once."""
    told: set[str] = set()
    for word in _english_left(text, words, known) if language == "en" else _mandarin_left(text, words, known):
        if word.casefold() not in told:
            told.add(word.casefold())
            yield word


def _english_left(text: str, words: Tokens, known: set[int]) -> Iterator[str]:
    plain = plain_words("en")
    for number, (word, (start, end)) in enumerate(zip(words.words, words.places, strict=True)):
        if number not in known and word[:1].isalpha() and len(word) > 1 and word not in plain:
            yield text[start:end]


def _mandarin_left(text: str, words: Tokens, known: set[int]) -> Iterator[str]:
    """Yield stretches without known words; a stretch ends at marks and at known words."""
    plain = plain_mandarin(words)
    begin: int | None = None
    for number in range(len(words.words) + 1):
        is_left = (
            number < len(words.words)
            and number not in known
            and number not in plain
            and words.words[number][:1].isalpha()
        )
        if is_left and begin is None:
            begin = number
        elif not is_left and begin is not None:
            yield text[words.places[begin][0] : words.places[number - 1][1]]
            begin = None


def _places(spans: Iterable[tuple[int, int]], words: Tokens) -> list[tuple[int, int]]:
    """Return spans of characters as spans of tokens."""
    begins = [begin for begin, _ in words.places]
    return [(bisect_left(begins, start), bisect_left(begins, end)) for start, end in spans]


@functools.cache
def _remark_book(language: Language) -> tuple[tuple[str, ...], PhraseBook]:
    """Return topics, and the phrases of each."""
    text = (files("aptone.ear.describe") / f"unjudged.{language}.tsv").read_text(encoding="utf-8")
    rows = [row.split("\t") for row in text.splitlines() if row and not row.startswith("#")]
    return tuple(topic for topic, _ in rows), PhraseBook([said for _, said in rows], families={}, language=language)
