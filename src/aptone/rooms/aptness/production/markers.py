r"""Markers of lines for audio editors, in the clock of each recording.

============  ====================================================================================================
``reaper``    ``NAME.rpp``: a REAPER project with the recording and a region for each line; ``NAME.regions.csv``: the
              same for its region manager, ``#,Name,Start,End,Length,Color`` with times as h:mm:ss.fff
``audacity``  ``NAME.labels.txt``: File > Import > Labels; start, end (seconds) and text between tabs
``audition``  ``NAME.markers.csv``: Markers panel > Import; Name, Start, Duration, Time Format, Type and Description
              between tabs (Adobe Audition)
``cue``       ``NAME.cue``: a CUE sheet; a track from each line on, minutes:seconds:frames, 75 frames a second
============  ====================================================================================================

A CUE sheet holds at most 99 tracks, the first of which begins at 0: of more lines it has the first 98 of the list, and
a remark that says so.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.errors import UsageError

Editor = Literal["reaper", "audacity", "audition", "cue"]
EDITORS: tuple[Editor, ...] = ("reaper", "audacity", "audition", "cue")
ENDINGS: Mapping[Editor, tuple[str, ...]] = {
    "reaper": (".rpp", ".regions.csv"),
    "audacity": (".labels.txt",),
    "audition": (".markers.csv",),
    "cue": (".cue",),
}
"""Endings of the files of each editor."""

FRAMES = 75
"""Frames of a second in a CUE sheet."""

MOST_TRACKS = 99
LONGEST_TITLE = 80
"""Tracks of a CUE sheet; characters of a title in it."""

LONGEST_NAME = 120
"""Characters of a marker's name elsewhere."""

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_REAPER_SOURCES = {".mp3": "MP3", ".flac": "FLAC", ".ogg": "VORBIS", ".oga": "VORBIS", ".opus": "OPUS"} | dict.fromkeys(
    (".m4a", ".m4b", ".mp4", ".aac", ".webm"), "VIDEO"
)
"""Sources by which REAPER reads recordings, by their ending; it reads the others as WAVE."""

_ROUNDING = 1e-6
"""Frames by which a time that stands for a whole frame may lie before it in floating point."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A stretch of a recording with a name; markers stand in the order of their importance.

    Args:
        note: further words, for formats that have room.

    Raises:
        ValueError: if it does not begin at 0 or later, or ends before it begins.
    """

    start: float
    end: float
    name: str
    note: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.start <= self.end < math.inf:
            raise ValueError(f"a marker begins at 0 s or later and ends behind it, got {self.start} to {self.end}.")


def marker_files(markers: Sequence[Marker], *, recording: str, seconds: float, editor: Editor) -> dict[str, str]:
    """Return the files of an editor for a recording: ending of the name to text.

    Args:
        recording: path of the recording as the file shall name it.
        seconds: its duration.

    Raises:
        UsageError: if there is no such editor.
    """
    if editor not in _WRITERS:
        raise UsageError(f"there are no markers for {editor!r}; expected one of {', '.join(EDITORS)}.")
    return dict(zip(ENDINGS[editor], _WRITERS[editor](markers, recording, seconds), strict=True))


def _audacity(markers: Sequence[Marker], recording: str, seconds: float) -> tuple[str, ...]:
    rows = (f"{one.start:.6f}\t{one.end:.6f}\t{_name(one)}\n" for one in _in_time(markers))
    return ("".join(rows),)


def _audition(markers: Sequence[Marker], recording: str, seconds: float) -> tuple[str, ...]:
    rows = [
        ("Name", "Start", "Duration", "Time Format", "Type", "Description"),
        *(
            (_name(one), _clock(one.start), _clock(_length(one)), "decimal", "Cue", _flat(one.note))
            for one in _in_time(markers)
        ),
    ]
    return ("".join("\t".join(row) + "\n" for row in rows),)


def _reaper(markers: Sequence[Marker], recording: str, seconds: float) -> tuple[str, ...]:
    return reaper_project(markers, recording, seconds), reaper_regions(markers)


def reaper_regions(markers: Sequence[Marker]) -> str:
    """Return a list of regions for REAPER's region manager."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("#", "Name", "Start", "End", "Length", "Color"))
    for number, one in enumerate(_in_time(markers), start=1):
        times = (_hours(one.start), _hours(one.end), _hours(_length(one)))
        writer.writerow((f"R{number}", _name(one), *times, ""))
    return text.getvalue()


def reaper_project(markers: Sequence[Marker], recording: str, seconds: float) -> str:
    """Return a REAPER project: the recording on a track, and a region (two MARKER lines) for each marker."""
    suffix = recording[recording.rfind(".") :].lower() if "." in recording else ""
    rows = ['<REAPER_PROJECT 0.1 "6.0" 0']
    for number, one in enumerate(_in_time(markers), start=1):
        rows.append(f"  MARKER {number} {one.start:.6f} {_quoted(_name(one))} 1 0 1 R")
        rows.append(f'  MARKER {number} {one.end:.6f} "" 1')
    rows += [
        "  <TRACK",
        f"    NAME {_quoted(_flat(recording))}",
        "    <ITEM",
        "      POSITION 0",
        f"      LENGTH {seconds:.6f}",
        f"      NAME {_quoted(_flat(recording))}",
        f"      <SOURCE {_REAPER_SOURCES.get(suffix, 'WAVE')}",
        f"        FILE {_quoted(_flat(recording))}",
        "      >",
        "    >",
        "  >",
        ">",
    ]
    return "\n".join(rows) + "\n"


def _cue(markers: Sequence[Marker], recording: str, seconds: float) -> tuple[str, ...]:
    return (cue_sheet(markers, recording),)


def cue_sheet(markers: Sequence[Marker], recording: str) -> str:
    """Return a CUE sheet: a track from the beginning of each marker on, and one from 0 s on where none begins there."""
    kept: dict[int, Marker] = {}
    for one in markers:  # the most important first: of two in the same frame it is the one that stays
        if len(kept) < MOST_TRACKS - 1:
            kept.setdefault(math.floor(one.start * FRAMES + _ROUNDING), one)
    kind = "MP3" if recording.lower().endswith(".mp3") else "WAVE"
    rows = []
    if len(kept) < len(markers):
        rows.append(f"REM {len(markers) - len(kept)} more lines than a CUE sheet holds are left out")
    rows.append(f'FILE "{_unquoted(recording)}" {kind}')
    titles = {frame: _unquoted(one.name)[:LONGEST_TITLE].rstrip() for frame, one in kept.items()}
    if 0 not in titles:
        titles[0] = _unquoted(recording.replace("\\", "/").rpartition("/")[2])[:LONGEST_TITLE]
    for number, frame in enumerate(sorted(titles), start=1):
        whole, frames = divmod(frame, FRAMES)
        rows.append(f"  TRACK {number:02d} AUDIO")
        rows.append(f'    TITLE "{titles[frame]}"')
        rows.append(f"    INDEX 01 {whole // 60:02d}:{whole % 60:02d}:{frames:02d}")
    return "\n".join(rows) + "\n"


_WRITERS: Mapping[Editor, Callable[[Sequence[Marker], str, float], tuple[str, ...]]] = {
    "reaper": _reaper,
    "audacity": _audacity,
    "audition": _audition,
    "cue": _cue,
}


def _in_time(markers: Sequence[Marker]) -> list[Marker]:
    return sorted(markers, key=lambda one: (one.start, one.end))


def _flat(text: str) -> str:
    """Return a text on one line, without tabs and control characters."""
    return " ".join(_BREAKS.sub(" ", text).split())


def _name(marker: Marker) -> str:
    flat = _flat(marker.name)
    return flat if len(flat) <= LONGEST_NAME else flat[: LONGEST_NAME - 1].rstrip() + "…"


def _unquoted(text: str) -> str:
    """Return a text for quotation marks of a CUE sheet, which knows no escapes."""
    return _flat(text).replace('"', "'")


def _quoted(text: str) -> str:
    """Return a text as REAPER quotes it: in marks that it does not hold; of one with all three, the last gives way."""
    for mark in ('"', "'", "`"):
        if mark not in text:
            return f"{mark}{text}{mark}"
    return "`{}`".format(text.replace("`", "'"))


def _length(marker: Marker) -> float:
    """Return the seconds between the beginning and the end as they are written, in whole milliseconds."""
    return round(marker.end, 3) - round(marker.start, 3)


def _clock(seconds: float) -> str:
    """Return minutes, seconds and milliseconds, and hours where there are any: ``1:02.500``, ``1:00:02.500``."""
    hours = _hours(seconds)
    return hours if seconds >= 3600.0 else hours.removeprefix("0:").removeprefix("0")


def _hours(seconds: float) -> str:
    """Return hours, minutes, seconds and milliseconds: ``0:01:02.500``."""
    total = round(seconds * 1000)
    return f"{total // 3_600_000}:{total // 60_000 % 60:02d}:{total // 1000 % 60:02d}.{total % 1000:03d}"
