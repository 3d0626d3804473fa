"""The journal of a run: one line of JSON for each finished item, on the disk before the next item counts as begun.

A line is appended in one write and fsynced. If the machine dies in the middle, the last line has no newline and is
dropped when the journal is opened again; every line before it is whole.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from aptone.errors import RecordError, RunError
from aptone.types import Entry, dumps, from_json, loads, to_json


class Journal:
    """An open journal, for one writer.

    Opening it drops a torn last line from the file. Use it as a context manager.

    Args:
        path: the file; it is made if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        self._drop_torn_line()
        sync_folder(path.parent)

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries and wait until they are on the disk. Several entries share one wait.

        Raises:
            RunError: if they cannot be written, for instance because the disk is full.
        """
        data = "".join(dumps(to_json(entry)) + "\n" for entry in entries).encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise RunError(
                f"{self.path}: cannot be written ({error}). Mend that and run the same command: what is in it stays."
            ) from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def _drop_torn_line(self) -> None:
        size = os.fstat(self._descriptor).st_size
        end = size
        while end:
            start = max(0, end - 65536)
            os.lseek(self._descriptor, start, os.SEEK_SET)
            newline = os.read(self._descriptor, end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._descriptor, end)
            os.fsync(self._descriptor)


def read_journal(path: Path) -> Iterator[Entry]:
    """All whole lines of a journal, oldest first. A torn last line is passed over; the file is not changed.

    Raises:
        RunError: if a whole line is damaged; the message names it.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield from_json(Entry, loads(line))
                except (RecordError, UnicodeDecodeError) as error:
                    raise RunError(
                        f"{path}, line {number}: damaged ({error}) Restore the file from a copy, or delete that line "
                        "so that its item is done again."
                    ) from error
    except FileNotFoundError:
        return


def latest(entries: Iterable[Entry]) -> dict[tuple[str, int], Entry]:
    """The entry that counts for each item and repeat: the last one written."""
    return {(entry.item.id, entry.repeat): entry for entry in entries}


def sync_folder(folder: Path) -> None:
    """Make sure that a new or renamed file survives a power cut, where the system allows it."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
