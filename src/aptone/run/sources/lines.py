"""Sources with one JSON object a line: our manifest, NeMo's, and what tells them from others."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.manifest import json_records
from aptone.run.sources.source import Fit, Row, beginning, text_lines, unreadable
from aptone.types import Json, is_finite_number, loads

LARGEST_ARRAY = 256 << 20
"""Bytes of a file that is one JSON array, which has to be held whole."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Our own manifest: one JSON object a line, or one JSON array."""

    title: str = "manifest"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fits(self, path: Path) -> Fit:
        """By the ending of its name."""
        named = path.suffix.lower() in (".jsonl", ".json") and path.is_file()
        return Fit.BY_NAME if named else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        for where, data in records(path):
            yield Row(where, checked_object(data, where))

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


@dataclass(frozen=True, slots=True)
class NemoManifest:
    """Manifest of NVIDIA NeMo: ``audio_filepath``, ``duration``, ``text``, and ``offset`` for a part of a file.

    As in NeMo, ``duration`` is the length of the clip; without an ``offset`` the clip is the whole file.
    """

    title: str = "NeMo manifest"
    columns: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"audio": ("audio_filepath", "audio_file"), "line": ("text", "text_filepath")}
    )

    def fits(self, path: Path) -> Fit:
        """By ``audio_filepath`` in its first record."""
        first = first_record(path)
        return Fit.BY_CONTENT if first is not None and "audio_filepath" in first else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        for where, data in records(path):
            cells = dict(checked_object(data, where))
            offset, duration = cells.pop("offset", None), cells.get("duration")
            if offset is not None:
                if not is_finite_number(offset) or not is_finite_number(duration):
                    raise RecordError(message("sources.offset-needs-duration", where=where))
                start, seconds = float(str(offset)), float(str(duration))
                cells |= {"start": start, "end": round(start + seconds, 9)}
            yield Row(where, cells)

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


def records(path: Path) -> Iterator[tuple[str, Json]]:
    """Yield the values of a file with JSON lines, or of one JSON array or object, each with its place.

    Raises:
        RecordError: if it cannot be read, or is not JSON.
    """
    first = beginning(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first == b"[" or path.suffix.lower() == ".json":
        try:
            if path.stat().st_size > LARGEST_ARRAY:
                raise RecordError(message("sources.array-too-large", name=path, count=LARGEST_ARRAY >> 20))
            text = path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError as error:
            raise RecordError(message("sources.not-utf-8", name=path, why=error.reason)) from error
        if first == b"[" or "\n{" not in text.strip():
            yield from json_records(text, path)
            return
    for number, line in text_lines(path):  # NeMo calls its JSON lines .json
        where = f"{path}, line {number}"
        yield where, loads(line, what=where)


def first_record(path: Path) -> Mapping[str, Json] | None:
    """First object of a file with JSON lines or an array; ``None`` where there is none to be seen."""
    if path.suffix.lower() not in (".jsonl", ".json") or not path.is_file():
        return None
    with suppress(RecordError, StopIteration):
        _, data = next(records(path))
        return data if isinstance(data, Mapping) else None
    return None


def checked_object(data: Json, where: str) -> Mapping[str, Json]:
    """A record that is an object; raises `RecordError` otherwise."""
    if not isinstance(data, Mapping):
        raise RecordError(message("sources.no-object", where=where, what=type(data).__name__))
    return data


MANIFEST = Manifest()
NEMO = NemoManifest()
