"""Where the work is done: in this process, or in several of this machine.

The step is the same everywhere; only the executor differs. `aptone.run.cluster` holds the one for many machines.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Protocol

from aptone.run.cache import ReplyCache
from aptone.run.perform import Performer, Work, lost
from aptone.types import Entry


class Executor(Protocol):
    """Runs a performer on batches of work."""

    width: int
    """How many batches may be under way at once."""

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Get ready to run this performer; replies are kept in the file `cache`."""
        ...

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        ...

    def close(self) -> None:
        """Let go of workers."""
        ...


class InProcess:
    """In this process: coroutines side by side, plain functions in threads.

    Args:
        width: how many batches at once. One is right for steps that keep the processor busy by themselves.
    """

    def __init__(self, width: int = 1) -> None:
        self.width = _checked(width)

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Open the cache and the threads."""
        self._store = ReplyCache(cache) if cache is not None else None
        self._threads = ThreadPoolExecutor(self.width, thread_name_prefix="aptone-step")
        self._performer = replace(performer, store=self._store, threads=self._threads)

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        return await self._performer(works)

    def close(self) -> None:
        """Let go of the threads and the cache."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._store is not None:
            self._store.close()


class Processes:
    """In several processes of this machine, for steps that are bound by the processor and written in Python.

    A worker that dies takes no other item with it: the items that were under way are done again, each in a worker of
    its own, and the one that kills that worker too is marked as failed.

    Args:
        width: how many workers.
    """

    def __init__(self, width: int) -> None:
        self.width = _checked(width)

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Remember what to run; workers start with the first batch."""
        self._performer = performer
        self._cache = cache
        self._pool = self._new_pool(self.width)
        self._isolated = asyncio.Lock()

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        pool = self._pool
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(pool, _perform_here, list(works))
        except BrokenProcessPool:
            if pool is self._pool:  # the first of the batches that were under way makes the new pool
                self._pool = self._new_pool(self.width)
                pool.shutdown(wait=False)
        return [await self._alone(work) for work in works]

    async def _alone(self, work: Work) -> Entry:
        async with self._isolated:
            pool = self._new_pool(1)
            try:
                entries = await asyncio.get_running_loop().run_in_executor(pool, _perform_here, [work])
                return entries[0]
            except BrokenProcessPool:
                return lost(work, "the worker process died while working on this item (out of memory, or a crash).")
            finally:
                pool.shutdown(wait=False)

    def close(self) -> None:
        """End the workers."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _new_pool(self, width: int) -> ProcessPoolExecutor:
        # A forked child inherits locks that other threads hold; a spawned one starts clean.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(width, context, initializer=_settle_in, initargs=(self._performer, self._cache))


_here: Performer | None = None  # the performer of this worker process: set once, so that a model is loaded once


def _settle_in(performer: Performer, cache: Path | None) -> None:
    global _here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; only the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _here = replace(performer, store=ReplyCache(cache) if cache is not None else None)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _perform_here(works: Sequence[Work]) -> list[Entry]:
    assert _here is not None
    return asyncio.run(_here(works))


def _checked(width: int) -> int:
    if width < 1:
        raise ValueError(f"at least one worker, got {width}.")
    return width
