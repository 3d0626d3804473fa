"""Strict JSON: what every reader reads alike.

Python's parser takes more than JSON: NaN, numbers beyond all floats, one key twice, halves of characters, any depth.
A database or another reader would fail on them later, as an error of the server; so they are refused here.
"""

import json
import math
import re
from typing import NoReturn

from aptone.messages import message
from aptone.types import Json
from aptone.web.refusals import NotUnderstoodError

MAX_DEPTH = 32
"""Deepest nesting of a body; requests need a few levels."""
LARGEST = 2**63 - 1
"""Whole numbers beyond it fit into no column."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(body: bytes) -> Json:
    r"""Parse the JSON value of a body.

    >>> read_json(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}

    Raises:
        NotUnderstoodError: if it is not JSON as others read it too.
    """
    try:
        value: Json = _DECODER.decode(body.decode("utf-8"))
    except NotUnderstoodError:
        raise
    except (ValueError, RecursionError) as error:
        why = (
            message("web.nests-too-deep")
            if isinstance(error, RecursionError)
            else message("web.cannot-parsed-utf-json")
        )
        raise NotUnderstoodError(message("web.body-not-valid-json", why=why)) from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise NotUnderstoodError(message("web.body-nests-deeper-levels", count=MAX_DEPTH))
    if b"\\u" in body:
        _check_characters(value)
    return value


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotUnderstoodError(message("web.body-names-key-twice"))
    return found


def _constant(literal: str) -> NoReturn:
    raise NotUnderstoodError(message("web.not-json-write-null-undefined", literal=literal))


def _whole(digits: str) -> int:
    if len(digits) > 20 or abs(number := int(digits)) > LARGEST:
        raise NotUnderstoodError(message("web.whole-number-body-more-64"))
    return number


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotUnderstoodError(message("web.number-body-beyond-float-hold"))
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_whole, parse_float=_real)


def _deeper_than(value: Json, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _check_characters(value: Json) -> None:
    """Refuse escaped surrogates, which UTF-8 cannot encode, and NUL, which PostgreSQL cannot store."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\0" in one:
                raise NotUnderstoodError(message("web.text-body-holds-character-nul"))
            # most of a large text, such as bytes in base64, is ASCII, which is known without a look at it
            if not one.isascii() and _SURROGATE.search(one):
                raise NotUnderstoodError(message("web.text-body-holds-half-character"))
        waiting += _inside(one)
