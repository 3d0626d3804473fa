"""Taking captions apart by a grammar: the house's lexicon of style words, denials, hedges, contrasts and pronouns.

No model is asked, so that nothing in a caption can talk anybody into anything: it is looked up, word by word.
"""

from collections.abc import Container, Iterator

from aptone.ear.describe import Mention, Sense, mentions
from aptone.models import About
from aptone.planner.reading.quotations import find_quotations
from aptone.rooms.caption.data import Unit, checked_units
from aptone.rooms.caption.decompose.facts import fact
from aptone.rooms.caption.decompose.foreign import NEITHER_LANGUAGE, is_foreign
from aptone.rooms.caption.decompose.protocol import Decomposition, plainly
from aptone.rooms.caption.decompose.scope import caption_tokens, places_of, scopes
from aptone.rooms.caption.decompose.senses import senses
from aptone.run import Call
from aptone.types import Language, signature

REVISION = 2


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
    words = caption_tokens(caption, language)
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
    """What a word claims: "not furious" says that the speaker is not angry, or else, that an anger is not strong."""
    emotions = [sense for sense in found if sense.attribute == "emotion"]
    strengths = tuple(sense for sense in found if sense.attribute == "intensity")
    if not (is_denied and emotions and strengths):
        return found
    if any(sense in claimed for sense in emotions):
        return strengths
    return tuple(sense for sense in found if sense not in strengths)
