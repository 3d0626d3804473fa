"""Request bodies: read as they arrive, up to a size limit."""

from collections.abc import AsyncIterator

from starlette.requests import Request

from aptone.web.refusals import TooLargeError


async def body_pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield the body of a request as it arrives, up to a size limit."""
    stated, received = request.headers.get("content-length", "0"), 0
    if stated.isascii() and stated.isdigit() and int(stated[:18]) > limit:
        raise TooLargeError(limit)
    async for piece in request.stream():
        received += len(piece)
        if received > limit:
            raise TooLargeError(limit)
        yield piece


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body of a request, up to a size limit."""
    return b"".join([piece async for piece in body_pieces(request, limit)])
