"""Records to JSON and back, strictly: what comes from a file is checked field by field before it becomes a record.

Rules:

- A record becomes an object that carries ``"schema": "aptone.<Record>/<version>"``.
- An undefined number is NaN in Python and ``null`` in JSON. Infinite numbers are refused. The literals ``NaN`` and
  ``Infinity``, which Python's parser would accept, are refused too, and so is a key that comes twice.
- Unknown fields, missing fields and wrong types raise `RecordError`, which names the path of the field.
- So do numbers and nestings that other readers could not take: whole-number fields hold 64 bits, free JSON nests
  up to `MAX_DEPTH` levels.
"""

import base64
import dataclasses
import enum
import functools
import json
import math
import reprlib
import types
import typing
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from aptone.errors import RecordError
from aptone.messages import message

SCHEMA_VERSION = 1
"""Version of the JSON form of all records. It rises when an old file can no longer be read as it is."""

MAX_DEPTH = 100
"""Largest depth of nested lists and objects. Far more than any record needs, far less than Python's stack holds."""

if TYPE_CHECKING:
    Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
else:
    Json = object  # anything that JSON can hold; `from_json` checks it and passes it through as the parser gave it


def schema_name(record: type[object]) -> str:
    """The tag that stands in the JSON of this kind of record, for instance ``aptone.Score/1``."""
    return f"aptone.{record.__name__}/{SCHEMA_VERSION}"


def to_json(record: object) -> dict[str, Json]:
    """The JSON object of a record.

    Raises:
        RecordError: if a field holds something that JSON cannot, for instance an infinite number; the message names
            its path.
    """
    if not dataclasses.is_dataclass(record) or isinstance(record, type):
        raise RecordError(f"expected a record, got {type(record).__name__}.")
    encoded = encode(record, type(record).__name__)
    assert isinstance(encoded, dict)
    return encoded


def dumps(value: Json, *, indent: int | None = None) -> str:
    """JSON text with sorted keys: equal values give equal text. NaN is written as ``null``; infinity is refused.

    Text is written as it is, not escaped, unless it holds lone surrogates, which UTF-8 cannot carry.

    Raises:
        RecordError: if the value holds something that JSON cannot; the message names its path.
    """
    return _written(encode(value, "value"), indent=indent)


def dumps_record(record: object) -> str:
    """The JSON text of a record, as ``dumps(to_json(record))`` gives it, in half the time; errors as of `to_json`."""
    return _written(to_json(record), indent=None)


def _written(prepared: Json, *, indent: int | None) -> str:
    separators = (",", ":") if indent is None else (",", ": ")

    def write(ascii_only: bool) -> str:
        return json.dumps(
            prepared, ensure_ascii=ascii_only, allow_nan=False, sort_keys=True, indent=indent, separators=separators
        )

    text = write(ascii_only=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return write(ascii_only=True)
    return text


def loads(text: str | bytes, *, what: str = "JSON") -> Json:
    """Parse JSON, refusing the literals NaN and Infinity, and keys that come twice; errors call the text `what`.

    A number beyond all floats, such as 1e999, comes out infinite; `from_json` refuses it and names its path.

    Raises:
        RecordError: if the text is not JSON.
    """
    try:
        value: Json = _DECODER.decode(
            text if isinstance(text, str) else text.decode(json.detect_encoding(text), "surrogatepass")
        )
    except _LiteralError as error:
        raise RecordError(message("types.not-json-literal", name=what, literal=error)) from None
    except _RepeatedKeyError as error:
        raise RecordError(message("types.key-comes-twice", name=what, key=error)) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(message("types.not-json", name=what, why=error)) from error
    return value


class _LiteralError(Exception):
    """NaN or Infinity, which Python's parser would accept."""


class _RepeatedKeyError(Exception):
    """A key that comes twice in one object; Python's parser would keep the last value."""


def _literal(literal: str) -> None:
    raise _LiteralError(literal)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _RepeatedKeyError(shown(twice))
    return found


# Made once: to make one takes longer than to read a short text.
_DECODER = json.JSONDecoder(parse_constant=_literal, object_pairs_hook=_object)


def json_or_text(text: str) -> Json:
    """A value as people type it for an option: JSON, or else the text as it is.

    >>> json_or_text("true"), json_or_text("2.5"), json_or_text("large")
    (True, 2.5, 'large')
    """
    try:
        return loads(text)
    except RecordError:
        return text


def is_finite_number(value: object) -> TypeGuard[int | float]:
    """Check that a JSON value is a number that a float can hold: no truth value, nothing beyond all floats.

    >>> [is_finite_number(value) for value in (2, 0.5, True, "2", 10**400, float("inf"))]
    [True, True, False, False, False, False]
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def encode(value: object, path: str, depth: int = 0) -> Json:
    """Return a value as JSON; `path` is its name in errors."""
    kind = type(value)
    if kind is dict or kind is list:  # what a parser gives is copied; what it does not give is looked at one by one
        try:
            return _copied(value, depth)
        except _NotPlainError:
            pass
    elif _stays(value):
        return typing.cast(str | bool | float | None, value)
    elif isinstance(value, _SCALARS):
        return _encode_scalar(value, path)
    if depth >= MAX_DEPTH:
        raise RecordError(message("types.nested-too-deeply", path=path[:60], count=MAX_DEPTH))
    if kind is not dict and kind is not list and dataclasses.is_dataclass(kind):
        return _encode_record(value, path, depth)
    if isinstance(value, Mapping):
        return {
            _key(key, path): (item if _stays(item) else encode(item, f"{path}.{key}", depth + 1))
            for key, item in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [item if _stays(item) else encode(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
    raise RecordError(message("types.no-json-form", path=path, kind=kind.__name__))


_SCALARS = (enum.Enum, str, float, np.floating, np.bool_, int, np.integer)


def _encode_scalar(value: Any, path: str) -> Json:
    if isinstance(value, enum.Enum):
        return typing.cast(str, value.value)
    if isinstance(value, str):
        return value
    if isinstance(value, float | np.floating):
        return _encode_float(float(value), path)
    return bool(value) if isinstance(value, np.bool_) else _encode_integer(int(value), path)


class _NotPlainError(Exception):
    """A value that a JSON parser does not give, nests too deeply or is infinite."""


def _copied(value: Any, depth: int) -> Json:
    """Copy lists and objects as a parser gives them, without the paths that errors need: a third of the time.

    Raises:
        _NotPlainError: if they hold anything else; `encode` finds out whether it has a JSON form.
    """
    if depth >= MAX_DEPTH:
        raise _NotPlainError
    isfinite, depth = math.isfinite, depth + 1
    if type(value) is dict:
        if not _TEXT.issuperset(map(type, value)):
            raise _NotPlainError
        return {
            key: item
            if (kind := type(item)) in _AS_THEY_ARE or (kind is float and isfinite(item))
            else _copied(item, depth)
            for key, item in value.items()
        }
    if type(value) is list:
        return [
            item if (kind := type(item)) in _AS_THEY_ARE or (kind is float and isfinite(item)) else _copied(item, depth)
            for item in value
        ]
    if type(value) is int and value.bit_length() <= 64:
        return value
    if isinstance(value, str) and not isinstance(value, enum.Enum):  # a message
        return value
    raise _NotPlainError


def is_plain(value: Any, depth: int = 0) -> bool:
    """Check that `encode` gives a value back as it is: what a parser gives, finite and not too deep.

    >>> is_plain({"a": [1, None, 0.5]}), is_plain({"a": math.inf}), is_plain((1,))
    (True, False, False)
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is int:
        return bool(value.bit_length() <= 64)
    if depth >= MAX_DEPTH:
        return False
    if kind is dict:
        if not _TEXT.issuperset(map(type, value)):
            return False
        value = value.values()
    elif kind is not list:
        return False
    isfinite, depth = math.isfinite, depth + 1
    for item in value:
        kind = type(item)
        if not (kind in _AS_THEY_ARE or (kind is float and isfinite(item)) or is_plain(item, depth)):
            return False
    return True


_TEXT = frozenset((str,))
_FLOAT = frozenset((float,))
_AS_THEY_ARE = frozenset((str, bool, type(None)))


def _stays(value: Any) -> bool:
    """Check that JSON holds a value as it is. Most do, and to spell out the path of each took most of the time."""
    kind = type(value)
    return kind in _AS_THEY_ARE or (kind is float and math.isfinite(value))


def _key(key: object, path: str) -> str:
    if type(key) is str:
        return key
    if not isinstance(key, str):
        raise RecordError(message("types.keys-are-text", path=path))
    return str(key)


def _encode_integer(number: int, path: str) -> int:
    if number.bit_length() > 64:
        try:
            str(number)
        except ValueError:  # Python limits how many digits it writes, and refuses to read more than that
            raise RecordError(message("types.too-long-to-write", path=path, what=shown(number))) from None
    return number


def _encode_float(number: float, path: str) -> float | None:
    if math.isinf(number):
        raise RecordError(message("types.infinite", path=path))
    return None if math.isnan(number) else number


def _encode_record(record: Any, path: str, depth: int) -> dict[str, Json]:
    kind = type(record)
    encoded: dict[str, Json] = {"schema": schema_name(kind)}
    for field in _fields(typing.cast(Any, kind)):
        value = getattr(record, field.name)
        if _stays(value):
            encoded[field.name] = value
            continue
        field_path = f"{path}.{field.name}"
        if field.holds_samples:
            encoded[field.name] = base64.b64encode(value.astype("<f4", copy=False).tobytes()).decode("ascii")
        elif field.holds_floats and type(value) is not float:
            encoded[field.name] = encode(_floats(field.kind, value, field_path), field_path, depth + 1)
        else:
            encoded[field.name] = encode(value, field_path, depth + 1)
    return encoded


def _floats(kind: Any, value: object, path: str) -> object:
    """The value with whole numbers as floats where the field holds floats: `Score(3)` equals `Score(3.0)`."""
    if kind is float and isinstance(value, int | np.integer) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise RecordError(message("types.expected-finite-number", path=path, what=shown(int(value)))) from None
    if isinstance(value, tuple) and _FLOAT.issuperset(map(type, value)):
        return value
    arguments, is_optional = _arguments(kind)
    if isinstance(value, tuple) and float in arguments:
        return tuple(_floats(float, item, f"{path}[{index}]") for index, item in enumerate(value))
    if isinstance(value, Mapping) and float in arguments:
        if _FLOAT.issuperset(map(type, value.values())):
            return value
        return {key: _floats(float, item, f"{path}.{key}") for key, item in value.items()}
    return _floats(arguments[0], value, path) if is_optional else value


@functools.cache
def _arguments(kind: Any) -> tuple[tuple[Any, ...], bool]:
    """Arguments of a type without `None`, and whether it is one type or nothing."""
    arguments = tuple(argument for argument in typing.get_args(kind) if argument is not type(None))
    return arguments, is_union(kind) and len(arguments) == 1


def is_union(kind: Any) -> bool:
    """Check that a type is a union."""
    return typing.get_origin(kind) in (types.UnionType, typing.Union)


class _Field(NamedTuple):
    """Properties of a field, computed once per type because finding them takes long."""

    name: str
    kind: Any
    holds_samples: bool
    holds_floats: bool


@functools.cache
def _fields(record: Any) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(record)
    kinds = {field.name: hints[field.name] for field in dataclasses.fields(record)}
    return tuple(
        _Field(name, kind, holds_samples=typing.get_origin(kind) is np.ndarray, holds_floats=_holds_floats(kind))
        for name, kind in kinds.items()
    )


def _holds_floats(kind: Any) -> bool:
    """Check that `_floats` can make a difference."""
    return kind is float or any(_holds_floats(argument) for argument in typing.get_args(kind))


class _Brief(reprlib.Repr):
    """A short `repr` of anything, however large or deep: it stands in messages about files that others wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = 60
        self.maxlevel = self.maxlist = self.maxdict = 2

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= 128 else f"a whole number of {x.bit_length()} bits"


shown = _Brief().repr
