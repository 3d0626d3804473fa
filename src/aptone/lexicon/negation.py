"""Whether a text denies what it says: "did not shout", "without laughing", 没有笑, "as if over the phone"."""

import functools
from bisect import bisect_left
from typing import NamedTuple

from aptone.lexicon import english_cues, mandarin_cues
from aptone.lexicon.phrases import PhraseBook, Tokens, ends_clause, tokens
from aptone.types import Language

REACH = {"en": 6, "zh": 8}
"""Words (English) or characters (Mandarin) as far as which a negation reaches, within its clause."""
_FAR, _NEXT, _NONE = range(3)


class Negation(NamedTuple):
    """The tokens that a negation denies: those from `start` up to `end`."""

    start: int
    end: int


def negations(text: Tokens, language: Language) -> tuple[Negation, ...]:
    """What is denied in a text."""
    found = list(_book(language).find(text))
    only_look_so = [hit for hit in found if hit.key == _NONE]
    return tuple(
        Negation(hit.end, _reach(text, hit.end, 1 if hit.key == _NEXT else REACH[language] + 1))
        for hit in found
        if hit.key != _NONE and not any(other.start <= hit.start < other.end for other in only_look_so)
    )


def denied(text: str, place: int, language: Language) -> bool:
    """Whether the word that begins at a place of a text is denied.

    >>> denied("without laughing", 8, "en"), denied("laughing, not crying", 0, "en"), denied("没有笑", 2, "zh")
    (True, False, True)
    """
    words = tokens(text, language)
    number = bisect_left(words.places, (place, place))
    return any(one.start <= number < one.end for one in negations(words, language))


def _reach(text: Tokens, first: int, most: int) -> int:
    for number in range(first, min(first + most, len(text.words))):
        if ends_clause(text.words[number]):
            return number
    return min(first + most, len(text.words))


@functools.cache
def _book(language: Language) -> PhraseBook:
    words = mandarin_cues if language == "zh" else english_cues
    lists = (words.NEGATIONS, words.NEXT_NEGATIONS, words.NO_NEGATIONS)
    return PhraseBook(lists, families=words.FAMILIES, language=language)
