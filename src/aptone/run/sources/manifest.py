"""Manifests: one JSON object a line, one JSON array, or a table, with the place of each record for messages."""

import csv
import difflib
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Protocol, TypeVar

from aptone.errors import RecordError
from aptone.types import Json, is_finite_number, loads


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
    """The records of a file, one a line or in one array, each with the place that an error names.

    Raises:
        RecordError: if it is not JSON.
    """
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


class Identified(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """Unique within its source."""


Kept = TypeVar("Kept", bound=Identified)


def read_identified(path: Path, make: Callable[[Json, int], Kept], *, expected: str) -> list[Kept]:
    """The records of a manifest, in their order, each with an id of its own.

    Args:
        make: a record from what stands there and its number, from 1 on.

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
    """See that a record has no field that nobody reads: it may be a misspelt one.

    Raises:
        RecordError: if it has; with the names that come near.
    """
    if unknown := sorted(set(data) - known):
        near = difflib.get_close_matches(unknown[0], known, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(sorted(known))}."
        raise RecordError(f"unknown field {unknown[0]!r}; {hint}")


def refuse_doubles(ids: Mapping[str, str]) -> None:
    """See that no two records have one id.

    Args:
        ids: ids by the place of the record, for the error.

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
