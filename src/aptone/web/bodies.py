"""Request bodies: read as they arrive, up to a size limit, and within the time limit of their request.

There is one time limit for the head and the body of a request together: `REQUEST_SECONDS`, and what a body of the size
limit takes at `SLOWEST` bytes a second. It counts from the first byte of the head where the server says when that came
(`BEGAN_KEY`).
"""

from collections.abc import AsyncIterator

import anyio
from starlette.requests import Request

from aptone.web.refusals import TooLargeError, TooSlowError

REQUEST_SECONDS = 30.0
"""Time limit for a request with a small body or none."""
SLOWEST = 64 * 1024
"""Bytes a second of the slowest client that can send a body of the largest size."""
SMALL_BODY = 8 * 1024
"""Size limit of a JSON body, unless its class names another: some fields of a few hundred characters fit in."""
BEGAN_KEY = "request-began"
"""Key in the scope of a request: when it began, by the clock of the event loop."""


def time_limit(limit: int) -> float:
    """Seconds that a request with a body of up to so many bytes may take to arrive.

    >>> time_limit(8 * 1024), time_limit(64 * 1024 * 1024)
    (30.0, 1054.0)
    """
    return REQUEST_SECONDS + limit // SLOWEST


async def body_pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield the body of a request as it arrives.

    Raises:
        TooLargeError: if it has, or says that it has, more than ``limit`` bytes.
        TooSlowError: if it does not arrive in time.
    """
    stated, received = request.headers.get("content-length", "0"), 0
    if stated.isascii() and stated.isdigit() and int(stated[:18]) > limit:
        raise TooLargeError(limit)
    seconds = time_limit(limit)
    deadline = request.scope.get(BEGAN_KEY, anyio.current_time()) + seconds
    stream = request.stream()
    while True:
        try:
            with anyio.fail_after(deadline - anyio.current_time()):
                piece = await anext(stream, None)
        except TimeoutError:
            raise TooSlowError(seconds) from None
        if piece is None:
            return
        received += len(piece)
        if received > limit:
            raise TooLargeError(limit)
        yield piece


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body of a request; raises as `body_pieces` does."""
    return b"".join([piece async for piece in body_pieces(request, limit)])
