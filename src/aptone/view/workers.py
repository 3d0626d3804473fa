"""Worker processes that keep operations warm: requests in, answers or errors of ours out, whatever happens to one.

Each worker has a thread here that hands it one request at a time and waits. A worker that takes too long is killed; one
that dies, by a crash or for want of memory, is replaced, and its request is tried once more in the new one. Callers
decide how many requests may wait (`WorkerPool.waiting`).
"""

import asyncio
import atexit
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from types import TracebackType
from typing import Self

from aptone.errors import AptoneError, UsageError
from aptone.messages import message
from aptone.rooms.operation import Answer, Operation, OperationSettings
from aptone.run import RunConfig
from aptone.run.executors.lifeline import Lifeline
from aptone.view.worker_process import Done, Fault, LostError, Started, StuckError, Task, Worker

LOG = logging.getLogger("aptone.view.workers")

TRIES = 2
"""Workers that a request may take down before it is refused."""

LONGEST_PAUSE = 30.0
"""Seconds between two attempts to start a worker that does not start."""


class WorkerError(AptoneError):
    """A request was lost on its way through the workers; the classes below say how."""


class TooSlowError(WorkerError):
    """The request took longer than the time limit."""


class WorkerDiedError(WorkerError):
    """The request took down every worker that tried it."""


class FaultError(WorkerError):
    """The operation failed in a way that is no error of ours; `trace` is for a log, not for who asked."""

    def __init__(self, text: str, *, trace: str) -> None:
        super().__init__(text)
        self.trace = trace


class ClosedError(WorkerError):
    """The pool is closed, or no worker can be started."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Bounds of a worker.

    Args:
        seconds: time that a request may take in a worker.
        start_seconds: time that a worker may take to load its models.
        memory: bytes that it may allocate (on Linux); 0 for no limit.
        resident: bytes that it may hold behind a request; if it holds more, it is replaced.
        requests: number of requests after which it is replaced.
    """

    seconds: float = 120.0
    start_seconds: float = 300.0
    memory: int = 2 << 30
    resident: int = 1 << 30
    requests: int = 10_000


@dataclass(eq=False, slots=True)
class _Job:
    operation: str
    task: bytes
    future: "Future[Answer]" = field(default_factory=Future)


class WorkerPool:
    """Worker processes that hold prepared operations. Use it as an asynchronous context manager.

    Args:
        operations: operations by name, as `aptone.view.operations.find_operations` gives them.
        workers: number of processes.

    Raises:
        ValueError: if there are no workers.
    """

    def __init__(
        self,
        operations: Mapping[str, Operation],
        *,
        settings: OperationSettings | None = None,
        workers: int = 1,
        limits: WorkerLimits | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"at least one worker, got {workers}.")
        self.configs: Mapping[str, RunConfig] = {}
        self.restarts = 0
        self.recycled = 0
        self._operations = dict(operations)
        self._settings = settings or OperationSettings()
        self._limits = limits or WorkerLimits()
        self._lifeline = Lifeline()
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._busy: set[int] = set()
        self._workers: dict[int, Worker] = {}
        self._spawned: dict[int, BaseProcess] = {}
        self._closing = self._ended = False
        self._first: list[Future[Mapping[str, RunConfig]]] = [Future() for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._tend, args=(slot,), name=f"aptone-worker-{slot}", daemon=True)
            for slot in range(workers)
        ]

    @property
    def waiting(self) -> int:
        """Number of requests that no worker has begun yet."""
        return len(self._jobs)

    @property
    def under_way(self) -> int:
        """Number of requests that workers are busy with."""
        return len(self._busy)

    @property
    def ready(self) -> int:
        """Number of workers that have their models loaded."""
        return len(self._workers)

    @property
    def size(self) -> int:
        """Number of workers that there should be."""
        return len(self._threads)

    @property
    def resident(self) -> int:
        """Bytes of memory that the workers held behind their last requests."""
        return sum(worker.resident for worker in list(self._workers.values()))

    @property
    def processes(self) -> tuple[int, ...]:
        """Process ids of the workers."""
        return tuple(worker.process.pid or 0 for worker in list(self._workers.values()))

    async def start(self) -> None:
        """Start the workers, and wait until all have their models loaded.

        Raises:
            AptoneError: if one cannot begin; the others are ended.
        """
        # Python waits at its exit for workers that nobody ended; it runs this before.
        atexit.register(self._lifeline.cut)
        for thread in self._threads:
            thread.start()
        try:
            for first in self._first:
                self.configs = await asyncio.wrap_future(first)
        except BaseException:
            await self.close(patience=0.0)
            raise

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def perform(self, operation: str, request: Mapping[str, object], *, figures: bool = False) -> Answer:
        """Answer a request in a worker.

        If the caller is cancelled while the request waits, it is dropped; one that is under way is finished in vain.

        Args:
            request: values by field, recordings as `ClipFile`; they are checked before anything is sent.
            figures: whether pictures for a page are wanted.

        Raises:
            AptoneError: the operation's own error, with its message; or a `WorkerError`.
        """
        known = self._operations.get(operation)
        if known is None:
            names = ", ".join(self._operations)
            raise UsageError(message("view.no-operation", name=operation[:60], names=names))
        task = Task(operation, known.read(request), figures)
        job = _Job(operation, bytes(ForkingPickler.dumps(task)))
        job.future.add_done_callback(lambda _: self._forget(job))
        with self._changed:
            if self._closing:
                raise ClosedError(message("view.stopping"))
            self._jobs.append(job)
            self._changed.notify()
        return await asyncio.wrap_future(job.future)

    async def close(self, *, patience: float = 30.0) -> None:
        """Take no more requests, finish those that are there, and end the workers.

        Args:
            patience: seconds after which requests that are not finished are refused, and workers are killed.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        await asyncio.to_thread(self._wind_up, time.monotonic() + patience)

    def _wind_up(self, deadline: float) -> None:
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))
        self._ended = True
        with self._changed:
            left, self._jobs = list(self._jobs), deque()
        for job in left:
            self._refuse(job, ClosedError(message("view.stopping")))
        for process in list(self._spawned.values()):  # in the middle of a request, or still loading
            process.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self._lifeline.close()
        atexit.unregister(self._lifeline.cut)

    def _forget(self, job: _Job) -> None:
        """Drop a request that nobody waits for any more, with its recordings."""
        with self._changed, contextlib.suppress(ValueError):
            self._jobs.remove(job)

    def _tend(self, slot: int) -> None:
        """Keep one worker, and give it one request after the other; runs in a thread."""
        worker: Worker | None = None
        failures = 0
        while not self._is_done():
            if worker is None:
                try:
                    worker = self._started(slot)
                    failures = 0
                except AptoneError as error:
                    failures += 1
                    if not self._wait_after(error, slot, failures):
                        return
            elif not worker.process.is_alive():
                self._replace(slot, worker, event="died while it had nothing to do")
                worker = None
            elif (job := self._next()) is not None:
                self._busy.add(slot)
                try:
                    worker = self._work(slot, worker, job)
                finally:
                    self._busy.discard(slot)
                    del job  # or its recordings would live until the next one
        if worker is not None:
            self._dismiss(slot, worker)

    def _is_done(self) -> bool:
        return self._ended or (self._closing and not self._jobs)

    def _next(self) -> _Job | None:
        """The next request that somebody waits for; None if there was none for a second."""
        with self._changed:
            if not self._jobs and not self._closing:
                self._changed.wait(timeout=1.0)
            job = self._jobs.popleft() if self._jobs else None
        return job if job is not None and job.future.set_running_or_notify_cancel() else None

    def _work(self, slot: int, worker: Worker, job: _Job) -> Worker | None:
        """Answer a request, and return the worker if it can go on."""
        for attempt in range(1, TRIES + 1):
            try:
                done = worker.ask(job.task, seconds=self._limits.seconds)
            except StuckError:
                self._replace(slot, worker, event="too slow")
                self._refuse(job, TooSlowError(message("view.too-slow", seconds=self._limits.seconds)))
                return None
            except LostError:
                self._replace(slot, worker, event=f"died with exit code {worker.process.exitcode}")
                if attempt == TRIES or self._ended:
                    break
                try:
                    worker = self._started(slot)
                except AptoneError:
                    break
            except Exception as error:  # a result that cannot be read
                self._replace(slot, worker, event=f"sent nonsense: {error!r}")
                break
            else:
                self._deliver(job, done)
                return self._kept(slot, worker)
        problem = message("view.stopping") if self._ended else message("view.worker-died", count=TRIES)
        self._refuse(job, ClosedError(problem) if self._ended else WorkerDiedError(problem))
        return None

    def _deliver(self, job: _Job, done: Done) -> None:
        if isinstance(done.result, Answer):
            job.future.set_result(done.result)
        elif isinstance(done.result, Fault):
            LOG.error("%s failed:\n%s", job.operation, done.result.trace)
            self._refuse(job, FaultError(message("view.fault"), trace=done.result.trace))
        else:
            self._refuse(job, done.result)

    def _kept(self, slot: int, worker: Worker) -> Worker | None:
        """The worker, unless it has grown or has worked long enough."""
        if worker.resident <= self._limits.resident and worker.asked < self._limits.requests:
            return worker
        with self._changed:
            self.recycled += 1
        self._dismiss(slot, worker)
        return None

    def _dismiss(self, slot: int, worker: Worker) -> None:
        self._workers.pop(slot, None)
        worker.end()

    def _replace(self, slot: int, worker: Worker, *, event: str) -> None:
        self._workers.pop(slot, None)
        worker.kill()
        if not self._ended:
            with self._changed:
                self.restarts += 1
            LOG.warning("worker %d %s", slot, event)

    def _refuse(self, job: _Job, error: AptoneError) -> None:
        if job.future.cancelled() or job.future.done():
            return
        with contextlib.suppress(Exception):  # cancelled at this very moment
            job.future.set_exception(error)

    def _started(self, slot: int) -> Worker:
        """A worker with its models loaded.

        Raises:
            AptoneError: if it cannot begin.
        """
        operations = tuple(self._operations.values())
        try:
            worker = Worker.spawn(
                self._lifeline, operations, self._settings, memory=self._limits.memory, name=f"aptone-worker-{slot}"
            )
        except OSError as error:  # no memory or no file handle left
            raise ClosedError(message("view.worker-cannot-start")) from error
        self._spawned[slot] = worker.process
        if self._ended:  # set since: whoever closes the pool did not see this process
            worker.process.kill()
        try:
            started = worker.receive(self._limits.start_seconds)
        except (LostError, StuckError) as error:
            worker.kill()
            raise ClosedError(message("view.worker-cannot-start")) from error
        assert isinstance(started, Started)
        if started.problem is not None:
            worker.end()
            if isinstance(started.problem, AptoneError):
                raise started.problem
            raise FaultError(message("view.worker-cannot-start"), trace=started.problem.trace)
        self._workers[slot] = worker
        if not self._first[slot].done():
            self._first[slot].set_result(started.configs)
        return worker

    def _wait_after(self, error: AptoneError, slot: int, failures: int) -> bool:
        """Wait before another attempt to start a worker; False if there will be none.

        Requests that wait are refused where no other worker is there for them.
        """
        LOG.error("worker %d cannot start: %s%s", slot, error, getattr(error, "trace", ""))
        if not self._first[slot].done():
            self._first[slot].set_exception(error)
            return False
        with self._changed:
            left = [] if self._workers else list(self._jobs)
            for job in left:
                self._jobs.remove(job)
        for job in left:
            self._refuse(job, ClosedError(message("view.worker-cannot-start")))
        until = time.monotonic() + min(LONGEST_PAUSE, 2.0 ** min(failures, 10) / 2)
        with self._changed:
            while not self._closing and (left_over := until - time.monotonic()) > 0:
                self._changed.wait(timeout=left_over)
            return not self._closing
