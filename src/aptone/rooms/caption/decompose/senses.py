"""What a word means that can mean several things: "low" of pitch or volume, by the noun that it goes with."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice, pairwise, takewhile

from aptone.ear.describe import Attribute, Mention, Sense
from aptone.lexicon.phrases import SENTENCE_ENDS, Tokens
from aptone.rooms.caption.decompose.claim_words import DETERMINERS, LINKS, NEEDS_A_NOUN, NOUNS
from aptone.rooms.caption.decompose.scope import Place
from aptone.types import Language

AHEAD = {"en": 5, "zh": 6}
"""Words (in Mandarin, characters) behind a word among which its noun is looked for."""

BEHIND = {"en": 6, "zh": 8}
"""The same before it."""

_ENDS_A_PHRASE = SENTENCE_ENDS | LINKS | DETERMINERS
_MARKS = frozenset("，。；！？,;!?")


def senses(
    mention: Mention, place: Place, words: Tokens, language: Language, *, stated: Container[Sense] = ()
) -> tuple[Sense, ...]:
    """The values that a mention names: all that hold, or the one of several that what stands around it points at.

    A noun decides the attribute. It is looked for right beside the word ("subdued in volume", 较低的音量), where it is
    the subject ("the pitch is low"), then farther behind ("low, rumbling pitch"), then before it. Without one, and
    among several values of the attribute, what the caption states in plain words elsewhere is meant, or else the first
    meaning. Words that say nothing of a voice when they stand alone give nothing without a noun.

    Args:
        mention: of a word or phrase.
        place: of it among the words.
        words: of the caption.
        language: of the caption.
        stated: what unambiguous words of the caption say.
    """
    entry = mention.entry
    if entry.means:
        return entry.means
    for attributes in _nouns(place, words.words, language):
        for attribute in attributes:
            if meant := [sense for sense in entry.may_mean if sense.attribute == attribute]:
                return _likeliest(meant, stated)
    key = mention.evidence.casefold().replace("-", " ")
    return () if key in NEEDS_A_NOUN[language] else _likeliest(entry.may_mean, stated)


def _likeliest(meant: Sequence[Sense], stated: Container[Sense]) -> tuple[Sense, ...]:
    return (next((sense for sense in meant if sense in stated), meant[0]),)


def _nouns(place: Place, words: Sequence[str], language: Language) -> Iterator[tuple[Attribute, ...]]:
    """What the nouns around a word are about, the one that it most likely goes with first."""
    ahead = words[place.end : place.end + AHEAD[language]]
    before = words[max(0, place.start - BEHIND[language]) : place.start]
    if language == "zh":
        yield from _mandarin_nouns(before, ahead)
    else:
        yield from _english_nouns(before[::-1], ahead)


def _english_nouns(before: Sequence[str], ahead: Sequence[str]) -> Iterator[tuple[Attribute, ...]]:
    """The words before come nearest first."""
    known = NOUNS["en"]
    if len(ahead) > 1 and ahead[0] == "in" and ahead[1] in known:
        yield known[ahead[1]]
        return
    clause = takewhile(lambda word: word[:1].isalnum() or word == ",", before)
    yield from _first(dropwhile(lambda word: word not in LINKS, clause), known)
    yield from _first(takewhile(lambda word: word not in _ENDS_A_PHRASE, ahead), known)
    yield from _first(takewhile(lambda word: word not in SENTENCE_ENDS, before), known)


def _mandarin_nouns(before: Sequence[str], ahead: Sequence[str]) -> Iterator[tuple[Attribute, ...]]:
    known = NOUNS["zh"]
    if ahead[:1] == ("的",) and (beside := "".join(ahead[1:3])) in known:
        yield known[beside]
        return
    for pairs in (list(pairwise(before))[::-1], pairwise(ahead)):
        clause = takewhile(lambda pair: pair[0] not in _MARKS, pairs)
        yield from _first(map("".join, clause), known)


def _first(words: Iterable[str], known: Mapping[str, tuple[Attribute, ...]]) -> Iterator[tuple[Attribute, ...]]:
    yield from islice((known[word] for word in words if word in known), 1)
