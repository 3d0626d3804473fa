"""Messages: sentences that know their id and values, so that a reader gets them in another language later on."""

import enum
import math
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Self, cast

from aptone.messages.catalogue import Language, MessageError, filled, template

Value = str | int | float | bool | None
"""What fills a brace. A `Message` is a ``str``, and is translated with the message that holds it."""


class Message(str):
    """A sentence in English, its id in the catalogues, and the values that fill it.

    It is a ``str``: records, files and comparisons treat it as its English text. Make it with `message`.
    ``str(…)`` of it, and of an error that holds it, is the message itself; formatting it into another text is not, so
    compose with a message that has a brace for it.

    Args:
        text: the English sentence.
        id: id in the catalogues.
        values: what fills the braces.
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
    """Return a message of the catalogues, with its braces filled.

    Args:
        id: id in the catalogues.
        values: what fills the braces: numbers, texts and other messages. Paths become text.

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
        return _leniently(template(text.id, language, values), values)
    except (MessageError, LookupError, ValueError, AttributeError):  # a run of another version: its English is kept
        return text.text


def _leniently(text: str, values: Mapping[str, Value]) -> str:
    """Fill braces; a number that JSON could not hold, and a run therefore keeps as text, is not formatted."""
    return text.format(**{name: _Text(value) if isinstance(value, str) else value for name, value in values.items()})


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
    """Return a text with another in the place of a name in it, such as a path that readers need not know.

    Args:
        text: the text; of a message, its values are searched.
        old: the name.
        new: what stands there instead, which may be a message.

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
