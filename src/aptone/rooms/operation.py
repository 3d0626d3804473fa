"""Operations of rooms: what can be asked of one over HTTP, on a page or in a worker.

A room declares its operations as data (`Room.operations`): a name, fields, and the function that prepares it. Prepared
once in each worker, an operation keeps its models and gives an `Answer` to every request. What it replies is what the
verb of the same name prints with ``--json``.
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any, Literal, Protocol, TypeAlias

from aptone.audio import read_bytes
from aptone.errors import RegistryError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.registry import load_target
from aptone.report.room_report import Figure
from aptone.rooms.room import Room
from aptone.run import RunConfig, surroundings
from aptone.types import Audio, AudioRef, Entry, Json, dumps, loads

Kind = Literal["text", "texts", "story", "line", "clip", "clips", "number", "whole", "choice", "plan"]
"""Kind of a field: ``texts`` and ``clips`` are repeated, ``whole`` is a whole number, ``plan`` an object."""

LONGEST_STORY = 200_000
"""Characters of a story: some forty pages, of which a planner reads those around the line."""

MOST_CLIPS = 20
"""Recordings of one request."""

MOST_DECODED = 1 << 27
"""Samples of a recording that are decoded, all channels together: 300 s of eight channels at 48 kHz, and some."""

REQUEST = "request"
"""Key of an item's ``ids`` for the request that it came in, in runs that keep the answers of a service."""

LONGEST_NAME = 60
"""Characters of the name of a recording; a file system allows 255 bytes, and a character has up to four."""

_UNSAFE = re.compile(r"[^\w. ()+@-]+")


@dataclass(frozen=True)
class ClipFile:
    """A recording as it came: the bytes of its file, and a name that is safe on every file system.

    >>> ClipFile("../../take 1?.wav", b"").name
    'take 1_.wav'
    """

    name: str
    data: bytes = field(repr=False)

    def __post_init__(self) -> None:
        last = re.split(r"[/\\]", self.name)[-1]
        safe = _UNSAFE.sub("_", last).strip(" .")
        if len(safe) > LONGEST_NAME:  # its ending says what it is
            stem, dot, ending = safe.rpartition(".")
            kept = f"{dot}{ending}" if stem and len(ending) < 10 else ""
            safe = safe[: LONGEST_NAME - len(kept)] + kept
        if safe.endswith(".partial"):  # what is not written to its end yet is called so
            safe += ".clip"
        object.__setattr__(self, "name", safe or "clip")

    @cached_property
    def sha256(self) -> str:
        """Hash of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def ref(self) -> AudioRef:
        """The recording by its name and its hash, in place of a path; nothing lies there unless somebody keeps it."""
        return AudioRef(self.name, sha256=self.sha256)

    def read(self, *, rate: int | None, max_seconds: float) -> Audio:
        """The mean of all channels, decoded block by block within bounds; errors as those of `aptone.audio.read`."""
        return read_bytes(
            self.data, name=self.name, rate=rate, channel="mix", max_seconds=max_seconds, max_decoded=MOST_DECODED
        )


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a request.

    Args:
        description: plain English, for OpenAPI.
        choices: values of a ``choice``.
        longest: characters of a text, or of a plan as JSON.
        most: entries of ``texts`` and ``clips``.
        lowest, highest: bounds of a number.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    longest: int = 20_000
    most: int = MOST_CLIPS
    lowest: float = -math.inf
    highest: float = math.inf

    @property
    def is_repeated(self) -> bool:
        """Whether it holds several values."""
        return self.kind in ("texts", "clips")

    def read(self, value: object) -> Any:
        """Check a value: text, a `ClipFile`, a number, an object, or a tuple of texts or clips.

        Raises:
            UsageError: if it is of another kind, too long, too much, or not among the choices.
            RecordError: if a plan holds what JSON cannot, or is nested too deeply.
        """
        if self.is_repeated:
            if not isinstance(value, Sequence) or isinstance(value, str | bytes):
                raise self._wrong("rooms.field-several", what=_kind_of(value))
            if len(value) > self.most:
                raise self._wrong("rooms.field-too-many", most=self.most, count=len(value))
            return tuple(self._single(one) for one in value)
        return self._single(value)

    def parse(self, text: str) -> object:
        """A value as a form sends it: text that holds a number or, for a plan, JSON; `read` checks the result.

        Raises:
            UsageError: if it is no number.
            RecordError: if it is no JSON.
        """
        if self.kind == "plan":
            return loads(text, what=self.name)
        if self.kind not in ("number", "whole"):
            return text
        try:
            return int(text) if self.kind == "whole" else float(text)
        except ValueError:
            raise self._wrong("rooms.field-number", what=repr(text[:60])) from None

    def _single(self, value: object) -> object:
        if self.kind in ("clip", "clips"):
            if not isinstance(value, ClipFile):
                raise self._wrong("rooms.field-clip", what=_kind_of(value))
            return value
        if self.kind in ("number", "whole"):
            return self._number(value)
        if self.kind == "plan":
            if not isinstance(value, Mapping):
                raise self._wrong("rooms.field-object", what=_kind_of(value))
            self._check_length(len(dumps(value)))  # which refuses what is nested too deeply, too
            return value
        if not isinstance(value, str):
            raise self._wrong("rooms.field-text", what=_kind_of(value))
        self._check_length(len(value))
        if self.kind == "choice" and value not in self.choices:
            raise self._wrong("rooms.field-choice", names=", ".join(self.choices), what=repr(value[:60]))
        return value

    def _check_length(self, length: int) -> None:
        if length > self.longest:
            raise self._wrong("rooms.field-too-long", most=self.longest, length=length)

    def _number(self, value: object) -> int | float:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole and not (self.kind == "number" and isinstance(value, float)):
            kind = "rooms.field-whole" if self.kind == "whole" else "rooms.field-number"
            raise self._wrong(kind, what=_kind_of(value))
        assert isinstance(value, int | float)
        if not self.lowest <= value <= self.highest or (isinstance(value, float) and math.isinf(value)):  # NaN, too
            raise self._wrong("rooms.field-bounds", low=self.lowest, high=self.highest, what=str(value)[:60])
        return value

    def _wrong(self, id: str, **values: object) -> UsageError:
        return UsageError(message(id, name=self.name, **values))


def _is_blank(value: object) -> bool:
    return value is None or value == () or (isinstance(value, str) and not value.strip())


def _kind_of(value: object) -> str:
    return "null" if value is None else type(value).__name__


Request: TypeAlias = Mapping[str, Any]
"""Checked values by the name of every field; ``None`` or ``()`` for one that was left out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of an operation to a request.

    Args:
        reply: the JSON of the reply. Its sentences are messages, so that a page can translate them.
        entries: items with their outcomes, for cards and for keeping. A recording is named by `ClipFile.ref`.
        figures: pictures for a page, where they were asked for.
        audio_seconds: duration of the recordings that were heard.
    """

    reply: Mapping[str, Json]
    entries: tuple[Entry, ...] = ()
    figures: tuple[Figure, ...] = ()
    audio_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class OperationSettings:
    """Settings of all operations of a service.

    Args:
        ear: name of the ear; ``None`` for that of ``APTONE_EAR``, or else ``"full"``.
    """

    ear: str | None = None


class Prepared(Protocol):
    """An operation with its models loaded."""

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers; its verb is the operation's name."""

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request.

        Raises:
            AptoneError: if it cannot be answered; nothing else unless there is a fault in the code.
        """


@dataclass(frozen=True, slots=True)
class Operation:
    """What can be asked of a room.

    Args:
        name: name in addresses and of runs that keep answers: ``score``.
        summary: one sentence in plain English, for OpenAPI.
        prepare: ``module:attribute`` of a function of `OperationSettings` that gives a `Prepared`.
        example: a request without its recordings, for documentation and to warm a worker up.
        on_page: whether it has a page to try it.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]
    prepare: str
    example: Mapping[str, Json] = field(default_factory=dict)
    on_page: bool = True

    @property
    def clip_fields(self) -> tuple[Field, ...]:
        """Fields that hold recordings."""
        return tuple(one for one in self.fields if one.kind in ("clip", "clips"))

    def read(self, given: Mapping[str, object]) -> Request:
        """Check the values of a request; ``None`` counts as left out.

        Raises:
            UsageError, RecordError: if a field is unknown, missing, or has a wrong value.
        """
        names = [one.name for one in self.fields]
        if unknown := [name for name in given if name not in names]:
            raise UsageError(message("rooms.unknown-field", name=str(unknown[0])[:60], names=", ".join(names)))
        request: dict[str, Any] = {}
        for one in self.fields:
            value = given.get(one.name)
            request[one.name] = (() if one.is_repeated else None) if value is None else one.read(value)
            if one.required and _is_blank(request[one.name]):
                raise UsageError(message("rooms.field-missing", name=one.name))
        return request

    def make(self, settings: OperationSettings) -> Prepared:
        """Load the models."""
        prepared: Prepared = load_target(self.prepare)(settings)
        return prepared


def operations_of(room: Room) -> tuple[Operation, ...]:
    """The operations that a room registers.

    Raises:
        RegistryError: if it names something else.
    """
    found = load_target(room.operations) if room.operations else ()
    if not isinstance(found, tuple) or not all(isinstance(one, Operation) for one in found):
        raise RegistryError(
            f"room {room.name!r}: {room.operations} is a {type(found).__name__}; expected a tuple of Operation."
        )
    return found


def served_config(verb: str, *, engine: str, settings: Mapping[str, Json], about: About) -> RunConfig:
    """Configuration of a run that keeps the answers of a service."""
    return RunConfig(
        verb=verb,
        engine=engine,
        settings=settings,
        version=version("aptone"),
        surroundings=surroundings(),
        notes=about.notes,
        licence=about.licence,
    )


LANGUAGE_OF_REASONS = Field(
    "lang",
    "choice",
    "Language of reasons and figures; by default that of the texts.",
    choices=("en", "zh"),
)
LANGUAGE_OF_TEXTS = Field(
    "language",
    "choice",
    "Language of the texts; by default detected from their characters.",
    choices=("en", "zh"),
)
