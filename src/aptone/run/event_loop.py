"""An event loop for code that is not asynchronous, also where one runs already, as in a notebook."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_to_the_end(coroutine: Coroutine[Any, Any, Result], *, wind_up: Callable[[], None] | None = None) -> Result:
    """Run a coroutine and give its result, in a thread of its own if this one has a running loop.

    In a notebook Ctrl-C reaches this thread, not that of the coroutine. So the first one calls `wind_up`, which should
    make the coroutine end soon, and the second one cancels the coroutine.

    Args:
        coroutine: coroutine to run.
        wind_up: called from this thread; without it, the first Ctrl-C cancels.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        return _in_a_thread(coroutine, wind_up)
    return asyncio.run(coroutine)


def _in_a_thread(coroutine: Coroutine[Any, Any, Result], wind_up: Callable[[], None] | None) -> Result:
    cancel: Future[Callable[[], object]] = Future()

    async def cancellable() -> Result:
        task = asyncio.ensure_future(coroutine)
        loop = asyncio.get_running_loop()
        cancel.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await task

    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(asyncio.run, cancellable())
        try:
            wait([future])
        except KeyboardInterrupt:
            if wind_up is None:
                cancel.result()()
                raise
            wind_up()
        try:
            wait([future])
        except KeyboardInterrupt:
            cancel.result()()
            raise
        return future.result()
