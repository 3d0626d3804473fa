"""Passage: the text around a line, with a mapping from its positions back to lines of the story.

All readers of the built-in planner read the same passage: paragraphs on rows of their own, speech in quotation marks,
the span of the target known. Lines that were cut out of one paragraph (`Line.continues`) are joined again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aptone.planner.reading.dash_dialogue import opens_with_dash
from aptone.planner.reading.quotations import CLOSING, find_quotations, is_speech, with_curly_quotes
from aptone.planner.reading.speech_tags import script_label
from aptone.types import Line, Sample

LONGEST_BEFORE = 6000
"""Most characters before the target."""
LONGEST_AFTER = 1500
"""Most characters after the target."""
_CHINESE = re.compile(r"[\u3400-\u9fff\u3000-\u303f\uff00-\uffef“”‘’…—]")
_MARKS = (frozenset(CLOSING) | frozenset("'")) - frozenset("’")
"""Marks that may open a quotation."""


class Place(NamedTuple):
    """Position of words in a story.

    Args:
        line: line of the story, counted from the target: 0 is the target itself, -1 the line before it.
    """

    line: int
    start: int
    end: int


class _PlacedLine(NamedTuple):
    """Line of the story and the span of its text in the passage."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Text around a line.

    Args:
        text: paragraphs, each on a row of its own.
        role: speaker of the target; empty where unknown.
        lines: lines of the story in the passage, in order.
    """

    text: str
    start: int
    end: int
    role: str
    lines: tuple[_PlacedLine, ...]

    @property
    def target(self) -> str:
        """Words of the target."""
        return self.text[self.start : self.end]

    def place(self, start: int, end: int) -> Place | None:
        """Return the position in the story of a span of the passage; ``None`` where it lies in no single line."""
        for one in self.lines:
            if one.start <= start and end <= one.end:
                return Place(one.line, start - one.start, end - one.start)
        return None


def passage_of(sample: Sample) -> Passage:
    r"""Return the passage around the target of a sample.

    >>> from aptone.types import AudioRef
    >>> lines = (Line("“Go,”", "Tom"), Line("said Tom.", continues=True))
    >>> sample = Sample("a", AudioRef("a.wav"), Line("No!", "Ann"), context=lines, following=(Line("Ann left."),))
    >>> passage_of(sample).text
    '“Go,” said Tom.\nAnn: “No!”\nAnn left.'
    """
    return passage_around(sample.context, sample.target, sample.following)


def passage_around(before: Sequence[Line], target: Line, after: Sequence[Line], *, narrated: bool = False) -> Passage:
    """Return the passage of lines before a target, the target, and lines after it.

    Args:
        narrated: whether a narrator tells the target; else somebody says it, and it stands in quotation marks.
    """
    kept_before = _near(before[::-1], LONGEST_BEFORE)[::-1]
    kept_after = _near(after, LONGEST_AFTER)
    text, placed = "", []
    lines = (*kept_before, target, *kept_after)
    for place, line in enumerate(lines):
        number = place - len(kept_before)
        words = line.text.strip() if number else line.text.strip().strip('“”„「」『』"＂').strip() or line.text.strip()
        tagged = place + 1 < len(lines) and lines[place + 1].continues
        quoted = _quotes(line, words, target=number == 0 and not narrated, tagged=tagged)
        if text:
            text += _joint(text, quoted) if line.continues else "\n"
        start = len(text) + quoted.index(words)
        text += quoted
        placed.append(_PlacedLine(number, start, start + len(words)))
    aim = placed[len(kept_before)]
    return Passage(text, aim.start, aim.end, target.role, tuple(placed))


def _near(lines: Sequence[Line], most: int) -> list[Line]:
    """Return the first lines, up to a number of characters; at least one."""
    kept: list[Line] = []
    length = 0
    for line in lines:
        length += len(line.text)
        if kept and length > most:
            break
        kept.append(line)
    return kept


def _quotes(line: Line, words: str, *, target: bool, tagged: bool) -> str:
    """Return the text of a line in a passage: speech in quotation marks, with its speaker unless its tag names one."""
    if not (target or line.is_speech) or _marks_speech(line, words):
        return words
    said = f"“{words}”"
    if line.continues or (tagged and not line.direction) or not (line.role or line.direction):
        return said
    chinese = bool(_CHINESE.search(words))
    direction = f"（{line.direction}）" if chinese else f" ({line.direction})"
    label = f"{line.role}{direction if line.direction else ''}".strip()
    return f"{label}：{said}" if chinese else f"{label}: {said}"


def _marks_speech(line: Line, words: str) -> bool:
    """Return whether a line's text says itself that it is speech: by its marks, a dash, or the label of a script.

    A line that was cut out of its quotation (`Line.speech`) may quote somebody in turn; it has its marks only where
    they stand around all of it.
    """
    quotations = find_quotations(with_curly_quotes([words])[0]) if not _MARKS.isdisjoint(words) else ()
    if line.speech:
        return bool(quotations) and quotations[0].start == 0 and quotations[0].end == len(words)
    if opens_with_dash(words) or any(is_speech(words, quotation) for quotation in quotations):
        return True
    label = script_label(words)
    return label is not None and label.name == line.role


def _joint(before: str, after: str) -> str:
    return "" if _CHINESE.match(before[-1:]) and _CHINESE.match(after[:1]) else " "
