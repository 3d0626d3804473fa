r"""Test for prefixes of JSON of a schema, for constrained generation.

Supported schemas are those of our prompts: an object with the given properties, all of them, in the given order; its
values are strings (free, or one of an enum), numbers, integers, booleans, or such objects again. An escape such as
``\u4f60`` counts as one character of a string.
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from aptone.errors import UsageError
from aptone.types import Json

LONGEST_TEXT = 200
"""Most characters of a free string without ``maxLength``: a model might otherwise never end it."""

_SPACE = " \t\n\r"
_SIMPLE = frozenset('"\\/bfnrt')
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_BEGUN_NUMBER = re.compile(r"-?(?:(?:0|[1-9]\d*)(?:\.\d*)?)?", re.ASCII)


class Prefix(StrEnum):
    """Relation of a text to a schema."""

    COMPLETE = "complete"
    BEGUN = "begun"
    IMPOSSIBLE = "impossible"


class _Ends(Exception):  # noqa: N818 (it is no error)
    """Raised where the text ends before the value does."""


class _Differs(Exception):  # noqa: N818 (it is no error)
    """Raised where the text does not fit the schema."""


def prefix_of(text: str, schema: Mapping[str, Json]) -> Prefix:
    """Return the relation of a text to a schema: complete, begun, or impossible.

    Args:
        text: text so far.
        schema: JSON schema of the kind described above.

    >>> shape = {"type": "object", "properties": {"tone": {"enum": ["flat", "rising"]}}}
    >>> [prefix_of(text, shape).value for text in ('{"tone": "fl', '{"tone": "low', '{"tone": "flat"}')]
    ['begun', 'impossible', 'complete']

    Raises:
        UsageError: if the schema asks for what is not supported here.
    """
    try:
        end = _value(text, 0, schema)
    except _Ends:
        return Prefix.BEGUN
    except _Differs:
        return Prefix.IMPOSSIBLE
    return Prefix.COMPLETE if end == len(text) else Prefix.IMPOSSIBLE


def _value(text: str, at: int, schema: Mapping[str, Json]) -> int:
    choices, kind = schema.get("enum"), schema.get("type")
    if isinstance(choices, Sequence) and not isinstance(choices, str):
        spelt = {json.dumps(choice, ensure_ascii=escaped) for choice in choices for escaped in (False, True)}
        return _one_of(text, at, list(spelt))
    if kind == "boolean":
        return _one_of(text, at, ["true", "false"])
    if kind == "string":
        longest = schema.get("maxLength", LONGEST_TEXT)
        return _string(text, at, longest if isinstance(longest, int) else LONGEST_TEXT)
    if kind in ("number", "integer"):
        return _number(text, at, _WHOLE if kind == "integer" else _NUMBER)
    properties = schema.get("properties")
    if kind == "object" and isinstance(properties, Mapping) and properties:
        return _object(text, at, properties)
    raise UsageError(f"a local model cannot be held to this JSON schema: {json.dumps(schema)[:100]}")


def _object(text: str, at: int, properties: Mapping[str, Json]) -> int:
    for number, (name, schema) in enumerate(properties.items()):
        if not isinstance(schema, Mapping):
            raise UsageError(f"a local model cannot be held to this JSON schema: {name!r} is no schema.")
        at = _after_space(text, _one_of(text, at, ["{" if number == 0 else ","]))
        at = _after_space(text, _one_of(text, at, [json.dumps(name, ensure_ascii=False)]))
        at = _after_space(text, _one_of(text, at, [":"]))
        at = _after_space(text, _value(text, at, schema))
    return _one_of(text, at, ["}"])


def _after_space(text: str, at: int) -> int:
    """Skip one white space between two marks; more could go on forever."""
    return at + 1 if at < len(text) and text[at] in _SPACE else at


def _one_of(text: str, at: int, choices: Sequence[str]) -> int:
    for choice in sorted(choices, key=len, reverse=True):
        if text.startswith(choice, at):
            return at + len(choice)
    if any(choice.startswith(text[at:]) for choice in choices):
        raise _Ends
    raise _Differs


def _string(text: str, at: int, longest: int) -> int:
    at = _one_of(text, at, ['"'])
    for _ in range(longest):
        if at == len(text):
            raise _Ends
        if text[at] == '"':
            return at + 1
        if text[at] < " ":
            raise _Differs
        at = _escape(text, at + 1) if text[at] == "\\" else at + 1
    return _one_of(text, at, ['"'])


def _escape(text: str, at: int) -> int:
    if at == len(text):
        raise _Ends
    if text[at] in _SIMPLE:
        return at + 1
    digits = text[at + 1 : at + 5]
    if text[at] != "u" or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        raise _Differs
    if len(digits) < 4:
        raise _Ends
    return at + 5


def _number(text: str, at: int, form: re.Pattern[str]) -> int:
    begun = _BEGUN_NUMBER.fullmatch(text, at)
    if begun is not None and not (form is _WHOLE and "." in begun[0]):
        raise _Ends
    match = form.match(text, at)
    if match is None:
        raise _Differs
    return match.end()
