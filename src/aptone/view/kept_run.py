"""Answers of a service on the disk: a run for each operation, with the recordings as they came.

``FOLDER/score`` is a run folder like any other, for reports, comparisons and the view; ``FOLDER/score/clips`` holds the
recordings, each in a folder named by the hash of its bytes, so that one that comes twice is stored once.
`KeptRuns.keep` gives its result only when recordings and journal are on the disk: what was given out is there after a
kill.
"""

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from aptone.errors import RunError
from aptone.files import make_folder, unusable, write_bytes_whole
from aptone.messages import message
from aptone.rooms.operation import REQUEST, Answer, ClipFile
from aptone.run import RunConfig, RunFolder
from aptone.run.folder import JOURNAL, LOCK
from aptone.types import AudioRef, Entry, Item, Json, schema_name

CLIPS = "clips"
"""Folder of the recordings within that of a run."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it was kept: the id of its request, and its entries as the journal has them."""

    id: str
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class _OpenRun:
    folder: RunFolder
    items: int


class KeptRuns:
    """The runs of a service, one for each operation. Use it as a context manager; `keep` may be called in any thread.

    A run is made with its first answer. Those that are there already must agree with the configurations.

    Args:
        folder: it is made if it does not exist.
        configs: configuration of each operation, as `WorkerPool.configs` has them.

    Raises:
        RunError: if another service keeps its answers there, the folder cannot be used, or a run in it was made with
            another configuration.
    """

    def __init__(self, folder: Path, configs: Mapping[str, RunConfig]) -> None:
        self.folder = folder
        self._configs = dict(configs)
        self._runs: dict[str, _OpenRun] = {}
        self._lock = FileLock(folder / LOCK, blocking=False)
        self._writing = threading.Lock()

    def __enter__(self) -> Self:
        make_folder(self.folder)
        self._take_lock()
        try:
            for name in self._configs:
                if (self.folder / name).exists():
                    self._open(name)
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        with self._writing:
            self._let_go()

    def keep(self, operation: str, request: Mapping[str, object], answer: Answer) -> Kept:
        """Write an answer and the recordings of its request, and wait until they are on the disk.

        Raises:
            RunError: if they cannot be written, for instance because the disk is full; the next answer may be.
        """
        request_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        with self._writing:
            self._opened(operation)  # before its recordings: a folder with other files is no run
        clips = self.folder / operation / CLIPS
        paths = {clip.sha256: _stored(clip, clips) for clip in _clips_of(request)}
        with self._writing:
            run = self._opened(operation)
            entries = tuple(
                _kept(entry, request=request_id, number=number, position=run.items + number, paths=paths)
                for number, entry in enumerate(answer.entries)
            )
            try:
                run.folder.journal.append(entries)
            except RunError:
                self._close(operation)  # a line may be there in part, which opening it again mends
                raise
            run.items += len(entries)
        return Kept(request_id, entries)

    def _opened(self, name: str) -> _OpenRun:
        return self._runs.get(name) or self._open(name)

    def _open(self, name: str) -> _OpenRun:
        folder = RunFolder(self.folder / name, self._configs[name])
        folder.__enter__()
        try:
            self._runs[name] = _OpenRun(folder, _lines(self.folder / name / JOURNAL))
        except BaseException:
            folder.__exit__()
            raise
        return self._runs[name]

    def _close(self, name: str) -> None:
        self._runs.pop(name).folder.__exit__()

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except Timeout:
            raise RunError(message("view.folder-in-use", name=self.folder)) from None
        except (OSError, NotImplementedError) as error:  # the latter: a file system that knows no locks
            raise RunError(message("view.folder-cannot-lock", name=self.folder, why=str(error))) from error

    def _let_go(self) -> None:
        for name in list(self._runs):
            self._close(name)
        self._lock.release()


def _clips_of(request: Mapping[str, object]) -> Iterator[ClipFile]:
    for value in request.values():
        several = value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else (value,)
        yield from (one for one in several if isinstance(one, ClipFile))


def _stored(clip: ClipFile, folder: Path) -> Path:
    """The file of a recording: that of the same bytes if there is one, else a new one, safe on the disk."""
    place = folder / clip.sha256
    try:
        known = [path for path in place.iterdir() if path.suffix != ".partial"] if place.is_dir() else []
    except OSError as error:
        raise unusable(place, error, doing="use") from error
    if known:
        return known[0].absolute()
    make_folder(place)
    write_bytes_whole(place / clip.name, clip.data)
    return (place / clip.name).absolute()


def _kept(entry: Entry, *, request: str, number: int, position: int, paths: Mapping[str, Path]) -> Entry:
    """An entry under a name that no other has, with its recordings where they lie now."""
    old = entry.item
    own = f"{request}-{number + 1}"
    payload = {name: _placed(value, paths) for name, value in old.payload.items()}
    if payload.get("id") == old.id:
        payload["id"] = own
    if isinstance(ids := payload.get("ids"), Mapping):
        payload["ids"] = {**ids, REQUEST: request}
    return replace(entry, item=Item(own, payload, old.content_hash, position))


def _placed(value: Json, paths: Mapping[str, Path]) -> Json:
    """A value of a payload whose recordings have the paths of their files."""
    if isinstance(value, Mapping):
        if value.get("schema") == schema_name(AudioRef) and (path := paths.get(str(value.get("sha256")))):
            return {**value, "path": str(path)}
        return {name: _placed(inner, paths) for name, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_placed(inner, paths) for inner in value]
    return value


def _lines(journal: Path) -> int:
    try:
        with journal.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError as error:
        raise unusable(journal, error, doing="read") from error
