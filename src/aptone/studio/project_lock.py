"""Project lock: one server a project; a second one is refused with the name of the first.

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
from aptone.studio.store.rows import iso_time, stored_json
from aptone.types import Json, dumps

LOG = logging.getLogger("aptone.studio.lock")

WATCHED_EVERY = 1.0
"""Seconds between two looks at the connection."""

_FIRST_NUMBER = 0x6170746F
"""First number of the lock, ``apto`` in ASCII; the second is a hash of the schema, one a project."""
_KEEP_ALIVE = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
"""PostgreSQL gives the lock back a minute after a machine that held it has gone without a word."""
_GIVE_UP = {"connect_timeout": 10, "tcp_user_timeout": 30_000}
"""Seconds and milliseconds after which we, too, take a database for gone that does not answer."""
_CLOSING = 2.0
"""Seconds to wait at the end for a thread that may just be waiting for a database that is away."""


class AdvisoryLock:
    """PostgreSQL advisory lock, on a connection of its own."""

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=_GIVE_UP)
        self._connection: Connection | None = None
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        """Try to take the lock; to be called until it succeeds."""
        if self._connection is None:
            self._connection = self._engine.connect()
            for setting in _KEEP_ALIVE:
                self._connection.execute(text(f"SET {setting}"))
        query = text("SELECT pg_try_advisory_lock(:number, hashtext(current_schema()))")
        return bool(self._connection.execute(query, {"number": _FIRST_NUMBER}).scalar_one())

    def watch(self, *, again: Callable[[], None], is_lost: Callable[[], bool]) -> None:
        """Watch the connection, and take the lock again after a break, in a thread that ends with `close`.

        Args:
            again: callback after the lock was taken on a new connection.
            is_lost: callback when it cannot be taken on a new connection; returns whether to give up.
        """
        self._thread = threading.Thread(
            target=self._keep, args=(again, is_lost), name="aptone-studio-lock", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Release the lock."""
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
        """Raise if the connection has broken; until then the lock is held."""
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


class ProjectLock:
    """Lock on a project, held while it is served.

    Attributes:
        lost: set when another server has got it, which can happen only while PostgreSQL itself was away.
    """

    def __init__(self) -> None:
        self.lost = threading.Event()
        self._why = ""

    def lose(self, why: str) -> None:
        """Mark the lock as lost to another server."""
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
def lock_project(database: Database, *, address: str) -> Iterator[ProjectLock]:
    """Lock the project of a database within the context.

    Args:
        address: address of this server, for the message to a second one.

    Raises:
        UsageError: if another server has it; it says which, and what to do.
    """
    holder: Json = {"process": os.getpid(), "machine": socket.gethostname(), "address": address, "since": time.time()}
    recorded = dumps(holder)
    lock_state = ProjectLock()

    def is_lost() -> bool:
        current = _recorded_server(database)
        if current == recorded:  # nobody else: the connection that broke has it still, until PostgreSQL finds out
            return False
        lock_state.lose(f"{database.name}: {_holder_message(current)} {_LOST}")
        return True

    lock = _FileLock(database) if database.is_sqlite else AdvisoryLock(database.url)
    with contextlib.closing(lock):
        until = time.monotonic() + PATIENCE
        while not lock.take():
            if time.monotonic() > until:
                raise UsageError(f"{database.name}: {_holder_message(_recorded_server(database))}")
            time.sleep(_ASKED_EVERY)
        _record_server(database, recorded)
        if isinstance(lock, AdvisoryLock):
            lock.watch(again=lambda: _record_server(database, recorded), is_lost=is_lost)
        yield lock_state


class _FileLock:
    """SQLite lock on a file, which every system releases when the process ends; the file stays empty."""

    def __init__(self, database: Database) -> None:
        self._path = Path(database.name).with_suffix(".lock")
        self._kept = contextlib.ExitStack()

    def take(self) -> bool:
        """Try to take the lock."""
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
        """Release the lock."""
        self._kept.close()


def _record_server(database: Database, holder: str) -> None:
    with database.writing() as connection:
        connection.execute(
            text(
                "INSERT INTO properties (name, value) VALUES ('server', :holder)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
            ),
            {"holder": holder},
        )


def _recorded_server(database: Database) -> str:
    """Return the recorded server of the project; empty for none."""
    with database.reading() as connection:
        recorded = connection.execute(text("SELECT value FROM properties WHERE name = 'server'")).scalar_one_or_none()
    return recorded or ""


def _holder_message(recorded: str) -> str:
    holder: Mapping[str, object] = stored_json(recorded) if recorded else {}
    if not holder:  # it has begun a moment ago
        return "another studio serves this project already. End it first, or try again in a few seconds."
    process, machine, since = holder["process"], holder["machine"], iso_time(float(str(holder["since"])))
    return (
        f"another studio serves this project already: process {process} on {machine}, since {since}. "
        f"Open {holder['address']} in the browser, or end that one first: Ctrl-C where it runs, or kill {process}."
    )
