"""Media overlays of EPUB 3 (SMIL): the time in a recording at which each part of a document is read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from aptone.rooms.aptness.books.formats.archive import BookArchive, attribute, local_name, resolve
from aptone.rooms.aptness.books.formats.blocks import Block, TimedSpan
from aptone.rooms.aptness.books.formats.html_text import HtmlBlocks
from aptone.types import Segment

_UNITS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}
_CLOCK = re.compile(
    r"(?:(?:(?P<hours>\d{1,5}):)?(?P<minutes>\d{1,2}):(?P<seconds>\d{1,2}(?:\.\d+)?)|(?P<count>\d{1,9}(?:\.\d+)?)(?P<unit>h|min|s|ms|))"
)

Clip = tuple[Segment, str]
"""Time, and the file of the recording within the archive."""


def seconds_of(clock: str) -> float | None:
    """Return the seconds of a SMIL clock value; None if it is none.

    >>> seconds_of("0:01:02.5"), seconds_of("1:30"), seconds_of("250ms"), seconds_of("1.5min"), seconds_of("soon")
    (62.5, 90.0, 0.25, 90.0, None)
    """
    match = _CLOCK.fullmatch(clock.strip())
    if match is None:
        return None
    if match["count"] is not None:
        return float(match["count"]) * _UNITS[match["unit"]]
    return int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60 + float(match["seconds"])


def overlay_times(archive: BookArchive, files: Iterable[str]) -> dict[str, dict[str, Clip]]:
    """Return the clip of each element that overlays time: by document, then by the id of the element."""
    found: dict[str, dict[str, Clip]] = {}
    for file in files:
        if file not in archive:
            continue
        for pair in archive.xml(file).iter():
            if local_name(pair) != "par":
                continue
            parts = {local_name(child): child for child in pair}
            if "text" not in parts or "audio" not in parts:
                continue
            document, fragment = resolve(file, attribute(parts["text"], "src"))
            recording, _ = resolve(file, attribute(parts["audio"], "src"))
            start = seconds_of(attribute(parts["audio"], "clipBegin") or "0")
            end = seconds_of(attribute(parts["audio"], "clipEnd"))
            if document and fragment and recording and start is not None and end is not None and start < end:
                found.setdefault(document, {})[fragment] = (Segment(start, end), recording)
    return found


def with_times(document: HtmlBlocks, clips: Mapping[str, Clip]) -> list[Block]:
    """Return the blocks of a document with the times of the parts that have one."""
    spans: dict[int, list[TimedSpan]] = {}
    for name, (time, recording) in clips.items():
        places = document.ids.get(name, [])
        if len(places) == 1:  # an element that holds several blocks times none of them
            block, start, end = places[0]
            spans.setdefault(block, []).append(TimedSpan(start, end, time, recording))
    return [
        replace(block, times=tuple(sorted(spans[place], key=lambda span: span.start))) if place in spans else block
        for place, block in enumerate(document.blocks)
    ]
