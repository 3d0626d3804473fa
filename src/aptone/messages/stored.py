"""Messages on the disk: ids and values beside the English text of a record.

A file keeps each sentence as plain English text, which scripts can read. One key ``messages`` beside it says what each
of them is: ``{text: {"id": …, "values": {…}}}``. A file without it, such as one of an older version, reads as before,
and its sentences stay English.
"""

import copy
import dataclasses
import functools
import operator
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

from aptone.messages.message import Message, Value, is_finite

KEY = "messages"
"""The key of a file that holds what its sentences are."""

MOST_NESTED = 20
"""Messages within messages beyond which a stored one is not read."""

Record = TypeVar("Record")


def collect(record: object) -> dict[str, dict[str, object]]:
    """Return what every message in a record is, by its English text: the value of the key ``messages``.

    Args:
        record: a dataclass, or what JSON can hold.
    """
    return {found.text: _stored(found) for found in messages_in(record)}


def with_messages(data: Mapping[str, Record], *, of: object) -> dict[str, Record]:
    """Return what JSON holds of a record, with what its messages are under the key ``messages``.

    Args:
        data: the JSON object of the record.
        of: the record itself.
    """
    found = collect(of)
    return {**data, KEY: cast(Record, found)} if found else dict(data)


def parted(data: object) -> tuple[object, object]:
    """Return a JSON object without its key ``messages``, and what stood there; ``None`` where nothing did."""
    if not isinstance(data, dict) or KEY not in data:
        return data, None
    return {key: value for key, value in data.items() if key != KEY}, data[KEY]


def messages_in(value: object) -> Iterator[Message]:
    """Yield every message in a record: a dataclass, or what JSON can hold."""
    kind = type(value)
    if kind is str or value is None or kind is float or kind is int:
        return
    if isinstance(value, Message):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, Message):
                yield key
            yield from messages_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from messages_in(item)
    else:
        for name in _names(cast(Any, kind)):
            yield from messages_in(getattr(value, name))


def _stored(found: Message) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in found.values.items():
        if isinstance(value, Message):
            values[name] = {"text": value.text, **_stored(value)}
        else:
            values[name] = value if is_finite(value) else str(value)
    return {"id": found.id, "values": values}


def restore(record: Record, messages: object) -> Record:
    """Return a record whose texts are messages again, as a file describes them.

    Args:
        record: what was read, a dataclass or what JSON can hold.
        messages: what the file has under the key ``messages``; whatever is not of that form is passed over.
    """
    if not isinstance(messages, Mapping):
        return record
    known = {
        text: found
        for text, stored in messages.items()
        if isinstance(text, str) and (found := _read(text, stored)) is not None
    }
    return cast(Record, _restored(record, known)) if known else record


def _read(text: str, stored: object, depth: int = 0) -> Message | None:
    if not isinstance(stored, Mapping) or depth > MOST_NESTED:
        return None
    name, given = stored.get("id"), stored.get("values")
    if not isinstance(name, str) or not isinstance(given, Mapping):
        return None
    values: dict[str, Value] = {}
    for blank, value in given.items():
        if isinstance(value, Mapping):
            inner = value.get("text")
            found = _read(inner, value, depth + 1) if isinstance(inner, str) else None
            if found is None:
                return None
            values[str(blank)] = found
        elif value is None or isinstance(value, str | int | float):
            values[str(blank)] = value
        else:
            return None
    return Message(text, id=name, values=values)


def _restored(value: object, known: Mapping[str, Message]) -> object:
    kind = type(value)
    if kind is str:
        return known.get(cast(str, value), value)
    if value is None or kind is float or kind is int or kind is bool:
        return value
    if isinstance(value, Mapping):
        return _restored_mapping(value, known)
    if isinstance(value, list | tuple):
        items = [_restored(item, known) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return items if kind is list else tuple(items)
    names = _names(cast(Any, kind))
    return _restored_record(value, names, known) if names else value


def _restored_mapping(mapping: Mapping[object, object], known: Mapping[str, Message]) -> Mapping[object, object]:
    made: dict[object, object] = {}
    same = True
    for key, item in mapping.items():
        new_key = known.get(key, key) if type(key) is str else key
        new = _restored(item, known)
        same = same and new is item and new_key is key
        made[new_key] = new
    return mapping if same else made


def _restored_record(record: object, names: tuple[str, ...], known: Mapping[str, Message]) -> object:
    made = record
    for name in names:
        old = getattr(record, name)
        new = _restored(old, known)
        if new is not old:
            made = copy.copy(record) if made is record else made
            object.__setattr__(made, name, new)  # records are frozen, and this copy is nobody else's yet
    return made


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    """Fields of a record; none for what is no record."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
