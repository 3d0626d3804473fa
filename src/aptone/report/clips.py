"""Recordings inside the report, in the file itself, so that it plays without the originals.

Whole files of Ogg Opus and MP3 go in byte for byte; everything else is encoded as Ogg Vorbis.
"""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from aptone.audio import encode_vorbis, probe, read_ref
from aptone.errors import AptoneError
from aptone.report.notation import one_line
from aptone.report.playable import OGG, read_playable
from aptone.report.plots.geometry import waveform
from aptone.run.folder import Whereabouts
from aptone.run.payload import Clip
from aptone.types import Audio, AudioRef

MOST_CLIPS_AN_ITEM = 12
"""Recordings of one item that the page shows."""

MOST_CLIPS = 80
"""Recordings that the page shows in all."""

LONGEST_CLIP = 600.0
"""Seconds beyond which a recording is named, not embedded: decoding and encoding it would hold up the report."""

MOST_MISFITS = 3
"""Recordings that may turn out too large after they were read and encoded; then the room counts as used up."""


@dataclass(frozen=True, slots=True)
class EmbeddedClip:
    """A recording as the report holds it, or the reason why it does not.

    Args:
        label: name of the recording within its item.
        source: name of the original file, and the part of it that is meant.
        uri: the sound as a data URI; empty when it is left out.
        seconds: duration; NaN when the recording could not be read.
        missing: reason for no sound: it would not fit (``size``), lasts too long (``long``), cannot be read
            (``unreadable``), or is not there any more, neither where the run names it nor by the run (``gone``).
        problem: error text, when it cannot be read; the path, when it is gone.
    """

    label: str
    source: str = ""
    uri: str = ""
    outline: str = ""
    seconds: float = math.nan
    missing: Literal["", "size", "long", "unreadable", "gone"] = ""
    problem: str = ""


class ClipEmbedder:
    """Puts recordings into a report until its room is used up.

    A smaller recording still fits after one that does not; but after `MOST_MISFITS` of those the room counts as used
    up, and no further file is opened. So the work is bounded, however many recordings the items name.

    Args:
        room: bytes of base64 text that all recordings together may take.
        folder: folder of the run that names the recordings. One that is not at its path is looked for as
            `aptone.run.folder` describes.
        longest: seconds beyond which a recording is named, not embedded.

    Raises:
        ValueError: if the room is negative.
    """

    def __init__(self, *, room: int, folder: Path | None = None, longest: float = LONGEST_CLIP) -> None:
        if room < 0:
            raise ValueError(f"the room for recordings cannot be negative, got {room} bytes.")
        self._left = room
        self._longest = longest
        self._whereabouts = None if folder is None else Whereabouts(folder)
        self._misfits = 0
        self._shown = 0

    def embed_some(self, clips: Sequence[Clip]) -> tuple[tuple[EmbeddedClip, ...], int]:
        """The recordings of one item as far as the page shows them, and how many it leaves out."""
        shown = clips[: max(0, min(MOST_CLIPS_AN_ITEM, MOST_CLIPS - self._shown))]
        self._shown += len(shown)
        return tuple(self.embed(clip) for clip in shown), len(clips) - len(shown)

    def embed(self, clip: Clip) -> EmbeddedClip:
        """Read a recording at its own rate, encode it if need be, take its share of the room.

        A bad file never raises, and one that is no regular file (a pipe, a device) is refused by `aptone.audio`
        before it is opened.
        """
        if clip.ref is None:
            return EmbeddedClip(clip.label, missing="unreadable", problem=clip.problem)
        held = self._embed(clip.label, clip.ref)
        if held.missing != "unreadable" or self._whereabouts is None:
            return held
        found = self._whereabouts.locate(clip.ref)
        if found != clip.ref:
            return self._embed(clip.label, found)
        return replace(held, missing="gone", problem=found.path) if _is_gone(found) else held

    def _embed(self, label: str, ref: AudioRef) -> EmbeddedClip:
        held = EmbeddedClip(label, source=source_name(ref))
        if not self._left or self._misfits >= MOST_MISFITS:
            return replace(held, missing="size")
        try:
            seconds = _seconds(ref)
            if seconds > self._longest:
                return replace(held, seconds=seconds, missing="long")
            audio = read_ref(ref, rate=None, channel="mix")
            held = replace(held, seconds=audio.seconds, outline=waveform(audio.samples))
            uri = self._whole_file(ref) or sound_uri(audio)
        except (AptoneError, OSError) as error:
            return replace(held, missing="unreadable", problem=str(error))
        size = len(uri) - uri.index(",") - 1
        if size > self._left:
            self._misfits += 1
            return replace(held, missing="size")
        self._left -= size
        return replace(held, uri=uri)

    def _whole_file(self, ref: AudioRef) -> str:
        """Return a recording as it is in a data URI; empty for a part of a file, or what has to be encoded."""
        if ref.start or ref.end is not None:
            return ""
        found = read_playable(Path(ref.path), most=self._left * 3 // 4)
        return "" if found is None else _data_uri(found.data, found.type)


def source_name(ref: AudioRef, *, limit: int | None = None) -> str:
    """The name of a recording's file, and the part of it that is meant.

    >>> source_name(AudioRef("takes/a.wav")), source_name(AudioRef("a.wav", 1.5, 3.0)), source_name(AudioRef("a", 2.0))
    ('a.wav', 'a.wav (1.5 – 3 s)', 'a (2 s –)')

    Args:
        limit: the most characters of the file's name.
    """
    part = ""
    if ref.end is not None:
        part = f" ({ref.start:g} – {ref.end:g} s)"
    elif ref.start:
        part = f" ({ref.start:g} s –)"
    name = Path(ref.path).name
    return (name if limit is None else one_line(name, limit=limit)) + part


def sound_uri(audio: Audio) -> str:
    """A recording as Ogg Vorbis in a data URI, for a player.

    Raises:
        AudioError: if the encoder gives up.
    """
    return _data_uri(encode_vorbis(audio), OGG)


def _data_uri(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _is_gone(ref: AudioRef) -> bool:
    """Check that the file of a reference does not exist; one that cannot be accessed is not gone."""
    try:
        Path(ref.path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _seconds(ref: AudioRef) -> float:
    """Return the length of the referenced part in seconds, from the file header where the reference has no end."""
    end = probe(ref.path).seconds if ref.end is None else ref.end
    return end - ref.start
