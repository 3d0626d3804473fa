"""Tables of rows that are written as they come: cells of CSV files, and Parquet files in groups of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError
from aptone.files import whole_file
from aptone.messages import message
from aptone.types import Json, dumps

ROWS_AT_ONCE = 200
"""Rows that are held in memory; a row may hold minutes of sound."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that a spreadsheet takes for a formula; full-width ones do so too."""


def csv_cell(value: Json) -> str | float:
    """Return a value as a CSV file holds it: lists and objects as JSON, nothing for ``None``, no formulas.

    >>> csv_cell("=1+1"), csv_cell(2.5), csv_cell([1]), csv_cell(None)
    ("'=1+1", 2.5, '[1]', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool | list | dict):
        return dumps(value)
    if isinstance(value, int | float):
        return value
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def write_parquet(
    path: Path,
    rows: Iterable[Mapping[str, Any]],
    columns: Mapping[str, str],
    *,
    ids: Sequence[str] = (),
    annotations: Mapping[str, str] | None = None,
    extra: str = "tables",
    at_once: int = ROWS_AT_ONCE,
) -> None:
    """Write rows to a Parquet file; sounds are ``{"bytes", "path"}``.

    Args:
        columns: name to kind: ``text``, ``number``, ``whole``, ``truth``, ``texts``, ``numbers``, ``audio``, ``ids`` or
            ``annotations``.
        ids: names inside of a column of the kind ``ids``.
        annotations: name to kind inside of a column of the kind ``annotations``.
        extra: extra to name when the library is missing.
        at_once: rows in a group, which are held in memory.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError(message("run.writing-parquet"), extra=extra)
    import pyarrow
    import pyarrow.parquet

    def arrow(kind: str) -> Any:
        if kind == "ids":
            return pyarrow.map_(pyarrow.string(), pyarrow.string()) if not ids else struct(dict.fromkeys(ids, "text"))
        if kind == "annotations":
            return pyarrow.list_(struct(annotations or {}))
        simple = {"number": pyarrow.float64(), "whole": pyarrow.int64(), "truth": pyarrow.bool_()}
        lists = {"texts": pyarrow.list_(pyarrow.string()), "numbers": pyarrow.list_(pyarrow.float64())}
        sound = {"audio": pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])}
        return {"text": pyarrow.string(), **simple, **lists, **sound}[kind]

    def struct(kinds: Mapping[str, str]) -> Any:
        return pyarrow.struct([(name, arrow(kind)) for name, kind in kinds.items()])

    schema = pyarrow.schema([(name, arrow(kind)) for name, kind in columns.items()])
    with whole_file(path) as partial, pyarrow.parquet.ParquetWriter(partial, schema) as writer:
        for some in _batches(rows, at_once):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))


def _batches(rows: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    given = iter(rows)
    while some := [dict(row) for row in islice(given, size)]:
        yield some
