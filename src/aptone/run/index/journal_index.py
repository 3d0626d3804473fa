"""The index of a run's journal: a SQLite file in the user's cache, made from the journal and kept in step with it.

The journal stays the truth. The index goes on where it stopped when the journal has grown, and is made again when the
journal is another one: when its first line or the last line that was read has changed. So a run is looked at in pages,
also while it goes on, and nothing of it is held in memory.
"""

import contextlib
import hashlib
import math
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_cache_path

from aptone.errors import RunError
from aptone.files import unusable
from aptone.run.chain import Chain
from aptone.run.folder import JOURNAL
from aptone.run.index.connections import connect, disconnect, transaction
from aptone.run.index.line_writer import LineWriter
from aptone.run.index.lines import read_line
from aptone.run.index.queries import IndexQueries
from aptone.run.index.search import make_search, remove_texts
from aptone.run.journal import read_entry_at
from aptone.types import Entry

VERSION = 2
"""Version of the tables; an index of another one is made again."""
PER_COMMIT = 2_000
"""Lines between two commits, so that readers see a large journal arrive."""
KEPT_DAYS = 60.0
"""Days without use after which the index of some run is removed."""
INDEXES = "indexes"

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, repeat INTEGER NOT NULL, position INTEGER NOT NULL,
  content_hash TEXT NOT NULL, line_key TEXT NOT NULL, start INTEGER NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL, main_score TEXT NOT NULL, line TEXT NOT NULL,
  labelled TEXT NOT NULL, signature TEXT NOT NULL,
  cost REAL NOT NULL, seconds REAL NOT NULL, parse_failures INTEGER NOT NULL, finished TEXT NOT NULL,
  UNIQUE (id, repeat));
CREATE INDEX by_position ON entries (repeat, position, number);
CREATE INDEX by_state ON entries (repeat, state);
CREATE TABLE names (
  name INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, low REAL, high REAL, higher_is_better INTEGER,
  unit TEXT NOT NULL);
CREATE TABLE scores (
  name INTEGER NOT NULL, number INTEGER NOT NULL, value REAL, spread REAL, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE TABLE labels (
  key TEXT NOT NULL, value TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, value, number)) WITHOUT ROWID;
"""
"""Scores, labels and texts are those of the items alone, not of repeats."""
TABLES = ("about", "entries", "names", "scores", "labels")


def index_file(folder: Path) -> Path:
    """Path of the index of a run folder in the user's cache."""
    mark = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:24]
    return user_cache_path("aptone") / INDEXES / f"{mark}.sqlite"


class JournalIndex(IndexQueries):
    """The index of the run in a folder. Threads may share it, and so may processes.

    Args:
        folder: folder of the run.
        file: path of the index; by default in the user's cache.

    Raises:
        RunError: if the index cannot be written.
    """

    def __init__(self, folder: Path, *, file: Path | None = None) -> None:
        self.folder = folder
        self.file = file or index_file(folder)
        self._journal = folder / JOURNAL
        self._writing = threading.Lock()
        self._seen: tuple[int, ...] = ()
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if file is None:
                _remove_unused(self.file.parent)
        except OSError as error:
            raise unusable(self.file, error) from error
        with self._writing:
            self._prepare()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        return connect(self.file)

    def close(self) -> None:
        """Close the connection of this thread."""
        disconnect(self.file)

    def refresh(self, *, seconds: float = math.inf) -> bool:
        """Read what was appended to the journal since, and return whether the end of it was reached.

        Args:
            seconds: time after which it stops between two lines, to go on with the next call.

        Raises:
            RunError: if the journal cannot be read, or the index cannot be written.
        """
        if not self._writing.acquire(blocking=False):
            return False  # another thread is at it
        try:
            if not self._journal.exists():
                return True
            if (state := _state(self._journal.stat())) == self._seen:
                return True
            with self._journal.open("rb") as journal:
                whole = self._catch_up(journal, until=time.monotonic() + seconds)
            self._seen = state if whole else ()  # a stat that is older than the end that was read
            return whole
        except OSError as error:
            raise unusable(self._journal, error, doing="read") from error
        except sqlite3.Error as error:
            raise RunError(f"{self.file}: the index of {self.folder} cannot be written ({error}).") from error
        finally:
            self._writing.release()

    def progress(self) -> float:
        """Share of the journal that is indexed, from 0 to 1."""
        try:
            size = self._journal.stat().st_size
        except OSError:
            return 1.0
        return min(1.0, self._about_number("end") / size) if size else 1.0

    def damaged_lines(self) -> tuple[int, int]:
        """Number of whole lines that are damaged or were changed, and that of the first one, from 1 on; 0 for none."""
        return self._about_number("damaged"), self._about_number("first damaged")

    def entry(self, number: int) -> Entry:
        """The whole entry of an item, read from the journal.

        Raises:
            KeyError: if there is no such number.
            RunError: if the line cannot be read, or is damaged.
        """
        found = self.connection.execute("SELECT start FROM entries WHERE number = ?", (number,)).fetchone()
        if found is None:
            raise KeyError(number)
        (start,) = found
        try:
            with self._journal.open("rb") as journal:
                return read_entry_at(journal, start, path=self._journal)
        except OSError as error:
            raise unusable(self._journal, error, doing="read") from error

    def _prepare(self) -> None:
        try:
            try:
                known = self._about("version")
            except sqlite3.DatabaseError:  # no table yet, or no database of ours
                known = ""
            if known != str(VERSION):
                self._make_tables()
        except sqlite3.Error as error:
            raise RunError(f"{self.file}: the index of {self.folder} cannot be made ({error}).") from error

    def _make_tables(self) -> None:
        self.close()
        for name in (self.file.name, f"{self.file.name}-wal", f"{self.file.name}-shm"):
            self.file.with_name(name).unlink(missing_ok=True)
        with transaction(self.connection):
            for statement in filter(str.strip, SCHEMA.split(";")):
                self.connection.execute(statement)
            trigrams = make_search(self.connection)
            self._note(version=str(VERSION), folder=str(self.folder.resolve()), trigrams=str(int(trigrams)))
            self._note(revision=str(time.time_ns()))  # none that an earlier index of this name had

    def _catch_up(self, journal: BinaryIO, *, until: float) -> bool:
        connection = self.connection
        size = os.fstat(journal.fileno()).st_size
        end, number = self._about_number("end"), self._about_number("lines")
        if end and not self._is_same_journal(journal, size):
            self._empty()
            end = number = 0
        if end == size:
            return True
        journal.seek(end)
        while True:  # one line at least, however little time there is
            with transaction(connection):
                if self._about_number("end") != end:
                    return False  # another process has read on meanwhile
                end, number, whole = self._read_lines(journal, end, number, until)
            if whole or time.monotonic() > until:
                return whole

    def _read_lines(self, journal: BinaryIO, end: int, number: int, until: float) -> tuple[int, int, bool]:
        """Index some lines, and return the byte and the line that were reached, and whether that is the end."""
        line, last, start = b"", b"", end
        kept = LineWriter(self.connection, trigrams=self.has_trigrams)
        chain = Chain(self._about("checksum").encode("latin-1"))
        chain.begun = bool(self._about("chained"))
        for _ in range(PER_COMMIT):
            line = journal.readline()
            if not line.endswith(b"\n"):  # the end, or a line that is being written
                line = b""
                break
            number += 1
            last, start, end = line, end, end + len(line)
            try:
                if why := chain.follow(line):
                    raise ValueError(why)
                kept.add(read_line(line), start=start)
            except (ValueError, OverflowError, sqlite3.IntegrityError):  # numbers that no table holds
                damaged, first = self.damaged_lines()
                self._note(**{"damaged": str(damaged + 1), "first damaged": str(first or number)})
            if start == 0:
                self._note(first=_mark(line))
            if time.monotonic() > until:
                break
        kept.write()
        if last:
            revision = self._about_number("revision") + 1
            self._note(checksum=chain.checksum.decode("latin-1"), chained="1" if chain.begun else "")
            self._note(start=str(start), last=_mark(last), end=str(end), lines=str(number), revision=str(revision))
        return end, number, not line

    def _is_same_journal(self, journal: BinaryIO, size: int) -> bool:
        """Check that the lines that were read are still there: the first one, and the last one at its place."""
        start, end = self._about_number("start"), self._about_number("end")
        if size < end:
            return False
        journal.seek(0)
        if _mark(journal.readline()) != self._about("first"):
            return False
        journal.seek(start)
        return _mark(journal.read(end - start)) == self._about("last")

    def _empty(self) -> None:
        with transaction(self.connection):
            revision, trigrams = self._about_number("revision") + 1, self.has_trigrams
            remove_texts(self.connection, trigrams=trigrams)
            for table in TABLES:
                self.connection.execute(f"DELETE FROM {table}")
            self._note(version=str(VERSION), folder=str(self.folder.resolve()))
            self._note(revision=str(revision), trigrams=str(int(trigrams)))

    def _note(self, **values: str) -> None:
        self.connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", list(values.items()))


def _state(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _mark(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _remove_unused(folder: Path) -> None:
    """Remove the indexes that nobody has opened for long: runs are moved and deleted, and theirs stay behind."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for file in folder.glob("*.sqlite*"):
        with contextlib.suppress(OSError):  # another process may have removed it
            if file.stat().st_mtime < oldest:
                file.unlink()
