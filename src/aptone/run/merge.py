"""Runs joined into one: shards that several machines worked on, or a run and what was added to it later.

Lines of the journals are copied one by one, only their checksums are new; an index on the disk says which line counts
for an item, so that memory does not grow with the runs. The journal of the new run appears whole or not at all.
"""

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from aptone.errors import RunError, UsageError
from aptone.files import unusable, whole_file, write_bytes_whole
from aptone.messages import message
from aptone.run.chain import Chain, without_checksum
from aptone.run.folder import JOURNAL, REFERENCE, RunConfig, RunFolder, is_run_folder, read_config
from aptone.run.journal import read_entry, whole_lines
from aptone.types import State

_TABLE = """
CREATE TABLE lines (
  id BLOB NOT NULL, repeat INTEGER NOT NULL, run INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
  content TEXT NOT NULL, failed INTEGER NOT NULL, finished TEXT NOT NULL, PRIMARY KEY (id, repeat)) WITHOUT ROWID
"""
_PUT = "INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_FIND = "SELECT run, content, failed, finished FROM lines WHERE id = ? AND repeat = ?"


@dataclass(frozen=True, slots=True)
class Merged:
    """Result of a merge.

    Args:
        entries: items of the new run, each repeat counted.
        doubled: items that several of the runs held; each is there once.
        failed: items that failed in every run that held them.
        skipped: damaged lines that were left out.
    """

    folder: Path
    runs: int
    entries: int
    doubled: int
    failed: int
    skipped: int = 0


def merge_runs(runs: Sequence[Path], folder: Path, *, skip_damaged: bool = False) -> Merged:
    """Join runs of one configuration in a new folder.

    An item that several runs hold is taken once: one that failed gives way to one that did not, and else the older one
    to the newer one by the time when it was finished; of equal times the run that was named last counts.

    Args:
        skip_damaged: leave out lines that are damaged or were changed. Resuming the new run does their items again.

    Raises:
        RunError: if a run is damaged, two were made with different configurations or references, an id stands for
            different items, or the new folder holds a run already.
        UsageError: if no run is given, one is given twice, or one is the new folder.
    """
    _check_names(runs, folder)
    configs = [read_config(run) for run in runs]
    for run, config in zip(runs[1:], configs[1:], strict=True):
        if differences := configs[0].differences(config):
            raise RunError(message("run.merge-configs", first=runs[0], second=run, why="; ".join(differences)))
    reference = _shared_reference(runs)
    if is_run_folder(folder) and (folder / JOURNAL).stat().st_size:
        raise RunError(message("run.merge-target", folder=folder))
    with contextlib.closing(sqlite3.connect("")) as index:  # a file that SQLite makes and removes
        index.execute(_TABLE)
        counts = [_index_run(index, number, runs, skip_damaged=skip_damaged) for number in range(len(runs))]
        entries, failed = index.execute("SELECT count(*), coalesce(sum(failed), 0) FROM lines").fetchone()
        (items,) = index.execute("SELECT count(DISTINCT id) FROM lines").fetchone()
        with RunFolder(folder, _joined(configs, items)) as opened:
            if reference:
                write_bytes_whole(folder / REFERENCE, reference)
            _copy(index, runs, opened.path / JOURNAL)
    doubled, skipped = (sum(column) for column in zip(*counts, strict=True))
    return Merged(folder, len(runs), entries, doubled, failed, skipped)


def _check_names(runs: Sequence[Path], folder: Path) -> None:
    if not runs:
        raise UsageError(message("run.merge-nothing"))
    places = [run.resolve() for run in runs]
    if twice := [run for number, run in enumerate(runs) if places[number] in [*places[:number], folder.resolve()]]:
        raise UsageError(message("run.merge-twice", folder=twice[0]))


def _shared_reference(runs: Sequence[Path]) -> bytes:
    """Return the references of voices that all runs heard against; empty for none."""
    found: dict[bytes, Path] = {}
    for run in runs:
        try:
            found.setdefault((run / REFERENCE).read_bytes(), run)
        except FileNotFoundError:
            found.setdefault(b"", run)
        except OSError as error:
            raise unusable(run / REFERENCE, error, doing="read") from error
    if len(found) > 1:
        first, second = list(found.values())[:2]
        raise RunError(message("run.merge-references", first=first, second=second))
    return next(iter(found))


def _joined(configs: Sequence[RunConfig], items: int) -> RunConfig:
    def all_of(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for config in configs for value in getattr(config, name)))

    known = [config.expected for config in configs]
    return replace(
        configs[0],
        inputs=all_of("inputs"),
        consent=tuple(sorted(all_of("consent"))),
        notes=all_of("notes"),
        expected=max(items, sum(known)) if all(known) else 0,
        run_id="",
    )


def _index_run(index: sqlite3.Connection, number: int, runs: Sequence[Path], *, skip_damaged: bool) -> tuple[int, int]:
    """Put the lines of a run into the index; return the items that another run held as well, and lines left out."""
    doubled, damaged, journal = 0, list[RunError](), runs[number] / JOURNAL
    with index:
        for line_number, start, line in whole_lines(journal, on_damage=damaged.append if skip_damaged else None):
            try:
                entry = read_entry(line, path=journal, number=line_number)
            except RunError as error:
                if not skip_damaged:
                    raise
                damaged.append(error)
                continue
            key = (entry.item.id.encode("utf-8", "surrogatepass"), entry.repeat)  # no database takes lone surrogates
            failed = entry.outcome.state is State.FAILED
            before = index.execute(_FIND, key).fetchone()
            if before is not None and before[0] != number:
                run, content, had_failed, finished = before
                doubled += 1
                if content != entry.item.content_hash:
                    first, second = runs[run], runs[number]
                    raise RunError(message("run.merge-conflict", id=repr(entry.item.id), first=first, second=second))
                if (not had_failed, finished) > (not failed, entry.finished):
                    continue
            index.execute(_PUT, (*key, number, start, len(line), entry.item.content_hash, failed, entry.finished))
    return doubled, len(damaged)


def _copy(index: sqlite3.Connection, runs: Sequence[Path], journal: Path) -> None:
    chain = Chain()
    with whole_file(journal) as partial, partial.open("wb") as out:
        for number, run in enumerate(runs):
            rows = index.execute("SELECT start, length FROM lines WHERE run = ? ORDER BY start", (number,))
            with (run / JOURNAL).open("rb") as source:
                for start, length in rows:
                    out.write(chain.seal(without_checksum(_line_at(source, start, length))))


def _line_at(source: BinaryIO, start: int, length: int) -> bytes:
    source.seek(start)
    return source.read(length)
