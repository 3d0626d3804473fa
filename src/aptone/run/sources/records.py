"""Records of any source under our names, as a verb takes them."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError, UsageError
from aptone.messages import labelled, message
from aptone.run.sources.audio_cache import is_address, keep, mirrored
from aptone.run.sources.columns import IDENTITIES, Columns, meta_name
from aptone.run.sources.lines import MANIFEST
from aptone.run.sources.manifest import Kept, refuse_doubles
from aptone.run.sources.remote import local
from aptone.run.sources.source import Cell, Recording, Row, find_source
from aptone.types import Json

AUDIO = ("audio", "answer")
"""Fields that are recordings."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a user says of a source: its kind, its columns by our fields, and where relative paths begin."""

    kind: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    data_root: Path | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A source that is about to be read.

    Args:
        title: kind of the source, for people.
        places: columns of the first record, by our field.
        extra: columns of the first record that travel along.
    """

    title: str
    places: Mapping[str, str]
    extra: Sequence[str]
    rows: Iterator[tuple[str, dict[str, Json]]]

    @property
    def told(self) -> str:
        """Sentence about what is read as what."""
        found = ", ".join(f"{name}={column}" for name, column in self.places.items())
        told = message("sources.read-as", kind=self.title, what=found or "-")
        return message("sources.with-extra", what=told, names=", ".join(self.extra)) if self.extra else told

    @property
    def is_plain(self) -> bool:
        """Return whether it is our own manifest with our own names, of which nothing has to be said."""
        return self.title == MANIFEST.title and not self.extra and all(a == b for a, b in self.places.items())


def read_source(
    path: Path,
    names: Mapping[str, tuple[str, ...]],
    options: SourceOptions | None = None,
    *,
    passed: str = "",
    identities: tuple[str, ...] = IDENTITIES,
    words: str = "line",
) -> Reading:
    """The records of a source, lazily: recordings with absolute paths, unknown columns under ``ids`` as ``meta.*``.

    A record has an ``id`` where a column or its format gives one.

    Args:
        names: names that are understood as a field of the verb, by field.
        passed: pattern of columns that the verb takes as they are.
        identities: fields that stand under ``ids``.
        words: field of the verb for the words that are spoken in the recording, which kinds of sources call ``line``.

    Raises:
        RecordError: if the source holds no record, or one cannot be read; the message names its place.
        UsageError: if there is no such path, it is of no known kind, or a chosen field is none.
    """
    asked = options or SourceOptions()
    if asked.data_root is not None and not asked.data_root.is_dir():
        raise UsageError(message("sources.no-data-root", name=asked.data_root))
    here = local(path)
    source = find_source(here, asked.kind)
    native = {words if name == "line" else name: known for name, known in source.columns.items()}
    columns = Columns(names, native, asked.columns, passed, identities, source.title == MANIFEST.title)
    rows = source.rows(here)
    first = next(rows, None)
    if first is None:
        raise RecordError(message("sources.no-record", name=path))
    there = [name for name, value in first.cells.items() if value is not None]
    places: dict[str, str] = {}
    extra: list[str] = []
    if not _is_ours(first):
        places = columns.places(there)
        extra = [meta_name(name) for name in columns.left_over(there) if not isinstance(first.cells[name], Recording)]
    root = asked.data_root or (here if here.is_dir() else here.parent)
    return Reading(source.title, places, extra, _records(itertools.chain([first], rows), columns, root))


def identified(reading: Reading, make: Callable[[Json, int], Kept]) -> list[Kept]:
    """What `make` gives of every record and its number, from 1 on, each with its own id.

    Raises:
        RecordError: if a record cannot be understood, or two have one id; the message names the place.
    """
    found: list[Kept] = []
    places: dict[str, str] = {}
    for number, (where, record) in enumerate(reading.rows, start=1):
        try:
            found.append(make(record, number))
        except (RecordError, ValueError) as error:
            raise RecordError(labelled(where, str(error))) from error
        places[where] = found[-1].id
    refuse_doubles(places)
    return found


def _records(rows: Iterator[Row], columns: Columns, root: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    for row in rows:
        yield row.where, _record(row, columns, root)


def _record(row: Row, columns: Columns, root: Path) -> dict[str, Json]:
    if _is_ours(row):
        return {name: value for name, value in row.cells.items() if not isinstance(value, Recording)}
    renamed = columns.renamed(row.cells, where=row.where)
    record: dict[str, Json] = {"id": row.id} if row.id else {}
    for name, value in renamed.items():
        if name in AUDIO:
            record[name] = str(_recording(value, row.where, root, name=name))
        elif not isinstance(value, Recording):
            record[name] = value
    return record


def _recording(value: Cell, where: str, root: Path, *, name: str) -> Path:
    if isinstance(value, Recording):
        return keep(value.data, value.name)
    if isinstance(value, Mapping) and isinstance(value.get("path"), str):
        value = value["path"]
    if not isinstance(value, str) or not value:
        raise RecordError(message("sources.no-path", where=where, name=name, what=repr(value)[:100]))
    if is_address(value):
        return local(mirrored(value))
    path = (root / value).absolute()
    found = local(path)
    if not found.exists() and not Path(value).is_absolute() and Path(value).is_file():
        return Path(value).absolute()  # lists of Kaldi and Lhotse are relative to where their recipes ran
    return found


def _is_ours(row: Row) -> bool:
    """Check that a record is one that Aptone wrote, which its room reads by itself."""
    return isinstance(row.cells.get("schema"), str)
