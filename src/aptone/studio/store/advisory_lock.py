"""A lock in PostgreSQL that is kept for as long as the process lives, also when the database is restarted under it.

An advisory lock belongs to a connection, so it is gone when that breaks: with a restart of the database, or an operator
who ends the connection. A thread asks after the connection every second. One that broke is made anew, and the lock is
taken again before anybody else has begun, or whoever asked for it is told that somebody has.
"""

import contextlib
import logging
import threading
from collections.abc import Callable

from sqlalchemy import URL, Connection, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from aptone.studio.refusals import BusyError

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
