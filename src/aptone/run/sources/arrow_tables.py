"""Parquet files, and datasets that Hugging Face's ``save_to_disk`` wrote, read through pyarrow piece by piece.

A recording is a column of structs with ``bytes`` and ``path``, as Hugging Face has them, a column of bytes, or a column
of paths.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.run.sources.source import LARGEST_RECORDING, Cell, Fit, Recording, Row, beginning, unreadable
from aptone.types import Json, loads

ROWS = 64  # rows that are held at a time: a minute of wav each are some hundred megabytes
STATE, SPLITS = "state.json", "dataset_dict.json"


@dataclass(frozen=True, slots=True)
class Parquet:
    """Parquet file, or folder of Parquet shards."""

    title: str = "Parquet"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fits(self, path: Path) -> Fit:
        """By its first bytes, or the shards of a folder."""
        if path.is_dir():
            return Fit.BY_CONTENT if any(path.glob("*.parquet")) and not any(path.glob("metadata.*")) else Fit.NO
        return Fit.BY_CONTENT if beginning(path, 4) == b"PAR1" else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        for file in self._files(path):
            with _refusals(file):
                opened = _arrow("pyarrow.parquet", file).ParquetFile(file)
                with opened:
                    yield from _rows(opened.iter_batches(batch_size=ROWS), file)

    def count(self, path: Path) -> int | None:
        """From the footers."""
        total = 0
        for file in self._files(path):
            with _refusals(file), _arrow("pyarrow.parquet", file).ParquetFile(file) as opened:
                total += opened.metadata.num_rows
        return total

    def _files(self, path: Path) -> list[Path]:
        return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


@dataclass(frozen=True, slots=True)
class SavedDataset:
    """Folder that ``datasets.save_to_disk`` wrote, of one split or of several; the split travels as ``split``."""

    title: str = "saved dataset"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fits(self, path: Path) -> Fit:
        """By the files that describe it."""
        is_saved = (path / SPLITS).is_file() or ((path / STATE).is_file() and (path / "dataset_info.json").is_file())
        return Fit.BY_CONTENT if is_saved else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        if (path / SPLITS).is_file():
            for split in _names(path / SPLITS, "splits"):
                for row in self.rows(path / split):
                    yield Row(row.where, {**row.cells, "split": split})
            return
        for name in _names(path / STATE, "_data_files"):
            file = path / name
            with _refusals(file), _arrow("pyarrow", file).memory_map(str(file)) as mapped:
                yield from _rows(_arrow("pyarrow", file).ipc.open_stream(mapped), file)

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


def _names(path: Path, key: str) -> list[str]:
    """File or folder names in one of the descriptions; none of them leads out of its folder."""
    try:
        listed = loads(path.read_bytes(), what=str(path))
    except OSError as error:
        raise unreadable(path, error) from error
    found = listed.get(key) if isinstance(listed, Mapping) else None
    entries = found if isinstance(found, list) else []
    names = [one.get("filename") if isinstance(one, Mapping) else one for one in entries]
    for name in names:
        if not isinstance(name, str) or name in ("", ".", "..") or Path(name).name != name:
            raise RecordError(message("sources.strange-file-name", name=path, what=str(name)[:100]))
    if not names:
        raise RecordError(message("sources.lists-no-files", name=path, key=key))
    return [str(name) for name in names]


def _rows(batches: Any, file: Path) -> Iterator[Row]:
    number = 0
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            for values in batch.slice(start, ROWS).to_pylist():
                number += 1
                where = f"{file}, row {number}"
                yield Row(where, {name: _cell(value, name, where) for name, value in values.items()})


def _cell(value: Any, name: str, where: str) -> Cell:
    if isinstance(value, bytes):
        return _recording(value, name, where)
    if isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
        return _recording(value["bytes"], str(value.get("path") or name), where)
    if isinstance(value, dict) and set(value) <= {"bytes", "path", "sampling_rate"} and value.get("path"):
        return str(value["path"])
    return _plain(value)


def _recording(data: bytes, name: str, where: str) -> Recording:
    if len(data) > LARGEST_RECORDING:
        raise RecordError(message("sources.recording-too-large", where=where, count=LARGEST_RECORDING >> 20))
    return Recording(data, name)


def _plain(value: Any) -> Json:
    """A value of a table as JSON: times and the like as text, bytes inside of lists and structs left out."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items() if not isinstance(one, bytes)}
    if isinstance(value, list):
        return [_plain(one) for one in value if not isinstance(one, bytes)]
    return str(value)


def _arrow(module: str, file: Path) -> Any:
    if find_spec("pyarrow") is None:
        raise MissingExtraError(message("sources.reading-arrow", name=file.name), extra="tables")
    return import_module(module)


class _refusals:  # noqa: N801  (a context manager, read as a word)
    """What pyarrow says of a damaged file, as an error of ours."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.strerror:
            raise unreadable(self._file, error) from error
        if isinstance(error, OSError) or type(error).__module__.startswith("pyarrow"):
            raise RecordError(message("sources.damaged-arrow", name=self._file, why=str(error)[:300])) from error


PARQUET = Parquet()
SAVED_DATASET = SavedDataset()
