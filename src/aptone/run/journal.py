"""The journal of a run: one line of JSON for each finished item, on the disk before the next item counts as begun.

A line is appended in one write and fsynced. If the machine dies in the middle, the last line is not whole and is
dropped when the journal is opened again; every line before it is whole.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from aptone.errors import RecordError, RunError
from aptone.files import PRIVATE_FILE, sync_folder, unusable
from aptone.messages.message import KEY, collect, restore, split_messages
from aptone.types import Entry, Json, dumps, from_json, loads
from aptone.types.codec import dumps_record

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Journal:
    """An open journal, for one writer; the file is made if need be. Use it as a context manager.

    Opening it repairs the end of the file: a last line without its newline gets it if it holds a whole entry, and is
    dropped if not.

    Args:
        sync_interval: seconds that lines may wait for a sync that they share; 0 syncs with every `append`. What was
            written since the last sync is lost if the machine dies; a process that dies loses nothing.

    Raises:
        RunError: if the file cannot be opened, or is a link or no plain file: what it leads to is not ours to change.
    """

    def __init__(self, path: Path, *, sync_interval: float = 0.0) -> None:
        self.path = path
        self.sync_interval = sync_interval
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
            self._mend_end()
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
        data = "".join(journal_line(entry) + "\n" for entry in entries).encode()
        try:
            self._write(data)
        except OSError as error:
            raise self._unwritable(error) from error
        self.is_synced = False
        if time.monotonic() - self._synced_at >= self.sync_interval:
            self.sync()

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

    def _mend_end(self) -> None:
        size = os.fstat(self._descriptor).st_size
        end = self._end_of_whole_lines(size)
        if end == size:
            return
        try:
            _entry(self._read(end, size))
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
    record, messages = split_messages(loads(line))
    return restore(from_json(Entry, record), messages)


def read_entry(line: bytes, *, where: str) -> Entry:
    """Read one whole line of a journal.

    Raises:
        RunError: if it is damaged; the message begins with the place that `where` names.
    """
    try:
        return _entry(line)
    except (RecordError, UnicodeDecodeError) as error:
        raise RunError(
            f"{where}: damaged ({error}) Restore the file from a copy, or delete that line so that its item is done "
            "again."
        ) from error


def read_journal(path: Path) -> Iterator[Entry]:
    """All whole lines of a journal, oldest first. A torn last line is passed over; the file is not changed.

    Raises:
        RunError: if the file cannot be read, or a whole line is damaged; the message names it.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                yield read_entry(line, where=f"{path}, line {number}")
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(path, error, doing="read") from error


def latest(entries: Iterable[Entry]) -> dict[tuple[str, int], Entry]:
    """The entry that counts for each item and repeat: the last one written."""
    return {(entry.item.id, entry.repeat): entry for entry in entries}
