"""Taking captions apart by a chat model, as EmoSURA does.

A unit counts only if the words that it names as evidence stand in the caption; the others are dropped and counted. What
a unit claims is rewritten from its closed value: a verifier never reads what a caption, or a model that obeyed it,
would like to tell it. Only values in other words keep the model's sentence, without anything that could pass for a tag.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NoReturn

from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models.asking.guard import guard, guard_with_places
from aptone.models.asking.json_objects import behind_thoughts, json_objects, list_schema, object_schema
from aptone.models.asking.prompts import ModelPart
from aptone.models.chat import Chat, Message
from aptone.rooms.caption.data import Unit, attribute_named, checked_units, known_value
from aptone.rooms.caption.decompose import Decomposition, fact, plainly
from aptone.rooms.caption.prompting import DECOMPOSING, PROMPTS, REVISION, attribute_names, value_lists
from aptone.run import Call
from aptone.types import Json, Language

MAX_TOKENS = 4096
"""Room for some forty units."""

LONGEST_CAPTION = 20_000
"""Characters of a caption that a model is shown; one of 150 words has about a thousand."""

LONGEST_REPLY = 100_000
MOST_UNITS = 200
"""Units in a reply beyond which it is not one: each of them costs a call."""

LONGEST_VALUE = 60
"""Characters of a value in free words; it goes into a sentence of ours, which a verifier reads."""

UNCLEAR = "unclear"
"""The value of gender and age that claims nothing."""

_TEXTS = ("attribute", "value", "evidence")
_BARE = re.compile(r"\s*(?:```\w*\s*)?\[")
"""Beginning of a reply that is the list itself."""


class ChatDecomposer(ModelPart[Chat]):
    """A chat model as a decomposer.

    Raises:
        UsageError: if the prompts cannot be used.
    """

    def __init__(self, chat: Chat, *, prompts: str | None = None, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__(
            "decomposer:chat",
            chat,
            DECOMPOSING,
            ours=PROMPTS,
            prompts=prompts,
            revision=REVISION,
            max_tokens=max_tokens,
        )

    async def decompose(self, caption: str, *, language: Language, call: Call) -> Decomposition:
        """The units of a caption; see `aptone.rooms.caption.decompose.Decomposer`.

        Raises:
            RecordError: if the caption is longer than a model is shown.
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if none of its replies holds a list of units.
        """
        if len(caption) > LONGEST_CAPTION:
            raise RecordError(
                f"the caption has {len(caption):,} characters; a model is shown at most {LONGEST_CAPTION:,}. The "
                "built-in decomposer takes any length."
            )
        shown, _ = guard_with_places(caption)
        if not shown:
            return Decomposition(())
        choices = {"attributes": ", ".join(attribute_names()), "values": value_lists(language)}
        return await self._answer(
            Message("system", self._prompts.fill("decompose_task", language, choices)),
            Message("user", self._prompts.fill("decompose_material", language, {"caption": shown})),
            call=call,
            read=partial(read_units, caption=caption, language=language),
            json_schema=units_schema(),
        )


def units_schema() -> dict[str, Json]:
    """The JSON schema of an answer, for models that can be held to one."""
    text: Json = {"type": "string"}
    attribute: Json = {"type": "string", "enum": attribute_names()}
    denied: Json = {"type": "boolean"}
    unit = {"fact": text, "attribute": attribute, "value": text, "evidence": text, "denied": denied}
    return list_schema("units", object_schema(unit))


def read_units(reply: str, *, caption: str, language: Language) -> Decomposition:
    """The units in a reply: one JSON object with a list of them, or the bare list, whatever stands around it.

    Units that name no words of the caption as evidence, or an attribute that there is not, are dropped and counted.

    Raises:
        UnusableReplyError: if there is no list of units, there are several, or it is too long to be one.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    text = behind_thoughts(reply)
    if len(text) > LONGEST_REPLY or text.count("{") > 2 * MOST_UNITS:
        refuse(message("caption.reply-too-long", count=len(text)))
    found = list(json_objects(text))
    lists = [one["units"] for one in found if isinstance(one.get("units"), list)]
    if len(lists) > 1:
        refuse(message("caption.several-lists", count=len(lists)))
    if not lists and not (_BARE.match(text) and all(set(_TEXTS) <= set(one) for one in found)):
        refuse(message("caption.no-list") if text.strip() else message("caption.reply-empty"))
    given: Sequence[object] = lists[0] if lists else found
    if len(given) > MOST_UNITS:
        refuse(message("caption.too-many-units", count=len(given), most=MOST_UNITS))
    read = [_unit(one, caption, language) for one in given]
    units, misplaced = checked_units(caption, [unit for unit in read if unit is not None])
    return Decomposition(units, dropped=misplaced + read.count(None))


def _unit(data: object, caption: str, language: Language) -> Unit | None:
    """The unit of a reply; ``None`` where it lacks something, or its evidence does not stand in the caption.

    The model's own sentence for the claim makes it think, and goes no further: a caption could have dictated it.
    """
    if not isinstance(data, Mapping) or not all(isinstance(data.get(name), str) for name in _TEXTS):
        return None
    try:
        attribute = attribute_named(data["attribute"])
    except UsageError:
        return None
    place = locate(data["evidence"], caption)
    value = guard(data["value"])
    if place is None or not value or len(value) > LONGEST_VALUE:
        return None
    start, end = place
    is_denied = data.get("denied") is True
    said = fact(attribute, value, is_denied=is_denied, language=language)
    known = known_value(attribute, value)
    if known is not None:
        if known == UNCLEAR:  # that a model cannot tell is no claim of the caption
            return None
        known, is_denied = plainly(attribute, known, is_denied=is_denied)
        said, value = fact(attribute, known, is_denied=is_denied, language=language), known.value
    return Unit(said, attribute, value, caption[start:end], start, end, is_denied=is_denied)


def locate(evidence: str, caption: str) -> tuple[int, int] | None:
    """Locate words that a model copied in a caption, which it was shown without tags and control characters.

    >>> locate("a ‹deep› voice", "with a  <deep> voice")
    (5, 20)
    >>> locate("loud", "a deep voice") is None
    True
    """
    quoted = guard(evidence)
    if not quoted:
        return None
    shown, places = guard_with_places(caption)
    start = shown.find(quoted)
    return None if start < 0 else (places[start], places[start + len(quoted) - 1] + 1)
