"""What chat models answer in this room: one JSON object, read with care."""

from collections.abc import Callable, Mapping
from typing import Any

from aptone.errors import UnusableReplyError
from aptone.models.asking import Sampling
from aptone.models.json_objects import behind_thoughts, json_objects
from aptone.types import signature

LONGEST_REPLY = 20_000
MOST_BRACES = 50
"""Opening braces that are looked at; thousands of them would each have to be tried."""


def one_object(reply: str, *, holds: Callable[[Mapping[str, Any]], bool], what: str) -> Mapping[str, Any]:
    """The one JSON object of a reply that holds what was asked for.

    Args:
        reply: as it came.
        holds: whether an object is of the kind that was asked for.
        what: that is, for the reason.

    Raises:
        UnusableReplyError: if the reply holds none of the kind, or several, or is far too long.
    """
    text = behind_thoughts(reply)
    if len(text) > LONGEST_REPLY or text.count("{") > MOST_BRACES:
        raise UnusableReplyError(f"the reply is far longer than {what}.", raw_reply=reply)
    found = [one for one in json_objects(text) if holds(one)]
    if len(found) != 1:
        raise UnusableReplyError(f"the reply holds {len(found)} times {what}, expected once.", raw_reply=reply)
    return found[0]


def chat_signature(name: str, *, chat: str, prompts: str, sampling: Sampling) -> str:
    """One line for a part that asks a chat model: model, prompts and how it writes."""
    return signature(
        name,
        {"chat": chat, "prompts": prompts, "temperature": sampling.temperature, "max_tokens": sampling.max_tokens},
    )


def has_words(text: str) -> bool:
    """Whether a text says something: three letters or more.

    >>> has_words("..."), has_words("calm")
    (False, True)
    """
    return sum(character.isalpha() for character in text) >= 3
