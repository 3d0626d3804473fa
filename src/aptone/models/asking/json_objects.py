"""JSON objects in replies, with prose, fences and thoughts around them; schemas for models that can be held to one."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aptone.errors import UnusableReplyError
from aptone.messages import known_name, message
from aptone.types import Json

END_OF_THOUGHT = "</think>"
LONGEST_REPLY = 20_000
MOST_BRACES = 100
"""Most opening braces in a reply; each has to be tried."""


def behind_thoughts(reply: str) -> str:
    """Return a reply without the thoughts before it."""
    return reply.rpartition(END_OF_THOUGHT)[2]


def object_schema(properties: Mapping[str, Json]) -> dict[str, Json]:
    """Return the JSON schema of an object with these properties, in this order, all of them and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def list_schema(name: str, items: Mapping[str, Json]) -> dict[str, Json]:
    """Return the JSON schema of an object with a list under a name, its items by a schema of their own."""
    return object_schema({name: {"type": "array", "items": items}})


class RepeatedError(ValueError):
    """Repeated field of a JSON object; raised by hooks of `json_objects`."""


def json_objects(
    text: str, *, hook: Callable[[list[tuple[str, object]]], dict[str, Any]] = dict
) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in a text that is not nested in another one; each brace of the text is tried.

    Raises:
        RepeatedError: if the hook does.

    >>> list(json_objects('Here: {"a": {"b": 1}} and {broken'))
    [{'a': {'b': 1}}]
    """
    decoder = json.JSONDecoder(object_pairs_hook=hook)
    place = text.find("{")
    while place >= 0:
        end = place + 1
        try:
            found, end = decoder.raw_decode(text, place)
            yield found
        except RepeatedError:
            raise
        except (ValueError, RecursionError):
            pass
        place = text.find("{", end)


def one_object(
    reply: str, *, holds: Callable[[Mapping[str, Any]], bool], what: str, most_braces: int = MOST_BRACES
) -> Mapping[str, Any]:
    """Return the one JSON object of a reply that holds what was asked for, which `what` names in errors.

    Raises:
        UnusableReplyError: if the reply holds none of the kind, or several, or is far too long.

    >>> one_object('Sure: {"caption": "calm"}', holds=lambda one: "caption" in one, what="a caption")
    {'caption': 'calm'}
    """
    text = behind_thoughts(reply)
    if len(text) > LONGEST_REPLY or text.count("{") > most_braces:
        raise UnusableReplyError(
            message("models.reply-far-longer", what=known_name(what, "models.asked-for")), raw_reply=reply
        )
    found = [one for one in json_objects(text) if holds(one)]
    if len(found) != 1:
        raise UnusableReplyError(
            message("models.reply-holds-times", count=len(found), what=known_name(what, "models.asked-for")),
            raw_reply=reply,
        )
    return found[0]
