"""The records of a data set, whatever files it comes in: a Hugging Face folder, one file, several splits.

===============================  =================================================================================
``.jsonl``                       one JSON object a line
``.json``                        an array of them, one object with such an array, or an object from ids to records
``.csv``, ``.tsv``               a column a field, as the ``metadata.csv`` of an audio folder has it
``.parquet``                     with the extra ``frames``
===============================  =================================================================================

Of a folder, the files of one split are read (by default ``test``) where their names or folders say one; where no file
does, all of them. A file in a folder that holds no spoken lines, such as a configuration, is passed over.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.text_files import read_utf8
from aptone.run.sources.manifest import json_records, read_parquet
from aptone.types import loads

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
SPLITS: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "eval", "evaluation"),
}
"""Splits, and what files call them."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as its file has it: fields by name; those of a Parquet file may hold bytes."""

    where: str
    folder: Path
    fields: Mapping[str, Any]


def split_named(text: str) -> str:
    """The split that a file name, a folder or a field speaks of; empty when it speaks of none.

    >>> split_named("data/test-00000-of-00001.parquet"), split_named("Dev"), split_named("latest.json")
    ('test', 'validation', '')
    """
    words = re.split(r"[^a-z]+", text.lower())
    return next((split for word in reversed(words) for split, names in SPLITS.items() if word in names), "")


def read_raw_records(path: Path, *, split: str = "test", spoken: Sequence[str]) -> list[RawRecord]:
    """The records of a file, or of one split of a folder.

    Args:
        spoken: fields of which a record of a spoken line has at least one; a file in a folder whose first record has
            none of them is passed over.

    Raises:
        MissingExtraError: if a Parquet file needs a library that is not installed.
        RecordError: if a file cannot be understood.
        UsageError: if there is nothing to read, or no such split.
    """
    if path.is_dir():
        records = _of_folder(path, split, spoken)
    elif path.suffix.lower() in SUFFIXES:
        records = list(_of_file(path))
    else:
        raise UsageError(f"{path}: expected a folder, or a file that ends in {', '.join(SUFFIXES)}.")
    splits = [split_named(str(record.fields.get("split") or "")) for record in records]
    if any(splits):
        records = [record for record, own in zip(records, splits, strict=True) if own in ("", split)]
        if not records:
            raise UsageError(f"{path}: no record is of the split {split!r}; there are {_listed(splits)}.")
    if not records:
        raise RecordError(f"{path}: there are no records in it.")
    return records


def _of_folder(folder: Path, split: str, spoken: Sequence[str]) -> list[RawRecord]:
    found = sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    if not found:
        hint = "download the data set, or export it as JSON lines."
        raise UsageError(f"{folder}: no file in it ends in {', '.join(SUFFIXES)}; {hint}")
    splits = {file: split_named(str(file.relative_to(folder))) for file in found}
    chosen = [file for file in found if splits[file] == split] if any(splits.values()) else found
    if not chosen:
        raise UsageError(f"{folder}: no file is of the split {split!r}; there are {_listed(list(splits.values()))}.")
    return [record for file in chosen for record in _of_file(file, spoken=spoken)]


def _listed(splits: Sequence[str]) -> str:
    return ", ".join(sorted({split for split in splits if split})) or "none"


def _of_file(path: Path, *, spoken: Sequence[str] = ()) -> Iterator[RawRecord]:
    """The records of one file; none if its first one has none of the fields of a spoken line."""
    for number, (where, fields) in enumerate(_rows(path)):
        if number == 0 and spoken and not (isinstance(fields, Mapping) and any(name in fields for name in spoken)):
            return
        if not isinstance(fields, Mapping):
            raise RecordError(f"{where}: expected a JSON object, got {type(fields).__name__}.")
        yield RawRecord(where, path.parent, fields)


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    kind = path.suffix.lower()
    if kind == ".parquet":
        yield from ((f"{path}, row {number}", row) for number, row in enumerate(read_parquet(path), start=1))
        return
    text = read_utf8(path, what="a data set")
    if kind in (".csv", ".tsv"):
        csv.field_size_limit(10_000_000)
        try:
            rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if kind == ".tsv" else ","))
        except csv.Error as error:
            raise RecordError(f"{path}: not a table that can be read ({error}).") from error
        for number, row in enumerate(rows, start=1):
            if None in row:
                raise RecordError(f"{path}, row {number}: it has more cells than there are columns.")
            yield f"{path}, row {number}", row
        return
    if kind == ".json" and text.lstrip().startswith("{"):
        yield from _of_object(loads(text, what=str(path)), path)
        return
    yield from json_records(text, path)


def _of_object(whole: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Records in an object: a list of them under some name, an object from ids to them, or the object itself."""
    assert isinstance(whole, Mapping)
    lists = {name: value for name, value in whole.items() if _holds_objects(value)}
    if len(lists) == 1:
        ((name, records),) = lists.items()
        yield from ((f"{path}, {name} {number}", record) for number, record in enumerate(records, start=1))
    elif whole and all(isinstance(value, Mapping) for value in whole.values()):
        yield from ((f"{path}, {name}", {"id": name, **record}) for name, record in whole.items())
    else:
        yield str(path), whole


def _holds_objects(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
