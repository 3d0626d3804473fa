"""Writer thread: many pieces of work in a commit, each acknowledged after the commit, never before.

A commit waits for the disk, and the disk takes as long for one change as for a hundred. So whatever waits when a
commit ends goes into the next one, and while several people save at once, a commit waits some milliseconds for more of
them: fewer commits leave more of a small machine to everything else. Work that fails is undone alone: it stands in a
savepoint of its own.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from aptone.messages import message
from aptone.studio.refusals import BusyError
from aptone.studio.store.database import Database

Result = TypeVar("Result")
Batched = TypeVar("Batched")
Work = Callable[[Connection], Result]

MOST_WAITING = 5000
"""Pieces of work that may wait; more are refused, so that a slow disk shows on the pages."""

MOST_AT_ONCE = 500
"""Pieces of work in one commit."""

BATCH_WAIT = 0.008
"""Seconds that a commit waits for company when the one before had some."""

TRIES = 5
"""Attempts at work that conflicted with another process, or whose connection broke.

A commit whose reply was lost may be done twice: changes have ids, and all other work finds what it did before."""

_CONFLICTS = ("40P01", "40001")
"""PostgreSQL's codes for two transactions that wait for each other, and for one that came too late."""

_NO_WRITING_SQLITE = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")
_NO_WRITING_POSTGRES = ("08", "53", "57")
"""Another process writes, the disk is full or fails; the connection is gone, resources are, or an operator ended it."""


class Batch(Generic[Batched, Result]):
    """Kind of work that is done for many pieces at once, for instance one INSERT of many rows.

    Args:
        perform: function that returns a result or a refusal for each piece, in order; refused pieces write nothing.
    """

    def __init__(self, perform: Callable[[Connection, Sequence[Batched]], Sequence[Result | Exception]]) -> None:
        self.perform = perform


class _Job:
    """Queued piece of work and its future: either a call, or the piece of a batch."""

    __slots__ = ("batch", "future", "piece", "work")

    def __init__(self, work: Work[Any] | None, *, batch: Batch[Any, Any] | None = None, piece: Any = None) -> None:
        self.work = work
        self.batch = batch
        self.piece = piece
        self.future: Future[Any] = Future()


class Writer:
    """Writer thread; it ends with `close`."""

    def __init__(self, database: Database, *, most_waiting: int = MOST_WAITING) -> None:
        self._database = database
        self._most_waiting = most_waiting
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
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
        return self._enqueue(_Job(None, batch=batch, piece=piece))

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
                for one in taken:
                    _resolve(one, _as_busy(error))
            return
        for one, outcome in zip(taken, outcomes, strict=True):
            _resolve(one, outcome)

    def _committed(self, taken: Sequence[_Job]) -> list[object]:
        outcomes: dict[int, object] = {}
        with self._database.writing() as connection:
            batches: dict[Batch[Any, Any], list[_Job]] = {}
            for one in taken:
                if one.batch is not None:
                    batches.setdefault(one.batch, []).append(one)
            for batch, members in batches.items():
                results = batch.perform(connection, [one.piece for one in members])
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


def _as_busy(error: Exception) -> Exception:
    if not isinstance(error, OperationalError):
        return error
    busy = BusyError(message("studio.database-cannot-written-right-now"), next=message("studio.send-again-few-seconds"))
    busy.__cause__ = error
    return busy
