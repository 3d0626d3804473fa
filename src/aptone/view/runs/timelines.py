"""Waveform, pitch and loudness of a recording over time, worked out when somebody looks at it, and kept on disk."""

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path
from starlette.requests import Request
from starlette.responses import Response

from aptone.audio import find_speech, probe, read_ref
from aptone.ear.measures.frames import RATE, loudness_track
from aptone.ear.measures.pitch import track_pitch
from aptone.errors import AptoneError, RecordError
from aptone.files import write_whole
from aptone.messages import message
from aptone.report.hearing.plot import NARROW, WIDE, draw
from aptone.report.page import render
from aptone.types import AudioRef, Entry, Language, Perception, Tracks, from_json
from aptone.view.rendering import language_of, page
from aptone.view.runs.recordings import asked_recording, clips_of
from aptone.web.refusals import NotFoundError
from aptone.web.static_files import TYPES

LONGEST_DRAWN = 300.0
"""Seconds of a recording that is drawn: pitch is tracked at about 50 times real time."""
SHORTEST_SOUND = 0.05
TIMELINES = "timelines"
KEPT_DAYS = 30.0
"""Days without use after which a drawing is removed."""
MOST_KEPT = 2_000
"""Drawings on disk, of some 60 kB each; the ones that were used longest ago go first."""


def send_timeline(request: Request) -> Response:
    """Reply with the drawing of a recording, as a part of a page."""
    _, entry, ref = asked_recording(request)
    language = language_of(request)
    path = Path(ref.path)
    try:
        state = path.stat()
        end = probe(ref.path).seconds if ref.end is None else ref.end
        if end - ref.start > LONGEST_DRAWN:
            return page(request, "no_timeline.html.j2", longest_drawn=LONGEST_DRAWN)
        key = (
            ref.path,
            state.st_size,
            state.st_mtime_ns,
            ref.start,
            ref.end,
            language,
            _says(entry),
            version("aptone"),
        )
        drawn = kept_drawing(repr(key), lambda: timeline(ref, _perception(entry), language=language))
    except (AptoneError, OSError):
        raise NotFoundError(message("view.recording-unusable")) from None
    return Response(drawn, media_type=TYPES[".html"])


def kept_drawing(key: str, make: Callable[[], str]) -> str:
    """The drawing of this key from the user's cache; made, and put there where that can be done, if it is not there."""
    folder = user_cache_path("aptone") / TIMELINES
    file = folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.html"
    with suppress(OSError, UnicodeDecodeError):
        drawn = file.read_text(encoding="utf-8")
        file.touch()
        return drawn
    drawn = make()
    with suppress(OSError, AptoneError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, drawn)
        _remove_unused(folder)
    return drawn


def _remove_unused(folder: Path) -> None:
    oldest = time.time() - KEPT_DAYS * 86_400
    used = sorted(((file.stat().st_mtime, file) for file in folder.glob("*.html")), reverse=True)
    for place, (moment, file) in enumerate(used):
        if place >= MOST_KEPT or moment < oldest:
            file.unlink(missing_ok=True)


def timeline(ref: AudioRef, perception: Perception | None, *, language: Language) -> str:
    """The drawing of a recording, for wide and for narrow pages; with what the journal knows of it over time.

    Raises:
        AudioError: if it cannot be read.
    """
    audio = read_ref(ref, rate=RATE, channel="mix")
    heard = perception if perception is not None else Perception(seconds=audio.seconds)
    if audio.seconds >= SHORTEST_SOUND:
        contour = track_pitch(audio.samples)
        loudness = loudness_track(audio.samples)
        heard = replace(heard, tracks=Tracks(contour.step, tuple(contour.hz.tolist()), tuple(loudness.tolist())))
    drawings = {
        name: draw(heard, audio, clip=ref, speech=find_speech(audio), language=language, layout=layout)
        for name, layout in {"wide": WIDE, "narrow": NARROW}.items()
    }
    return str(render("hearing_figure.html.j2", drawings=drawings, phrase=drawings["wide"].title))


def _perception(entry: Entry) -> Perception | None:
    """What the journal holds of the perception of an item with one recording; of several, nobody knows of which."""
    with suppress(RecordError):
        if len(clips_of(entry)) == 1 and (given := entry.outcome.evidence.get("perception")) is not None:
            return from_json(Perception, given)
    return None


def _says(entry: Entry) -> str:
    """What tells two entries with one recording apart."""
    return f"{entry.item.content_hash} {entry.outcome.signature} {entry.finished}"
