"""JSON to records, strictly: every field is checked before a record is made of it."""

import base64
import dataclasses
import difflib
import enum
import functools
import itertools
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.messages import joined, labelled, message
from aptone.types.codec import encode, is_plain, is_union, schema_name, shown

Record = TypeVar("Record")

_MISSING = object()
_CERTAIN = frozenset((str, bool, type(None)))
_LIMITS: Mapping[Any, float] = {int: 1 << 63, float: math.inf}

Decoder = Callable[[object, str], object]  # checks and decodes data; it takes the data and their path


def from_json(kind: type[Record], data: object) -> Record:
    """The record of a JSON object: the inverse of `to_json`.

    The schema tag may be absent (people write records by hand); when present, it must fit.

    Raises:
        RecordError: if a field is unknown, missing or of the wrong type; the message names its path.
    """
    return typing.cast(Record, _decoder(typing.cast(Any, kind))(data, kind.__name__))


class _Field(NamedTuple):
    """Decoder of a field, computed once per type because finding it takes long.

    Args:
        plain: type of values that need no decoding; numbers only within the limit, where there is one.
    """

    name: str
    required: bool
    decode: Decoder
    plain: type | None
    limit: float | None


@functools.cache
def _fields(record: Any) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(record)
    return tuple(
        _Field(
            field.name,
            required=field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
            decode=_decoder(hints[field.name]),
            plain=hints[field.name] if hints[field.name] in (str, bool, int, float) else None,
            limit=_LIMITS.get(hints[field.name]),
        )
        for field in dataclasses.fields(record)
    )


@functools.cache
def _decoder(kind: Any) -> Decoder:
    """The function that checks and decodes data of a kind; it takes the data and their path."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind is object:
        return _decode_anything
    if kind is float:
        return _decode_float
    if is_union(kind):
        decoders = {argument: _decoder(argument) for argument in arguments}
        records = {
            schema_name(typing.cast(type[object], one)): decode
            for one, decode in decoders.items()
            if dataclasses.is_dataclass(one)
        }
        return functools.partial(_decode_union, decoders, records)
    if origin is typing.Literal:
        return functools.partial(_decode_literal, arguments)
    if origin is np.ndarray:
        return _decode_samples
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return functools.partial(_decode_mapping, _decoder(arguments[0]), _decoder(arguments[1]))
    if origin is tuple:
        many = len(arguments) == 2 and arguments[1] is Ellipsis
        members = [_decoder(argument) for argument in arguments[: 1 if many else None]]
        return functools.partial(_decode_tuple, members, many)
    if dataclasses.is_dataclass(kind):
        return functools.partial(_decode_record, typing.cast(type[object], kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return functools.partial(_decode_enum, kind)
    return functools.partial(_decode_scalar, kind)


def _decode_anything(data: object, path: str) -> object:
    if not is_plain(data):
        encode(data, path)  # only to refuse what has no JSON form
    return data


def _decode_literal(choices: Sequence[object], data: object, path: str) -> object:
    if data not in choices:
        raise RecordError(
            message("types.expected-one-of", path=path, names=", ".join(map(repr, choices)), what=shown(data))
        )
    return data


def _decode_enum(kind: type[enum.Enum], data: object, path: str) -> object:
    try:
        return kind(data)
    except ValueError:
        choices = ", ".join(str(member.value) for member in kind)
        raise RecordError(message("types.expected-one-of", path=path, names=choices, what=shown(data))) from None


def _decode_float(data: object, path: str) -> float:
    if type(data) is float and math.isfinite(data):
        return data
    if data is None:
        return math.nan
    if not isinstance(data, int | float) or isinstance(data, bool):
        raise RecordError(message("types.expected-number", path=path, what=shown(data)))
    try:
        number = float(data)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise RecordError(message("types.expected-finite-number", path=path, what=shown(data)))
    return number


def _decode_scalar(kind: Any, data: object, path: str) -> object:
    if kind is int and isinstance(data, int) and not isinstance(data, bool):
        if data.bit_length() > 63:
            raise RecordError(message("types.expected-64-bits", path=path, what=shown(data)))
        return data
    if kind in (str, bool, type(None)) and isinstance(data, kind):
        return data
    name = getattr(kind, "__name__", str(kind))
    expected = message(f"types.kind.{name}") if kind in (str, int, bool) else name
    raise RecordError(message("types.expected-kind", path=path, kind=expected, what=shown(data)))


def _decode_union(decoders: Mapping[Any, Decoder], records: Mapping[str, Decoder], data: object, path: str) -> object:
    kind = type(data)
    if kind in _CERTAIN and kind in decoders:
        return data
    if len(records) > 1 and isinstance(data, Mapping) and "schema" in data:
        tag = data["schema"]
        if not isinstance(tag, str) or tag not in records:
            raise RecordError(
                message("types.expected-schema-of", path=path, names=" or ".join(records), what=shown(tag))
            )
        return records[tag](data, path)
    problems = []
    for kind, decode in decoders.items():
        if kind is not type(None):
            try:
                return decode(data, path)
            except RecordError as error:
                problems.append(str(error))
    raise RecordError(joined(dict.fromkeys(problems), "types.either"))


def _decode_samples(data: object, path: str) -> npt.NDArray[np.float32]:
    if not isinstance(data, str):
        raise RecordError(message("types.expected-base64", path=path, what=shown(data)))
    try:
        samples = np.frombuffer(base64.b64decode(data, validate=True), dtype="<f4")
    except ValueError as error:
        raise RecordError(message("types.not-samples", path=path, why=error)) from error
    return samples.astype(np.float32, copy=False)


def _decode_mapping(decode_key: Decoder, decode_value: Decoder, data: object, path: str) -> Mapping[object, object]:
    if not isinstance(data, Mapping):
        raise RecordError(message("types.expected-object", path=path, what=shown(data)))
    if decode_value is _decode_anything and is_plain(data, -1):  # its values are as deep as if each came alone
        return dict(data)
    is_text = decode_key is _decoder(str)
    return {
        key if is_text and type(key) is str else decode_key(key, f"{path} key"): decode_value(item, f"{path}.{key}")
        for key, item in data.items()
    }


def _decode_tuple(decoders: Sequence[Decoder], many: bool, data: object, path: str) -> tuple[object, ...]:
    if type(data) is not list and (not isinstance(data, Sequence) or isinstance(data, str | bytes)):
        raise RecordError(message("types.expected-list", path=path, what=shown(data)))
    if not many and len(decoders) != len(data):
        raise RecordError(message("types.expected-entries", path=path, needed=len(decoders), given=len(data)))
    if decoders and all(decode is _decode_float for decode in decoders):  # paths are spelled out for no number only
        return tuple(
            item if type(item) is float and math.isfinite(item) else _decode_float(item, f"{path}[{index}]")
            for index, item in enumerate(data)
        )
    pairs = zip(itertools.cycle(decoders) if many else decoders, data, strict=False)
    return tuple(decode(item, f"{path}[{index}]") for index, (decode, item) in enumerate(pairs))


def _decode_record(kind: type[object], data: object, path: str) -> object:
    if type(data) is not dict and not isinstance(data, Mapping):
        raise RecordError(message("types.expected-object", path=path, what=shown(data)))
    name = schema_name(kind)
    tag = data.get("schema", name)
    if tag != name:
        raise RecordError(message("types.expected-schema", path=path, name=name, what=shown(tag)))
    arguments: dict[str, object] = {}
    for field in _fields(typing.cast(Any, kind)):
        value: Any = data.get(field.name, _MISSING)
        if type(value) is field.plain and (
            (limit := field.limit) is None or -limit < typing.cast(float, value) < limit
        ):
            arguments[field.name] = value
        elif value is not _MISSING:
            arguments[field.name] = field.decode(value, f"{path}.{field.name}")
        elif field.required:
            raise RecordError(message("types.missing", path=f"{path}.{field.name}"))
    if given := data.keys() - arguments.keys() - {"schema"} if len(data) > len(arguments) else ():
        names = sorted(map(str, given))
        near = difflib.get_close_matches(names[0], [field.name for field in _fields(typing.cast(Any, kind))], n=2)
        unknown = ", ".join(map(repr, names))
        if not near:
            raise RecordError(message("types.unknown-field", path=path, names=unknown))
        raise RecordError(message("types.unknown-field-near", path=path, names=unknown, what=joined(near, "types.or")))
    try:
        return kind(**arguments)
    except ValueError as error:
        raise RecordError(labelled(path, str(error))) from error
