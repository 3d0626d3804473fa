"""Recordings inside the report: Ogg Opus in the file itself, so that it plays without the originals."""

import base64
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from aptone.audio import encode_opus, read_ref
from aptone.errors import AptoneError
from aptone.report.plots import waveform
from aptone.report.showing import Clip


@dataclass(frozen=True, slots=True)
class EmbeddedClip:
    """A recording as the report holds it, or the reason why it does not.

    Args:
        label: which of the item's recordings it is.
        source: name of the original file, and the part of it that is meant.
        uri: the sound as a data URI; empty when it is left out.
        outline: SVG path of the waveform.
        seconds: duration; NaN when the recording could not be read.
        missing: why there is no sound: it would not fit (``size``), or cannot be read (``unreadable``).
        problem: in words, when it cannot be read.
    """

    label: str
    source: str = ""
    uri: str = ""
    outline: str = ""
    seconds: float = math.nan
    missing: Literal["", "size", "unreadable"] = ""
    problem: str = ""


class ClipEmbedder:
    """Puts recordings into a report until its room is used up; later ones that still fit are still taken.

    Args:
        room: bytes of base64 text that all recordings together may take.

    Raises:
        ValueError: if the room is negative.
    """

    def __init__(self, *, room: int) -> None:
        if room < 0:
            raise ValueError(f"the room for recordings cannot be negative, got {room} bytes.")
        self._left = room

    def embed(self, clip: Clip) -> EmbeddedClip:
        """Read a recording at its own rate, encode it, take its share of the room. A bad file never raises."""
        if clip.ref is None:
            return EmbeddedClip(clip.label, missing="unreadable", problem=clip.problem)
        ref = clip.ref
        part = ""
        if ref.end is not None:
            part = f" ({ref.start:g} – {ref.end:g} s)"
        elif ref.start:
            part = f" ({ref.start:g} s –)"
        held = EmbeddedClip(clip.label, source=Path(ref.path).name + part)
        try:
            audio = read_ref(ref, rate=None, channel="mix")
            held = replace(held, seconds=audio.seconds, outline=waveform(audio.samples))
            if not self._left:
                return replace(held, missing="size")
            encoded = base64.b64encode(encode_opus(audio)).decode("ascii")
        except (AptoneError, OSError) as error:
            return replace(held, missing="unreadable", problem=str(error))
        if len(encoded) > self._left:
            return replace(held, missing="size")
        self._left -= len(encoded)
        return replace(held, uri=f"data:audio/ogg;base64,{encoded}")
