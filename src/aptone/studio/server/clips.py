"""Sounds over HTTP: the clip of an item, cut and blind, with byte ranges; and clips that an admin sends."""

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import struct
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import anyio.to_thread
import numpy as np
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from aptone.audio import probe, read_blocks, read_channels
from aptone.errors import AudioError, MissingExtraError, RunError
from aptone.files import make_folder, sync_folder, write_bytes_whole
from aptone.messages import message, replaced
from aptone.studio.folder import CACHE, CLIPS
from aptone.studio.refusals import BusyError, NotFoundError
from aptone.studio.server.routing import Call, body_pieces
from aptone.studio.server.security import NoSuchPartError, NotThatTypeError
from aptone.studio.store.tasks import LONGEST_SECONDS
from aptone.types import Audio, AudioRef

PLAIN_HEADER = 44
"""Bytes of a WAV header with nothing in it but the format."""


def playable(ref: AudioRef, *, cache: Path) -> Path:
    """Return the file to be sent for a clip that lies in the project; cut or convert it on first use.

    Raises:
        AudioError: if the recording is gone, damaged or shorter than the clip.
    """
    source = Path(ref.path)
    if ref.start == 0 and ref.end is None and _is_plain(source):
        return source
    try:
        state = source.stat()
    except OSError as error:
        raise AudioError(message("studio.recording-cannot-opened", name=source.name, what=error.strerror)) from error
    identity = f"{source}|{state.st_size}|{state.st_mtime_ns}|{ref.start}|{ref.end}"
    target = cache / f"{hashlib.sha256(os.fsencode(identity)).hexdigest()[:32]}.wav"
    if not target.is_file():
        make_folder(cache)
        channels = read_channels(source, rate=None, start=ref.start, end=ref.end, max_seconds=LONGEST_SECONDS)
        write_bytes_whole(target, plain_wav(channels))
    return target


def plain_wav(channels: tuple[Audio, ...]) -> bytes:
    """Encode channels as a 16-bit WAV file; a peak beyond full scale is scaled down, since clipping is audible."""
    samples = np.stack([channel.samples for channel in channels], axis=1)
    peak = max(1.0, float(np.abs(samples).max()))
    whole = np.clip(np.rint(samples / np.float32(peak) * 32768.0), -32768, 32767).astype("<i2")
    data, count, rate = whole.tobytes(), len(channels), channels[0].rate
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", PLAIN_HEADER - 8 + len(data), b"WAVE", b"fmt ", 16, 1, count, rate),
        *(rate * count * 2, count * 2, 16, b"data", len(data)),
    )
    return bytes(header + data)


def _is_plain(path: Path) -> bool:
    """True if a file has the form that `plain_wav` writes, so that it can be sent unchanged."""
    try:
        with path.open("rb") as file:
            header = file.read(PLAIN_HEADER)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    if len(header) < PLAIN_HEADER or header[:4] + header[8:22] != b"RIFFWAVEfmt \x10\0\0\0\x01\0":
        return False
    bits, data, length = struct.unpack("<H4sI", header[34:44])
    return bool(bits == 16 and data == b"data" and length == size - PLAIN_HEADER)


def check_sound(path: Path) -> float:
    """Decode a whole uploaded recording, and return its duration in seconds.

    Raises:
        AudioError: if it is no sound, damaged, or longer than `LONGEST_SECONDS`; the message holds no path.
        MissingExtraError: if its format needs an extra.
    """
    try:
        info = probe(path)
        frames = 0
        for block in read_blocks(path, rate=info.rate):
            frames += block.size
            if frames > LONGEST_SECONDS * info.rate:
                raise AudioError(message("studio.sound-longer-cut-into-clips", seconds=LONGEST_SECONDS))
    except AudioError as error:
        raise AudioError(replaced(str(error), os.fspath(path), message("studio.the-file"))) from None
    return frames / info.rate


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
        raise NoSuchPartError(
            message("studio.file-bytes", count=size), next=message("studio.ask-part"), headers=headers
        )
    return first, last


async def send_part(path: Path, *, method: str, headers: Headers, media_type: str, cache: str) -> Response:
    """Reply to a request for a file that may be sent, whole or in part."""
    try:
        state = await anyio.to_thread.run_sync(path.stat)
    except OSError:
        raise NotFoundError(message("studio.file-no-longer")) from None
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


CLIP_TYPES = ("audio/wav",)
CLIP_CACHE = "private, max-age=3600"
UPLOAD, EXPORT = "upload-", "export-"
"""Name prefixes of unfinished uploads and exports in the cache."""
LARGEST_CLIP = 64 * 1024 * 1024
LEFT_ALONE = 3600.0
"""Seconds after which nobody is at work on an upload or export any more."""
_DECODING = anyio.CapacityLimiter(2)
"""Clips decoded at a time; the others wait, so that saving goes on."""


async def send_clip(call: Call, clip: AudioRef) -> Response:
    """Reply with a clip of the project.

    Raises:
        NotFoundError: if its recording is not in the project folder, or cannot be read any more.
        BusyError: if it has to be cut or turned into WAV, and that cannot be written.
    """
    project = call.studio.project
    resolved = replace(clip, path=str(project.path(clip.path)))
    try:
        path = await anyio.to_thread.run_sync(
            lambda: playable(resolved, cache=project.folder / CACHE), limiter=_DECODING
        )
    except (AudioError, MissingExtraError):
        raise NotFoundError(message("studio.recording-clip-cannot-read-any")) from None
    except RunError:
        raise _cannot_write() from None
    return await send_part(path, method=call.method, headers=call.headers, media_type=CLIP_TYPES[0], cache=CLIP_CACHE)


async def keep_clip(request: Request, folder: Path) -> str:
    """Store an uploaded recording, and return its path inside the project.

    It lands under a random name, whatever it was called, and only stays if it decodes to its end.

    Raises:
        TooLargeError: if it is more than `LARGEST_CLIP` bytes.
    """
    name = secrets.token_hex(16)
    partial = folder / CACHE / f"{UPLOAD}{name}"
    try:
        await _receive(request, partial)
        try:
            await anyio.to_thread.run_sync(check_sound, partial, limiter=_DECODING)
        except (AudioError, MissingExtraError) as error:
            raise NotThatTypeError(message("studio.no-sound-kept", why=error)) from None
        await anyio.to_thread.run_sync(_keep, partial, folder / CLIPS / name)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError | RunError):
            raise _cannot_write() from error
        raise
    return f"{CLIPS}/{name}"


def _cannot_write() -> BusyError:
    return BusyError(message("studio.project-folder-cannot-written"), next=message("studio.make-room-disk-see-studio"))


def _keep(partial: Path, target: Path) -> None:
    partial.replace(target)
    sync_folder(target.parent)


async def _receive(request: Request, target: Path) -> None:
    make_folder(target.parent)
    with await anyio.to_thread.run_sync(target.open, "xb") as file:
        async for piece in body_pieces(request, LARGEST_CLIP):
            await anyio.to_thread.run_sync(file.write, piece)
        await anyio.to_thread.run_sync(_on_disk, file)


def _on_disk(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def remove_leftovers(folder: Path) -> None:
    """Remove unfinished uploads and exports of a killed server from a project's cache.

    What was touched within `LEFT_ALONE` seconds may be the work of another server for the same project, and stays.
    """
    for child in (folder / CACHE).iterdir() if (folder / CACHE).is_dir() else ():
        with contextlib.suppress(OSError):  # the other server may have removed it by now
            if child.name.startswith((UPLOAD, EXPORT)) and time.time() - child.stat().st_mtime > LEFT_ALONE:
                shutil.rmtree(child, ignore_errors=True) if child.is_dir() else child.unlink()
