"""Folders as sources: Hugging Face's audio folder, and a folder of recordings with their texts beside them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import RecordError
from aptone.files import natural_order
from aptone.messages import message
from aptone.run.sources.arrow_tables import PARQUET
from aptone.run.sources.lines import MANIFEST
from aptone.run.sources.source import LARGEST_LINE, Cell, Fit, Row, Source, unreadable
from aptone.run.sources.tables import TABLE

METADATA: Mapping[str, Source] = {"metadata.csv": TABLE, "metadata.jsonl": MANIFEST, "metadata.parquet": PARQUET}
TEXTS = (".txt", ".lab")
"""Endings of a file beside a recording that holds its words."""


@dataclass(frozen=True, slots=True)
class AudioFolder:
    """Hugging Face's audio folder: ``metadata.csv``, ``.jsonl`` or ``.parquet`` that names the recordings beside it.

    The splits of a dataset are folders with a file of their own; the name of the folder then travels as ``split``.
    The id is the path within the folder, unless a column gives one.
    """

    title: str = "audio folder"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"audio": ("file_name",)})

    def fits(self, path: Path) -> Fit:
        """By its metadata with a column ``file_name``, in it or in the folders right below."""
        try:
            is_one = path.is_dir() and any(_has_names(file, source) for file, source, _ in _metadata(path))
        except OSError:
            return Fit.NO
        return Fit.BY_CONTENT if is_one else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`."""
        for file, source, split in _metadata(path):
            for row in source.rows(file):
                cells: dict[str, Cell] = dict(row.cells)
                name = cells.get("file_name")
                if split and isinstance(name, str):
                    cells |= {"file_name": f"{split}/{name}", "split": split}
                yield Row(row.where, cells, id=str(cells.get("file_name") or ""))

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


@dataclass(frozen=True, slots=True)
class RecordingsFolder:
    """Folder of recordings, and of those below it; ``a.txt`` or ``a.lab`` beside ``a.wav`` holds its words."""

    title: str = "folder of recordings"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"audio": ("file",), "line": ("text",)})

    def fits(self, path: Path) -> Fit:
        """By any recording in it."""
        return Fit.BY_NAME if path.is_dir() and next(_recordings(path), None) is not None else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`; the id is the path within the folder."""
        found = sorted(_recordings(path), key=lambda file: (file.parent.as_posix(), natural_order(file)))
        if not found:
            raise RecordError(message("sources.no-recordings", name=path, endings=", ".join(RECORDINGS)))
        for file in found:
            name = file.relative_to(path).as_posix()
            cells: dict[str, Cell] = {"file": name}
            beside = next((text for ending in TEXTS if (text := file.with_suffix(ending)).is_file()), None)
            if beside is not None:
                cells["text"] = _words(beside)
            yield Row(str(file), cells, id=name)

    def count(self, path: Path) -> int | None:
        """By the names alone."""
        return sum(1 for _ in _recordings(path))


def _metadata(path: Path) -> Iterator[tuple[Path, Source, str]]:
    """Files of metadata, the kind of each, and the folder below that it stands for."""
    folders = [path, *sorted(folder for folder in path.iterdir() if folder.is_dir())]
    for folder in folders:
        for name, source in METADATA.items():
            if (file := folder / name).is_file():
                yield file, source, "" if folder == path else folder.name


def _has_names(file: Path, source: Source) -> bool:
    if source is PARQUET:
        return True
    try:
        first = next(source.rows(file), None)
    except RecordError:
        return False
    return first is not None and "file_name" in first.cells


def _recordings(path: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(path):
        for name in names:
            if name.lower().endswith(RECORDINGS) and not name.startswith("."):
                yield Path(folder, name)


def _words(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_LINE + 1)
        if len(data) > LARGEST_LINE:
            raise RecordError(message("sources.line-too-long", where=str(path)))
        return data.decode("utf-8-sig").strip()
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise RecordError(message("sources.not-utf-8", name=path, why=error.reason)) from error


AUDIO_FOLDER = AudioFolder()
RECORDINGS_FOLDER = RecordingsFolder()
