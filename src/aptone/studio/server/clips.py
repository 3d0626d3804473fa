"""Sounds over HTTP: the clip of an item, cut and blind, with byte ranges; and clips that an admin sends."""

import contextlib
import os
import secrets
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from aptone.audio import open_recording
from aptone.errors import AudioError, MissingExtraError, RunError
from aptone.files import make_folder, sync_folder
from aptone.messages import message, replaced
from aptone.studio.decoded_clips import LONGEST_SECONDS
from aptone.studio.folder import CACHE, CLIPS
from aptone.studio.server.routing import Call
from aptone.types import AudioRef
from aptone.web.bodies import body_pieces
from aptone.web.byte_ranges import send_part
from aptone.web.refusals import (
    BusyError,
    DiskFullError,
    NotFoundError,
    NotThatTypeError,
    RefusedError,
    is_disk_full,
)
from aptone.web.sounds import check_size, playable

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
        BusyError, DiskFullError: if it has to be cut or turned into WAV, and that cannot be written.
    """
    project = call.studio.project
    resolved = replace(clip, path=str(project.path(clip.path)))
    try:
        path = await anyio.to_thread.run_sync(
            lambda: playable(resolved, cache=project.folder / CACHE, longest=LONGEST_SECONDS), limiter=_DECODING
        )
    except (AudioError, MissingExtraError):
        raise NotFoundError(message("studio.recording-clip-cannot-read-any")) from None
    except RunError as error:
        raise _cannot_write(error) from None
    return await send_part(path, method=call.method, headers=call.headers, media_type=CLIP_TYPES[0], cache=CLIP_CACHE)


async def keep_clip(request: Request, folder: Path) -> str:
    """Store an uploaded recording, and return its path inside the project.

    It lands under a random name, whatever it was called, and only stays if it decodes to its end.

    Raises:
        TooLargeError: if it is more than `LARGEST_CLIP` bytes.
        BusyError, DiskFullError: if it cannot be written.
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
            raise _cannot_write(error) from error
        raise
    return f"{CLIPS}/{name}"


def check_sound(path: Path) -> float:
    """Decode a whole uploaded recording, and return its duration in seconds.

    Raises:
        AudioError: if it is no sound, damaged, longer than `LONGEST_SECONDS` or too large; the message holds no path.
        MissingExtraError: if its format needs an extra.
    """
    try:
        with open_recording(path) as recording:
            frames, rate = 0, recording.rate
            for block in recording.blocks:
                frames += len(block)
                check_size(frames=frames, rate=rate, channels=recording.channels, longest=LONGEST_SECONDS)
    except AudioError as error:
        raise AudioError(replaced(str(error), os.fspath(path), message("studio.the-file"))) from None
    return frames / rate


def _cannot_write(error: BaseException) -> RefusedError:
    if is_disk_full(error):
        return DiskFullError()
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
