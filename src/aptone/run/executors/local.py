"""Executors on this machine: one process, or several.

The step is the same everywhere; only the executor differs. `aptone.run.executors.ray` holds the one for many machines.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import ParamSpec, Protocol, TypeVar

from aptone.errors import UsageError
from aptone.run.attempts import Performer, Work, lost_entry
from aptone.run.cache import ReplyCache, ReplyStore
from aptone.run.executors.lifeline import CONTEXT, Lifeline, hold
from aptone.types import Entry

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class DaemonThreads(futures.Executor):
    """Up to `width` threads, started as they are needed.

    Python waits for the threads of a `ThreadPoolExecutor` before it exits, so the second Ctrl-C would end a run only
    after the step under way, however long that takes. It does not wait for these.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._started = 0
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Run a function in one of the threads."""
        future: Future[Result] = Future()

        def job() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    result = fn(*args, **kwargs)
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)

        self._jobs.put(job)
        if self._started < self._width:
            Thread(target=self._serve, name=f"aptone-step-{self._started}", daemon=True).start()
            self._started += 1
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end after what was submitted. Nobody waits for them, whatever `wait` says."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            del job  # or the last result would live until the next job


class Executor(Protocol):
    """Runs a performer on batches of work."""

    width: int
    """Number of batches that may be under way at once."""

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Get ready to run this performer; replies are kept in the file `cache`."""

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""

    def close(self) -> None:
        """Let go of workers."""


class InProcess:
    """Executor in this process: coroutines side by side, plain functions in threads.

    Args:
        width: number of concurrent batches. One is right for steps that keep the processor busy by themselves.
        store: reply cache of somebody else, which is used where `start` is given no file.
    """

    def __init__(self, width: int = 1, *, store: ReplyStore | None = None) -> None:
        self.width = _checked(width)
        self._given = store

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Open the cache and the threads."""
        self._store = ReplyCache(cache) if cache is not None else None
        self._threads = DaemonThreads(self.width)
        self._performer = replace(
            performer, store=self._given if self._store is None else self._store, threads=self._threads
        )

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        return await self._performer(works)

    def close(self) -> None:
        """Let go of the threads and the cache."""
        self._threads.shutdown()
        if self._store is not None:
            self._store.close()


class Processes:
    """Executor in several processes of this machine, for steps that are CPU-bound and written in Python.

    A worker that dies takes no other item with it: the items that were under way are done again, each in a worker of
    its own, and the one that kills that worker too is marked as failed.
    """

    def __init__(self, width: int) -> None:
        self.width = _checked(width)

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Remember what to run; workers start with the first batch.

        Raises:
            UsageError: if the step cannot be sent to another process.
            RunError: if the cache cannot be used.
        """
        try:
            self._pickled = bytes(ForkingPickler.dumps(performer))
        except Exception as error:
            raise UsageError(
                f"the step cannot be sent to another process ({type(error).__name__}: {error}). Define it at the top "
                "level of a module, and keep open files and models out of it until its first item."
            ) from error
        if cache is not None:
            ReplyCache(cache).close()  # a cache that cannot be used is reported here, not by workers that die of it
        self._cache = cache
        self._under_way: set[Future[list[Entry]]] = set()
        self._lifeline = Lifeline()
        self._pool = self._new_pool(self.width)
        self._isolated = asyncio.Lock()

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        pool = self._pool
        try:
            return await self._in_a_worker(pool, works)
        except BrokenProcessPool:
            if pool is self._pool:  # the first of the batches that were under way makes the new pool
                self._pool = self._new_pool(self.width)
                pool.shutdown(wait=False)
        return [await self._alone(work) for work in works]

    async def _alone(self, work: Work) -> Entry:
        async with self._isolated:
            pool = self._new_pool(1)
            try:
                return (await self._in_a_worker(pool, [work]))[0]
            except BrokenProcessPool:
                return lost_entry(
                    work, "the worker process died while working on this item (out of memory, or a crash)."
                )
            finally:
                pool.shutdown(wait=False)

    async def _in_a_worker(self, pool: ProcessPoolExecutor, works: Sequence[Work]) -> list[Entry]:
        future = pool.submit(_perform_here, list(works))
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)  # not when we stop waiting: the worker goes on all the same
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End the workers: at once if they are in the middle of an item, else as they like."""
        if self._under_way:
            self._lifeline.cut()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._lifeline.close()

    def _new_pool(self, width: int) -> ProcessPoolExecutor:
        settings = (self._pickled, self._cache, self._lifeline.end)
        return ProcessPoolExecutor(width, CONTEXT, initializer=_settle_in, initargs=settings)


# What this worker process runs: set once, so that a model is loaded once and a client keeps its event loop.
_here: Callable[[Sequence[Work]], list[Entry]] | None = None


def _settle_in(pickled: bytes, cache: Path | None, lifeline: Connection) -> None:
    global _here
    hold(lifeline)
    try:
        performer: Performer = ForkingPickler.loads(pickled)
    except Exception as error:  # said with the first item: an initializer that raises would look like a crash
        _here = partial(_refuse, f"{type(error).__name__}: {error}")
        return
    prepared = replace(performer, store=ReplyCache(cache) if cache is not None else None)
    _here = partial(_perform_in, asyncio.Runner(), prepared)


def _refuse(problem: str, works: Sequence[Work]) -> list[Entry]:
    raise UsageError(
        f"a worker process cannot find the step ({problem}). Define it at the top level of a module that can be "
        "imported, not in a notebook or on the command line."
    )


def _perform_in(runner: asyncio.Runner, performer: Performer, works: Sequence[Work]) -> list[Entry]:
    return runner.run(performer(works))


def _perform_here(works: Sequence[Work]) -> list[Entry]:
    assert _here is not None
    return _here(works)


def _checked(width: int) -> int:
    if width < 1:
        raise ValueError(f"at least one worker, got {width}.")
    return width
