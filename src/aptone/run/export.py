"""Export of a run's results: a CSV or Parquet file, or a dataset folder as Hugging Face's tools read it.

One row an entry, repeats included, with the columns of `aptone.run.sources.manifest.flat_row`. The journal is read
twice, once for the names and kinds of the columns and once for the rows, and only a group of rows is in memory.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.files import make_folder, whole_file, write_whole
from aptone.run.folder import Run
from aptone.run.sources.manifest import flat_row
from aptone.run.tables import csv_cell, write_parquet
from aptone.types import Json, dumps

ROWS_IN_GROUP = 5_000
"""Rows of a group in a Parquet file."""
DATA = "data/results-00000-of-00001.parquet"
_NUMBERS = ("item.human_score", "item.proxy_score", "item.audio.end")
"""Columns that are numbers, also where no item has one."""
_TYPES = {"text": "string", "number": "float64", "whole": "int64", "truth": "bool"}


def export_run(run: Run, path: Path) -> int:
    """Write the results of a run to a file (``.parquet``, ``.csv``), or to a folder that is a dataset.

    Returns:
        Number of rows.

    Raises:
        UsageError: if the name ends otherwise, or the folder holds other files.
        MissingExtraError: if the library of Parquet files is not installed.
        RunError: if the run cannot be read, or the file cannot be written.
    """
    check_export(path)
    columns = result_columns(run)
    if path.suffix.lower() == ".csv":
        _write_csv(path, run, columns)
    elif path.suffix.lower() == ".parquet":
        write_parquet(path, result_rows(run, columns), columns, at_once=ROWS_IN_GROUP)
    else:
        make_folder(path / "data")
        write_parquet(path / DATA, result_rows(run, columns), columns, at_once=ROWS_IN_GROUP)
        write_whole(path / "README.md", _dataset_card(run, columns))
    return len(run.entries)


def check_export(path: Path) -> None:
    """Refuse a path that results cannot be exported to; raises `UsageError`."""
    if path.suffix.lower() in (".csv", ".parquet"):
        return
    if path.suffix:
        raise UsageError(f"{path}: expected a name that ends in .parquet or .csv, or a folder for a dataset.")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is a file, expected a folder for a dataset.")
    known = {"README.md", "data"}
    if path.is_dir() and (others := sorted(child.name for child in path.iterdir() if child.name not in known)):
        raise UsageError(f"{path}: holds other files ({others[0]}); name a new folder for the dataset.")


def result_columns(run: Run) -> dict[str, str]:
    """Return the columns of a run's results and their kinds: ``text``, ``number``, ``whole`` or ``truth``."""
    kinds: dict[str, str] = {}
    for entry in run.entries:
        scores = {column for name in entry.outcome.scores for column in (name, f"score.{name}")}
        for name, value in flat_row(entry).items():
            kind = "number" if value is None and (name in scores or name in _NUMBERS) else _kind(value)
            known = kinds.setdefault(name, kind)
            if known != kind and kind:
                both = {known, kind}
                kinds[name] = kind if not known else "number" if both == {"number", "whole"} else "text"
    return {name: kind or "text" for name, kind in kinds.items()}


def _kind(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole" if value.bit_length() < 64 else "text"
    return "number" if isinstance(value, float) else "text"


def result_rows(run: Run, columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row an entry, each value of the kind that `result_columns` found."""
    for row in map(flat_row, run.entries):
        yield {name: _as_kind(row.get(name), kind) for name, kind in columns.items()}


def _as_kind(value: Json, kind: str) -> Json:
    if value is None or (kind == "text" and isinstance(value, str)):
        return str(value) if isinstance(value, str) else None
    if kind == "text":
        return dumps(value)
    return float(str(value)) if kind == "number" else value


def _write_csv(path: Path, run: Run, columns: Iterable[str]) -> None:
    names = list(columns)
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([csv_cell(name) for name in names])
        for row in map(flat_row, run.entries):
            writer.writerow([csv_cell(row.get(name)) for name in names])


def _dataset_card(run: Run, columns: Mapping[str, str]) -> str:
    """Return the card of the dataset: its front matter is YAML whose values are JSON, which YAML includes."""
    features = [{"name": name, "dtype": _TYPES[kind]} for name, kind in columns.items()]
    front: dict[str, Json] = {
        "configs": [{"config_name": "default", "data_files": [{"split": "results", "path": "data/results-*"}]}],
        "dataset_info": {"features": features},
        "tags": ["aptone", "speech"],
    }
    lines = "\n".join(f"{name}: {dumps(value)}" for name, value in front.items())
    states = ", ".join(f"{count} {state.value}" for state, count in sorted(run.states.items()))
    listed = "\n".join(f"| `{name.replace('|', ' ')}` | {_TYPES[kind]} |" for name, kind in columns.items())
    licence = f"\nLicence of the weights behind the scores: {run.config.licence}\n" if run.config.licence else ""
    return (
        f"---\n{lines}\n---\n# Results of `aptone {run.config.verb}`\n\n"
        f"Engine `{run.config.engine}`, Aptone {run.config.version}, seed {run.config.seed}: "
        f"{len(run.entries)} rows ({states}). One row an item and repeat; an undefined score is null.\n{licence}\n"
        f"| column | type |\n| --- | --- |\n{listed}\n"
    )
