"""Recordings decoded to their end before anybody is asked to listen.

A header says how long a recording is, and nothing about whether the rest is there. A clip that breaks off would be a
dead end for raters, who must hear it before they can go on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aptone.audio import open_recording
from aptone.errors import AudioError, MissingExtraError
from aptone.messages import joined, message
from aptone.studio.refusals import NotAnAnswerError
from aptone.types import AudioRef
from aptone.web.sounds import check_size

LONGEST_SECONDS = 3600.0
"""Longest clip: nobody rates more than an hour at a time."""
END_SLACK = 1e-4
"""Seconds by which the end of a clip may lie behind that of its file: less than the shortest sample."""
MOST_LISTED = 100
"""Clips that a message lists."""


class Decoded(NamedTuple):
    """Shape of a recording that was decoded to its end."""

    frames: int
    rate: int
    channels: int


class DecodedClips:
    """Recordings that were decoded to their end, and what is wrong with others; each file is decoded once."""

    def __init__(self) -> None:
        self._found: dict[Path, Decoded | AudioError | MissingExtraError] = {}

    def shape(self, path: Path) -> Decoded:
        """Decode a recording, unless it was before.

        Raises:
            AudioError: if it is damaged, cut off or no sound.
            MissingExtraError: if its format needs an extra.
        """
        if path not in self._found:
            try:
                self._found[path] = _decode(path)
            except (AudioError, MissingExtraError) as error:
                self._found[path] = error
        found = self._found[path]
        if isinstance(found, Decoded):
            return found
        raise found

    def note_copy(self, path: Path, copy: Path) -> None:
        """Note that a file is a copy of one that was decoded."""
        self._found[copy] = self._found[path]


def _decode(path: Path) -> Decoded:
    with open_recording(path) as recording:
        frames = sum(len(block) for block in recording.blocks)
        return Decoded(frames, recording.rate, recording.channels)


def clip_seconds(clip: AudioRef, whole: Decoded) -> float:
    """Return the duration of a clip of a recording.

    Raises:
        NotAnAnswerError: if it ends behind the recording, or is too long or too large to be played.
    """
    seconds = whole.frames / whole.rate
    end = seconds if clip.end is None else clip.end
    if clip.start >= seconds or end > seconds + END_SLACK:
        why = message("studio.clip-beyond-end", name=clip.path, seconds=seconds, start=clip.start, end=end)
        raise NotAnAnswerError(why, code="bad-clip")
    lasts = min(end, seconds) - clip.start
    try:
        check_size(frames=round(lasts * whole.rate), rate=whole.rate, channels=whole.channels, longest=LONGEST_SECONDS)
    except AudioError as error:
        why = message("studio.clip-not-playable", name=clip.path, seconds=lasts, why=error)
        raise NotAnAnswerError(why, code="bad-clip", next=message("studio.cut-into-clips-name-part")) from error
    return lasts


@dataclass(frozen=True, slots=True)
class BrokenClip:
    """Clip of an item that cannot be played, and why; the reason names its file."""

    item: str
    clip: str
    why: str


def broken_list(broken: Iterable[BrokenClip]) -> str:
    """List broken clips, a line for each, up to `MOST_LISTED`."""
    found = list(broken)
    lines = [message("studio.broken-clip", item=repr(one.item), clip=one.clip, why=one.why) for one in found]
    if len(lines) > MOST_LISTED:
        lines[MOST_LISTED:] = [message("studio.more-broken-clips", count=len(lines) - MOST_LISTED)]
    return joined(lines, "studio.two-lines")
