"""Runs as tables for pandas and polars, and tables in Parquet files. Neither library is part of the core install."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.types import Entry, Json


def flat_row(entry: Entry) -> dict[str, Json]:
    """One flat row: what the journal says of an item, its scores by name, and the plain fields of its payload.

    An undefined score is ``None``; its reason stands beside it under ``<score>_reason``. A score that is called like
    one of the other columns, for instance ``seconds``, stands under ``score.<name>``.
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
            found.append((f"item.{prefix}{name}", value))
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
