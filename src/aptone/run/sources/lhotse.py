"""Lhotse's cuts: one JSON object a line, plain or compressed by gzip."""

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.lines import checked_object, first_record, records
from aptone.run.sources.source import LARGEST_LINE, LARGEST_RECORDING, Cell, Fit, Recording, Row, unreadable
from aptone.types import Json, is_finite_number, loads

LARGEST_UNPACKED = 64 << 30
"""Bytes of a whole list after unpacking."""
_GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class LhotseCuts:
    """Cuts of one recording each (``MonoCut``): its file, the part of it, and the words and speakers.

    Mixed and padded cuts, transforms that are yet to be made, and recordings that a command makes are refused.
    """

    title: str = "Lhotse cuts"
    columns: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"audio": ("recording",), "line": ("text",), "speaker": ("speaker",)}
    )

    def fits(self, path: Path) -> Fit:
        """By the type of its first record."""
        first: Json = None
        if path.name.lower().endswith(".jsonl.gz"):
            with suppress(RecordError, StopIteration):
                _, first = next(_unpacked(path))
        else:
            first = first_record(path)
        is_cut = isinstance(first, Mapping) and (
            str(first.get("type", "")).endswith("Cut") or {"recording", "supervisions"} <= set(first)
        )
        return Fit.BY_CONTENT if is_cut else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        for where, data in _unpacked(path) if path.suffix.lower() == ".gz" else records(path):
            cut = checked_object(data, where)
            yield Row(where, _cells(cut, where), id=str(cut.get("id", "")))

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


def _cells(cut: Mapping[str, Json], where: str) -> dict[str, Cell]:
    kind = cut.get("type", "MonoCut")
    recording = cut.get("recording")
    if kind != "MonoCut" or not isinstance(recording, Mapping):
        raise RecordError(message("sources.lhotse-kind", where=where, what=str(kind)[:100]))
    if recording.get("transforms"):
        raise RecordError(message("sources.lhotse-transforms", where=where))
    cells: dict[str, Cell] = {"recording": _audio(recording, where), **_times(cut, recording, where)}
    for name, value in _mapping(cut.get("custom")).items():
        cells.setdefault(name, value)
    supervisions = [one for one in _sequence(cut.get("supervisions")) if isinstance(one, Mapping)]
    if texts := [str(one["text"]) for one in supervisions if one.get("text")]:
        cells["text"] = " ".join(texts)
    for name in ("speaker", "language", "gender"):
        if len(values := {str(one[name]) for one in supervisions if one.get(name)}) == 1:
            cells[name] = values.pop()
    for one in supervisions[:1] if len(supervisions) == 1 else []:
        for name, value in _mapping(one.get("custom")).items():
            cells.setdefault(name, value)
    return cells


def _audio(recording: Mapping[str, Json], where: str) -> Cell:
    sources = _sequence(recording.get("sources"))
    only = sources[0] if len(sources) == 1 else None
    if not isinstance(only, Mapping) or len(_sequence(only.get("channels"))) > 1:
        raise RecordError(message("sources.lhotse-channels", where=where))
    kind, given = only.get("type"), only.get("source")
    if kind in ("file", "url") and isinstance(given, str) and given:
        return given
    if kind == "memory" and isinstance(given, str) and len(given) <= LARGEST_RECORDING:
        try:
            return Recording(base64.b64decode(given, validate=True), str(recording.get("id", "recording")))
        except binascii.Error as error:
            raise RecordError(message("sources.lhotse-memory", where=where, why=str(error))) from error
    raise RecordError(message("sources.lhotse-source", where=where, what=str(kind)[:100]))


def _times(cut: Mapping[str, Json], recording: Mapping[str, Json], where: str) -> dict[str, Cell]:
    """Start and end within the file, left out where they are its own."""
    start, duration, whole = cut.get("start", 0.0), cut.get("duration"), recording.get("duration")
    if not is_finite_number(start) or not (duration is None or is_finite_number(duration)):
        raise RecordError(message("sources.lhotse-times", where=where))
    first = float(str(start))
    if duration is None:
        return {"start": first} if first else {}
    end = round(first + float(str(duration)), 9)
    rate = recording.get("sampling_rate")
    step = 1.0 / float(str(rate)) if is_finite_number(rate) and float(str(rate)) > 0 else 0.0
    to_the_end = is_finite_number(whole) and end > float(str(whole)) - step / 2
    times: dict[str, Cell] = {"start": first} if first else {}
    return times if to_the_end else {**times, "end": end}


def _unpacked(path: Path) -> Iterator[tuple[str, Json]]:
    total = 0
    try:
        with gzip.open(path, "rb") as file:
            number = 0
            while line := file.readline(LARGEST_LINE + 1):
                number += 1
                total += len(line)
                where = f"{path}, line {number}"
                if len(line) > LARGEST_LINE or total > LARGEST_UNPACKED:
                    raise RecordError(message("sources.line-too-long", where=where))
                if line.strip():
                    yield where, loads(line, what=where)
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise RecordError(message("sources.damaged-gzip", name=path, why=str(error))) from error
        raise unreadable(path, error) from error
    except (*_GZIP_ERRORS, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RecordError(message("sources.damaged-gzip", name=path, why=str(error))) from error


def _sequence(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


LHOTSE = LhotseCuts()
