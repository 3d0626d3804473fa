"""Database, SQLite or PostgreSQL: its engine, and its writer thread.

Both keep what was committed through a crash of the process and of the machine: SQLite in WAL mode with
``synchronous=FULL``, PostgreSQL with ``synchronous_commit=on``. A commit waits for the disk, and the disk takes as long
for one change as for a hundred. So whatever waits when a commit ends goes into the next one, each piece of work is
acknowledged after its commit, and while several people save at once, a commit waits some milliseconds for more of them:
fewer commits leave more of a small machine to everything else. Work that fails is undone alone: it stands in a
savepoint of its own.
"""

import contextlib
import logging
import math
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.studio.store.schema import migrate
from aptone.web.refusals import BusyError, DiskFullError, RefusedError

LOG = logging.getLogger("aptone.studio.database")

PATIENCE = 30.0
"""Seconds to wait for another process that is writing, or for a connection."""


class Database:
    """Open database with the newest schema.

    Args:
        url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``.

    Raises:
        UsageError: if the address cannot be used, the database cannot be reached, or a newer Aptone has made it.
        MissingExtraError: if the driver is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = _checked_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite and Path(self.name).exists() and not os.access(self.name, os.W_OK):
            raise UsageError(f"{self.name}: the database cannot be written to. Copy the project to a folder of yours.")
        try:
            self._reading = _engine(self.url, begin="BEGIN")
            self._writing = _engine(self.url, begin="BEGIN IMMEDIATE", ask_first=False)
        except ModuleNotFoundError as error:
            raise MissingExtraError("PostgreSQL", extra="studio") from error
        try:
            with self.writing() as connection:
                migrate(connection, name=self.name)
        except SQLAlchemyError as error:
            self.close()
            cause = str(error.orig if isinstance(error, DBAPIError) else error).strip().partition("\n")[0]
            advice = (
                "Check that the folder can be written to and the file is a database of the studio."
                if self.is_sqlite
                else "Check that the server runs, and the name, user and password in --database-url."
            )
            raise UsageError(f"{self.name}: the database cannot be used ({cause}). {advice}") from error
        except UsageError:
            self.close()
            raise

    @property
    def name(self) -> str:
        """Name in messages, without a password."""
        return str(self.url.database) if self.is_sqlite else self.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Connection for reading; on SQLite all reads see the same state.

        Raises:
            BusyError: if the database cannot be reached right now.
        """
        try:
            with self._reading.connect() as connection:
                yield connection
        except (OperationalError, PoolTimeoutError) as error:
            raise BusyError(
                message("studio.database-cannot-read-right-now"), next=message("studio.try-again-few-seconds")
            ) from error

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Connection for reading on which all reads see the same state, on both databases, while others write."""
        with self.reading() as connection:
            if not self.is_sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
                connection.execute(text("SET TRANSACTION READ ONLY"))
            yield connection

    def writing(self) -> AbstractContextManager[Connection]:
        """Transaction that is committed at the end, or rolled back on an error."""
        return self._writing.begin()

    def empty_log(self) -> None:
        """Write SQLite's log of changes into the file and empty it, as far as nobody reads: it holds erased rows."""
        if self.is_sqlite:
            with contextlib.closing(sqlite3.connect(self.name, timeout=PATIENCE)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def locking(self, *, of: str = "") -> str:
        """SQL that locks the rows of a SELECT for the transaction; empty for SQLite, which has one writer at a time."""
        return "" if self.is_sqlite else f" FOR UPDATE{' OF ' + of if of else ''}"

    def close(self) -> None:
        """Close every connection."""
        self._reading.dispose()
        self._writing.dispose()


def sqlite_url(path: Path) -> str:
    """Address of a SQLite file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def _checked_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the second for a port that is none
        raise UsageError("--database-url: expected postgresql://USER:PASSWORD@HOST:PORT/NAME.") from None
    backend = parsed.get_backend_name()
    if backend in {"postgresql", "postgres"}:
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed
    raise UsageError(f"--database-url: expected postgresql://USER:PASSWORD@HOST/NAME, got one of {backend!r}.")


def _engine(url: URL, *, begin: str, ask_first: bool = True) -> Engine:
    """Create an engine; ``ask_first`` tests each connection before use, in case it broke while idle."""
    if url.get_backend_name() != "sqlite":
        settings = f"{url.query.get('options', '')} -c synchronous_commit=on"  # those of the address stand, too
        options = {"options": settings, "connect_timeout": int(PATIENCE)}
        return create_engine(url, connect_args=options, pool_pre_ping=ask_first, pool_size=4, max_overflow=12)
    engine = create_engine(url, connect_args={"timeout": PATIENCE, "check_same_thread": False})

    # SQLAlchemy's documented way to take transactions out of the hands of Python's sqlite3, which begins them late.
    @event.listens_for(engine, "connect")
    def _connected(connection: object, record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


Result = TypeVar("Result")
Batched = TypeVar("Batched")
Work = Callable[[Connection], Result]
Batch = Callable[[Connection, Sequence[Batched]], Sequence[Result | Exception]]
"""Work for many pieces at once, for instance one INSERT of many rows.

It returns a result or a refusal for each piece, in order; refused pieces write nothing."""
MOST_WAITING = 5000
"""Pieces of work that may wait; more are refused, so that a slow disk shows on the pages."""
MOST_AT_ONCE = 500
"""Pieces of work in one commit."""
LOG_SECONDS = 60.0
"""Shortest time between two log lines about a full disk."""
BATCH_WAIT = 0.008
"""Seconds that a commit waits for company when the one before had some."""
TRIES = 5
"""Attempts at work that conflicted with another process, or whose connection broke.

A commit whose reply was lost may be done twice: changes have ids, and all other work finds what it did before."""
_CONFLICTS = ("40P01", "40001")
"""PostgreSQL's codes for two transactions that wait for each other, and for one that came too late."""

_NO_WRITING_SQLITE = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")
_FULL = ("SQLITE_FULL", "53100")
"""A full disk, as SQLite and PostgreSQL call it."""
_NO_WRITING_POSTGRES = ("08", "53", "57")
"""Another process writes, the disk is full or fails; the connection is gone, resources are, or an operator ended it."""


@dataclass(eq=False, slots=True)
class _Job:
    """Queued piece of work and its future: either a call, or the piece of a batch."""

    work: Work[Any] | None = None
    batch: Batch[Any, Any] | None = None
    piece: Any = None
    future: Future[Any] = field(default_factory=Future)


class Writer:
    """Writer thread; it ends with `close`."""

    def __init__(self, database: Database, *, most_waiting: int = MOST_WAITING) -> None:
        self._database = database
        self._most_waiting = most_waiting
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._logged = -math.inf
        self._thread = threading.Thread(target=self._run, name="aptone-studio-writer", daemon=True)
        self._thread.start()

    def call(self, work: Work[Result]) -> Future[Result]:
        """Queue work for a transaction; the future is resolved after its commit.

        Raises:
            BusyError: if too much waits, or the writer was closed.
        """
        return self._enqueue(_Job(work))

    def add(self, batch: Batch[Batched, Result], piece: Batched) -> Future[Result]:
        """Queue a piece of a batch; errors as those of `call`."""
        return self._enqueue(_Job(batch=batch, piece=piece))

    def close(self) -> None:
        """Write what waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _enqueue(self, waiting: _Job) -> Future[Any]:
        with self._changed:
            if self._closing:
                raise BusyError(message("studio.studio-closing"), next=message("studio.wait-until-back-nothing-page"))
            if len(self._waiting) >= self._most_waiting:
                raise BusyError(
                    message("studio.too-many-changes-wait-written"), next=message("studio.send-again-few-seconds")
                )
            self._waiting.append(waiting)
            self._changed.notify()
        return waiting.future

    def _run(self) -> None:
        together = False
        while taken := self._take(gathering=together):
            together = len(taken) > 1
            live = [one for one in taken if one.future.set_running_or_notify_cancel()]
            if live:
                self._write(live)

    def _take(self, *, gathering: bool) -> list[_Job]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
        if gathering and not self._closing:
            time.sleep(BATCH_WAIT)
        with self._changed:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]

    def _write(self, taken: Sequence[_Job], *, tries: int = TRIES) -> None:
        try:
            outcomes = self._committed(taken)
        except Exception as error:
            if _is_transient(error) and tries > 1:
                self._write(taken, tries=tries - 1)
            elif len(taken) > 1 and not _blocks_all(error):  # something spoilt the commit for all: find out which
                for one in taken:
                    self._write([one])
            else:
                refusal = _as_refusal(error)
                self._log_full_disk(refusal)
                for one in taken:
                    _resolve(one, refusal)
            return
        for one, outcome in zip(taken, outcomes, strict=True):
            _resolve(one, outcome)

    def _log_full_disk(self, refusal: Exception) -> None:
        if isinstance(refusal, DiskFullError) and time.monotonic() - self._logged >= LOG_SECONDS:
            LOG.error("%s: the disk is full; nothing can be saved until there is room.", self._database.name)
            self._logged = time.monotonic()

    def _committed(self, taken: Sequence[_Job]) -> list[object]:
        outcomes: dict[int, object] = {}
        with self._database.writing() as connection:
            batches: dict[Batch[Any, Any], list[_Job]] = {}
            for one in taken:
                if one.batch is not None:
                    batches.setdefault(one.batch, []).append(one)
            for batch, members in batches.items():
                results = batch(connection, [one.piece for one in members])
                outcomes.update({id(one): result for one, result in zip(members, results, strict=True)})
            for one in taken:
                if one.work is not None:
                    outcomes[id(one)] = _in_savepoint(connection, one.work)
        return [outcomes[id(one)] for one in taken]


def _in_savepoint(connection: Connection, work: Work[object]) -> object:
    try:
        with connection.begin_nested():
            return work(connection)
    except SQLAlchemyError:
        raise
    except Exception as error:
        return error


def _resolve(one: _Job, outcome: object) -> None:
    if isinstance(outcome, Exception):
        one.future.set_exception(outcome)
    else:
        one.future.set_result(outcome)


def _is_transient(error: Exception) -> bool:
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _CONFLICTS


def _blocks_all(error: Exception) -> bool:
    """True if no work can be written now: each piece by itself would only wait as long again."""
    if not isinstance(error, OperationalError):
        return False
    if (name := getattr(error.orig, "sqlite_errorname", None)) is not None:
        return str(name).startswith(_NO_WRITING_SQLITE)
    state = getattr(error.orig, "sqlstate", None)
    return state is None or str(state).startswith(_NO_WRITING_POSTGRES)


def _as_refusal(error: Exception) -> Exception:
    if not isinstance(error, OperationalError):
        return error
    refusal: RefusedError = BusyError(
        message("studio.database-cannot-written-right-now"), next=message("studio.send-again-few-seconds")
    )
    if getattr(error.orig, "sqlite_errorname", "") in _FULL or getattr(error.orig, "sqlstate", "") in _FULL:
        refusal = DiskFullError()
    refusal.__cause__ = error
    return refusal
