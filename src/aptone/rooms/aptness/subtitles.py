"""Subtitles (SubRip): their times and words, and which of them are spoken alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from pathlib import Path
from typing import Literal

from aptone.errors import RecordError
from aptone.rooms.aptness.text_files import read_utf8
from aptone.types import Segment

OVERLAP = 0.05
"""Seconds for which two subtitles may overlap before two lines count as spoken at once: about a frame of film."""

Overlaps = Literal["refuse", "skip", "keep"]
"""Treatment of lines that are spoken at once: refuse the file, leave these lines out, or cut them all the same."""

_CLOCK = r"(-?)(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
_TIMES = re.compile(rf"^\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?$")
_NOT_SPOKEN = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】|♪[^♪]*♪")
_STYLE = re.compile(r"</?[a-zA-Z][^<>]{0,100}>|\{\\[^{}]{0,100}\}")


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle: its number in the file, from 1 on, and its text on one line, without styles."""

    number: int
    time: Segment
    text: str

    @property
    def is_spoken(self) -> bool:
        """Return whether there are words besides music and descriptions of sounds in brackets.

        >>> Cue(1, Segment(0.0, 1.0), "[door slams] ♪").is_spoken
        False
        """
        return any(character.isalnum() for character in _NOT_SPOKEN.sub("", self.text))


def read_subtitles(path: Path) -> tuple[Cue, ...]:
    """The subtitles of a file, in the order of time; those without words are left out.

    Raises:
        RecordError: if it is not UTF-8, holds no subtitles, or a time is negative, not a time, or not before its end;
            the message names the line.
    """
    return subtitles_in(read_utf8(path, what="subtitles"), source=str(path))


def subtitles_in(text: str, *, source: str) -> tuple[Cue, ...]:
    r"""The subtitles of a text whose lines end in ``\n``; order and errors as those of `read_subtitles`."""
    cues = list(_cues(text.split("\n"), source))
    if not cues:
        raise RecordError(
            f"{source}: there are no subtitles; expected blocks of a number, a time such as "
            "00:00:01,000 --> 00:00:02,500, and words."
        )
    return tuple(sorted(cues, key=lambda cue: (cue.time.start, cue.number)))


def looks_like_subtitles(text: str) -> bool:
    """Check that a text begins as subtitles do: with a time on its first or second line that is not empty."""
    rows = islice((row for row in text.splitlines() if row.strip()), 2)
    return any(_TIMES.match(row) for row in rows)


def _cues(rows: Sequence[str], source: str) -> Iterator[Cue]:
    timed = [place for place, row in enumerate(rows) if "-->" in row]
    for number, (place, following) in enumerate(pairwise([*timed, len(rows)]), start=1):
        time = _time(rows[place], f"{source}, line {place + 1}")
        words = list(takewhile(str.strip, rows[place + 1 : following]))
        if following < len(rows) and place + 1 + len(words) == following and words and words[-1].strip().isdigit():
            words.pop()  # the number of the next one, where the empty line between them is missing
        if text := " ".join(_STYLE.sub("", " ".join(words)).split()):
            yield Cue(number, time, text)


def _time(row: str, where: str) -> Segment:
    match = _TIMES.match(row)
    if match is None:
        raise RecordError(f"{where}: expected times such as 00:00:01,000 --> 00:00:02,500, got {row.strip()[:60]!r}.")
    start, end = _seconds(match.groups()[:5], where), _seconds(match.groups()[5:], where)
    if not start < end:
        raise RecordError(f"{where}: a subtitle that begins at {start:g} s cannot end at {end:g} s.")
    return Segment(start, end)


def _seconds(clock: Sequence[str | None], where: str) -> float:
    sign, hours, minutes, seconds, fraction = clock
    if sign:
        raise RecordError(f"{where}: a time is negative; move the subtitles so that the recording begins at 0.")
    if int(minutes or 0) > 59 or int(seconds or 0) > 59:
        raise RecordError(f"{where}: minutes and seconds go up to 59, got {minutes}:{seconds}.")
    milliseconds = int((fraction or "").ljust(3, "0"))
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + milliseconds / 1000


def spoken_alone(cues: Sequence[Cue], *, overlaps: Overlaps, source: str) -> tuple[bool, ...]:
    """Return for each subtitle whether a clip may be cut by its times.

    Args:
        overlaps: handling of two that are shown at once: a clip of one would hold the other, too.

    Raises:
        RecordError: if two overlap and that is to be refused.
    """
    alone = [True] * len(cues)
    if overlaps == "keep":
        return tuple(alone)
    latest = 0  # place of the subtitle that has been on for longest; it may outlast several others
    for before, here in pairwise(range(len(cues))):
        latest = max(latest, before, key=lambda place: cues[place].time.end)
        if cues[latest].time.end - cues[here].time.start > OVERLAP:
            if overlaps == "refuse":
                raise RecordError(
                    f"{source}: subtitles {cues[latest].number} and {cues[here].number} are shown at the same time "
                    f"({cues[here].time.start:g} s), so a clip of one holds the other; correct their times, or have "
                    "such lines left out (--overlaps skip)."
                )
            alone[latest] = alone[here] = False
    return tuple(alone)
