"""Handlers of requests that read from disk: in a few threads beside the event loop."""

from collections.abc import Awaitable, Callable
from functools import wraps

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

READERS = 4
"""Requests that read indexes at a time: every thread has connections and caches of its own to those it reads."""

Handler = Callable[[Request], Response]
AsyncHandler = Callable[[Request], Awaitable[Response]]


def in_thread(handler: Handler, *, lane: str = "reading", at_once: int = READERS) -> AsyncHandler:
    """Make a handler that may wait for a disk one that holds up no other request.

    Args:
        lane: handlers that share `at_once`, so that what takes long holds up only its own kind.
    """

    @wraps(handler)
    async def handle(request: Request) -> Response:
        state = request.app.state
        if not hasattr(state, "lanes"):
            state.lanes = {}
        limiter = state.lanes.setdefault(lane, anyio.CapacityLimiter(at_once))
        return await anyio.to_thread.run_sync(handler, request, limiter=limiter)

    return handle
