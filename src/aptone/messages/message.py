"""Messages: sentences that know their id and values, so that a reader gets them in another language later on.

A file keeps each sentence as plain English text, which scripts can read. One key ``messages`` beside it says what each
of them is: ``{text: {"id": …, "values": {…}}}``. A file without it, such as one of an older version, reads as before,
and its sentences stay English.
"""

import copy
import dataclasses
import enum
import functools
import math
import operator
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Self, TypeVar, cast

from aptone.messages.catalogue import Language, MessageError, filled, template

Value = str | int | float | bool | None
"""Value of a brace. A `Message` is a ``str``, and is translated with the message that holds it."""


class Message(str):
    """A sentence in English, its id in the catalogues, and the values that fill it.

    It is a ``str``: records, files and comparisons treat it as its English text. Make it with `message`.
    ``str(…)`` of it, and of an error that holds it, is the message itself; formatting it into another text is not, so
    compose with a message that has a brace for it.
    """

    __slots__ = ("id", "values")

    id: str
    values: Mapping[str, Value]

    def __new__(cls, text: str, *, id: str, values: Mapping[str, Value]) -> Self:
        """Make a message of its text, id and values."""
        made = super().__new__(cls, text)
        made.id = id
        made.values = values
        return made

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self.text, self.id, dict(self.values))

    @property
    def text(self) -> str:
        """The English sentence as a plain ``str``."""
        return str.__str__(self)


def _remade(text: str, id: str, values: Mapping[str, Value]) -> Message:
    return Message(text, id=id, values=values)


def message(id: str, /, **values: object) -> Message:
    """Return a message of the catalogues, its braces filled by numbers, texts and other messages; paths become text.

    >>> why = message("ear.speech-too-short", count=0.25, needed=0.4)
    >>> why, translate(why, "zh")
    ('0.25 s of speech, need 0.4 s', '只有 0.25 秒语音，至少需要 0.4 秒')

    Raises:
        MessageError: if the catalogues do not hold the id, or a brace has no value.
    """
    plain = {name: _plain(value) for name, value in values.items()}
    return Message(filled(id, "en", plain), id=id, values=plain)


def translate(text: str, language: Language) -> str:
    """Return a message in a language; a plain text, such as one of a stranger's engine, comes back as it is.

    >>> translate("the moon was full", "zh")
    'the moon was full'
    """
    if not isinstance(text, Message):
        return text
    if language == "en":
        return text.text
    values = {
        name: translate(value, language) if isinstance(value, Message) else value for name, value in text.values.items()
    }
    try:
        # A number that JSON could not hold, and a run therefore keeps as text, is not formatted.
        shown = {name: _Text(value) if isinstance(value, str) else value for name, value in values.items()}
        return template(text.id, language, values).format(**shown)
    except (MessageError, LookupError, ValueError, AttributeError):  # a run of another version: its English is kept
        return text.text


class _Text(str):
    """A text that ignores how a number in its place would be formatted."""

    __slots__ = ()

    def __format__(self, how: str) -> str:
        try:
            return super().__format__(how)
        except ValueError:
            return super().__format__("")


def joined(parts: Iterable[str], id: str = "text.semicolon") -> str:
    """Return texts as one, each pair composed by a message with the braces ``first`` and ``rest``.

    >>> translate(joined([message("ear.no-speech"), message("ear.clip-silent")]), "zh")
    '没有找到语音；音频是静音'
    """
    given = list(parts)
    found = given.pop() if given else ""
    while given:
        found = message(id, first=given.pop(), rest=found)
    return found


def replaced(text: str, old: str, new: str) -> str:
    """Return a text (of a message: its values) with another, or a message, in the place of a name, such as a path.

    >>> translate(replaced(message("audio.file-empty", name="/tmp/x.wav"), "/tmp/x.wav", "a.wav"), "zh")
    'a.wav：文件是空的（0 字节）；请重新录制、导出或复制。'
    """
    if not isinstance(text, Message):
        return text.replace(old, new)
    values = {
        name: (new if value == old else replaced(value, old, new)) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    return message(text.id, **values)


def known_name(name: str, scope: str = "names") -> str:
    """Return a name of ours as a message; one that the catalogues do not hold comes back as it is.

    >>> translate(known_name("arousal"), "zh"), known_name("wistful")
    ('唤醒度', 'wistful')
    """
    try:
        return message(f"{scope}.{name}")
    except MessageError:
        return name


def sentence(text: str) -> str:
    """Return a text with a full stop behind it, in the language that it is read in."""
    return message("text.sentence", text=text)


def labelled(label: str, text: str) -> str:
    """Return a text with its label and a colon before it, in the language that it is read in.

    >>> labelled("clip.wav", message("ear.no-speech"))
    'clip.wav: no speech found'
    """
    return message("text.labelled", label=label, text=text)


def bracketed(text: str, within: str) -> str:
    """Return a text with another in brackets behind it, in the language that it is read in."""
    return message("text.bracketed", text=text, within=within)


def _plain(value: object) -> Value:
    if isinstance(value, enum.Enum):
        return cast(Value, value.value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, PurePath):
        return str(value)
    number = getattr(value, "item", None)  # of numpy
    return cast(Value, number()) if callable(number) else str(value)


def is_finite(value: Value) -> bool:
    """Return whether JSON can hold a value as it is."""
    return not isinstance(value, float) or math.isfinite(value)


_LEAVES = frozenset((str, int, float, bool, type(None)))
_TEXT = frozenset((str,))
KEY = "messages"  # the key of a file that holds what its sentences are
MOST_NESTED = 20  # messages within messages beyond which a stored one is not read
Record = TypeVar("Record")


def collect(record: object) -> dict[str, dict[str, object]]:
    """Return what every message in a record is, by its English text: the value of the key ``messages``."""
    return {found.text: _stored(found) for found in messages_in(record)}


def with_messages(data: Mapping[str, Record], *, of: object) -> dict[str, Record]:
    """Return what JSON holds of a record, with what its messages are under the key ``messages``."""
    found = collect(of)
    return {**data, KEY: cast(Record, found)} if found else dict(data)


def split_messages(data: object) -> tuple[object, object]:
    """Return a JSON object without its key ``messages``, and what stood there; ``None`` where nothing did."""
    if not isinstance(data, dict) or KEY not in data:
        return data, None
    return {key: value for key, value in data.items() if key != KEY}, data[KEY]


def messages_in(value: object) -> list[Message]:
    """Return every message in a record: a dataclass, or what JSON can hold."""
    found: list[Message] = []
    _gather(value, found)
    return found


def _gather(value: object, found: list[Message]) -> None:
    kind: Any = type(value)
    if kind in _LEAVES:
        return
    items: Iterable[object]
    if kind is Message:
        found.append(cast(Message, value))
        return
    if kind is dict or isinstance(value, Mapping):
        mapping = cast(Mapping[object, object], value)
        items = mapping.values()
        if not _TEXT.issuperset(map(type, mapping)):
            items = [one for key, item in mapping.items() for one in (key if type(key) is Message else None, item)]
    elif isinstance(value, list | tuple):
        items = value
    else:
        items = [getattr(value, name) for name in _names(kind)]
    for item in items:
        if type(item) not in _LEAVES:
            _gather(item, found)


def _stored(found: Message) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in found.values.items():
        if isinstance(value, Message):
            values[name] = {"text": value.text, **_stored(value)}
        else:
            values[name] = value if is_finite(value) else str(value)
    return {"id": found.id, "values": values}


def restore(record: Record, messages: object) -> Record:
    """Return a record whose texts are messages again, as the key ``messages`` of a file has them; else as it is."""
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
    if kind in _LEAVES:
        return value
    if kind is dict or isinstance(value, Mapping):
        return _restored_mapping(cast(Mapping[object, object], value), known)
    if isinstance(value, list | tuple):
        items = [_restored(item, known) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return items if kind is list else tuple(items)
    names = _names(cast(Any, kind))
    return _restored_record(value, names, known) if names else value


def _restored_mapping(mapping: Mapping[object, object], known: Mapping[str, Message]) -> Mapping[object, object]:
    changed: dict[object, object] = {}
    for key, item in mapping.items():
        kind = type(item)
        if kind is str:
            if item in known:
                changed[key] = known[cast(str, item)]
        elif kind not in _LEAVES and (new := _restored(item, known)) is not item:
            changed[key] = new
    if known.keys().isdisjoint(mapping):
        return {**mapping, **changed} if changed else mapping
    return {known.get(cast(str, key), key): changed.get(key, item) for key, item in mapping.items()}


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
