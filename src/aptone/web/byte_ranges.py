"""Files over HTTP, whole or in part: players ask for ranges of bytes."""

import hashlib
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse

from aptone.messages import message
from aptone.web.refusals import NoSuchPartError, NotFoundError

PIECE = 1 << 18
"""Bytes read at a time."""

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def wanted_range(header: str, size: int) -> tuple[int, int] | None:
    """Parse a Range header into first and last byte; ``None`` for the whole file.

    A header that is no single range of bytes is ignored, as the standard lets a server do.

    >>> wanted_range("bytes=2-5", 10), wanted_range("bytes=-3", 10), wanted_range("bytes=4-", 10)
    ((2, 5), (7, 9), (4, 9))
    >>> wanted_range("bytes=0-1,4-5", 10) is None
    True
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or not (match[1] or match[2]) or (match[1] and match[2] and int(match[1]) > int(match[2])):
        return None
    first = int(match[1]) if match[1] else max(0, size - int(match[2]))
    last = min(size - 1, int(match[2])) if match[1] and match[2] else size - 1
    if first > last or (not match[1] and int(match[2]) == 0):
        headers = {"Content-Range": f"bytes */{size}"}
        raise NoSuchPartError(message("web.file-bytes", count=size), next=message("web.ask-part"), headers=headers)
    return first, last


async def send_part(path: Path, *, method: str, headers: Headers, media_type: str, cache: str) -> Response:
    """Reply to a request for a file that may be sent, whole or in part."""
    try:
        state = await anyio.to_thread.run_sync(path.stat)
    except OSError:
        raise NotFoundError(message("web.file-no-longer")) from None
    size = state.st_size
    tag = f'"{hashlib.sha256(os.fsencode(f"{path}|{size}|{state.st_mtime_ns}")).hexdigest()[:20]}"'
    known = {"Accept-Ranges": "bytes", "ETag": tag, "Cache-Control": cache}
    if tag in (one.strip() for one in headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=known)
    is_current = headers.get("if-range", tag) == tag
    part = wanted_range(headers["range"], size) if "range" in headers and is_current else None
    first, last = part if part else (0, size - 1)
    known["Content-Length"] = str(last - first + 1)
    if part:
        known["Content-Range"] = f"bytes {first}-{last}/{size}"
    status = 206 if part else 200
    if method == "HEAD":
        return Response(status_code=status, headers=known, media_type=media_type)
    return StreamingResponse(_pieces(path, first, last), status_code=status, headers=known, media_type=media_type)


async def _pieces(path: Path, first: int, last: int) -> AsyncIterator[bytes]:
    file = await anyio.to_thread.run_sync(path.open, "rb")
    try:
        await anyio.to_thread.run_sync(file.seek, first)
        while first <= last:
            piece = await anyio.to_thread.run_sync(file.read, min(PIECE, last - first + 1))
            if not piece:
                return
            first += len(piece)
            yield piece
    finally:
        file.close()
