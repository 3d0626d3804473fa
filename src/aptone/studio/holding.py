"""One server a project: whoever starts a second one is told who has it.

A server keeps sessions and figures in its memory, so that two of them for one database would show different things. The
first holds a lock that ends with its process, however that ends: for SQLite a lock on a file beside the database, for
PostgreSQL an advisory lock of a connection. Who holds it stands in the database. Verbs that work on a project without
serving it (import, invite, export) need no lock and run meanwhile.
"""

import contextlib
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from aptone.errors import UsageError
from aptone.studio.database import Database
from aptone.studio.store_rated import moment
from aptone.studio.store_rows import stored_json
from aptone.types import Json, dumps

PATIENCE = 1.0
"""Seconds to wait for a lock: PostgreSQL may take a moment to see that the server which held it was killed."""

_ASKED_EVERY = 0.05
_LOCK = 0x6170746F
"""First number of the advisory lock, ``apto`` in ASCII; the second is made of the schema: a database may hold several
projects."""
_KEEP_ALIVE = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
"""PostgreSQL gives the lock back a minute after a machine that held it has gone without a word."""


@contextlib.contextmanager
def held(database: Database, *, address: str) -> Iterator[None]:
    """Nobody else can begin to serve the project of a database within.

    Args:
        database: of the project.
        address: where it is served, to be told to whoever tries.

    Raises:
        UsageError: if another server has it; it says which, and what to do.
    """
    lock = _file_lock if database.is_sqlite else _advisory_lock
    with lock(database) as is_ours:
        until = time.monotonic() + PATIENCE
        while not is_ours():
            if time.monotonic() > until:
                raise UsageError(_refusal(database))
            time.sleep(_ASKED_EVERY)
        with database.writing() as connection:
            _note(connection, address)
        yield


@contextlib.contextmanager
def _file_lock(database: Database) -> Iterator[Callable[[], bool]]:
    """A lock by SQLite itself, which every system releases when the process ends; the file stays empty."""
    path = Path(database.name).with_suffix(".lock")
    with contextlib.ExitStack() as kept:

        def is_ours() -> bool:
            try:
                connection = sqlite3.connect(path, timeout=0, isolation_level=None)
                kept.callback(connection.close)
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_BUSY":
                    raise UsageError(f"{path}: cannot be locked ({error}). Can its folder be written to?") from error
                return False
            return True

        yield is_ours


@contextlib.contextmanager
def _advisory_lock(database: Database) -> Iterator[Callable[[], bool]]:
    """A lock of a connection that does nothing else, and is closed with the process."""
    engine = create_engine(database.url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for setting in _KEEP_ALIVE:
            connection.execute(text(f"SET {setting}"))
        query = text("SELECT pg_try_advisory_lock(:lock, hashtext(current_schema()))")
        yield lambda: bool(connection.execute(query, {"lock": _LOCK}).scalar_one())


def _note(connection: Connection, address: str) -> None:
    holder: Json = {"process": os.getpid(), "machine": socket.gethostname(), "address": address, "since": time.time()}
    connection.execute(
        text(
            "INSERT INTO properties (name, value) VALUES ('server', :holder)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        ),
        {"holder": dumps(holder)},
    )


def _refusal(database: Database) -> str:
    with database.reading() as connection:
        noted = connection.execute(text("SELECT value FROM properties WHERE name = 'server'")).scalar_one_or_none()
    return f"{database.name}: " + _told(stored_json(noted) if noted else {})


def _told(holder: Mapping[str, object]) -> str:
    if not holder:  # it has begun a moment ago
        return "another studio serves this project already. End it first, or try again in a few seconds."
    process, machine, since = holder["process"], holder["machine"], moment(float(str(holder["since"])))
    return (
        f"another studio serves this project already: process {process} on {machine}, since {since}. "
        f"Open {holder['address']} in the browser, or end that one first: Ctrl-C where it runs, or kill {process}."
    )
