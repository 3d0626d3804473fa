"""Where what is learned lies in shards: all of them looked through once, a row of numbers for each thing kept.

Of shards that are fetched, the rows are kept in a file, so that looking through them is done once, by one process.
"""

import hashlib
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from aptone.errors import RecordError
from aptone.files import write_bytes_whole
from aptone.run.progress import Display, Silent, Tally, display_for
from aptone.run.sources.remote_shards import ShardSource, shard_source
from aptone.run.sources.shards import ENDINGS, ShardPlace, shard_places
from aptone.train.processes import process_number
from aptone.train.shards.order import Floats

Row = tuple[Any, ...]
HERE = ShardSource(Path(), ())


@dataclass(frozen=True, slots=True, eq=False)
class ShardTable:
    """Where things lie in shards.

    Args:
        shards: the files.
        rows: one a thing: number of its shard, key, ending, bytes of recording and JSON, seconds, and what else is
            known of it.
        identity: changes with the names and sizes of what is in the corpus, and with what is wanted of it.
    """

    shards: tuple[Path, ...]
    rows: npt.NDArray[Any]
    identity: str
    source: ShardSource = field(default=HERE, kw_only=True)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seconds(self) -> Floats:
        """How long the clips are."""
        found: Floats = self.rows["seconds"]
        return found

    def place(self, number: int) -> ShardPlace:
        """Where the clip of a row lies; its shard is fetched if it must be.

        Raises:
            RunError: if it cannot be.
        """
        row = self.rows[number]
        shard = int(row["shard"])
        spans = [(int(row[name][0]), int(row[name][1])) for name in ("recording", "about")]
        path = self.source.ready(shard) if self.source.is_remote else self.shards[shard]
        return ShardPlace(path, row["key"].decode(), ENDINGS[row["ending"]], recording=spans[0], about=spans[1])


def shown(label: str) -> Display:
    """Where progress is shown: by the first of several processes only."""
    return display_for(label=label) if process_number() == 0 else Silent()


def look_through(
    folder: Path,
    rows_at: Callable[[ShardPlace], Iterable[Row]],
    *,
    fields: Sequence[tuple[Any, ...]],
    wanted: str,
    make: str,
    nothing: str,
) -> ShardTable:
    """Look through all shards of a folder; recordings are not read.

    Args:
        folder: of shards, or of a list of them.
        rows_at: what counts of a clip, as seconds and the values of `fields`; empty for nothing.
        fields: of a row behind its seconds, as numpy names types.
        wanted: what decides which things count; part of the identity.
        make: the command that makes shards, for the error.
        nothing: what to say if nothing counts.

    Raises:
        RecordError: if there is no shard or nothing that counts, or a shard is damaged.
        RunError: if the folder cannot be read, or a shard cannot be fetched.
    """
    source = shard_source(folder)
    if not source.paths:
        raise RecordError(f"{folder}: no shard (.tar) in it; make some: {make}")
    if source.is_remote:
        listed = hashlib.sha256(f"{wanted} {fields} {source.addresses}".encode()).hexdigest()
        kept = folder / f"index-{listed[:16]}.npy"
        with FileLock(kept.with_suffix(".lock")):
            if not kept.exists():
                write_bytes_whole(kept, _packed(_rows(source, rows_at, fields)))
            rows = _unpacked(kept, fields)
    else:
        rows = _rows(source, rows_at, fields)
    if len(rows) == 0:
        raise RecordError(f"{folder}: {nothing}")
    digest = hashlib.sha256(wanted.encode())
    digest.update(repr([path.name for path in source.paths]).encode())
    digest.update(rows.tobytes())
    return ShardTable(source.paths, rows, digest.hexdigest(), source=source)


def row_type(key: int, fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a row whose key has so many bytes at most."""
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
    tally, display = Tally(total=len(source.paths), before=0), shown(f"shards of {source.folder}")
    display.start(tally)
    tables = []
    try:
        for number in range(len(source.paths)):
            found = [
                (number, place.key.encode(), ENDINGS.index(place.ending), place.recording, place.about, *row)
                for place in shard_places(source.ready(number))
                for row in rows_at(place)
            ]
            tables.append(np.array(found, dtype=row_type(max((len(row[1]) for row in found), default=1), fields)))
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
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


def _packed(rows: npt.NDArray[Any]) -> bytes:
    held = io.BytesIO()
    np.save(held, rows, allow_pickle=False)
    return held.getvalue()
