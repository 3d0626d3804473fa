"""Sources: files and folders that list recordings, one protocol for all kinds, found by entry points.

A kind of source is registered like every other part of Aptone::

    [project.entry-points."aptone.sources"]
    my-format = "my_package.formats:MY_FORMAT"

The object behind the name is a `Source`. The kind of a path is found out by asking all of them, unless it is named.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.registry import Registry
from aptone.types import Json

LARGEST_RECORDING = 2 << 30
"""Bytes of one recording inside a table or a tar file."""
LARGEST_LINE = 16 << 20
"""Bytes of one line of a text file: a record with its whole story."""


class Fit(IntEnum):
    """Certainty that a path is of some kind; the highest wins."""

    NO = 0
    BY_NAME = 1
    BY_CONTENT = 2


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording that lies inside its source: the bytes of an audio file, and the name that it had."""

    data: bytes
    name: str


Cell: TypeAlias = Json | Recording
"""A value of a row; a recording that is no `Recording` is given by its path or address."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a source.

    Args:
        where: place of the record, for errors: the file, and the line or row.
        cells: values by the names that the source has for them.
        id: identifier that the format itself gives, where it does so outside of its columns.
    """

    where: str
    cells: Mapping[str, Cell]
    id: str = ""


@runtime_checkable
class Source(Protocol):
    """A kind of files or folders that list recordings."""

    @property
    def title(self) -> str:
        """Name for people, in English: ``NeMo manifest``."""

    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """Names of this kind for our fields, which go before those that are guessed."""

    def fits(self, path: Path) -> Fit:
        """Return how certain it is that a path is of this kind; never raises."""

    def rows(self, path: Path) -> Iterator[Row]:
        """Yield the records one by one, in their order; nothing is held that was given.

        Raises:
            RecordError: if a record cannot be read; the message names its place.
        """

    def count(self, path: Path) -> int | None:
        """Return the number of records where it is known without reading them all."""


def sources() -> Registry[Source]:
    """All kinds of sources that are installed, by name."""
    return Registry("sources", Source)  # type: ignore[type-abstract]  # checked at run time


def find_source(path: Path, name: str | None = None) -> Source:
    """The kind that a path is of, or the named one.

    Raises:
        RegistryError: if no kind has this name.
        UsageError: if there is no such path, no kind fits, or several do.
    """
    known = sources()
    if name is not None:
        return known.load(name)
    if not path.exists():
        raise UsageError(message("sources.no-such-path", name=path))
    fits = {kind: known.load(kind).fits(path) for kind in known}
    best = max(fits.values(), default=Fit.NO)
    if best is Fit.NO:
        raise UsageError(message("sources.no-kind-fits", name=path, kinds=", ".join(known)))
    chosen = [kind for kind, fit in fits.items() if fit == best]
    if len(chosen) > 1:
        raise UsageError(message("sources.several-kinds-fit", name=path, kinds=", ".join(chosen)))
    return known.load(chosen[0])


def lists_recordings(path: Path) -> bool:
    """Return whether a path is of some kind of source; a single recording is of none."""
    known = sources()
    return any(known.load(kind).fits(path) for kind in known)


def beginning(path: Path, size: int = 1 << 16) -> bytes:
    """First bytes of a file; none where it cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, with their numbers, without holding the file.

    Raises:
        RecordError: if it cannot be read, is not UTF-8, or a line is longer than `LARGEST_LINE`.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LARGEST_LINE + 1):
                number += 1
                if len(line) > LARGEST_LINE:
                    raise RecordError(message("sources.line-too-long", where=f"{path}, line {number}"))
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise RecordError(message("sources.not-utf-8", name=path, why=error.reason)) from error


def unreadable(path: Path, error: OSError) -> RecordError:
    """The error that says that a file of a source cannot be read, and why."""
    return RecordError(message("sources.cannot-read", name=path, what=error.strerror or str(error)))
