"""One server a project: whoever starts a second one is told who has it.

A server keeps sessions and figures in its memory, so that two of them for one database would show different things. The
first holds a lock that ends with its process, however that ends: for SQLite a lock on a file beside the database, for
PostgreSQL an advisory lock, which `aptone.studio.project_lock` takes again when its connection broke. Who holds
it stands in the database. Verbs that work on a project without serving it (import, invite, export) need no lock and run
meanwhile.
"""

import contextlib
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqlalchemy import URL, Connection, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from aptone.errors import UsageError
from aptone.studio.refusals import BusyError
from aptone.studio.store.database import Database
from aptone.studio.store.rated import moment
from aptone.studio.store.rows import stored_json
from aptone.types import Json, dumps

LOG = logging.getLogger("aptone.studio.lock")

WATCHED_EVERY = 1.0
"""Seconds between two looks at the connection."""

_FIRST_NUMBER = 0x6170746F
"""Of the lock, ``apto`` in ASCII; the second is made of the schema: a database may hold several projects."""
_KEEP_ALIVE = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
"""PostgreSQL gives the lock back a minute after a machine that held it has gone without a word."""
_GIVE_UP = {"connect_timeout": 10, "tcp_user_timeout": 30_000}
"""Seconds and milliseconds after which we, too, take a database for gone that does not answer."""
_CLOSING = 2.0
"""Seconds to wait at the end for a thread that may just be waiting for a database that is away."""


class AdvisoryLock:
    """The lock, on a connection that does nothing else.

    Args:
        url: of the database.
    """

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=_GIVE_UP)
        self._connection: Connection | None = None
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        """Whether it is ours now; to be asked until it is."""
        if self._connection is None:
            self._connection = self._engine.connect()
            for setting in _KEEP_ALIVE:
                self._connection.execute(text(f"SET {setting}"))
        query = text("SELECT pg_try_advisory_lock(:number, hashtext(current_schema()))")
        return bool(self._connection.execute(query, {"number": _FIRST_NUMBER}).scalar_one())

    def watch(self, *, again: Callable[[], None], is_lost: Callable[[], bool]) -> None:
        """Keep what was taken, in a thread that ends with `close`.

        Args:
            again: called after it was taken on a new connection.
            is_lost: called when it cannot be taken on a new connection; whether to give up.
        """
        self._thread = threading.Thread(
            target=self._keep, args=(again, is_lost), name="aptone-studio-lock", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Give it back."""
        self._ending.set()
        if self._thread is None:
            self._disconnect()
        else:
            self._thread.join(timeout=_CLOSING)

    def _keep(self, again: Callable[[], None], is_lost: Callable[[], bool]) -> None:
        ours = True
        while not self._ending.wait(WATCHED_EVERY):
            try:
                if ours:
                    self._ask()
                elif self.take():
                    again()
                    ours = True
                    LOG.warning("the connection to the database broke; the project is held by a new one.")
                elif is_lost():
                    break
            except (SQLAlchemyError, BusyError):  # it broke, or the database is away for everybody
                ours = False
                self._disconnect()
        self._disconnect()

    def _ask(self) -> None:
        """Raises if the connection has broken; as long as it has not, the lock is held."""
        assert self._connection is not None
        self._connection.execute(text("SELECT 1"))

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(SQLAlchemyError):
                self._connection.close()
        self._connection = None


PATIENCE = 1.0
"""Seconds to wait for a lock: PostgreSQL may take a moment to see that the server which held it was killed."""

_ASKED_EVERY = 0.05
_LOST = "It began while PostgreSQL was away, so this one has stopped; what was saved is kept."


class Hold:
    """A project that nobody else serves.

    Attributes:
        lost: set when another server has got it, which can happen only while PostgreSQL itself was away.
    """

    def __init__(self) -> None:
        self.lost = threading.Event()
        self._why = ""

    def lose(self, why: str) -> None:
        """It is another server's now."""
        self._why = why
        self.lost.set()

    def check(self) -> None:
        """Make sure that the project is still ours.

        Raises:
            UsageError: if another server has it; it says which.
        """
        if self.lost.is_set():
            raise UsageError(self._why)


@contextlib.contextmanager
def held(database: Database, *, address: str) -> Iterator[Hold]:
    """Nobody else can begin to serve the project of a database within.

    Args:
        database: of the project.
        address: where it is served, to be told to whoever tries.

    Raises:
        UsageError: if another server has it; it says which, and what to do.
    """
    holder: Json = {"process": os.getpid(), "machine": socket.gethostname(), "address": address, "since": time.time()}
    noted = dumps(holder)
    hold = Hold()

    def is_lost() -> bool:
        current = _noted(database)
        if current == noted:  # nobody else: the connection that broke has it still, until PostgreSQL finds out
            return False
        hold.lose(f"{database.name}: {_told(current)} {_LOST}")
        return True

    lock = _FileLock(database) if database.is_sqlite else AdvisoryLock(database.url)
    with contextlib.closing(lock):
        until = time.monotonic() + PATIENCE
        while not lock.take():
            if time.monotonic() > until:
                raise UsageError(f"{database.name}: {_told(_noted(database))}")
            time.sleep(_ASKED_EVERY)
        _note(database, noted)
        if isinstance(lock, AdvisoryLock):
            lock.watch(again=lambda: _note(database, noted), is_lost=is_lost)
        yield hold


class _FileLock:
    """A lock by SQLite itself, which every system releases when the process ends; the file stays empty."""

    def __init__(self, database: Database) -> None:
        self._path = Path(database.name).with_suffix(".lock")
        self._kept = contextlib.ExitStack()

    def take(self) -> bool:
        """Whether it is ours now."""
        try:
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
            self._kept.callback(connection.close)
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY":
                raise UsageError(f"{self._path}: cannot be locked ({error}). Can its folder be written to?") from error
            return False
        return True

    def close(self) -> None:
        """Give it back."""
        self._kept.close()


def _note(database: Database, holder: str) -> None:
    with database.writing() as connection:
        connection.execute(
            text(
                "INSERT INTO properties (name, value) VALUES ('server', :holder)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
            ),
            {"holder": holder},
        )


def _noted(database: Database) -> str:
    """Who holds the project, as it was noted; empty for nobody yet."""
    with database.reading() as connection:
        noted = connection.execute(text("SELECT value FROM properties WHERE name = 'server'")).scalar_one_or_none()
    return noted or ""


def _told(noted: str) -> str:
    holder: Mapping[str, object] = stored_json(noted) if noted else {}
    if not holder:  # it has begun a moment ago
        return "another studio serves this project already. End it first, or try again in a few seconds."
    process, machine, since = holder["process"], holder["machine"], moment(float(str(holder["since"])))
    return (
        f"another studio serves this project already: process {process} on {machine}, since {since}. "
        f"Open {holder['address']} in the browser, or end that one first: Ctrl-C where it runs, or kill {process}."
    )
