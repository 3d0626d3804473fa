"""Taking captions apart by a grammar: the house's lexicon of style words, denials, hedges, contrasts and pronouns.

No model is asked, so that nothing in a caption can talk anybody into anything: it is looked up, word by word.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from aptone.ear.describe import Entry, Mention, Sense
from aptone.ear.describe.vocabularies import read_mentions
from aptone.lexicon.phrases import tokens
from aptone.messages import message
from aptone.models import About
from aptone.planner.reading.quotations import find_quotations
from aptone.rooms.caption.data import Unit, checked_units
from aptone.rooms.caption.decompose import CHANGING, Decomposition, change_fact, fact, plainly
from aptone.rooms.caption.decompose.change import Candidate, ReadChange, read_changes
from aptone.rooms.caption.decompose.persons import is_listeners, is_somebody_else
from aptone.rooms.caption.decompose.scope import Place, Scopes, places_of, scopes
from aptone.rooms.caption.decompose.senses import Around, senses
from aptone.run import Call
from aptone.types import Language, signature

REVISION = 4
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
    reading = _Reading(caption, language)
    units, dropped = checked_units(caption, reading.units())
    return Decomposition(units, dropped=dropped, understood=tuple(reading.understood()))


def claim_places(caption: str, *, language: Language) -> list[tuple[int, int, tuple[Sense, ...]]]:
    """Every place of a caption that claims something of the speaker, with all that it claims; denied ones left out."""
    reading = _Reading(caption, language)
    return [
        (mention.start, mention.end, reading.senses[number])
        for number, mention in enumerate(reading.said)
        if reading.senses[number]
        and number not in reading.others
        and not reading.scopes.strange[number]
        and not reading._is_denied(number)
    ]


class _Reading:
    """A caption with its mentions and what is said of them, found once."""

    def __init__(self, caption: str, language: Language) -> None:
        self.language = language
        self.said = tuple(_unquoted(caption, language))
        self.words = tokens(caption, language)
        self.caption = caption
        self.places = places_of(self.said, self.words)
        self.scopes: Scopes = scopes(self.words, self.places, language)
        self.others = self._somebody_else()
        self.senses = self._meant()
        self.changes = self._changes()

    def units(self) -> Iterator[Unit]:
        """Every claim, plain ones before ambiguous ones."""
        for change in self.changes:
            yield self._change(change)
        replaced = {number for change in self.changes for number in change.replaced}
        order = sorted(range(len(self.said)), key=lambda number: bool(self.said[number].entry.may_mean))
        for number in order:
            if self.scopes.strange[number] or number in self.others or number in replaced:
                continue
            yield from self._of_mention(number)

    def understood(self) -> Iterator[tuple[int, int]]:
        """Places of mentions that make no claim, and of denials, hedges and the like."""
        for mention in self.said:
            yield mention.start, mention.end
        for place in self.scopes.read:
            yield self.words.places[place.start][0], self.words.places[place.end - 1][1]

    def _of_mention(self, number: int) -> Iterator[Unit]:
        mention, language = self.said[number], self.language
        is_hedged = self.scopes.hedged[number]
        denied = self._is_denied(number)
        place = (mention.evidence, mention.start, mention.end)
        for attribute, meant in self.senses[number]:
            value, is_denied = plainly(attribute, meant, is_denied=denied)
            said = fact(attribute, value, is_denied=is_denied, language=language)
            yield Unit(said, attribute, value.value, *place, is_denied=is_denied, is_hedged=is_hedged)
        for attribute, free in mention.entry.others:
            said = fact(attribute, free, is_denied=denied, language=language)
            yield Unit(said, attribute, free, *place, is_denied=denied, is_hedged=is_hedged)
        if (change := mention.entry.change) is not None:
            said = change_fact(*change, is_denied=denied, language=language)
            yield Unit(
                said, change.attribute, change.before.value, *place,
                is_denied=denied, is_hedged=is_hedged, becomes=change.after.value,
            )  # fmt: skip

    def _is_denied(self, number: int) -> bool:
        """Return True if what a mention names is said not to be so: "not angry", "joyless", but not "not joyless"."""
        entry = self.said[number].entry
        return not entry.pronoun and self.scopes.denied[number] != entry.denied

    def _change(self, change: ReadChange) -> Unit:
        start, end = self.words.places[change.start][0], self.words.places[change.end - 1][1]
        is_denied = self.scopes.denied[change.last]
        said = change_fact(change.attribute, change.before, change.after, is_denied=is_denied, language=self.language)
        return Unit(
            said, change.attribute, change.before.value, self.caption[start:end], start, end,
            is_denied=is_denied, becomes=change.after.value,
        )  # fmt: skip

    def _meant(self) -> list[tuple[Sense, ...]]:
        """Return the values that each mention claims."""
        stated = {sense for mention in self.said for sense in mention.entry.means}
        claimed = {
            sense
            for mention, denied in zip(self.said, self.scopes.denied, strict=True)
            if denied == mention.entry.denied
            for sense in mention.entry.means
        }
        covered = frozenset(
            token
            for mention, place in zip(self.said, self.places, strict=True)
            if mention.entry != Entry()
            for token in range(place.start, place.end)
        )
        emotions = frozenset(
            token
            for mention, place in zip(self.said, self.places, strict=True)
            if _may_be_emotion(mention)
            for token in range(place.start, place.end)
        )
        around = Around(self.words, covered, emotions)
        return [
            _meant(
                senses(mention, place, around, self.language, stated=stated),
                claimed,
                is_denied=self._is_denied(number),
            )
            for number, (mention, place) in enumerate(zip(self.said, self.places, strict=True))
        ]

    def _somebody_else(self) -> frozenset[int]:
        """Return the mentions of people who are not the speaker, and of what listeners feel.

        The former are people to whom something is said or done, and, where a caption names both sexes, those of the
        one that it does not name first, unless it is a voice that is called so.
        """
        others = set()
        first: Sense | None = None
        for number, (mention, place) in enumerate(zip(self.said, self.places, strict=True)):
            if _may_be_emotion(mention) and is_listeners(self.words, place, self.language):
                others.add(number)
                continue
            about = [sense for sense in mention.entry.means if sense.attribute in ("sex", "age")]
            if not about or (self.scopes.denied[number] and not mention.entry.pronoun):
                continue
            if is_somebody_else(self.words, place, self.language, is_pronoun=mention.entry.pronoun):
                others.add(number)
                continue
            for sense in about:
                if sense.attribute == "sex":
                    if first is None:
                        first = sense
                    elif sense != first and not _is_voice(self.words.words, place):
                        others.add(number)
        return frozenset(others)

    def _changes(self) -> list[ReadChange]:
        candidates = [
            Candidate(number, place, sense.attribute, sense.value)
            for number, (place, found) in enumerate(zip(self.places, self.senses, strict=True))
            if not self.scopes.strange[number] and not self.said[number].entry.denied
            for sense in found
            if sense.attribute in CHANGING
        ]
        return read_changes(self.words, candidates, self.language)


def _may_be_emotion(mention: Mention) -> bool:
    entry = mention.entry
    named = (*entry.means, *entry.may_mean)
    return any(sense.attribute == "emotion" for sense in named) and not any(
        sense.attribute == "intensity" for sense in entry.may_mean
    )


_VOICE_NAMES = frozenset(("voice", "speaker", "voices", "speakers", "声", "嗓", "音"))


def _is_voice(words: Sequence[str], place: Place) -> bool:
    """Return True if a word for a person goes with a voice: "the female voice", "and a man"."""
    behind = words[place.end] if place.end < len(words) else ""
    before = words[place.start - 1] if place.start else ""
    last = words[place.end - 1]
    return behind in _VOICE_NAMES or last in _VOICE_NAMES or (before in ("a", "an") and words[place.start - 2] == "and")


def _unquoted(caption: str, language: Language) -> Iterator[Mention]:
    """The mentions outside quotation marks; a mark that nothing closes quotes nothing."""
    quoted = quotations(caption)
    number = 0
    for mention in read_mentions(caption, language=language):
        while number < len(quoted) and quoted[number][1] <= mention.start:
            number += 1
        if number == len(quoted) or mention.end <= quoted[number][0]:
            yield mention


def quotations(caption: str) -> list[tuple[int, int]]:
    """Places of what the speaker says, in quotation marks that are closed."""
    return [(found.start, found.end) for found in find_quotations(caption, straight=True) if found.is_closed]


def _meant(found: tuple[Sense, ...], claimed: Container[Sense], *, is_denied: bool) -> tuple[Sense, ...]:
    """Return a word's claim: "not furious" says that the speaker is not angry, or else, that an anger is not strong."""
    emotions = [sense for sense in found if sense.attribute == "emotion"]
    strengths = tuple(sense for sense in found if sense.attribute == "intensity")
    if not (is_denied and emotions and strengths):
        return found
    if any(sense in claimed for sense in emotions):
        return strengths
    return tuple(sense for sense in found if sense not in strengths)
