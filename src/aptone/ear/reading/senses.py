"""Senses of ambiguous words of a caption: by the noun that it goes with, or by what stands beside it."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice, pairwise, takewhile
from typing import NamedTuple

from aptone.ear.describe import Attribute, Mention, Sense
from aptone.ear.reading.scope import Place
from aptone.ear.reading.scope_words import DETERMINERS, LINKS, NEEDS_A_NOUN, NOUNS
from aptone.lexicon.phrases import SENTENCE_ENDS, Tokens
from aptone.types import Language

AHEAD = {"en": 5, "zh": 6}
"""Words (in Mandarin, characters) behind a word among which its noun is looked for."""

BEHIND = {"en": 6, "zh": 8}
"""The same before it."""

_ENDS_A_PHRASE = SENTENCE_ENDS | LINKS | DETERMINERS
_MARKS = frozenset("，。；！？,;!?")


Properties = tuple[tuple[Sense, ...], ...]
"""Properties that a word names, all of which hold; of each the possible values, the likeliest first."""

GRADED_WITHIN = 3
"""Words (in Mandarin, characters) between a degree and the emotion that it grades."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SPEAKING: frozenset[str] = _set(
    "speaks talks goes speak talk says sounds voice he she it they pitched very rather fairly so quite "
    "extremely pretty too and but not never hardly isn't wasn't particularly especially exactly that , : ; — . ! ?"
)
_LEVELS = frozenset(("high", "low", "very high", "very low"))


class Around(NamedTuple):
    """Words around the mentions of a caption.

    Args:
        words: its tokens.
        covered: tokens of mentions.
        emotions: tokens of mentions that name an emotion.
    """

    words: Tokens
    covered: frozenset[int]
    emotions: frozenset[int]


def senses(
    mention: Mention, place: Place, around: Around, language: Language, *, stated: Container[Sense] = ()
) -> Properties:
    """The properties that a mention names: all that hold, or the one of several that what stands around it points at.

    A noun decides the attribute. It is looked for right beside the word ("subdued in volume", 较低的音量), where it is
    the subject ("the pitch is low"), then farther behind ("low, rumbling pitch"), then before it. Without one, and
    among several values of the attribute, what the caption states in plain words elsewhere is meant, or else the first
    meaning. Words that say nothing of a voice when they stand alone give nothing without a noun. A degree grades an
    emotion that stands beside it ("clearly upset"), and else means its other value ("a clear voice") or nothing.

    Args:
        stated: meanings of the caption's unambiguous words.
    """
    entry = mention.entry
    if entry.means or not entry.may_mean:
        return tuple((sense,) for sense in entry.means)
    degrees = [sense for sense in entry.may_mean if sense.attribute == "intensity"]
    if degrees and _grades(place, around, language):
        return ((degrees[0],),)
    possible = [sense for sense in entry.may_mean if sense.attribute != "intensity"]
    if not possible:
        return ()
    for attributes in _nouns(place, around, language):
        for attribute in attributes:
            if meant := [sense for sense in possible if sense.attribute == attribute]:
                return _likeliest(meant, stated)
    key = mention.evidence.casefold().replace("-", " ")
    if key in NEEDS_A_NOUN[language] or (key in _LEVELS and not _stands_alone(place, around.words.words)):
        return ()
    return _likeliest(possible, () if key in _LEVELS else stated)


def _grades(place: Place, around: Around, language: Language) -> bool:
    """Return True if an emotion stands beside a degree: behind it, or right before it."""
    words = around.words.words
    for token in range(place.end, min(place.end + GRADED_WITHIN, len(words))):
        if token in around.emotions:
            return True
        if not words[token][:1].isalnum():
            break
    before = range(place.start - 1, max(-1, place.start - GRADED_WITHIN - 1), -1)
    for token in before:
        if token in around.emotions:
            return True
        if token in around.covered or (not words[token][:1].isalnum() and language == "zh"):
            return False
    return False


def _stands_alone(place: Place, words: Sequence[str]) -> bool:
    """Return True if "high" or "low" is said of the voice itself rather than of a noun that is not known."""
    behind = words[place.end] if place.end < len(words) else "."
    before = words[place.start - 1] if place.start else "."
    if behind[:1].isalnum() and behind not in (
        "and",
        "but",
        "yet",
        "for",
        "enough",
        "up",
        "throughout",
        "as",
        "or",
        "at",
    ):
        return False
    if before in LINKS:
        subject = words[place.start - 2] if place.start > 1 else ""
        return subject in NOUNS["en"] or subject in ("he", "she", "it", "they", "voice")
    return before in _SPEAKING or not before[:1].isalnum()


def _likeliest(meant: Sequence[Sense], stated: Container[Sense]) -> Properties:
    return (tuple(sorted(meant, key=lambda sense: sense not in stated)),)


def _nouns(place: Place, around: Around, language: Language) -> Iterator[tuple[Attribute, ...]]:
    """Yield the topics of the nouns around a word, the one that it most likely goes with first.

    Nouns that belong to another mention ("high, normal loudness") are not looked at, but a voice behind is everybody's
    ("a high, bright voice").
    """
    words, taken = around.words.words, around.covered
    begin = max(0, place.start - BEHIND[language])
    ahead = [
        "-" if token in taken and words[token] != "voice" else words[token]
        for token in range(place.end, min(place.end + AHEAD[language], len(words)))
    ]
    before = ["-" if token in taken else words[token] for token in range(begin, place.start)]
    if language == "zh":
        yield from _mandarin_nouns(before, ahead)
    else:
        yield from _english_nouns(before[::-1], ahead)


def _english_nouns(before: Sequence[str], ahead: Sequence[str]) -> Iterator[tuple[Attribute, ...]]:
    """The words before come nearest first; "-" stands for one of another mention."""
    known = NOUNS["en"]
    if len(ahead) > 1 and ahead[0] == "in" and ahead[1] in known:
        yield known[ahead[1]]
        return
    clause = takewhile(lambda word: word[:1].isalnum() or word in (",", "-"), before)
    yield from _first(dropwhile(lambda word: word not in LINKS, clause), known)
    yield from _first(takewhile(lambda word: word not in _ENDS_A_PHRASE, ahead), known)
    yield from _first(takewhile(lambda word: word not in SENTENCE_ENDS, before), known)


def _mandarin_nouns(before: Sequence[str], ahead: Sequence[str]) -> Iterator[tuple[Attribute, ...]]:
    known = NOUNS["zh"]
    if ahead[:1] == ["的"] and (beside := "".join(ahead[1:3])) in known:
        yield known[beside]
        return
    for pairs in (list(pairwise(before))[::-1], pairwise(ahead)):
        yield from _first(map("".join, takewhile(lambda pair: pair[0] not in _MARKS, pairs)), known)


def _first(words: Iterable[str], known: Mapping[str, tuple[Attribute, ...]]) -> Iterator[tuple[Attribute, ...]]:
    yield from islice((known[word] for word in words if word in known), 1)
