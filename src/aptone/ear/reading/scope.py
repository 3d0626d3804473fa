"""Scope of negations and hedges in a caption: which of its words are denied, and which are said with care."""

import functools
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from aptone.ear.describe import Mention
from aptone.ear.reading.coverage import plain_tokens
from aptone.ear.reading.scope_words import (
    AFTERWARDS,
    CONTRASTS,
    DENIALS,
    FAMILIES,
    HEDGES,
    LACKS,
    NAMING,
    NO_DENIALS,
    NOT_OF_A_VOICE,
    TAKES_BACK,
    UNREAL,
)
from aptone.lexicon.phrases import SENTENCE_ENDS, Found, PhraseBook, Tokens
from aptone.types import Language

DENIED_REACH = {"en": 6, "zh": 7}
"""Words (in Mandarin, characters) between a denial and what it denies, or between two things that it denies."""

BARE_REACH = 4
"""Characters as far as which a bare 不 or 没 reaches."""

HEDGED_REACH = {"en": 3, "zh": 4}
"""The same for a hedge, which reaches one thing only."""

LONGEST_IN_A_LIST = 3
"""Words between two commas of a list."""

COMPARED_REACH = 8
"""Words between "more" and "than"."""

_DENIAL, _LACK, _NEITHER, _HEDGE, _STRANGE, _BACK, _AFTER, _UNREAL = range(8)
_ASKING = frozenset({"?", "？"})
_COMMAS = frozenset({",", "，", "、"})


class Place(NamedTuple):
    """A mention by the tokens that it covers."""

    start: int
    end: int


class Scopes(NamedTuple):
    """Negation and hedging of each mention of a caption, in their order.

    Args:
        denied: whether the caption says that it does not hold.
        hedged: whether it says so with care.
        strange: whether its words are part of a phrase that is not about the voice.
        read: tokens of the words that say so.
    """

    denied: tuple[bool, ...]
    hedged: tuple[bool, ...]
    strange: tuple[bool, ...]
    read: tuple[Place, ...] = ()


def scopes(
    words: Tokens,
    places: Sequence[Place],
    language: Language,
    *,
    persons: Container[int] = frozenset(),
    denying: Container[int] = frozenset(),
    silent: Container[int] = frozenset(),
) -> Scopes:
    """Determine negation and hedging of a caption's mentions, given from left to right. Linear in the text's length.

    Args:
        persons: mentions that name a person by sex or age and nothing else.
        denying: mentions that deny by their form: "joyless", 不怕.
        silent: mentions that claim nothing.
    """
    covered = {token: number for number, place in enumerate(places) for token in range(place.start, place.end)}
    found = sorted(_book(language).find(words), key=lambda hit: (hit.start, -hit.end))
    denials = _denials(found, covered, places, language)
    denied = set(
        _all_denied(words, places, found, denials, covered, language, persons=persons, denying=denying, silent=silent)
    )
    hedged, strange = _hedged_and_strange(
        words, places, found, covered, language, denying={hit.start for hit in denials}
    )
    read = [Place(hit.start, hit.end) for hit in found if hit.key != _STRANGE and hit.start not in covered]
    numbers = range(len(places))
    return Scopes(
        tuple(number in denied for number in numbers),
        tuple(number in hedged for number in numbers),
        tuple(number in strange for number in numbers),
        tuple(read),
    )


def _denials(
    found: Sequence[Found], covered: Mapping[int, int], places: Sequence[Place], language: Language
) -> list[Found]:
    """The words that deny, without those that only look so.

    A phrase that only looks like a denial must not take its words from a mention, 不断 in 不断续, but may hold one:
    "couldn't be happier". A denial may begin with a mention that it goes beyond: "untroubled by".
    """
    alike = (
        range(hit.start, hit.end)
        for hit in found
        if hit.key == _NEITHER and (hit.end - 1 not in covered or (language == "en" and hit.end - hit.start > 2))
    )
    harmless = {token for tokens_alike in alike for token in tokens_alike} | set(covered)
    return [
        hit
        for hit in found
        if (hit.key in (_DENIAL, _LACK) and hit.start not in harmless)
        or (hit.key == _LACK and language == "en" and hit.start in covered and places[covered[hit.start]].end < hit.end)
    ]


def _all_denied(
    words: Tokens,
    places: Sequence[Place],
    found: Sequence[Found],
    denials: Sequence[Found],
    covered: Mapping[int, int],
    language: Language,
    *,
    persons: Container[int],
    denying: Container[int],
    silent: Container[int],
) -> Iterator[int]:
    """The mentions that are denied: by words before them, by comparisons, or by words behind them."""
    starts = {place.start: number for number, place in enumerate(places)}
    for hit, following in zip_longest(denials, denials[1:]):
        until = len(words.words) if following is None else max(following.start, hit.end)
        bare = language == "zh" and hit.end - hit.start == 1
        reach = BARE_REACH if bare else DENIED_REACH[language]
        begin = next((token for token in range(hit.start + 1, hit.end) if token in starts), hit.end)
        reached = list(
            _denied(words.words, begin, until, starts, places, language, lists=hit.key == _LACK, reach=reach)
        )
        reached = [
            number
            for number in reached
            if not (number in denying and places[number].start < hit.end)  # 一点不怕
            and not (number in silent and number != reached[0])  # "not a woman speaking"
        ]
        yield from _qualities(words, reached, hit.end, places, language, persons=persons)
    yield from _compared(words.words, starts, places)
    yield from _less(words.words, starts)
    for hit in found:
        if hit.key in (_BACK, _AFTER) and (hit.end - 1 not in covered or words.words[hit.start] in _ASKING):
            yield from _before(words.words, hit.start, places, clauses=1 + (hit.key == _AFTER))


def _qualities(
    words: Tokens,
    reached: Sequence[int],
    begin: int,
    places: Sequence[Place],
    language: Language,
    *,
    persons: Container[int],
) -> Sequence[int]:
    """Return what a denial is about: qualities, or a person alone ("not a man").

    Of a person with a quality the quality is denied, also where it was not read: "not a zorbly man", 不急不躁的男声.
    """
    qualities = [number for number in reached if number not in persons]
    if qualities or not reached:
        return qualities
    between = range(begin, places[reached[0]].start)
    plain = plain_tokens(words, language)
    is_next = all(token in plain for token in between) and (
        language == "en" or "的" not in words.words[between.start : between.stop]
    )
    return reached if is_next else ()


def _hedged_and_strange(
    words: Tokens,
    places: Sequence[Place],
    found: Sequence[Found],
    covered: Mapping[int, int],
    language: Language,
    *,
    denying: Container[int],
) -> tuple[set[int], set[int]]:
    """The mentions that are said with care, and those in phrases that are not about the voice."""
    starts = {place.start: number for number, place in enumerate(places)}
    hedged: set[int] = set()
    strange: set[int] = set()
    for hit in found:
        if hit.key == _HEDGE and hit.start not in denying:  # "rather than" is no "rather"
            if hit.start in covered:  # the mention itself says so: "slightly angry"
                hedged.add(covered[hit.start])
            elif hit.end - 1 not in covered:  # else it is part of another phrase: "a little girl"
                hedged.update(_next(words.words, hit.end, starts, HEDGED_REACH[language]))
        elif hit.key == _STRANGE or (hit.key == _AFTER and words.words[hit.start] in _ASKING):  # "? Not really."
            strange.update(covered[token] for token in range(hit.start, hit.end) if token in covered)
        elif hit.key == _UNREAL and hit.end - 1 not in covered:
            strange.update(_next(words.words, hit.end, starts, HEDGED_REACH[language]))
    return hedged, strange


def places_of(mentions: Sequence[Mention], words: Tokens) -> tuple[Place, ...]:
    """The mentions of a text by its tokens."""
    begins = [begin for begin, _ in words.places]
    return tuple(Place(bisect_left(begins, mention.start), bisect_left(begins, mention.end)) for mention in mentions)


@functools.cache
def _book(language: Language) -> PhraseBook:
    lists = [
        listed[language]
        for listed in (DENIALS, LACKS, NO_DENIALS, HEDGES, NOT_OF_A_VOICE, TAKES_BACK, AFTERWARDS, UNREAL)
    ]
    return PhraseBook(lists, families=FAMILIES[language], language=language)


def _compared(words: Sequence[str], starts: dict[int, int], places: Sequence[Place]) -> Iterator[int]:
    """The mention behind "than" in "more excited than calm"."""
    inside = {token for place in places for token in range(place.start, place.end)}
    for token, word in enumerate(words):
        if word != "than" or token in inside:
            continue
        before = words[max(0, token - COMPARED_REACH) : token]
        if any(one in ("more", "sooner", "closer", "rather") or one.endswith("er") for one in before):
            first = next(_next(words, token + 1, starts, HEDGED_REACH["en"]), None)
            if first is not None:
                yield first
                if words[places[first].start] in ("he", "she"):  # "angrier than he is hurt"
                    yield from _next(words, places[first].end, starts, HEDGED_REACH["en"])


def _less(words: Sequence[str], starts: dict[int, int]) -> Iterator[int]:
    """The mention behind "less" in "less angry than tired", if "than" follows."""
    for token, word in enumerate(words):
        if word == "less" and "than" in words[token : token + COMPARED_REACH]:
            yield from _next(words, token + 1, starts, HEDGED_REACH["en"])


def _before(words: Sequence[str], end: int, places: Sequence[Place], *, clauses: int) -> Iterator[int]:
    """The mentions before a place, as far as the clause goes, or the one before that, too."""
    begin, left = end, clauses
    while begin > 0 and end - begin < 2 * clauses * DENIED_REACH["zh"]:
        word = words[begin - 1]
        if not word[:1].isalnum():
            left -= 1
            if not left or word in SENTENCE_ENDS - {"?", "？"}:
                break
        begin -= 1
    for number in range(bisect_left(places, (begin, 0)), len(places)):
        if places[number].start >= end:
            return
        yield number


def _denied(
    words: Sequence[str],
    begin: int,
    until: int,
    starts: dict[int, int],
    places: Sequence[Place],
    language: Language,
    *,
    lists: bool,
    reach: int,
) -> Iterator[int]:
    """The mentions that a denial reaches: as far as its clause, or the list of what it denies, goes."""
    left, token = reach, begin
    while token < until and left >= 0:
        word = words[token]
        if token in starts:
            yield starts[token]
            token, left = places[starts[token]].end, reach
            continue
        if word == "不" and words[token + 1 : token + 2] == ("如",):  # 与其说悲伤不如说愤怒
            return
        if word in _COMMAS:
            if word != "、" and not _is_listed(words, token + 1, until):
                return
        elif (
            not word[:1].isalnum()
            or (word in CONTRASTS[language] and token > begin and not _goes_on(words, begin, token))
            or (word == "and" and not (lists and token + 1 in starts))
        ):
            return
        left -= 1
        token += 1


def _goes_on(words: Sequence[str], begin: int, token: int) -> bool:
    """Return True for "at any", "in the least", "describe this as" and the like, which no clause begins with."""
    if words[token] == "as" and not NAMING.isdisjoint(words[max(0, begin - 1) : token]):
        return True
    behind = words[token + 1 : token + 3]
    return words[token] in ("at", "in") and any(word in ("any", "all", "least", "slightest") for word in behind)


def _is_listed(words: Sequence[str], begin: int, until: int) -> bool:
    """Return True if a further member of a list that "or" ends follows a comma, and not another clause."""
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
