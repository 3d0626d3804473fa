"""Blocks of text that every reader of a book file gives: paragraphs, headings, turns of a script, subtitles."""

from dataclasses import dataclass
from typing import Literal

from aptone.types import Language, Segment

SourceUnit = Literal["paragraph", "page", "subtitle", "row"]
"""Unit in which a place in a source is counted."""

BlockKind = Literal["paragraph", "heading", "speech", "action"]
"""Kind of a block: a paragraph in which speech may stand in quotation marks; a heading; a speech of a known speaker,
without quotation marks, as a script has it; narration in which quotation marks are no speech, as the action of a
script."""

LeftOutReason = Literal[
    "front-matter",
    "contents",
    "copyright",
    "notes",
    "note-mark",
    "licence",
    "page-number",
    "running-head",
    "caption",
    "table",
    "code",
    "hidden",
    "comment",
    "sound",
    "scene-break",
    "back-matter",
    "deleted",
    "header-footer",
]
"""Reason why a part of a source is not among its lines."""

LONGEST_SHOWN = 120
"""Characters of a part that was left out which are kept to recognise it."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Place in a source.

    Args:
        number: number of the paragraph, page, subtitle or row, from 1 on.
        file: file within an archive, such as a chapter of an EPUB; empty where the source is one file.
    """

    unit: SourceUnit
    number: int
    file: str = ""

    def __str__(self) -> str:
        """Place in short, for messages and tables."""
        return f"{self.file}, {self.unit} {self.number}" if self.file else f"{self.unit} {self.number}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Part of a source that is not among its lines.

    Args:
        text: its beginning.
        pieces: number of such parts that this entry stands for, as the page numbers of a book.
    """

    reason: LeftOutReason
    text: str = ""
    place: SourcePlace | None = None
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class TimedSpan:
    """Span of a block whose time in a recording is known.

    Args:
        start: index of its first character in the block.
        end: index behind its last character.
        recording: name of the recording, as the source has it; empty where there is one only.
    """

    start: int
    end: int
    time: Segment
    recording: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Block of text of a source.

    Args:
        level: depth of a heading, from 1 on; 0 for what is none.
        role: speaker of a speech.
        direction: stage direction of a speech.
        times: spans of the text with known times.
        is_break: true if a gap, such as a row of asterisks, stands before it: another scene begins.
        chapter: title of the chapter that begins here, where a table of contents says so.
    """

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    role: str = ""
    direction: str = ""
    place: SourcePlace | None = None
    times: tuple[TimedSpan, ...] = ()
    is_break: bool = False
    chapter: str = ""


@dataclass(frozen=True, slots=True)
class SourceText:
    """Text of a book file.

    Args:
        language: language that the file states; ``None`` where it states none, or another one than ours.
        notes: what a user should know about how it was read.
    """

    blocks: tuple[Block, ...]
    title: str = ""
    language: Language | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


def shortened(text: str) -> str:
    """Return the beginning of a part that was left out."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_SHOWN else f"{words[: LONGEST_SHOWN - 1]}…"
