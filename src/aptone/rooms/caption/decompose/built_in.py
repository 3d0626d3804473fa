"""Taking captions apart by the house's reader of descriptions (`aptone.ear.reading`): its statements as units.

No model is asked, so that nothing in a caption can talk anybody into anything: it is looked up, word by word.
"""

import re
from collections.abc import Iterator, Mapping

from aptone.ear.describe import Sense
from aptone.ear.reading import Reading, Statement, read_description
from aptone.messages import message
from aptone.models import About
from aptone.rooms.caption.data import Unit, checked_units
from aptone.rooms.caption.decompose import Decomposition, change_fact, fact, plainly
from aptone.rooms.caption.decompose.readable import quotations
from aptone.run import Call
from aptone.types import Language, signature

REVISION = 7
"""Part of the signature: raise it when the same caption may give other units."""

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
        return take_apart(caption, language=language)


def decompose(caption: str, *, language: Language) -> tuple[Unit, ...]:
    """The units of a caption, each claim once, with the first words that make it, plain ones before ambiguous ones.

    What stands in quotation marks is what the speaker says, not how, and gives nothing. "Not angry" is a denied unit;
    what a contrast sets against each other ("despite the low pitch, her voice is loud") both holds. An emotion that is
    said with its strength ("furious") gives a unit for each; denied, it denies the emotion or, where the caption claims
    that emotion elsewhere ("angry, but not furious"), its strength. Values beyond the closed sets ("confident") are
    units in free words. People who are not the speaker ("as if to a child") give none. What changes in the course of
    the clip ("starts calm and ends furious") is one unit. Takes time linear in the text.

    >>> [(unit.attribute, unit.value) for unit in decompose("Her voice is deep, not angry.", language="en")]
    [('sex', 'female'), ('pitch', 'low'), ('emotion', 'angry')]
    >>> decompose("She says 'I am so angry'.", language="en")[-1].evidence
    'She'
    """
    return take_apart(caption, language=language).units


def take_apart(caption: str, *, language: Language) -> Decomposition:
    """The units of a caption, and the places of words that were understood without making a claim."""
    reading = _read(caption, language)
    units, dropped = checked_units(caption, _units(reading))
    return Decomposition(units, dropped=dropped, understood=reading.understood, unread=reading.unread)


def claim_places(caption: str, *, language: Language) -> list[tuple[int, int, tuple[Sense, ...]]]:
    """Every place of a caption that claims something of the speaker, with all that it claims; denied ones left out.

    A pronoun inside a phrase ("at the top of his lungs") has no place of its own.
    """
    found: dict[tuple[int, int], tuple[Sense, ...]] = {}
    given = [one for one in _read(caption, language).statements if one.senses]
    reach = 0
    for one in sorted(given, key=lambda one: (one.start, -one.end)):
        within, reach = one.end < reach, max(reach, one.end)
        if not within and not one.is_denied:
            place = (one.start, one.end)
            found[place] = (*found.get(place, ()), one.senses[0])
    return [(start, end, senses) for (start, end), senses in sorted(found.items())]


def _read(caption: str, language: Language) -> Reading:
    return read_description(caption, language=language, quoted=quotations(caption))


def _units(reading: Reading) -> Iterator[Unit]:
    """Every claim: changes first, then plain words, then ambiguous ones."""
    for one in sorted(reading.statements, key=lambda one: (one.change is None, not one.is_plain)):
        yield _unit(one, reading.language)


def _unit(one: Statement, language: Language) -> Unit:
    place = (one.words, one.start, one.end)
    if one.change is not None:
        said = change_fact(*one.change, is_denied=one.is_denied, language=language)
        return Unit(
            said, one.change.attribute, one.change.before.value, *place,
            is_denied=one.is_denied, is_hedged=one.is_hedged, becomes=one.change.after.value,
        )  # fmt: skip
    if one.other is not None:
        attribute, free = one.other
        said = fact(attribute, free, is_denied=one.is_denied, language=language)
        return Unit(said, attribute, free, *place, is_denied=one.is_denied, is_hedged=one.is_hedged)
    value, is_denied = plainly(*one.senses[0], is_denied=one.is_denied)
    said = fact(one.senses[0].attribute, value, is_denied=is_denied, language=language)
    return Unit(said, one.senses[0].attribute, value.value, *place, is_denied=is_denied, is_hedged=one.is_hedged)
