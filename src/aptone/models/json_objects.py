"""JSON objects in what a model wrote, with whatever prose, fences and thoughts around them."""

import json
from collections.abc import Callable, Iterator
from typing import Any

END_OF_THOUGHT = "</think>"


def behind_thoughts(reply: str) -> str:
    """A reply without what a model thought aloud before it."""
    return reply.rpartition(END_OF_THOUGHT)[2]


class RepeatedError(ValueError):
    """A JSON object names a field twice; raised by hooks of `json_objects`."""


def json_objects(
    text: str, *, hook: Callable[[list[tuple[str, object]]], dict[str, Any]] = dict
) -> Iterator[dict[str, Any]]:
    """Every JSON object in a text that does not stand within another one.

    Args:
        text: may be long, but whoever calls has looked that it holds no heap of braces: each is tried.
        hook: makes an object from its pairs.

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
