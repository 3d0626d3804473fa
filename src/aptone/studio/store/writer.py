"""One thread that writes, many pieces of work to a commit; each is acknowledged after the commit, never before.

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
"""Pieces of work that may wait; more are refused, so that a slow disk is told to the pages instead of hidden."""

MOST_AT_ONCE = 500
"""Pieces of work in one commit."""

GATHERING = 0.008
"""Seconds that a commit waits for company when the one before had some."""

TRIES = 5
"""How often work is tried that another process got in the way of, or whose connection broke.

A commit whose reply was lost may be done twice: changes have ids, and all other work finds what it did before."""

_IN_THE_WAY = ("40P01", "40001")
"""PostgreSQL's codes for two transactions that wait for each other, and for one that came too late."""

_NO_WRITING_SQLITE = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")
_NO_WRITING_POSTGRES = ("08", "53", "57")
"""Another process writes, the disk is full or fails; the connection is gone, resources are, or an operator ended it."""


class Batch(Generic[Batched, Result]):
    """A kind of work that is done for many at once, for instance one INSERT of many rows.

    Args:
        perform: gives a result or a reason to refuse for each piece, in order; it must not write for those it refuses.
    """

    def __init__(self, perform: Callable[[Connection, Sequence[Batched]], Sequence[Result | Exception]]) -> None:
        self.perform = perform


class _Waiting:
    """A piece of work and who waits for it: either a call, or the piece of a batch."""

    __slots__ = ("batch", "future", "piece", "work")

    def __init__(self, work: Work[Any] | None, *, batch: Batch[Any, Any] | None = None, piece: Any = None) -> None:
        self.work = work
        self.batch = batch
        self.piece = piece
        self.future: Future[Any] = Future()


class Writer:
    """The thread; it ends with `close`.

    Args:
        database: to be written to.
        most_waiting: pieces of work that may wait.
    """

    def __init__(self, database: Database, *, most_waiting: int = MOST_WAITING) -> None:
        self._database = database
        self._most_waiting = most_waiting
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="aptone-studio-writer", daemon=True)
        self._thread.start()

    def call(self, work: Work[Result]) -> Future[Result]:
        """Have some work done in a transaction; the future is resolved after its commit.

        Raises:
            BusyError: if too much waits, or the writer was closed.
        """
        return self._enqueue(_Waiting(work))

    def add(self, batch: Batch[Batched, Result], piece: Batched) -> Future[Result]:
        """Have a piece of a batch done together with whatever else waits; errors as those of `call`."""
        return self._enqueue(_Waiting(None, batch=batch, piece=piece))

    def close(self) -> None:
        """Write what waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _enqueue(self, waiting: _Waiting) -> Future[Any]:
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

    def _take(self, *, gathering: bool) -> list[_Waiting]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
        if gathering and not self._closing:
            time.sleep(GATHERING)
        with self._changed:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]

    def _write(self, taken: Sequence[_Waiting], *, tries: int = TRIES) -> None:
        try:
            outcomes = self._committed(taken)
        except Exception as error:
            if _may_pass(error) and tries > 1:
                self._write(taken, tries=tries - 1)
            elif len(taken) > 1 and not _concerns_all(error):  # something spoilt the commit for all: find out which
                for one in taken:
                    self._write([one])
            else:
                for one in taken:
                    _resolve(one, _kindly(error))
            return
        for one, outcome in zip(taken, outcomes, strict=True):
            _resolve(one, outcome)

    def _committed(self, taken: Sequence[_Waiting]) -> list[object]:
        outcomes: dict[int, object] = {}
        with self._database.writing() as connection:
            batches: dict[Batch[Any, Any], list[_Waiting]] = {}
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


def _resolve(one: _Waiting, outcome: object) -> None:
    if isinstance(outcome, Exception):
        one.future.set_exception(outcome)
    else:
        one.future.set_result(outcome)


def _may_pass(error: Exception) -> bool:
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _IN_THE_WAY


def _concerns_all(error: Exception) -> bool:
    """Whether no work can be written now, whichever it is: each by itself would only wait as long again."""
    if not isinstance(error, OperationalError):
        return False
    if (name := getattr(error.orig, "sqlite_errorname", None)) is not None:
        return str(name).startswith(_NO_WRITING_SQLITE)
    state = getattr(error.orig, "sqlstate", None)
    return state is None or str(state).startswith(_NO_WRITING_POSTGRES)


def _kindly(error: Exception) -> Exception:
    if not isinstance(error, OperationalError):
        return error
    busy = BusyError(message("studio.database-cannot-written-right-now"), next=message("studio.send-again-few-seconds"))
    busy.__cause__ = error
    return busy
