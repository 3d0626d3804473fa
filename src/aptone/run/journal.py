"""The journal of a run: one line of JSON for each finished item, on the disk before the next item counts as begun.

A line is appended in one write and fsynced. If the machine dies in the middle, the last line is not whole and is
dropped when the journal is opened again; every line before it is whole. Each line carries a checksum of itself and of
the lines before it (`aptone.run.chain`).
"""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self, cast

from aptone.errors import RecordError, RunError
from aptone.files import PRIVATE_FILE, sync_folder, unusable
from aptone.messages import message
from aptone.messages.message import KEY, collect, restore, split_messages
from aptone.run.chain import SEAL_BYTES, Chain, checksum_of, without_checksum
from aptone.types import Entry, Json, dumps, from_json, loads
from aptone.types.codec import dumps_record

HELD_ENTRIES = 2000
"""Most entries that a journal holds besides writing them: a run of some hundred clips need not be read again."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Journal:
    """An open journal, for one writer; the file is made if need be. Use it as a context manager.

    Opening it repairs the end of the file: a last line without its newline gets it if it holds a whole entry, and is
    dropped if not.

    Args:
        sync_interval: seconds that lines may wait for a sync that they share; 0 syncs with every `append`. What was
            written since the last sync is lost if the machine dies; a process that dies loses nothing.
        hold_bytes: size of a new journal up to which `written` holds its entries, as long as they are few, too.

    Raises:
        RunError: if the file cannot be opened, or is a link or no plain file: what it leads to is not ours to change.
    """

    def __init__(self, path: Path, *, sync_interval: float = 0.0, hold_bytes: int = 0) -> None:
        self.path = path
        self.sync_interval = sync_interval
        self._room = hold_bytes
        self.written: list[Entry] | None = None
        """All entries of the journal; ``None`` where it held others before, or is longer than is held."""
        self._synced_at = time.monotonic()
        self.is_synced = True
        if path.is_symlink():  # where there is no O_NOFOLLOW; and to say it in plain words
            raise RunError(f"{path}: is a link, expected a file of its own. Move the run to where the link leads.")
        try:
            self._descriptor = os.open(path, _FLAGS, PRIVATE_FILE)
        except OSError as error:
            raise unusable(path, error, doing="open") from error
        try:
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                raise RunError(f"{path}: is no plain file, so it cannot be a journal. Name a new folder.")
            self._chain: Chain | None = self._mended()
            if hold_bytes and not os.fstat(self._descriptor).st_size:
                self.written = []
            sync_folder(path.parent)
        except OSError as error:
            self.close()
            raise unusable(path, error) from error
        except BaseException:
            self.close()
            raise

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries and wait until they are on the disk, unless a sync is due later. Several share one wait.

        Raises:
            RunError: if they cannot be written, for instance because the disk is full.
        """
        records = [journal_line(entry).encode() for entry in entries]
        try:
            chain = self._chain or self._mended()
            self._chain = None  # where a write stops half-way is for `_mended` to find
            data = b"".join(map(chain.seal, records))
            self._write(data)
        except OSError as error:
            raise self._unwritable(error) from error
        self._chain = chain
        self._hold(entries, len(data))
        self.is_synced = False
        if time.monotonic() - self._synced_at >= self.sync_interval:
            self.sync()

    def _hold(self, entries: Sequence[Entry], size: int) -> None:
        self._room -= size
        if self._room < 0 or len(self.written or ()) + len(entries) > HELD_ENTRIES:
            self.written = None
        if self.written is not None:
            self.written += entries

    def sync(self) -> None:
        """Wait until everything that was written is on the disk; raises `RunError` if that fails."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._unwritable(error) from error
        self._synced_at = time.monotonic()
        self.is_synced = True

    def _unwritable(self, error: OSError) -> RunError:
        return RunError(
            f"{self.path}: cannot be written ({error}). Fix that and run the same command: what is in it stays."
        )

    def close(self) -> None:
        """Close the file; what is not synced yet is synced first, as far as the disk takes it."""
        if not self.is_synced:
            with contextlib.suppress(OSError):
                os.fsync(self._descriptor)
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]

    def _mended(self) -> Chain:
        """Repair the end of the file, and return the chain of its lines."""
        self._mend_end()
        size = os.fstat(self._descriptor).st_size
        if not size or (last := checksum_of(self._read(max(0, size - SEAL_BYTES), size))):
            return Chain(last if size else b"")
        chain = Chain()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:  # lines of an earlier version
            for line in file:
                chain.follow(line)
        return chain

    def _mend_end(self) -> None:
        size = os.fstat(self._descriptor).st_size
        end = self._end_of_whole_lines(size)
        if end == size:
            return
        try:
            _entry(self._read(end, size) + b"\n")
        except RecordError:
            os.ftruncate(self._descriptor, end)
        else:
            self._write(b"\n")
        os.fsync(self._descriptor)

    def _end_of_whole_lines(self, size: int) -> int:
        end = size
        while end:
            start = max(0, end - 65536)
            newline = self._read(start, end).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
        return 0

    def _read(self, start: int, end: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        found = b""
        while len(found) < end - start and (more := os.read(self._descriptor, end - start - len(found))):
            found += more
        return found


def journal_line(entry: Entry) -> str:
    """Return the line of an entry, without its end: its record, and beside it what the messages in it are."""
    text, messages = dumps_record(entry), collect(entry)
    return f'{text[:-1]},"{KEY}":{dumps(cast(Json, messages))}}}' if messages else text


def _entry(line: bytes) -> Entry:
    """The entry of a line, its sentences messages again where it says so; raises `RecordError` if it holds none."""
    record, messages = split_messages(loads(without_checksum(line)))
    return restore(from_json(Entry, record), messages)


def damaged_line(path: Path, why: object, *, number: int = 0, byte: int = 0) -> RunError:
    """Return the exception for a line of a journal: its place, what is wrong with it, and how to go on.

    Args:
        number: number of the line, from 1 on; where it is not known, the line is named by its first byte.
    """
    at = message("run.at-line", number=number) if number else message("run.at-byte", number=byte)
    return RunError(message("run.line-damaged", path=path, at=at, why=why, folder=path.parent))


def read_entry(line: bytes, *, path: Path, number: int = 0, byte: int = 0) -> Entry:
    """Read one whole line of a journal; `number` or `byte` says where it stands in the file.

    Raises:
        RunError: if it is damaged. Whether it fits the lines before it is for `whole_lines` to say.
    """
    try:
        return _entry(line)
    except (RecordError, UnicodeDecodeError) as error:
        raise damaged_line(path, error, number=number, byte=byte) from error


def read_entry_at(file: BinaryIO, start: int, *, path: Path) -> Entry:
    """Read the entry that begins at a byte of an open journal.

    Raises:
        RunError: if it is damaged, or does not fit the line before it.
    """
    begin = max(0, start - SEAL_BYTES)
    file.seek(begin)
    before, line = checksum_of(file.read(start - begin)), file.readline()
    if (before or (not start and checksum_of(line))) and (why := Chain(before).follow(line)):
        raise damaged_line(path, why, byte=start)
    return read_entry(line, path=path, byte=start)


class WholeLine(NamedTuple):
    """A line of a journal with its newline: its number, from 1 on, and its first byte."""

    number: int
    start: int
    data: bytes


def whole_lines(path: Path, *, on_damage: Callable[[RunError], object] | None = None) -> Iterator[WholeLine]:
    """Yield all whole lines of a journal, oldest first. A torn last line is passed over; a missing file has none.

    Args:
        on_damage: takes the exception for a line that does not fit those before it; then the line is passed over.

    Raises:
        RunError: if the file cannot be read, or a line does not fit those before it; the message names it.
    """
    chain, start = Chain(), 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                if (why := chain.follow(line)) is None:
                    yield WholeLine(number, start, line)
                elif on_damage is None:
                    raise damaged_line(path, why, number=number)
                else:
                    on_damage(damaged_line(path, why, number=number))
                start += len(line)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(path, error, doing="read") from error


def read_journal(path: Path) -> Iterator[Entry]:
    """All entries of a journal, oldest first. A torn last line is passed over; the file is not changed.

    Raises:
        RunError: if the file cannot be read, or a whole line is damaged or was changed; the message names it.
    """
    for number, _, line in whole_lines(path):
        yield read_entry(line, path=path, number=number)


def latest(entries: Iterable[Entry]) -> dict[tuple[str, int], Entry]:
    """The entry that counts for each item and repeat: the last one written."""
    return {(entry.item.id, entry.repeat): entry for entry in entries}
