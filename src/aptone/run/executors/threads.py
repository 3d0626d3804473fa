"""Threads for steps that are plain functions, which do not keep the process alive."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from threading import Thread
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class DaemonThreads(Executor):
    """Up to `width` threads, started as they are needed.

    Python waits for the threads of a `ThreadPoolExecutor` before it exits, so the second Ctrl-C would end a run only
    after the step under way, however long that takes. It does not wait for these.

    Args:
        width: how many threads.
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
