"""Rows with typed columns in a Parquet file, sounds inside, as data sets are published."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError
from aptone.files import whole_file
from aptone.messages import message
from aptone.studio.exchange.rows import Columns, Kind

ROWS_AT_ONCE = 200
"""Rows that are held in memory; a row may hold minutes of sound."""


def write_parquet(
    path: Path,
    rows: Iterable[Mapping[str, Any]],
    columns: Columns,
    *,
    ids: Sequence[str] = (),
    annotations: Columns | None = None,
) -> None:
    """Write rows to a Parquet file.

    Args:
        path: of the file.
        rows: with the columns; sounds are ``{"bytes", "path"}``.
        columns: name to kind, in order.
        ids: names inside of a column of the kind ``ids``.
        annotations: name to kind inside of a column of the kind ``annotations``.

    Raises:
        MissingExtraError: if Parquet is not installed.
        RunError: if the file cannot be written.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError(message("studio.writing-parquet"), extra="studio")
    import pyarrow
    import pyarrow.parquet

    def arrow(kind: Kind) -> Any:
        if kind == "ids":
            return pyarrow.map_(pyarrow.string(), pyarrow.string()) if not ids else struct(dict.fromkeys(ids, "text"))
        if kind == "annotations":
            return pyarrow.list_(struct(annotations or {}))
        simple = {"number": pyarrow.float64(), "whole": pyarrow.int64(), "truth": pyarrow.bool_()}
        lists = {"texts": pyarrow.list_(pyarrow.string()), "numbers": pyarrow.list_(pyarrow.float64())}
        sound = {"audio": pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])}
        return {"text": pyarrow.string(), **simple, **lists, **sound}[kind]

    def struct(kinds: Mapping[str, Any]) -> Any:
        return pyarrow.struct([(name, arrow(kind)) for name, kind in kinds.items()])

    schema = pyarrow.schema([(name, arrow(kind)) for name, kind in columns.items()])
    with whole_file(path) as partial, pyarrow.parquet.ParquetWriter(partial, schema) as writer:
        for some in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    given = iter(rows)
    while some := [dict(row) for row in islice(given, ROWS_AT_ONCE)]:
        yield some
