"""Times that a book states itself: media overlays of EPUB 3, and story files that keep them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePosixPath

from aptone.audio import probe
from aptone.messages import message
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import Narration, PlacedLine
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.books.line_times import LineTime

ROUNDING = 0.1
"""Seconds by which a stated time may lie behind the end of its recording; the clip ends with the recording."""


def stated_times(book: Book, recordings: Sequence[str]) -> dict[int, LineTime]:
    """Return the times that a book states, by the place of the line; without those of recordings that were not given.

    Args:
        recordings: names of the recordings: of their files, or as the book has them within it. A file is known by its
            name without folders; where it is the only one and the book names one only, by that.
    """
    timed = {place: line for place, line in enumerate(book.lines) if line.time is not None}
    named = {line.recording for line in timed.values()}
    whole = {name: number for number, name in enumerate(recordings)}
    numbers = {PurePosixPath(name).name: number for name, number in whole.items()}
    known = {name: whole.get(name, numbers.get(PurePosixPath(name).name, -1)) for name in named}
    if len(named) == len(recordings) == 1:
        known = dict.fromkeys(named, 0)
    found: dict[int, LineTime] = {}
    for place, line in timed.items():
        words = len(tokens_of(line.line.text, book.language))
        number = known[line.recording]
        if line.time is not None and number >= 0 and words:
            found[place] = LineTime(words, words, number, line.time)
    return found


def within_recordings(stated: Mapping[int, LineTime], recordings: Sequence[Path]) -> dict[int, LineTime]:
    """Return stated times; those that end behind the end of their recording say so.

    Raises:
        AudioError: if a recording cannot be read.
    """
    seconds = {number: probe(recordings[number]).seconds for number in {one.recording for one in stated.values()}}
    found = dict(stated)
    for place, one in stated.items():
        if one.time is not None and one.time.end > seconds[one.recording] + ROUNDING:
            problem = message("aptness.stated-time-beyond-end", end=one.time.end, seconds=seconds[one.recording])
            found[place] = replace(one, problem=problem)
    return found


def are_all_stated(book: Book, stated: Mapping[int, LineTime], *, narration: Narration = "judge") -> bool:
    """Return true if the book states the time of every line that is judged, so that none has to be searched for."""
    return bool(stated) and all(
        place in stated or not tokens_of(line.line.text, book.language)
        for place, line in enumerate(book.lines)
        if line.is_judged and (line.kind == "speech" or narration == "judge")
    )


def place_stated(book: Book, stated: Mapping[int, LineTime]) -> list[PlacedLine]:
    """Return the lines of a book at their stated times; those without one say so."""
    unknown = message("aptness.line-without-times")
    times = [
        stated.get(place) or LineTime(len(tokens_of(line.line.text, book.language)), 0, problem=unknown)
        for place, line in enumerate(book.lines)
    ]
    return list(map(PlacedLine, count(1), book.lines, times))


def prefer_stated(placed: Sequence[PlacedLine], stated: Mapping[int, LineTime]) -> list[PlacedLine]:
    """Return lines that were searched for, at their stated times where the book has one."""
    return [replace(line, time=stated.get(place, line.time)) for place, line in enumerate(placed)]
