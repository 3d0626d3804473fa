"""Matching of a caption's units with the units of the reference.

A unit of the reference is matched if at least one unit of the caption entails it; one unit may match several.
"""

from collections.abc import Sequence
from functools import partial
from typing import NoReturn, Protocol

import numpy as np

from aptone.ear.describe import Attribute, values_of
from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About, TextEmbedder
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import list_schema, object_schema, one_object
from aptone.models.asking.prompts import ModelPart
from aptone.models.chat import Chat, Message
from aptone.models.text.built_in_embedder import BuiltInTextEmbedder
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.prompting import MATCHING, PROMPTS, REVISION
from aptone.rooms.caption.score import Match
from aptone.run import Call
from aptone.types import ClosedSet, Json, Language, signature

MAX_TOKENS = 2048
MOST_MATCHES = 500


class ChatMatcher(ModelPart[Chat]):
    """A chat model as a matcher.

    Raises:
        UsageError: if the prompts cannot be used.
    """

    def __init__(self, chat: Chat, *, prompts: str | None = None, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__(
            "matcher:chat", chat, MATCHING, ours=PROMPTS, prompts=prompts, revision=REVISION, max_tokens=max_tokens
        )

    async def match(
        self, units: Sequence[Unit], reference: Sequence[Unit], *, language: Language, call: Call
    ) -> frozenset[Match]:
        """See `Matcher.match`; nothing is asked where one side has no units."""
        if not units or not reference:
            return frozenset()
        material = {"reference": _numbered(reference), "caption": _numbered(units)}
        number: Json = {"type": "integer"}
        return await self._answer(
            Message("system", self._prompts.fill("match_task", language, {})),
            Message("user", self._prompts.fill("match_material", language, material)),
            call=call,
            read=partial(read_matches, units=len(units), reference=len(reference)),
            json_schema=list_schema("matches", object_schema({"reference": number, "caption": number})),
        )


def read_matches(reply: str, *, units: int, reference: int) -> frozenset[Match]:
    """The matches in a reply.

    >>> read_matches('{"matches": [{"reference": 1, "caption": 2}]}', units=2, reference=1)
    frozenset({Match(generated=1, reference=0)})

    Raises:
        UnusableReplyError: if there is no list of matches, there are several, or one names a unit that is not there.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    listed = one_object(
        reply,
        holds=lambda one: isinstance(one.get("matches"), list),
        what="a list of matches",
        most_braces=MOST_MATCHES,
    )
    found = set()
    for pair in listed["matches"]:
        if not isinstance(pair, dict):
            refuse(message("caption.match-not-object"))
        unit, wanted = pair.get("caption"), pair.get("reference")
        if type(unit) is not int or type(wanted) is not int:
            refuse(message("caption.match-not-numbers"))
        if not (1 <= unit <= units and 1 <= wanted <= reference):
            refuse(message("caption.match-beyond", wanted=wanted, unit=unit, reference=reference, units=units))
        found.add(Match(unit - 1, wanted - 1))
    return frozenset(found)


def _numbered(units: Sequence[Unit]) -> str:
    return "\n".join(f"{number}. {guard(unit.fact)}" for number, unit in enumerate(units, start=1))


BUILT_IN_REVISION = 1
"""Part of the signature: raise it when the same units may give other matches."""

SCALES: frozenset[Attribute] = frozenset({"pitch", "rate", "volume"})
"""Attributes of five steps, of which the two on one side of the middle say the same thing more or less strongly."""

SIMILAR = 0.65
"""Cosine from which on two values in free words count as the same.

Set on 27 pairs of words of ours: common synonyms reach 0.69 to 0.97, opposites at most 0.50. Rarer synonyms
("confident", "assured") stay below, so that too little is matched rather than too much.
"""


class Matcher(Protocol):
    """Matches the units of two captions."""

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that its matches depend on besides the units."""
        ...

    async def match(
        self, units: Sequence[Unit], reference: Sequence[Unit], *, language: Language, call: Call
    ) -> frozenset[Match]:
        """Match units with the units of the reference that say the same.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if a model's replies cannot be read.
        """
        ...


class BuiltInMatcher:
    """Attribute and value compared; values in free words by the built-in text embedder."""

    def __init__(self) -> None:
        self._embedder: TextEmbedder = BuiltInTextEmbedder()

    @property
    def about(self) -> About:
        """Requirements of the text embedder."""
        return self._embedder.about

    @property
    def signature(self) -> str:
        """The rules, and the text embedder."""
        return signature("matcher:built-in", {"revision": BUILT_IN_REVISION, "text_embedder": self._embedder.signature})

    async def match(
        self, units: Sequence[Unit], reference: Sequence[Unit], *, language: Language, call: Call
    ) -> frozenset[Match]:
        """See `Matcher.match`."""
        matches = set()
        free: list[Match] = []
        for place, unit in enumerate(units):
            for other, wanted in enumerate(reference):
                if unit.known is not None and wanted.known is not None:
                    if entails(unit, wanted):
                        matches.add(Match(place, other))
                elif unit.attribute == wanted.attribute and unit.is_denied == wanted.is_denied:
                    free.append(Match(place, other))
        if free:
            texts = list(dict.fromkeys(text for one in free for text in (units[one[0]].value, reference[one[1]].value)))
            vectors = dict(zip(texts, await self._embedder.embed(texts), strict=True))
            matches |= {
                one
                for one in free
                if float(np.dot(vectors[units[one[0]].value], vectors[reference[one[1]].value])) >= SIMILAR
            }
        return frozenset(matches)


def entails(unit: Unit, wanted: Unit) -> bool:
    """Return True if a unit entails another one, both with values of the closed sets.

    Of the five steps of pitch, rate and volume, "low" and "very low" say the same. "Calm" entails "not angry", since
    nobody is both; a laugh does not entail that nobody sobs. A change is entailed by the same change only.

    >>> low = Unit("The pitch is low.", "pitch", "low", "deep", 0, 4)
    >>> entails(low, Unit("The pitch is very low.", "pitch", "very low", "very deep", 0, 9))
    True
    """
    mine, other = unit.known, wanted.known
    if unit.attribute != wanted.attribute or mine is None or other is None:
        return False
    if unit.becomes or wanted.becomes:
        same = (unit.value, unit.becomes) == (wanted.value, wanted.becomes)
        return same and unit.is_denied == wanted.is_denied
    if unit.is_denied:
        return wanted.is_denied and mine is other
    alike = _side(unit.attribute, mine) == _side(unit.attribute, other)
    return not alike and unit.attribute != "events" if wanted.is_denied else alike


def _side(attribute: Attribute, value: ClosedSet) -> str | int:
    """Return what compatible values have in common: the side of the scale, or the value itself."""
    if attribute not in SCALES:
        return value.value
    scale = values_of(attribute)
    return int(np.sign(scale.index(value) - len(scale) // 2))
