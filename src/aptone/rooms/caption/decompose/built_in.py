"""Taking captions apart by a grammar: the house's lexicon of style words, denials, hedges, contrasts and pronouns.

No model is asked, so that nothing in a caption can talk anybody into anything: it is looked up, word by word.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice, pairwise, takewhile

from aptone.ear.describe import Attribute, Mention, Sense, mentions
from aptone.lexicon.phrases import SENTENCE_ENDS, Tokens, tokens
from aptone.messages import message
from aptone.models import About
from aptone.planner.reading.quotations import find_quotations
from aptone.rooms.caption.data import Unit, checked_units
from aptone.rooms.caption.decompose import Decomposition, fact, plainly
from aptone.rooms.caption.decompose.scope import (
    DETERMINERS,
    LINKS,
    NEEDS_A_NOUN,
    NOUNS,
    Place,
    places_of,
    scopes,
)
from aptone.run import Call
from aptone.types import Language, signature

REVISION = 2
"""Part of the signature: raise it when the same caption may give other units."""

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
        stated: meanings of the caption's unambiguous words.
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
    """Yield the topics of the nouns around a word, the one that it most likely goes with first."""
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
        yield from _first(map("".join, takewhile(lambda pair: pair[0] not in _MARKS, pairs)), known)


def _first(words: Iterable[str], known: Mapping[str, tuple[Attribute, ...]]) -> Iterator[tuple[Attribute, ...]]:
    yield from islice((known[word] for word in words if word in known), 1)


NEITHER_LANGUAGE = message("caption.foreign-language")

FEWEST = 2
"""Small words of other languages from which on a caption may be foreign: a single one may be a name or a loan."""

SMALL_WORDS: Mapping[str, str] = {
    "en": "the a an and of with in is are his her he she they their it its this that to at as by for from no not but "
    "voice speaker speaks speaking speech tone",
    "fr": "une les des est et avec elle dans qui du au très voix parle d'une d'un",
    "de": "der das und ist mit eine einer ein nicht sehr sie er von stimme spricht",
    "es": "el los las una con y que su muy del voz habla",
    "it": "il gli che di è voce parla molto della",
    "pt": "uma com em ele ela fala muito da não",
    "nl": "een het en met van stem spreekt zijn",
    "pl": "jest się nie głos mówi głosem bardzo",
}
"""Frequent words of captions by language, such as a caption of a sentence or two can hardly do without."""

_ENGLISH = frozenset(SMALL_WORDS["en"].split())
_FOREIGN = frozenset(word for words in SMALL_WORDS.values() for word in words.split()) - _ENGLISH
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def is_foreign(caption: str) -> bool:
    """Return True if function words of other languages in Latin letters outnumber English ones. Without either, False.

    >>> is_foreign("Une voix d'homme calme et grave."), is_foreign("Male, grave, slow."), is_foreign("He is calm.")
    (True, False, False)
    """
    words = [word.casefold() for word in _WORD.findall(caption.replace("’", "'"))]
    foreign = sum(word in _FOREIGN for word in words)
    return foreign >= FEWEST and foreign > sum(word in _ENGLISH for word in words)


class BuiltInDecomposer:
    """The grammar as a decomposer; nothing to install."""

    about = About()

    @property
    def signature(self) -> str:
        """The grammar."""
        return signature("decomposer:built-in", {"revision": REVISION})

    async def decompose(self, caption: str, *, language: Language, call: Call) -> Decomposition:
        """The units of a caption; see `decompose`. A caption in another language than the two has a problem."""
        if language == "en" and is_foreign(caption):
            return Decomposition((), problem=NEITHER_LANGUAGE)
        return Decomposition(decompose(caption, language=language))


def decompose(caption: str, *, language: Language) -> tuple[Unit, ...]:
    """The units of a caption, each claim once, with the first words that make it, plain ones before ambiguous ones.

    What stands in quotation marks is what the speaker says, not how, and gives nothing. "Not angry" is a denied unit;
    what a contrast sets against each other ("despite the low pitch, her voice is loud") both holds. An emotion that is
    said with its strength ("furious") gives a unit for each; denied, it denies the emotion or, where the caption claims
    that emotion elsewhere ("angry, but not furious"), its strength. Takes time linear in the text.

    >>> [(unit.attribute, unit.value) for unit in decompose("Her voice is deep, not angry.", language="en")]
    [('sex', 'female'), ('pitch', 'low'), ('emotion', 'angry')]
    >>> decompose("She says 'I am so angry'.", language="en")[-1].evidence
    'She'
    """
    units, _ = checked_units(caption, _units(caption, language))
    return units


def _units(caption: str, language: Language) -> Iterator[Unit]:
    said = tuple(_unquoted(caption, language))
    words = tokens(caption, language)
    places = places_of(said, words)
    found = scopes(words, places, language)
    stated = {sense for mention in said for sense in mention.entry.means}
    claimed = {
        sense for mention, denied in zip(said, found.denied, strict=True) if not denied for sense in mention.entry.means
    }
    plain_first = sorted(zip(said, places, *found, strict=True), key=lambda one: bool(one[0].entry.may_mean))
    for mention, place, denied, hedged, strange in plain_first:
        if strange:
            continue
        denied = denied and not mention.entry.pronoun
        for attribute, meant in _meant(
            senses(mention, place, words, language, stated=stated), claimed, is_denied=denied
        ):
            value, is_denied = plainly(attribute, meant, is_denied=denied)
            yield Unit(
                fact(attribute, value, is_denied=is_denied, language=language),
                attribute,
                value.value,
                mention.evidence,
                mention.start,
                mention.end,
                is_denied=is_denied,
                is_hedged=hedged,
            )


def _unquoted(caption: str, language: Language) -> Iterator[Mention]:
    """The mentions outside quotation marks; a mark that nothing closes quotes nothing."""
    quoted = [found for found in find_quotations(caption, straight=True) if found.is_closed]
    number = 0
    for mention in mentions(caption, language=language):
        while number < len(quoted) and quoted[number].end <= mention.start:
            number += 1
        if number == len(quoted) or mention.end <= quoted[number].start:
            yield mention


def _meant(found: tuple[Sense, ...], claimed: Container[Sense], *, is_denied: bool) -> tuple[Sense, ...]:
    """Return a word's claim: "not furious" says that the speaker is not angry, or else, that an anger is not strong."""
    emotions = [sense for sense in found if sense.attribute == "emotion"]
    strengths = tuple(sense for sense in found if sense.attribute == "intensity")
    if not (is_denied and emotions and strengths):
        return found
    if any(sense in claimed for sense in emotions):
        return strengths
    return tuple(sense for sense in found if sense not in strengths)
