"""What a word means that can mean several things: "low" of pitch or volume, by the noun that it goes with."""

from collections.abc import Container, Iterator, Sequence

from aptone.ear.describe import Attribute, Mention, Sense
from aptone.planner.cue_phrases import SENTENCE_ENDS, Tokens
from aptone.rooms.caption.caption_words import DETERMINERS, LINKS, NEEDS_A_NOUN, NOUNS
from aptone.rooms.caption.scope import Place
from aptone.types import Language

AHEAD = {"en": 5, "zh": 6}
"""Words (in Mandarin, characters) behind a word among which its noun is looked for."""

BEHIND = {"en": 6, "zh": 8}
"""The same before it."""


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
    known = NOUNS[language]
    if language == "zh":
        yield from _mandarin_nouns(place, words)
        return
    behind = words[place.end : place.end + 2]
    if len(behind) == 2 and behind[0] == "in" and behind[1] in known:
        yield known[behind[1]]
        return
    before = words[max(0, place.start - BEHIND["en"]) : place.start][::-1]
    linked = False
    for word in before:
        if not word[:1].isalnum() and word != ",":
            break
        linked = linked or word in LINKS
        if word in known and linked:
            yield known[word]
            break
    for number, word in enumerate(words[place.end : place.end + AHEAD["en"]]):
        if word in known:
            yield known[word]
            break
        if word in SENTENCE_ENDS or word in LINKS or (word in DETERMINERS and number):
            break
    for word in before:
        if word in SENTENCE_ENDS:
            break
        if word in known:
            yield known[word]
            break


def _mandarin_nouns(place: Place, words: Sequence[str]) -> Iterator[tuple[Attribute, ...]]:
    known = NOUNS["zh"]
    if (beside := "".join(words[place.end : place.end + 3])).startswith("的") and beside[1:] in known:
        yield known[beside[1:]]
        return
    start = max(0, place.start - BEHIND["zh"])
    for first in range(place.start - 2, start - 1, -1):
        if words[first] in "，。；！？,;!?":
            break
        if (noun := "".join(words[first : first + 2])) in known:
            yield known[noun]
            break
    for first in range(place.end, min(place.end + AHEAD["zh"], len(words) - 1)):
        if words[first] in "，。；！？,;!?":
            break
        if (noun := "".join(words[first : first + 2])) in known:
            yield known[noun]
            break
