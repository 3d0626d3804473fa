"""Matching units by a chat model, as EmoSURA does."""

from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import one_object
from aptone.models.asking.model_part import ModelPart
from aptone.models.chat import Chat, Message
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.prompting import MATCHING, PROMPTS, REVISION
from aptone.rooms.caption.score import Match
from aptone.run import Call
from aptone.types import Json, Language

MAX_TOKENS = 2048
MOST_MATCHES = 500


class ChatMatcher(ModelPart[Chat]):
    """A chat model as a matcher.

    Args:
        chat: the model.
        prompts: a folder with other prompts.
        max_tokens: of a reply.

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
        """Which unit says what which unit of the reference says; nothing is asked where one side has none.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if none of its replies holds matches.
        """
        if not units or not reference:
            return frozenset()
        material = {"reference": _numbered(reference), "caption": _numbered(units)}
        return await self._answer(
            Message("system", self._prompts.fill("match_task", language, {})),
            Message("user", self._prompts.fill("match_material", language, material)),
            call=call,
            read=partial(read_matches, units=len(units), reference=len(reference)),
            json_schema=matches_schema(),
        )


def matches_schema() -> dict[str, Json]:
    """The JSON schema of an answer, for models that can be held to one."""
    number: Json = {"type": "integer"}
    pair: Json = {
        "type": "object",
        "properties": {"reference": number, "caption": number},
        "required": ["reference", "caption"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"matches": {"type": "array", "items": pair}},
        "required": ["matches"],
        "additionalProperties": False,
    }


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
