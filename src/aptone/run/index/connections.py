"""Connections to indexes: a few for each thread, the last used ones, so that any number of runs can be open."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_OPEN = 8
"""Connections that a thread keeps open; each holds three files and up to `CACHE_KIB` of pages."""
CACHE_KIB = 4_000
PATIENCE = 30.0
"""Seconds to wait for another process that commits."""

_LOCAL = threading.local()


def connect(file: Path) -> sqlite3.Connection:
    """The connection of this thread to an index."""
    held = _held()
    if (found := held.get(file)) is None:
        while len(held) >= MOST_OPEN and (idle := _idle(held)) is not None:
            held.pop(idle).close()
        found = held[file] = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
        found.execute("PRAGMA journal_mode = WAL")
        found.execute("PRAGMA synchronous = OFF")  # it can be made again
        found.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    held.move_to_end(file)
    return found


def disconnect(file: Path) -> None:
    """Close the connection of this thread; those of others end with their threads, or give way to newer ones."""
    if (found := _held().pop(file, None)) is not None:
        found.close()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of the index, whatever others write meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def _held() -> OrderedDict[Path, sqlite3.Connection]:
    if not hasattr(_LOCAL, "connections"):
        _LOCAL.connections = OrderedDict()
    held: OrderedDict[Path, sqlite3.Connection] = _LOCAL.connections
    return held


def _idle(held: OrderedDict[Path, sqlite3.Connection]) -> Path | None:
    return next((file for file, one in held.items() if not one.in_transaction), None)
