"""Project of a study: its folder, database, stores, and the lock that lets one server at a time have it.

No path outside of the folder is ever served. A server keeps sessions and figures in its memory, so that two of them for
one database would show different things. The first holds a lock that ends with its process, however that ends: for
SQLite a lock on a file beside the database, for PostgreSQL an advisory lock, which is taken again when its connection
broke. Who holds it stands in the database. Verbs that work on a project without serving it (import, invite, export)
need no lock and run meanwhile.
"""

import contextlib
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sqlalchemy import URL, Connection, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from aptone.errors import UsageError
from aptone.studio.folder import CLIPS, path_inside
from aptone.studio.store.accounts import Accounts
from aptone.studio.store.assignments import Assignments
from aptone.studio.store.database import Database, Writer, sqlite_url
from aptone.studio.store.gates import Gates
from aptone.studio.store.handout import ABANDONED_AFTER
from aptone.studio.store.identities import Identities
from aptone.studio.store.people import People
from aptone.studio.store.ratings import iso_time, stored_json
from aptone.studio.store.records import Person
from aptone.studio.store.recruitment import Recruitments
from aptone.studio.store.results import Results
from aptone.studio.store.tasks import Tasks
from aptone.studio.store.withdrawal import Withdrawals
from aptone.types import Json, dumps
from aptone.web.refusals import BusyError

MOST_NAMED = 20
"""People whom a message lists."""


def join_link(address: str, token: str) -> str:
    """Personal sign-in link. The token follows ``#``, which browsers do not send, so no log holds it.

    >>> join_link("http://localhost:8765/", "TOKEN")
    'http://localhost:8765/join#TOKEN'
    """
    return f"{address.rstrip('/')}/join#{token}"


def find_person(people: Sequence[Person], who: str, *, active_only: bool = True) -> Person:
    """Find a person by pseudonym or name, ignoring case.

    Args:
        active_only: refuse those who may not enter any more.

    Raises:
        UsageError: if there is nobody of that name, more than one, or who it is may not enter any more.
    """
    wanted = who.strip().casefold()
    found = [one for one in people if one.pseudonym.casefold() == wanted] or [
        one for one in people if one.name.casefold() == wanted
    ]
    if not found:
        known = ", ".join(f"{one.pseudonym} ({one.name})" for one in people[:MOST_NAMED])
        raise UsageError(f"nobody is called {who!r}; there are {known or 'no people yet'}.")
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} people are called {who!r}: {', '.join(one.pseudonym for one in found)}; name one."
        )
    if active_only and not found[0].active:
        raise UsageError(f"{found[0].pseudonym} ({found[0].name}) may not enter any more; an admin can change that.")
    return found[0]


DATABASE = "studio.sqlite"


class Project:
    """Open project.

    Methods of its parts that write return a `concurrent.futures.Future`, which is resolved after the commit:
    ``.result()`` waits for it, ``await asyncio.wrap_future(…)`` does so without blocking. What reads returns at once.

    Attributes:
        folder: absolute path without symbolic links.
    """

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        abandoned_after: float = ABANDONED_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self.database = database
        self.writer = Writer(database)
        self.people = People(database, self.writer, clock=clock)
        self.recruitments = Recruitments(database, self.writer, self.people, clock=clock)
        self.accounts = Accounts(database, self.writer, self.people, clock=clock)
        self.identities = Identities(database, self.writer, self.people, clock=clock)
        self.tasks = Tasks(database, self.writer, folder=folder, clock=clock)
        self.assignments = Assignments(database, self.writer, self.tasks, abandoned_after=abandoned_after, clock=clock)
        self.gates = Gates(database, self.writer, self.tasks, clock=clock)
        self.withdrawals = Withdrawals(database, self.writer, self.people, clock=clock)
        self.results = Results(database, self.writer, self.tasks, self.people, clock=clock)

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        database_url: str = "",
        abandoned_after: float = ABANDONED_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a project, or make one where there is none.

        Args:
            database_url: ``postgresql://USER:PASSWORD@HOST/NAME``; empty for SQLite inside the folder.
            abandoned_after: seconds after which an item that was left alone goes to others who wait.

        Raises:
            UsageError: if the folder or the database cannot be used.
        """
        root = Path(folder)
        try:
            (root / CLIPS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{root}: cannot hold a project ({error.strerror}). Name a folder of yours.") from error
        root = root.resolve()
        if not database_url:
            # Other users cannot read a new database file; an existing one keeps its permissions.
            with contextlib.suppress(OSError):  # it is there, or the database says what is wrong
                os.close(os.open(root / DATABASE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        database = Database(database_url or sqlite_url(root / DATABASE))
        return cls(root, database, abandoned_after=abandoned_after, clock=clock)

    def path(self, name: str) -> Path:
        """Resolve a reference to a file inside the project folder."""
        return path_inside(self.folder, name)

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


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

        `again` is called after the lock was taken on a new connection; `is_lost` when it cannot be, and returns whether
        to give up.
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
                if ours:  # it raises if the connection has broken; until then the lock is held
                    assert self._connection is not None
                    self._connection.execute(text("SELECT 1"))
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

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(SQLAlchemyError):  # PostgreSQL ends a closed session a moment later: unlock first
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
            with contextlib.suppress(SQLAlchemyError):
                self._connection.close()
        self._connection = None


PATIENCE = 1.0
"""Seconds to wait for a lock: PostgreSQL may take a moment to see that the server which held it was killed."""

_ASKED_EVERY = 0.05
_LOST = "It began while PostgreSQL was away, so this one has stopped; what was saved is kept."


@dataclass(slots=True)
class ProjectLock:
    """Lock on a project; lost when another server has got it, which can happen only while PostgreSQL was away."""

    lost: threading.Event = field(default_factory=threading.Event)
    why: str = ""

    def check(self) -> None:
        """Raise `UsageError` if another server has the project; it says which."""
        if self.lost.is_set():
            raise UsageError(self.why)


@contextlib.contextmanager
def lock_project(database: Database, *, address: str) -> Iterator[ProjectLock]:
    """Lock the project of a database within the context; the error of a second server names the address of this one.

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
        lock_state.why = f"{database.name}: {_holder_message(current)} {_LOST}"
        lock_state.lost.set()
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


def last_address(database: Database) -> str:
    """Return the address of the server that serves a project, or that served it last; empty for none."""
    recorded = _recorded_server(database)
    return str(stored_json(recorded)["address"]) if recorded else ""


def is_served(database: Database) -> bool:
    """Return whether a server has the project just now: its lock cannot be taken."""
    lock = _FileLock(database) if database.is_sqlite else AdvisoryLock(database.url)
    with contextlib.closing(lock):
        return not lock.take()


def _holder_message(recorded: str) -> str:
    holder: Mapping[str, object] = stored_json(recorded) if recorded else {}
    if not holder:  # it has begun a moment ago
        return "another studio serves this project already. End it first, or try again in a few seconds."
    process, machine, since = holder["process"], holder["machine"], iso_time(float(str(holder["since"])))
    return (
        f"another studio serves this project already: process {process} on {machine}, since {since}. "
        f"Open {holder['address']} in the browser, or end that one first: Ctrl-C where it runs, or kill {process}."
    )
