"""Results of shards: a Parquet file for each, and the ledger that says which of them are done.

A row of a result has the columns of an export (`aptone.run.export`), and the line of the journal as it would stand in a
run, so that `aptone merge` can make a run of it. A result appears whole or not at all; a shard that is done again
replaces it. Only what the ledger names counts.
"""

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError, RecordError, RunError
from aptone.files import make_folder, unusable, whole_file, write_whole
from aptone.messages import message
from aptone.run.export import ROWS_IN_GROUP, result_columns, result_rows
from aptone.run.folder import JOURNAL, LEDGER, ConfiguredFolder, Run, write_config
from aptone.run.journal import journal_line
from aptone.run.sources.audio_cache import is_address
from aptone.run.sources.remote import file_system
from aptone.run.tables import write_parquet
from aptone.types import State, dumps, from_json, loads, to_json

RESULTS = "results"
"""Folder of the results in that of the run, unless they lie elsewhere."""
LINE = "journal_line"
_LINES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class DoneShard:
    """Ledger entry of a shard that is done.

    Args:
        name: name of the shard, and of its result.
        source: path or address of the shard.
        size: bytes of the shard; -1 where nobody knows.
        result: its Parquet file: a path in the folder of the run, or an address.
        rows: rows of the result, repeats included.
        states: rows by state.
        seconds: time from the beginning of the shard to its end.
        cpu_seconds: processor time of the worker in that time.
        worker: machine and process.
        finished: when, in UTC.
    """

    name: str
    source: str
    size: int
    result: str
    rows: int
    states: Mapping[str, int] = field(default_factory=dict)
    cost: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    worker: str = ""
    finished: str = ""

    @property
    def failed(self) -> int:
        """Number of rows that failed."""
        return self.states.get(State.FAILED.value, 0)


class ShardedFolder(ConfiguredFolder):
    """Folder of a run over shards: its configuration, its ledger and, unless they lie elsewhere, the results.

    Raises:
        RunError: as `ConfiguredFolder`; also if the folder holds a run with a journal.
    """

    def _open(self) -> None:
        if (self.path / JOURNAL).exists():
            raise RunError(message("run.is-not-sharded", folder=self.path))
        named = self.config.inputs
        super()._open()
        known = set(self.config.inputs)
        if inputs := tuple(place for place in named if place not in known):  # shards that came later
            self.config = replace(self.config, inputs=(*self.config.inputs, *inputs))
            write_config(self.path, self.config)
        make_folder(self.path / LEDGER)

    def write(self, done: DoneShard) -> None:
        """Enter a shard into the ledger; on return it is on the disk."""
        write_whole(self.path / LEDGER / f"{done.name}.json", dumps(to_json(done), indent=2))


def read_ledger(folder: Path) -> dict[str, DoneShard]:
    """Shards of a run that are done, by name.

    Raises:
        RunError: if an entry cannot be read.
    """
    found: dict[str, DoneShard] = {}
    for path in sorted((folder / LEDGER).glob("*.json")):
        try:
            found[path.stem] = from_json(DoneShard, loads(path.read_bytes(), what=str(path)))
        except OSError as error:
            raise unusable(path, error, doing="read") from error
        except RecordError as error:
            raise RunError(message("run.damaged-ledger", name=path, why=error)) from error
    return found


def result_file(name: str, results: str = "") -> str:
    """Return the file of a shard's result, as a ledger has it; `results` is the address of a folder, if it has one."""
    return f"{results.rstrip('/') or RESULTS}/{name}.parquet"


def located(result: str, folder: Path) -> str:
    """Path or address of a result that the ledger of a run names."""
    return result if is_address(result) else str((folder / result).absolute())


def write_result(run: Run, target: str) -> None:
    """Write the entries of a run as the result of a shard, whole or not at all.

    Args:
        target: path or address of the Parquet file.

    Raises:
        RecordError, RunError: if it cannot be written.
    """
    columns = result_columns(run)
    lines = map(journal_line, run.entries)
    rows = ({**row, LINE: line} for row, line in zip(result_rows(run, columns), lines, strict=True))
    made = run.folder / "result.parquet"
    write_parquet(made, rows, {**columns, LINE: "text"}, extra="ray", at_once=ROWS_IN_GROUP)
    if not is_address(target):
        make_folder(Path(target).parent)
        with whole_file(Path(target)) as partial:
            shutil.copyfile(made, partial)
        return
    with file_system(target) as (opened, place):
        opened.makedirs(place.rpartition("/")[0], exist_ok=True)
        opened.put_file(str(made), place)  # object stores show a file once all of it is there


def result_lines(where: str) -> Iterator[bytes]:
    """Yield the journal lines of a result, each with its end, without holding the file.

    Raises:
        RecordError, RunError: if the result is not there or damaged.
    """
    with _opened(where) as file:
        for batch in file.iter_batches(batch_size=_LINES_AT_ONCE, columns=[LINE]):
            for line in batch.column(0).to_pylist():
                yield line.encode() + b"\n"


def count_result(where: str) -> int:
    """Return the number of rows of a result; errors as those of `result_lines`."""
    with _opened(where) as file:
        return int(file.metadata.num_rows)


@contextlib.contextmanager
def _opened(where: str) -> Iterator[Any]:
    if find_spec("pyarrow") is None:
        raise MissingExtraError(message("run.writing-parquet"), extra="ray")
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        if not is_address(where):
            with parquet.ParquetFile(where) as file:
                yield file
            return
        with (
            file_system(where) as (system, place),
            system.open(place, "rb") as stream,
            parquet.ParquetFile(stream) as file,
        ):
            yield file
    except (OSError, arrow.ArrowException) as error:
        raise RunError(message("run.no-result", name=where, why=error)) from error
