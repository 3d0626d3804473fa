"""Recordings of items: only those that the journal names, by their number within an item, never by a path."""

import atexit
import tempfile
import threading
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from aptone.errors import AptoneError
from aptone.messages import message
from aptone.report.clips import LONGEST_CLIP, MOST_CLIPS_AN_ITEM, EmbeddedClip, source_name
from aptone.run.folder import Whereabouts
from aptone.run.payload import Clip, find_clips
from aptone.types import AudioRef, Entry
from aptone.view.runs.addresses import entry_of
from aptone.view.shelf import ShelvedRun
from aptone.web.byte_ranges import send_part
from aptone.web.refusals import NotFoundError
from aptone.web.sounds import playable

LONGEST_PLAYED = 4 * 3600.0
"""Seconds of a recording that is sent to a player: long files are whole chapters."""
MOST_KEPT_RUNS = 64

_LOCATING = threading.Lock()


def clips_of(entry: Entry) -> tuple[Clip, ...]:
    """The recordings of an item, and of what a system under test answered to it, in the order of their numbers."""
    return find_clips({**entry.item.payload, "answers": entry.outcome.evidence.get("answers")})


def located(run: ShelvedRun, ref: AudioRef) -> AudioRef:
    """The recording by the place where it lies now, also where the run was moved with its recordings."""
    with _LOCATING:
        return _whereabouts(run.folder).locate(ref)


@lru_cache(maxsize=MOST_KEPT_RUNS)
def _whereabouts(folder: Path) -> Whereabouts:
    return Whereabouts(folder)


def served_clips(run: ShelvedRun, number: int, entry: Entry) -> tuple[tuple[EmbeddedClip, ...], int]:
    """The recordings of an item for the players of a page, those that are gone said so, and how many are left out."""
    clips = clips_of(entry)
    shown = [_served(run, number, place, clip) for place, clip in enumerate(clips[:MOST_CLIPS_AN_ITEM])]
    return tuple(shown), max(0, len(clips) - MOST_CLIPS_AN_ITEM)


def _served(run: ShelvedRun, number: int, place: int, clip: Clip) -> EmbeddedClip:
    if clip.ref is None:
        return EmbeddedClip(clip.label, missing="unreadable", problem=clip.problem)
    ref = located(run, clip.ref)
    held = EmbeddedClip(clip.label, source=source_name(ref, limit=120))
    if ref.end is not None:
        held = replace(held, seconds=ref.end - ref.start)
    if not Path(ref.path).is_file():
        return replace(held, missing="gone", problem=Path(ref.path).name)
    return replace(held, uri=f"/runs/{run.key}/items/{number}/clips/{place}")


def asked_recording(request: Request) -> tuple[ShelvedRun, Entry, AudioRef]:
    """The recording that an address names by run, item and number, and whose it is.

    Raises:
        NotFoundError: if the item names no such recording.
    """
    run, _, entry = entry_of(request)
    clips, place = clips_of(entry), int(request.path_params["clip"])
    ref = clips[place].ref if place < len(clips) else None
    if ref is None:
        raise NotFoundError(message("view.no-such-recording"))
    return run, entry, located(run, ref)


async def send_recording(request: Request) -> Response:
    """Reply with a recording, whole or in part."""

    def find() -> Path:
        _, _, ref = asked_recording(request)
        try:
            return playable(ref, cache=_cut_recordings(), longest=max(LONGEST_CLIP, LONGEST_PLAYED))
        except AptoneError:
            raise NotFoundError(message("view.recording-unusable")) from None

    path = await anyio.to_thread.run_sync(find)
    return await send_part(
        path, method=request.method, headers=request.headers, media_type="audio/wav", cache="private, no-cache"
    )


@cache
def _cut_recordings() -> Path:
    """Folder of what was cut or converted for players, which goes with the process."""
    folder = tempfile.TemporaryDirectory(prefix="aptone-view-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
