"""Values that only a noun and a picture beside it tell: "the pitch is parked in the attic", 调子挂在房梁上.

Where a clause names a scale (pitch, volume, pace, melody) and nothing in it was read about that scale, words that mean
a place on it decide: what is high up is a high pitch, what is small a soft volume, what cannot stand still a lively
melody. ``voices/metaphors.LANGUAGE.tsv`` holds these words, ``voices/families.LANGUAGE.tsv`` the nouns.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aptone.ear.describe.attributes import CLOSED_SETS, Attribute, checked
from aptone.ear.describe.lexicon import Sense
from aptone.lexicon.descriptions import table_rows
from aptone.lexicon.phrases import Found, PhraseBook, Tokens
from aptone.types import Language

NOUNS: Mapping[Language, Mapping[Attribute, str]] = {
    "en": {"pitch": "pn", "volume": "vn", "rate": "rn", "pitch_variation": "movn"},
    "zh": {"pitch": "调", "volume": "量", "rate": "速", "pitch_variation": "伏"},
}
"""Family of the nouns of each scale."""
SPEECH: Mapping[Language, str] = {"en": "speech", "zh": "话"}
"""Family of the nouns for what is said, and how: words, syllables, voice, mood."""
OF_SPEECH = "words "
"""Beginning of a row of pictures beside these."""
WITHIN = {"en": 8, "zh": 12}
"""Words (in Mandarin, characters) between a noun and its picture."""
_DENYING = frozenset(
    ("not", "never", "no", "nor", "neither", "without", "nothing", "than", "from", "to", "不", "没", "无", "别", "非")
)
"""Words between the two that make them mean something else."""


class _Row(NamedTuple):
    """What a row of pictures says, and the number of the family of its nouns."""

    family: int
    sense: Sense


class Picture(NamedTuple):
    """A noun with its picture: their tokens, and what they say."""

    start: int
    end: int
    sense: Sense


def find_pictures(words: Tokens, known: Mapping[int, frozenset[Attribute]], language: Language) -> Iterator[Picture]:
    """Yield the pictures of a text, from left to right. Takes time linear in the text.

    Args:
        known: attributes that the word at a token is known to be about; empty for words that say nothing.
    """
    nouns, pictures = _books(language)
    rows = _meanings(language)
    said: dict[int, list[Found]] = {}
    for hit in pictures.find(words):
        if not any(token in known for token in range(hit.start, hit.end)):
            said.setdefault(hit.start, []).append(hit)
    if not said:
        return
    clauses = _clauses(words.words)
    for noun in nouns.find(words):
        if any(token in known for token in range(noun.start, noun.end)):
            continue
        first, last = clauses[noun.start]
        first, last = max(first, noun.start - 2 * WITHIN[language]), min(last, noun.end + 2 * WITHIN[language])
        told = frozenset[Attribute]().union(*(known.get(token, ()) for token in range(first, last)))
        fits = [row.family == noun.key and row.sense.attribute not in told for row in rows]
        picture = _nearest(words.words, noun, said, (first, last), language, fits) if any(fits) else None
        if picture is not None:
            yield Picture(min(noun.start, picture.start), max(noun.end, picture.end), rows[picture.key].sense)


def _nearest(
    words: Sequence[str],
    noun: Found,
    said: Mapping[int, Sequence[Found]],
    clause: tuple[int, int],
    language: Language,
    fits: Sequence[bool],
) -> Found | None:
    """Return the picture nearest to a noun: behind it, else before it."""
    reach = WITHIN[language]
    behind = range(noun.end, min(clause[1], noun.end + reach))
    before = range(noun.start - 1, max(clause[0], noun.start - reach) - 1, -1)
    for places in (behind, before):
        for start in places:
            for hit in sorted(said.get(start, ()), key=lambda hit: -hit.end):
                between = words[noun.end : hit.start] if hit.start >= noun.end else words[hit.end : noun.start]
                if fits[hit.key] and hit.end <= clause[1] and not _DENYING & set(between):
                    return hit
    return None


def _clauses(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the clause of each token: from mark to mark."""
    found: list[tuple[int, int]] = []
    begin = 0
    for number, word in enumerate((*words, ".")):
        if not word[:1].isalnum() and word not in ("'", "’", "-"):
            found += [(begin, number)] * (number + 1 - begin)
            begin = number + 1
    return found


@functools.cache
def _rows(language: Language) -> tuple[tuple[str, str], ...]:
    return tuple(table_rows(f"metaphors.{language}.tsv"))


@functools.cache
def _meanings(language: Language) -> tuple[_Row, ...]:
    """Return what each row of the table says."""
    scales = tuple(NOUNS[language])
    found = []
    for says, _ in _rows(language):
        name, _, value = says.removeprefix(OF_SPEECH).partition(": ")
        attribute = checked(name)
        family = len(scales) if says.startswith(OF_SPEECH) else scales.index(attribute)
        found.append(_Row(family, Sense(attribute, CLOSED_SETS[attribute].parse(value))))
    return tuple(found)


@functools.cache
def _books(language: Language) -> tuple[PhraseBook, PhraseBook]:
    families = dict(table_rows(f"families.{language}.tsv"))
    nouns = [families[name] for name in (*NOUNS[language].values(), SPEECH[language])]
    return (
        PhraseBook(nouns, families={}, language=language),
        PhraseBook([phrases for _, phrases in _rows(language)], families={}, language=language),
    )
