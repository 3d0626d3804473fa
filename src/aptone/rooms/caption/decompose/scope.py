"""How far a denial or a hedge of a caption reaches: which of its words are denied, and which are said with care."""

import functools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from aptone.ear.describe import Mention
from aptone.lexicon.phrases import PhraseBook, Tokens, tokens
from aptone.rooms.caption.decompose.claim_words import (
    CONTRASTS,
    DENIALS,
    HEDGES,
    LACKS,
    NO_DENIALS,
    NOT_OF_A_VOICE,
)
from aptone.types import Language

DENIED_REACH = {"en": 6, "zh": 7}
"""Words (in Mandarin, characters) between a denial and what it denies, or between two things that it denies."""

HEDGED_REACH = {"en": 3, "zh": 4}
"""The same for a hedge, which reaches one thing only."""

LONGEST_IN_A_LIST = 3
"""Words between two commas of a list."""

_DENIAL, _LACK, _NEITHER, _HEDGE, _STRANGE = range(5)
_COMMAS = frozenset({",", "，", "、"})


class Place(NamedTuple):
    """A mention by the tokens that it covers."""

    start: int
    end: int


class Scopes(NamedTuple):
    """What is true of each mention of a caption, in their order.

    Args:
        denied: whether the caption says that it does not hold.
        hedged: whether it says so with care.
        strange: whether its words are part of a phrase that is not about the voice.
    """

    denied: tuple[bool, ...]
    hedged: tuple[bool, ...]
    strange: tuple[bool, ...]


def scopes(words: Tokens, places: Sequence[Place], language: Language) -> Scopes:
    """What small words around them make of the mentions of a caption. Takes time linear in the text.

    Args:
        words: of the caption.
        places: of the mentions, from left to right.
        language: of the caption.
    """
    starts = {place.start: number for number, place in enumerate(places)}
    covered = {token: number for number, place in enumerate(places) for token in range(place.start, place.end)}
    denied, hedged, strange = ([False] * len(places) for _ in range(3))
    found = sorted(_book(language).find(words), key=lambda hit: (hit.start, -hit.end))
    # A phrase that only looks like a denial must not take its words from a mention: 不断 in 不断续.
    alike = (range(hit.start, hit.end) for hit in found if hit.key == _NEITHER and hit.end - 1 not in covered)
    harmless = {token for tokens_alike in alike for token in tokens_alike} | set(covered)
    denials = [hit for hit in found if hit.key in (_DENIAL, _LACK) and hit.start not in harmless]
    for hit, following in zip_longest(denials, denials[1:]):
        until = len(words.words) if following is None else max(following.start, hit.end)
        for number in _denied(words.words, hit.end, until, starts, places, language, lists=hit.key == _LACK):
            denied[number] = True
    denying = {hit.start for hit in denials}
    for hit in found:
        if hit.key == _HEDGE and hit.start not in denying:  # "rather than" is no "rather"
            if hit.start in covered:  # the mention itself says so: "slightly angry"
                hedged[covered[hit.start]] = True
            elif hit.end - 1 not in covered:  # else it is part of another phrase: "a little girl"
                for number in _next(words.words, hit.end, starts, HEDGED_REACH[language]):
                    hedged[number] = True
        elif hit.key == _STRANGE:
            for token in range(hit.start, hit.end):
                if token in covered:
                    strange[covered[token]] = True
    return Scopes(tuple(denied), tuple(hedged), tuple(strange))


def places_of(mentions: Sequence[Mention], words: Tokens) -> tuple[Place, ...]:
    """The mentions of a text by its tokens."""
    begins = [begin for begin, _ in words.places]
    return tuple(Place(bisect_left(begins, mention.start), bisect_left(begins, mention.end)) for mention in mentions)


def caption_tokens(caption: str, language: Language) -> Tokens:
    """The words of a caption, as the lists of small words are compared with them."""
    return tokens(caption, language)


@functools.cache
def _book(language: Language) -> PhraseBook:
    lists = [listed[language] for listed in (DENIALS, LACKS, NO_DENIALS, HEDGES, NOT_OF_A_VOICE)]
    return PhraseBook(lists, families={}, language=language)


def _denied(
    words: Sequence[str],
    begin: int,
    until: int,
    starts: dict[int, int],
    places: Sequence[Place],
    language: Language,
    *,
    lists: bool,
) -> Iterator[int]:
    """The mentions that a denial reaches: as far as its clause, or the list of what it denies, goes."""
    left, token = DENIED_REACH[language], begin
    while token < until and left >= 0:
        word = words[token]
        if token in starts:
            yield starts[token]
            token, left = places[starts[token]].end, DENIED_REACH[language]
            continue
        if word in _COMMAS:
            if word != "、" and not _is_listed(words, token + 1, until):
                return
        elif (
            not word[:1].isalnum()
            or (word in CONTRASTS[language] and token > begin)
            or (word == "and" and not (lists and token + 1 in starts))
        ):
            return
        left -= 1
        token += 1


def _is_listed(words: Sequence[str], begin: int, until: int) -> bool:
    """Whether what follows a comma is a further member of a list that "or" ends, and not another clause."""
    length = 0
    for token in range(begin, min(begin + 5 * (LONGEST_IN_A_LIST + 1), until)):
        if words[token] in ("or", "nor", "或"):
            return True
        length = 0 if words[token] in _COMMAS else length + 1
        if length > LONGEST_IN_A_LIST or not (words[token][:1].isalnum() or words[token] in _COMMAS):
            return False
    return False


def _next(words: Sequence[str], begin: int, starts: dict[int, int], reach: int) -> Iterator[int]:
    """The next mention within reach, in the same clause."""
    for token in range(begin, min(begin + reach + 1, len(words))):
        if token in starts:
            yield starts[token]
            return
        if not words[token][:1].isalnum():
            return
