"""Records to JSON and back, strictly: what comes from a file is checked field by field before it becomes a record.

Rules:

- A record becomes an object that carries ``"schema": "aptone.<Record>/<version>"``.
- An undefined number is NaN in Python and ``null`` in JSON. Infinite numbers are refused. The literals ``NaN`` and
  ``Infinity``, which Python's parser would accept, are refused too.
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
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError

SCHEMA_VERSION = 1
"""Version of the JSON form of all records. It rises when an old file can no longer be read as it is."""

MAX_DEPTH = 100
"""How deep lists and objects may nest. Far more than any record needs, far less than Python's stack holds."""

if TYPE_CHECKING:
    Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
else:
    Json = object  # anything that JSON can hold; `_decode` checks it and passes it through as the parser gave it

Record = TypeVar("Record")


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
    encoded = _encode(record, type(record).__name__)
    assert isinstance(encoded, dict)
    return encoded


def from_json(kind: type[Record], data: object) -> Record:
    """The record of a JSON object: the inverse of `to_json`.

    The schema tag may be absent (people write records by hand); when present, it must fit.

    Raises:
        RecordError: if a field is unknown, missing or of the wrong type; the message names its path.
    """
    decoded = _decode(kind, data, kind.__name__)
    return typing.cast(Record, decoded)


def dumps(value: Json, *, indent: int | None = None) -> str:
    """JSON text with sorted keys: equal values give equal text. NaN is written as ``null``; infinity is refused.

    Text is written as it is, not escaped, unless it holds lone surrogates, which UTF-8 cannot carry.

    Raises:
        RecordError: if the value holds something that JSON cannot; the message names its path.
    """
    prepared = _encode(value, "value")
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
    """Parse JSON, refusing the literals NaN and Infinity.

    A number beyond all floats, such as 1e999, comes out infinite; `from_json` refuses it and names its path.

    Args:
        text: the text to parse.
        what: how the error calls the text, for instance a file and line.

    Raises:
        RecordError: if the text is not JSON.
    """

    def refuse(literal: str) -> None:
        raise RecordError(f"{what}: {literal} is not JSON; write null for an undefined number.")

    try:
        value: Json = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{what}: not valid JSON ({error}).") from error
    return value


def _encode(value: object, path: str, depth: int = 0) -> Json:
    if isinstance(value, enum.Enum):
        return typing.cast(str, value.value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return _encode_integer(int(value), path)
    if isinstance(value, float | np.floating):
        return _encode_float(float(value), path)
    if depth >= MAX_DEPTH:
        raise RecordError(f"{path[:60]}…: nested deeper than {MAX_DEPTH} levels.")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_record(value, path, depth)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise RecordError(f"{path}: the keys of a JSON object are text.")
        return {str(key): _encode(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_encode(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise RecordError(f"{path}: {type(value).__name__} has no JSON form.")


def _encode_integer(number: int, path: str) -> int:
    if number.bit_length() > 64:
        try:
            str(number)
        except ValueError:  # Python limits how many digits it writes, and refuses to read more than that
            raise RecordError(f"{path}: {_shown(number)} is too long to be written.") from None
    return number


def _encode_float(number: float, path: str) -> float | None:
    if math.isinf(number):
        raise RecordError(f"{path}: an infinite number has no JSON form.")
    return None if math.isnan(number) else number


def _encode_record(record: Any, path: str, depth: int) -> dict[str, Json]:
    encoded: dict[str, Json] = {"schema": schema_name(type(record))}
    hints = _hints(typing.cast(Any, type(record)))
    for field in dataclasses.fields(record):
        value, field_path = getattr(record, field.name), f"{path}.{field.name}"
        if typing.get_origin(hints[field.name]) is np.ndarray:
            encoded[field.name] = base64.b64encode(value.astype("<f4", copy=False).tobytes()).decode("ascii")
        else:
            encoded[field.name] = _encode(_floats(hints[field.name], value, field_path), field_path, depth + 1)
    return encoded


def _floats(kind: Any, value: object, path: str) -> object:
    """The value with whole numbers as floats where the field holds floats: `Score(3)` equals `Score(3.0)`."""
    if kind is float and isinstance(value, int | np.integer) and not isinstance(value, bool):
        return _decode_scalar(float, int(value), path)
    arguments = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    if isinstance(value, tuple) and float in arguments:
        return tuple(_floats(float, item, f"{path}[{index}]") for index, item in enumerate(value))
    if isinstance(value, Mapping) and float in arguments:
        return {key: _floats(float, item, f"{path}.{key}") for key, item in value.items()}
    return _floats(arguments[0], value, path) if _is_union(kind) and len(arguments) == 1 else value


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (types.UnionType, typing.Union)


@functools.cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def _decode(kind: Any, data: object, path: str) -> object:
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind is object:
        _encode(data, path)  # only to refuse what has no JSON form
        return data
    if _is_union(kind):
        return _decode_union(arguments, data, path)
    if origin is typing.Literal:
        if data not in arguments:
            raise RecordError(f"{path}: expected one of {', '.join(map(repr, arguments))}, got {_shown(data)}.")
        return data
    if origin is np.ndarray:
        return _decode_samples(data, path)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _decode_mapping(arguments, data, path)
    if origin is tuple:
        return _decode_tuple(arguments, data, path)
    if dataclasses.is_dataclass(kind):
        return _decode_record(typing.cast(type[object], kind), data, path)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(data)
        except ValueError:
            choices = ", ".join(str(member.value) for member in kind)
            raise RecordError(f"{path}: expected one of {choices}; got {_shown(data)}.") from None
    return _decode_scalar(kind, data, path)


def _decode_scalar(kind: Any, data: object, path: str) -> object:
    if kind is float:
        if data is None:
            return math.nan
        if isinstance(data, int | float) and not isinstance(data, bool):
            try:
                number = float(data)
            except OverflowError:
                number = math.inf
            if math.isinf(number):
                raise RecordError(f"{path}: expected a finite number, got {_shown(data)}.")
            return number
        raise RecordError(f"{path}: expected a number, got {_shown(data)}.")
    if kind is int and isinstance(data, int) and not isinstance(data, bool):
        if data.bit_length() > 63:
            raise RecordError(f"{path}: expected a whole number of 64 bits, got {_shown(data)}.")
        return data
    if kind in (str, bool) and isinstance(data, kind):
        return data
    if kind is type(None) and data is None:
        return None
    raise RecordError(f"{path}: expected {getattr(kind, '__name__', kind)}, got {_shown(data)}.")


def _decode_union(arguments: Sequence[Any], data: object, path: str) -> object:
    if data is None and type(None) in arguments:
        return None
    records = [kind for kind in arguments if dataclasses.is_dataclass(kind)]
    if isinstance(data, Mapping) and "schema" in data and len(records) > 1:
        tag = data.get("schema")
        for kind in records:
            if tag == schema_name(typing.cast(type[object], kind)):
                return _decode(kind, data, path)
        names = " or ".join(schema_name(typing.cast(type[object], kind)) for kind in records)
        raise RecordError(f'{path}: expected "schema": {names}, got {_shown(tag)}.')
    problems = []
    for kind in arguments:
        if kind is not type(None):
            try:
                return _decode(kind, data, path)
            except RecordError as error:
                problems.append(str(error))
    raise RecordError(" Or ".join(dict.fromkeys(problems)))


def _decode_samples(data: object, path: str) -> npt.NDArray[np.float32]:
    if not isinstance(data, str):
        raise RecordError(f"{path}: expected base64 text, got {_shown(data)}.")
    try:
        raw = base64.b64decode(data, validate=True)
        samples = np.frombuffer(raw, dtype="<f4")
    except ValueError as error:
        raise RecordError(f"{path}: not the base64 of 32-bit samples ({error}).") from error
    return samples.astype(np.float32, copy=False)


def _decode_mapping(arguments: Sequence[Any], data: object, path: str) -> Mapping[object, object]:
    if not isinstance(data, Mapping):
        raise RecordError(f"{path}: expected an object, got {_shown(data)}.")
    key_kind, value_kind = arguments
    return {
        _decode(key_kind, key, f"{path} key"): _decode(value_kind, item, f"{path}.{key}") for key, item in data.items()
    }


def _decode_tuple(arguments: Sequence[Any], data: object, path: str) -> tuple[object, ...]:
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise RecordError(f"{path}: expected a list, got {_shown(data)}.")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_decode(arguments[0], item, f"{path}[{index}]") for index, item in enumerate(data))
    if len(arguments) != len(data):
        raise RecordError(f"{path}: expected {len(arguments)} entries, got {len(data)}.")
    pairs = zip(arguments, data, strict=True)
    return tuple(_decode(kind, item, f"{path}[{index}]") for index, (kind, item) in enumerate(pairs))


def _decode_record(kind: type[object], data: object, path: str) -> object:
    if not isinstance(data, Mapping):
        raise RecordError(f"{path}: expected an object, got {_shown(data)}.")
    given = dict(data)
    tag = given.pop("schema", schema_name(kind))
    if tag != schema_name(kind):
        raise RecordError(
            f"{path}: expected schema {schema_name(kind)}, got {_shown(tag)}; was it made by another version of aptone?"
        )
    hints = _hints(typing.cast(Any, kind))
    arguments: dict[str, object] = {}
    for field in dataclasses.fields(typing.cast(Any, kind)):
        if field.name in given:
            arguments[field.name] = _decode(hints[field.name], given.pop(field.name), f"{path}.{field.name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise RecordError(f"{path}.{field.name}: missing.")
    if given:
        raise RecordError(f"{path}: unknown field {', '.join(sorted(map(repr, given)))}.")
    try:
        return kind(**arguments)
    except ValueError as error:
        raise RecordError(f"{path}: {error}") from error


class _Brief(reprlib.Repr):
    """A short `repr` of anything, however large or deep: it stands in messages about files that others wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = 60
        self.maxlevel = self.maxlist = self.maxdict = 2

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= 128 else f"a whole number of {x.bit_length()} bits"


_shown = _Brief().repr
