"""Options about the source of items: its kind, and its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.language import names_of
from aptone.cli.options.values import PATH, several_option
from aptone.run.sources.audio_cache import is_address, mirrored
from aptone.run.sources.columns import read_mapping
from aptone.run.sources.folders import RECORDINGS_FOLDER
from aptone.run.sources.records import Reading, SourceOptions
from aptone.run.sources.source import find_source, lists_recordings

ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".tar", ".tgz", ".gz", ".scp")
"""Endings of files that are lists of recordings, whether they are there or not."""


class SourcePath(click.Path):
    """A path, or the address of a file on another machine, which stands for its place in the cache."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType.convert`."""
        return mirrored(value) if isinstance(value, str) and is_address(value) else super().convert(value, param, ctx)


SOURCE = SourcePath()


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """What the user says of a source: its kind, its columns as ``FIELD=COLUMN``, and where relative paths begin."""

    kind: str | None
    mapping: Sequence[str]
    data_root: Path | None

    def options(self) -> SourceOptions:
        """The same for reading it; raises `UsageError` if a mapping is none."""
        pairs = [pair.strip() for text in self.mapping for pair in text.split(",") if pair.strip()]
        return SourceOptions(self.kind, read_mapping(pairs), self.data_root)

    def is_list(self, path: Path) -> bool:
        """Return whether a path lists recordings, and is not one itself."""
        return bool(self.kind or self.mapping) or path.suffix.lower() in ENDINGS or lists_recordings(path)

    def is_plain_folder(self, path: Path) -> bool:
        """Return whether a path is a folder that nothing but its recordings describe."""
        if not path.is_dir() or self.kind or self.mapping:
            return False
        return not lists_recordings(path) or find_source(path).title == RECORDINGS_FOLDER.title


def say_reading(reading: Reading) -> None:
    """Say on stderr as what a source was read, unless it is our own manifest with our own names."""
    if not reading.is_plain:
        click.echo(f"aptone: {reading.told}", err=True)


_OPTIONS = (
    click.option(
        "--source",
        "kind",
        metavar="KIND",
        shell_complete=names_of("sources"),
        help="Kind of the list: manifest, table, parquet, audio-folder, saved-dataset, webdataset, kaldi, lhotse, nemo "
        "or folder; by default found out.",
    ),
    several_option(
        "--map",
        "mapping",
        metavar="FIELD=COLUMN,…",
        help="Columns of the list by our fields, such as audio=path,line=text; by default guessed.",
    ),
    click.option(
        "--data-root", type=PATH, help="Base folder for relative paths in the list; by default the list's own folder."
    ),
)

source_options = gather_options(SourceChoice, argument="listed", options=_OPTIONS)
"""Adds the options of `SourceChoice` to a verb, which receives them as its argument ``listed``."""
