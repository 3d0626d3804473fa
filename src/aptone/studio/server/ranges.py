"""A file sent whole or in part, as players ask for it while somebody seeks (RFC 9110, section 14)."""

import hashlib
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse

from aptone.messages import message
from aptone.studio.refusals import NotFoundError
from aptone.studio.server.refusals import NoSuchPartError

PIECE = 1 << 18
"""Bytes read at a time."""

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def wanted_range(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte that a Range header asks for; ``None`` for the whole file.

    A header that is no single range of bytes is ignored, as the standard lets a server do.

    >>> wanted_range("bytes=2-5", 10), wanted_range("bytes=-3", 10), wanted_range("bytes=4-", 10)
    ((2, 5), (7, 9), (4, 9))
    >>> wanted_range("bytes=0-1,4-5", 10) is None
    True

    Raises:
        NoSuchPartError: if there is no such part.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or not (match[1] or match[2]) or (match[1] and match[2] and int(match[1]) > int(match[2])):
        return None
    first = int(match[1]) if match[1] else max(0, size - int(match[2]))
    last = min(size - 1, int(match[2])) if match[1] and match[2] else size - 1
    if first > last or (not match[1] and int(match[2]) == 0):
        headers = {"Content-Range": f"bytes */{size}"}
        raise NoSuchPartError(
            message("studio.file-bytes", count=size), next=message("studio.ask-part"), headers=headers
        )
    return first, last


async def send_part(path: Path, *, method: str, headers: Headers, media_type: str, cache: str) -> Response:
    """The reply to a request for a file.

    Args:
        path: of the file, known to be ours to send.
        method: GET or HEAD.
        headers: of the request.
        media_type: of the file.
        cache: value of ``Cache-Control``.

    Raises:
        NotFoundError: if the file is gone.
        NoSuchPartError: if it has no such part.
    """
    try:
        state = await anyio.to_thread.run_sync(path.stat)
    except OSError:
        raise NotFoundError(message("studio.file-no-longer")) from None
    size = state.st_size
    tag = f'"{hashlib.sha256(os.fsencode(f"{path}|{size}|{state.st_mtime_ns}")).hexdigest()[:20]}"'
    known = {"Accept-Ranges": "bytes", "ETag": tag, "Cache-Control": cache}
    if tag in (one.strip() for one in headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=known)
    part = wanted_range(headers["range"], size) if "range" in headers and _is_current(headers, tag) else None
    first, last = part if part else (0, size - 1)
    known["Content-Length"] = str(last - first + 1)
    if part:
        known["Content-Range"] = f"bytes {first}-{last}/{size}"
    status = 206 if part else 200
    if method == "HEAD":
        return Response(status_code=status, headers=known, media_type=media_type)
    return StreamingResponse(_pieces(path, first, last), status_code=status, headers=known, media_type=media_type)


def _is_current(headers: Headers, tag: str) -> bool:
    return headers.get("if-range", tag) == tag


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
