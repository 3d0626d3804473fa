"""Manifests and tables: one JSON object a line, one JSON array, CSV or Parquet in; runs as data frames out.

Each record of a manifest comes with its place, for messages. pandas and polars are not part of the core install.
"""

import csv
import difflib
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.types import Entry, Json, is_finite_number, loads


def manifest_records(path: Path) -> Iterator[tuple[str, Json]]:
    """The records of a ``.jsonl``, ``.json`` or ``.csv`` file, each behind the words that say where it stands.

    Every cell of a table is text; an empty one is left out.

    Raises:
        RecordError: if the file cannot be read, is not UTF-8, JSON or a table, or holds no record.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}); save the manifest as UTF-8.") from error
    if not text.strip():
        raise RecordError(f"{path}: the manifest is empty; expected one JSON object a line.")
    yield from table_records(text, path) if path.suffix.lower() == ".csv" else json_records(text, path)


def json_records(text: str, path: Path) -> Iterator[tuple[str, Json]]:
    """The records of a file, one a line or in one array, with their places; raises `RecordError` if it is not JSON."""
    if text.lstrip().startswith("["):
        whole = loads(text, what=str(path))
        assert isinstance(whole, Sequence)
        for number, data in enumerate(whole, start=1):
            yield f"{path}, record {number}", data
        return
    if path.suffix.lower() == ".json":
        yield f"{path}", loads(text, what=str(path))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, loads(line, what=where)


def delimiter_of(text: str) -> str:
    """Return the delimiter of a table, by its heading: comma, tab, or semicolon as some spreadsheets write.

    >>> delimiter_of("id;rating"), delimiter_of("id,rating;comment"), delimiter_of("id")
    (';', ',', ',')
    """
    heading, _, _ = text.partition("\n")
    if "\t" in heading:
        return "\t"
    return ";" if ";" in heading and "," not in heading else ","


def table_records(text: str, path: Path) -> Iterator[tuple[str, Json]]:
    """The rows of a table with a heading, as objects, each with the place that an error names.

    Cells are parted by commas, or by what `delimiter_of` the table is.

    Raises:
        RecordError: if it is no table, or a row has more cells than the heading.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True)
    try:
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if None in row:
                raise RecordError(f"{where}: the row has more cells than the heading; quote cells that hold commas.")
            yield where, {name: cell for name, cell in row.items() if cell}
    except csv.Error as error:
        raise RecordError(f"{path}, line {reader.line_num}: not a table of separated cells ({error}).") from error


class IdentifiedRecord(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """Unique within its source."""


Kept = TypeVar("Kept", bound=IdentifiedRecord)


def read_identified(path: Path, make: Callable[[Json, int], Kept], *, expected: str) -> list[Kept]:
    """The records that `make` gives of what stands in a manifest and its number, from 1 on, each with its own id.

    Raises:
        RecordError: if a record cannot be understood, two have one id, or there is none; the message names the place.
    """
    records: list[Kept] = []
    places: dict[str, str] = {}
    for number, (where, data) in enumerate(manifest_records(path), start=1):
        try:
            records.append(make(data, number))
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error
        places[where] = records[-1].id
    if not records:
        raise RecordError(f"{path}: the manifest holds no record; expected {expected}.")
    refuse_doubles(places)
    return records


def check_fields(data: Mapping[str, Json], known: Set[str]) -> None:
    """See that a record has no unknown, maybe misspelt, field; raises `RecordError` with the names that come near."""
    if unknown := sorted(set(data) - known):
        near = difflib.get_close_matches(unknown[0], known, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(sorted(known))}."
        raise RecordError(f"unknown field {unknown[0]!r}; {hint}")


def refuse_doubles(ids: Mapping[str, str]) -> None:
    """See that no two records have one id; `ids` are by the place of the record, for the error.

    Raises:
        RecordError: if two have.
    """
    seen: dict[str, str] = {}
    for where, name in ids.items():
        if name in seen:
            file, _, place = seen[name].rpartition(", ")
            earlier = place if where.startswith(f"{file}, ") else seen[name]
            raise RecordError(f"{where}: the id {name!r} was taken by {earlier}; give each record its own.")
        seen[name] = where


def number_in_cell(value: Json, name: str) -> Json:
    """A number, also where a cell of a table writes it; anything else that is no text stays as it is.

    >>> number_in_cell("2.5", "start"), number_in_cell(None, "end")
    (2.5, None)

    Raises:
        RecordError: if a text is no number; with the name of the field.
    """
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        raise RecordError(f'"{name}" is a number, got {value!r}.') from None


def human_opinions(data: Mapping[str, Json]) -> dict[str, Json]:
    """Return the human ratings of a record: ``ratings`` by rater, and ``human_score``, by default their mean.

    >>> human_opinions({"ratings": {"anna": 3, "ben": 4}})
    {'human_score': 3.5, 'ratings': {'anna': 3, 'ben': 4}}

    Raises:
        RecordError: if the ratings are no object of numbers.
    """
    ratings = data.get("ratings", {})
    if not isinstance(ratings, Mapping) or not all(map(is_finite_number, ratings.values())):
        raise RecordError('"ratings" is an object of raters and their scores.')
    human = data.get("human_score")
    if human is None and ratings:
        human = math.fsum(float(str(rating)) for rating in ratings.values()) / len(ratings)
    return {"human_score": human, "ratings": ratings}


def flat_row(entry: Entry) -> dict[str, Json]:
    """One flat row: what the journal says of an item, its scores by name, and the plain fields of its payload.

    An undefined score is ``None``; its reason stands beside it under ``<score>_reason``. A score that is called like
    one of the other columns, for instance ``seconds``, stands under ``score.<name>``. What travels along from the
    user's own columns stands under ``meta.<name>``.
    """
    first: dict[str, Json] = {
        "id": entry.item.id,
        "repeat": entry.repeat,
        "state": entry.outcome.state.value,
        "reason": entry.outcome.reason,
    }
    last: dict[str, Json] = {
        "rationale": entry.outcome.rationale,
        "signature": entry.outcome.signature,
        "attempts": entry.attempts,
        "parse_failures": entry.parse_failures,
        "seconds": entry.seconds,
        "cost": entry.cost,
        "finished": entry.finished,
    }
    scores: dict[str, Json] = {}
    for name, score in entry.outcome.scores.items():
        column = f"score.{name}" if name in first or name in last else name
        scores[column] = score.value if score.is_defined else None
        if score.reason:
            scores[f"{column}_reason"] = score.reason
    row = first | scores | last
    for name, value in _plain_fields(entry.item.payload, ""):
        row.setdefault(name, value)
    return row


def _plain_fields(payload: Mapping[str, Json], prefix: str) -> list[tuple[str, Json]]:
    found: list[tuple[str, Json]] = []
    for name, value in payload.items():
        if isinstance(value, Mapping):
            found += _plain_fields(value, f"{prefix}{name}.")
        elif name != "schema" and (value is None or isinstance(value, str | int | float)):
            travels = prefix == "ids." and name.startswith("meta.")
            found.append((name if travels else f"item.{prefix}{name}", value))
    return found


def to_pandas(rows: Sequence[Mapping[str, Json]]) -> Any:
    """Rows as a pandas data frame; raises `MissingExtraError` if pandas is not installed."""
    return _library("pandas", message("run.pandas-frame")).DataFrame(list(rows))


def to_polars(rows: Sequence[Mapping[str, Json]]) -> Any:
    """Rows as a polars data frame; raises `MissingExtraError` if polars is not installed."""
    polars = _library("polars", message("run.polars-frame"))
    return polars.DataFrame([dict(row) for row in rows], infer_schema_length=None, strict=False)


def read_parquet(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file, as data sets are published; bytes stay bytes.

    Raises:
        MissingExtraError: if polars is not installed.
        RecordError: if the file cannot be read.
    """
    polars = _library("polars", message("run.reading-parquet", name=path.name))
    try:
        rows: list[dict[str, Any]] = polars.read_parquet(path).to_dicts()
    except (OSError, polars.exceptions.PolarsError) as error:
        raise RecordError(f"{path}: not a Parquet file that can be read ({error}).") from error
    return rows


def _library(name: str, what: str) -> Any:
    if find_spec(name) is None:
        raise MissingExtraError(what, extra="frames")
    return import_module(name)
