"""Training data in tar shards: an index of all clips, and batches in an order that seed and epoch determine.

All shards are indexed once, without reading recordings: a row of numbers for each item. The index of remote shards is
cached in a file, written by one process.

In every epoch, groups of shards are shuffled, then the items within a group, so that reading stays within a few files
and only numbers are held in memory; items of similar length share a batch. All of that depends on seed and epoch only:
a resumed training continues with the very batch that came next, and every process takes its own share of a batch that
all of them know.
"""

import hashlib
import io
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from aptone.errors import RecordError, UsageError
from aptone.files import write_bytes_whole
from aptone.run.progress import Silent, display_for
from aptone.run.progress import progress as run_progress
from aptone.run.sources.remote_shards import ShardSource, shard_source
from aptone.run.sources.shards import ENDINGS, ShardPlace, shard_places
from aptone.train.distributed import process_rank
from aptone.types import is_finite_number

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Job = TypeVar("Job")
Result = TypeVar("Result")

GROUP = 16
"""Shards that are shuffled together."""
BUCKET = 32
"""Batches that are sorted by length together."""
AHEAD = 2
"""Batches that are read ahead."""
Row = tuple[Any, ...]
HERE = ShardSource(Path(), ())


def scheduled_batches(
    plan: Callable[[int], Sequence[Numbers]], *, per_epoch: int, first: int, last: int
) -> Iterator[tuple[int, Numbers]]:
    """Yield the epoch and the rows of each step from `first` to `last` - 1; `plan` returns the batches of an epoch."""
    for epoch, steps in itertools.groupby(range(first, last), lambda step: step // per_epoch):
        batches = plan(epoch)
        for step in steps:
            yield epoch, batches[step % per_epoch]


def read_ahead(
    batches: Iterable[Sequence[Job]], read: Callable[[Job], Result], pool: Executor
) -> Iterator[list[Result]]:
    """Yield batches that a thread pool reads, in their order, with `AHEAD` more in preparation."""
    waiting: deque[list[Future[Result]]] = deque()
    for jobs in batches:
        waiting.append([pool.submit(read, job) for job in jobs])
        if len(waiting) > AHEAD:
            yield [one.result() for one in waiting.popleft()]
    while waiting:
        yield [one.result() for one in waiting.popleft()]


@dataclass(frozen=True, slots=True, eq=False)
class ShardTable:
    """Index of items in shards.

    Args:
        rows: structured array with a row per item: number of its shard, key, ending, byte ranges of recording and JSON,
            seconds, and further fields.
        identity: hash of the names and sizes of everything in the corpus, and of the filter.
    """

    shards: tuple[Path, ...]
    rows: npt.NDArray[Any]
    identity: str
    source: ShardSource = field(default=HERE, kw_only=True)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seconds(self) -> Floats:
        """Length of each clip in seconds."""
        found: Floats = self.rows["seconds"]
        return found

    def place(self, number: int) -> ShardPlace:
        """Return the location of a row's clip; a remote shard is downloaded first.

        Raises:
            RunError: if the shard cannot be downloaded.
        """
        row = self.rows[number]
        shard = int(row["shard"])
        spans = [(int(row[name][0]), int(row[name][1])) for name in ("recording", "about")]
        path = self.source.ready(shard) if self.source.is_remote else self.shards[shard]
        return ShardPlace(path, row["key"].decode(), ENDINGS[row["ending"]], recording=spans[0], about=spans[1])

    def epoch_batches(self, batch_size: int, *, seed: int, epoch: int) -> list[Numbers]:
        """Return the rows of each batch of an epoch; rows that fill no batch wait for a later epoch.

        Args:
            epoch: number of the epoch, from 0.

        Raises:
            UsageError: if there are fewer rows than one batch needs.
        """
        shards = self.rows["shard"]
        if len(shards) < batch_size:
            raise UsageError(
                f"{len(shards)} clips do not fill a batch of {batch_size}; give more, or a smaller --batch-size."
            )
        generator = np.random.default_rng([seed, epoch])
        edges = np.searchsorted(shards, np.arange(int(shards[-1]) + 2))
        members = [np.arange(first, behind) for first, behind in itertools.pairwise(edges)]
        order = generator.permutation(len(members))
        groups = [
            np.concatenate([members[one] for one in order[first : first + GROUP]])
            for first in range(0, len(order), GROUP)
        ]
        shuffled = np.concatenate([generator.permutation(group) for group in groups])
        shuffled = shuffled[: len(shuffled) // batch_size * batch_size]
        batches: list[Numbers] = []
        for first in range(0, len(shuffled), BUCKET * batch_size):
            bucket = shuffled[first : first + BUCKET * batch_size]
            by_length = bucket[np.argsort(self.seconds[bucket], kind="stable")].reshape(-1, batch_size)
            batches += list(by_length[generator.permutation(len(by_length))])
        return batches


def progress(label: str, *, total: int, before: int = 0) -> AbstractContextManager[Callable[[], None]]:
    """Show progress in the first process; see `aptone.run.progress.progress`."""
    display = display_for(label=label) if process_rank() == 0 else Silent()
    return run_progress(display, total=total, before=before)


def write_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array as ``.npy``, whole or not at all; raises `RunError` if it cannot be written."""
    held = io.BytesIO()
    np.save(held, array, allow_pickle=False)
    write_bytes_whole(path, held.getvalue())


def index_shards(
    folder: Path,
    rows_at: Callable[[ShardPlace], Iterable[Row]],
    *,
    fields: Sequence[tuple[Any, ...]],
    filter_signature: str,
    make: str,
    nothing: str,
) -> ShardTable:
    """Index all shards of a folder, without reading recordings.

    Args:
        folder: folder of shards, or of a list of them.
        rows_at: returns the rows of a clip, as seconds and the values of `fields`; none if the filter rejects it.
        fields: further fields of a row, as numpy names types.
        filter_signature: text of the filter, part of the identity.
        make: command that makes shards, for the error.
        nothing: error message if no row is left.

    Raises:
        RecordError: if there is no shard or no row, or a shard is damaged.
        RunError: if the folder cannot be read, or a shard cannot be downloaded.
    """
    source = shard_source(folder)
    if not source.paths:
        raise RecordError(f"{folder}: no shard (.tar) in it; make some: {make}")
    if source.is_remote:
        listed = hashlib.sha256(f"{filter_signature} {fields} {source.addresses}".encode()).hexdigest()
        kept = folder / f"index-{listed[:16]}.npy"
        with FileLock(kept.with_suffix(".lock")):
            if not kept.exists():
                write_array(kept, _rows(source, rows_at, fields))
            rows = _unpacked(kept, fields)
    else:
        rows = _rows(source, rows_at, fields)
    if len(rows) == 0:
        raise RecordError(f"{folder}: {nothing}")
    digest = hashlib.sha256(filter_signature.encode())
    digest.update(repr([path.name for path in source.paths]).encode())
    digest.update(rows.tobytes())
    return ShardTable(source.paths, rows, digest.hexdigest(), source=source)


def clip_seconds(place: ShardPlace, about: Mapping[str, Any]) -> float:
    """Return the length of a clip in seconds from its JSON; raises `RecordError` if it has none above 0."""
    seconds = about.get("seconds")
    if not is_finite_number(seconds) or not seconds > 0:
        raise RecordError(f"{place.shard}: {place.key}.json does not say how many seconds the clip has.")
    return float(seconds)


def row_type(key: int, fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return the type of a row whose key has at most `key` bytes."""
    return np.dtype(
        [
            ("shard", np.int32),
            ("key", f"S{key}"),
            ("ending", np.int8),
            ("recording", np.int64, (2,)),
            ("about", np.int64, (2,)),
            ("seconds", np.float32),
            *fields,
        ]
    )


def _rows(
    source: ShardSource, rows_at: Callable[[ShardPlace], Iterable[Row]], fields: Sequence[tuple[Any, ...]]
) -> npt.NDArray[Any]:
    tables = []
    with progress(f"shards of {source.folder}", total=len(source.paths)) as advance:
        for number in range(len(source.paths)):
            found = [
                (number, place.key.encode(), ENDINGS.index(place.ending), place.recording, place.about, *row)
                for place in shard_places(source.ready(number))
                for row in rows_at(place)
            ]
            tables.append(np.array(found, dtype=row_type(max((len(row[1]) for row in found), default=1), fields)))
            advance()
    return np.concatenate(tables)


def _unpacked(path: Path, fields: Sequence[tuple[Any, ...]]) -> npt.NDArray[Any]:
    try:
        rows: npt.NDArray[Any] = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RecordError(
            f"{path}: holds no rows ({error}); remove it, and the shards are looked through again."
        ) from error
    key = rows.dtype["key"].itemsize if "key" in (rows.dtype.names or ()) else 1
    if rows.dtype != row_type(key, fields):
        raise RecordError(f"{path}: holds rows of another kind; remove it, and the shards are looked through again.")
    return rows
