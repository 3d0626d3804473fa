"""Runs joined into one: shards that several machines worked on, or a run and what was added to it later.

Lines of the journals, and of the results of shards (`aptone.run.sharded`), are copied one by one; only their checksums
are new. An index on the disk says which line counts for an item, so that memory does not grow with the runs. The
journal of the new run appears whole or not at all.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.errors import RunError, UsageError
from aptone.files import unusable, whole_file, write_bytes_whole
from aptone.messages import message
from aptone.run.chain import Chain, without_checksum
from aptone.run.folder import JOURNAL, REFERENCE, RunConfig, RunFolder, is_run_folder, is_sharded, read_config
from aptone.run.journal import read_entry, whole_lines
from aptone.run.sharded.results import located, read_ledger, result_lines
from aptone.run.sharded.shards import shard_name
from aptone.types import State

_TABLE = """
CREATE TABLE lines (
  id BLOB NOT NULL, repeat INTEGER NOT NULL, part INTEGER NOT NULL, line INTEGER NOT NULL, content TEXT NOT NULL,
  failed INTEGER NOT NULL, finished TEXT NOT NULL, PRIMARY KEY (id, repeat)) WITHOUT ROWID
"""
_PUT = "INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?, ?)"
_FIND = "SELECT part, content, failed, finished FROM lines WHERE id = ? AND repeat = ?"


@dataclass(frozen=True, slots=True)
class Merged:
    """Result of a merge.

    Args:
        entries: items of the new run, each repeat counted.
        doubled: items that several of the runs held; each is there once.
        failed: items that failed in every run that held them.
        missing: shards of runs over shards that are not done yet.
        skipped: damaged lines that were left out.
    """

    folder: Path
    runs: int
    entries: int
    doubled: int
    failed: int
    missing: int = 0
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
    parts, missing = _parts(runs, configs)
    reference = _shared_reference(runs)
    if is_run_folder(folder) and (folder / JOURNAL).stat().st_size:
        raise RunError(message("run.merge-target", folder=folder))
    with contextlib.closing(sqlite3.connect("")) as index:  # a file that SQLite makes and removes
        index.execute(_TABLE)
        counts = [_index_part(index, number, parts, skip_damaged=skip_damaged) for number in range(len(parts))]
        index.execute("CREATE INDEX by_part ON lines (part, line)")
        entries, failed = index.execute("SELECT count(*), coalesce(sum(failed), 0) FROM lines").fetchone()
        (items,) = index.execute("SELECT count(DISTINCT id) FROM lines").fetchone()
        with RunFolder(folder, _joined(configs, items)) as opened:
            if reference:
                write_bytes_whole(folder / REFERENCE, reference)
            _copy(index, parts, opened.path / JOURNAL)
    doubled, skipped = (sum(one[column] for one in counts) for column in (0, 1))
    return Merged(folder, len(runs), entries, doubled, failed, missing, skipped)


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


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that lie in one file: the journal of a run, or the result of a shard.

    Args:
        where: path or address of the file.
    """

    where: str
    is_result: bool = False

    def lines(self, on_damage: Callable[[RunError], object] | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers of its lines, from 1 on, and the lines; errors as those of `whole_lines`."""
        if self.is_result:
            yield from enumerate(result_lines(self.where), start=1)
            return
        for number, _, line in whole_lines(Path(self.where), on_damage=on_damage):
            yield number, line


def _parts(runs: Sequence[Path], configs: Sequence[RunConfig]) -> tuple[list[_Part], int]:
    """Return the files of some runs, and how many shards are missing."""
    found: list[_Part] = []
    missing = 0
    for run, config in zip(runs, configs, strict=True):
        if not is_sharded(run):
            found.append(_Part(str(run / JOURNAL)))
            continue
        ledger = read_ledger(run)
        found += [_Part(located(done.result, run), is_result=True) for done in ledger.values()]
        missing += len(set(map(shard_name, config.inputs)) - set(ledger))
    return found, missing


def _index_part(
    index: sqlite3.Connection, number: int, parts: Sequence[_Part], *, skip_damaged: bool
) -> tuple[int, int]:
    """Put the lines of a part into the index; return the items that another part held as well, and lines left out."""
    doubled, damaged, part = 0, list[RunError](), parts[number]
    with index:
        for place, line in part.lines(damaged.append if skip_damaged else None):
            try:
                entry = read_entry(line, path=Path(part.where), number=place)
            except RunError as error:
                if not skip_damaged:
                    raise
                damaged.append(error)
                continue
            key = (entry.item.id.encode("utf-8", "surrogatepass"), entry.repeat)  # no database takes lone surrogates
            failed = entry.outcome.state is State.FAILED
            before = index.execute(_FIND, key).fetchone()
            if before is not None and before[0] != number:
                other, content, had_failed, finished = before
                doubled += 1
                if content != entry.item.content_hash:
                    first, second = parts[other].where, part.where
                    raise RunError(message("run.merge-conflict", id=repr(entry.item.id), first=first, second=second))
                if (not had_failed, finished) > (not failed, entry.finished):
                    continue
            index.execute(_PUT, (*key, number, place, entry.item.content_hash, failed, entry.finished))
    return doubled, len(damaged)


def _copy(index: sqlite3.Connection, parts: Sequence[_Part], journal: Path) -> None:
    """Write the lines that count; whether they are whole was said when they were put into the index."""
    chain = Chain()
    with whole_file(journal) as partial, partial.open("wb") as out:
        for number, part in enumerate(parts):
            rows = index.execute("SELECT line FROM lines WHERE part = ? ORDER BY line", (number,))
            wanted = next(rows, None)
            for place, line in part.lines(on_damage=bool):
                if wanted is None:
                    break
                if place == wanted[0]:
                    out.write(chain.seal(without_checksum(line)))
                    wanted = next(rows, None)
