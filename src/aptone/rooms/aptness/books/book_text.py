"""A book, script or film as ordered lines, each of which is speech, narration, a speech tag or a heading.

These records are what readers of files make and what everything else takes: alignment with recordings, scoring, plans,
reports. They are written as JSON that people can correct, and read from it (`story_file`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from aptone.messages import message
from aptone.rooms.aptness.books.formats.blocks import LeftOut, SourcePlace
from aptone.types import Language, Line, Segment

LineKind = Literal["speech", "narration", "tag", "heading"]
"""Kind of a line. A tag ("said Tom.") belongs to the speech beside it: read aloud, aligned and read as context, but not
judged; neither is a heading."""


@dataclass(frozen=True, slots=True)
class BookLine:
    """A line of a book.

    Args:
        line: its words, and as role its speaker; empty where unknown, and for what is no speech.
        chapter: title of its chapter; empty without one.
        place: place in the source.
        time: time in the recording, where the source states it.
        recording: name of that recording, as the source has it; empty where there is one only.

    Raises:
        ValueError: if the kind is speech and the line is none, or the other way round.
    """

    line: Line
    chapter: str = ""
    kind: LineKind = "narration"
    place: SourcePlace | None = None
    time: Segment | None = None
    recording: str = ""

    def __post_init__(self) -> None:
        if (self.kind == "speech") != self.line.is_speech:
            text = repr(self.line.text[:60])
            if self.line.is_speech:
                raise ValueError(message("books.role-without-speech", kind=self.kind, text=text))
            raise ValueError(message("books.speech-without-mark", text=text))

    @property
    def is_heading(self) -> bool:
        """Return true for a heading."""
        return self.kind == "heading"

    @property
    def is_judged(self) -> bool:
        """Return true for lines whose delivery is judged: speech and narration."""
        return self.kind in ("speech", "narration")

    @property
    def narration_mark(self) -> dict[str, str]:
        """Return the `ids` by which a sample is known as narration (`Sample.is_narration`); none for other kinds."""
        return {"kind": self.kind} if self.kind == "narration" else {}


@dataclass(frozen=True, slots=True)
class Book:
    """A book as ordered lines.

    Args:
        source: path or name of its file.
        left_out: parts of the source that are not among the lines.
        notes: what a user should know about how it was read.
    """

    lines: tuple[BookLine, ...]
    language: Language
    source: str
    title: str = ""
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def chapters(self) -> tuple[str, ...]:
        """Titles in order."""
        return tuple(dict.fromkeys(line.chapter for line in self.lines))

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of the speakers, in the order of their first lines."""
        return tuple(dict.fromkeys(line.line.role for line in self.lines if line.line.role))

    def speech_of_tag(self, place: int) -> int | None:
        """Return the place of the speech that a tag belongs to: in its paragraph, the one before it, else after it."""
        before = next(iter(self._paragraph(place, -1)), None)
        if before is not None:
            return before
        behind = next(iter(self._paragraph(place, 1)), None)
        announces = self.lines[place].line.text.rstrip().endswith((":", "：")) and place + 1 < len(self.lines)
        return place + 1 if behind is None and announces and self.lines[place + 1].kind == "speech" else behind

    def _paragraph(self, place: int, step: int) -> Iterator[int]:
        """Yield the places of the speech of a line's paragraph on one side of it, nearest first."""
        while True:
            if not self.lines[place if step < 0 else min(place + 1, len(self.lines) - 1)].line.continues:
                return
            place += step
            if not 0 <= place < len(self.lines):
                return
            if self.lines[place].kind == "speech":
                yield place


def make_line(
    line: Line,
    chapter: str = "",
    *,
    kind: LineKind | None = None,
    place: SourcePlace | None = None,
    time: Segment | None = None,
    recording: str = "",
) -> BookLine:
    """Return a line of a book; without a kind, it is speech or narration, as its words are.

    >>> make_line(Line("Go!", "Tom")).kind, make_line(Line("It rained.")).kind
    ('speech', 'narration')
    """
    found: LineKind = kind or ("speech" if line.is_speech else "narration")
    return BookLine(line, chapter, found, place, time, recording)
