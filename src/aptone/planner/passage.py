"""The text around a line as one passage, with the way back from a place in it to a line of the story.

Both readers of the built-in planner look at the same passage: paragraphs on rows of their own, speech in quotation
marks, the words of the target known by their place. Lines that were cut out of one paragraph (`Line.continues`) stand
in one paragraph again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aptone.planner.reading.quotations import CLOSING, find_quotations
from aptone.types import Line, Sample

LONGEST_BEFORE = 6000
"""Characters before the target that are looked at."""
LONGEST_AFTER = 1500
"""Characters after it."""
_CHINESE = re.compile(r"[\u3400-\u9fff\u3000-\u303f\uff00-\uffef“”‘’…—]")
_MARKS = frozenset(CLOSING) | frozenset(CLOSING.values())


class Place(NamedTuple):
    """Where some words stand in a story.

    Args:
        line: of the story, counted from the target: 0 is the target itself, -1 the line before it.
        start, end: their characters in that line.
    """

    line: int
    start: int
    end: int


class _Laid(NamedTuple):
    """A line of the story and where its text begins and ends in the passage."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The text around a line.

    Args:
        text: paragraphs, each on a row of its own.
        start, end: of the words of the target in it.
        role: who says the target; empty where that is not known.
        laid: the lines of the story that the text was made of, in order.
    """

    text: str
    start: int
    end: int
    role: str
    laid: tuple[_Laid, ...]

    @property
    def target(self) -> str:
        """The words of the line."""
        return self.text[self.start : self.end]

    def place(self, start: int, end: int) -> Place | None:
        """Where a piece of the passage stands in the story; ``None`` where it lies in no line alone."""
        for one in self.laid:
            if one.start <= start and end <= one.end:
                return Place(one.line, start - one.start, end - one.start)
        return None


def passage_of(sample: Sample) -> Passage:
    r"""The passage around the target of a sample.

    >>> from aptone.types import AudioRef
    >>> lines = (Line("“Go,”", "Tom"), Line("said Tom.", continues=True))
    >>> sample = Sample("a", AudioRef("a.wav"), Line("No!", "Ann"), context=lines, following=(Line("Ann left."),))
    >>> passage_of(sample).text
    '“Go,” said Tom.\nAnn: “No!”\nAnn left.'
    """
    return laid_out(sample.context, sample.target, sample.following)


def laid_out(before: Sequence[Line], target: Line, after: Sequence[Line]) -> Passage:
    """The passage of lines before a target, the target, and lines after it."""
    kept_before = _near(before[::-1], LONGEST_BEFORE)[::-1]
    kept_after = _near(after, LONGEST_AFTER)
    text, laid = "", []
    lines = (*kept_before, target, *kept_after)
    for place, line in enumerate(lines):
        number = place - len(kept_before)
        words = line.text.strip() if number else line.text.strip().strip('“”„「」『』"＂').strip() or line.text.strip()
        told = place + 1 < len(lines) and lines[place + 1].continues
        quoted = _quotes(line, words, target=number == 0, told=told)
        if text:
            text += _joint(text, quoted) if line.continues else "\n"
        start = len(text) + quoted.index(words)
        text += quoted
        laid.append(_Laid(number, start, start + len(words)))
    aim = laid[len(kept_before)]
    return Passage(text, aim.start, aim.end, target.role, tuple(laid))


def _near(lines: Sequence[Line], most: int) -> list[Line]:
    """The first of some lines, up to a number of characters; at least one."""
    kept: list[Line] = []
    length = 0
    for line in lines:
        length += len(line.text)
        if kept and length > most:
            break
        kept.append(line)
    return kept


def _quotes(line: Line, words: str, *, target: bool, told: bool) -> str:
    """The text of a line as it stands in a passage: speech in quotation marks, with its speaker if need be.

    Args:
        line: of the story.
        words: of it.
        target: whether it is the target.
        told: whether its paragraph goes on behind it, as with a tag, which names the speaker.
    """
    holds_marks = any(mark in words for mark in _MARKS - frozenset("‘’'")) and bool(find_quotations(words))
    if holds_marks or not (target or line.is_speech):
        return words
    said = f"“{words}”"
    if line.continues or (told and not line.direction) or not (line.role or line.direction):
        return said
    chinese = bool(_CHINESE.search(words))
    direction = f"（{line.direction}）" if chinese else f" ({line.direction})"
    label = f"{line.role}{direction if line.direction else ''}".strip()
    return f"{label}：{said}" if chinese else f"{label}: {said}"


def _joint(before: str, after: str) -> str:
    return "" if _CHINESE.match(before[-1:]) and _CHINESE.match(after[:1]) else " "
