"""Chapters of a book: which blocks of its text are headings, and where a chapter begins.

Headings are blocks of their own: "Chapter 3", "Prologue", 第三章, a heading of Markdown, HTML or Word. Where a file has
a table of contents, that decides. A text without any heading is one chapter.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from aptone.rooms.aptness.books.formats.blocks import Block

Division = Literal["headings", "blank", "none"]
"""Division into chapters: by headings, by two or more empty lines, or none."""

LONGEST_HEADING = 80
"""Characters of a heading; a sentence that begins with "Part" is longer."""

_NUMBER = (
    r"(?:\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|"
    r"nine)teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|(?:the )?\w+(?:st|nd|rd|th))"
)
_HEADING = re.compile(
    rf"(?:(?:chapter|part|book|act|scene|section|volume|canto|letter|stave)\s+{_NUMBER}\b\.?(?:\s*[-–—:.].*)?"
    r"|(?:prologue|epilogue|foreword|preface|introduction|afterword|interlude)\b(?:\s*[-–—:.].*)?"
    r"|第\s*[零〇一二三四五六七八九十百千两\d]+\s*[章回节節卷部集幕篇](?:\s*\S.*)?"
    r"|(?:序章?|楔子|引子|前言|尾声|后记|番外)(?:[\s：:].*)?)",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"#{1,6}\s+(\S.*?)\s*#*")
_SENTENCE_ENDS = re.compile(r"[。！？；，,;”」]$")


def heading_of(text: str) -> str:
    """Return the title, if a paragraph is a heading; else empty.

    >>> heading_of("## The Storm ##"), heading_of("CHAPTER IV: Rain"), heading_of("Part of it fell.")
    ('The Storm', 'CHAPTER IV: Rain', '')
    """
    text = text.strip()
    if len(text) > LONGEST_HEADING:
        return ""
    if markdown := _MARKDOWN.fullmatch(text):
        return markdown.group(1)
    return text if _HEADING.fullmatch(text) and not _SENTENCE_ENDS.search(text) else ""


def headings_of(blocks: Sequence[Block]) -> list[str]:
    """Return for each block its title, if it is a heading; else an empty text."""
    return [
        block.text if block.kind == "heading" else heading_of(block.text) if block.kind == "paragraph" else ""
        for block in blocks
    ]


def chapter_titles(blocks: Sequence[Block]) -> list[str]:
    """Return for each block the title of its chapter; empty before the first one.

    Titles that come twice are numbered, so that no two chapters are taken for one. A heading right before that of a
    chapter, as the title of a book or of a part, belongs to it.

    >>> chapter_titles([Block("Part One"), Block("Chapter 1"), Block("It rained."), Block("第二章 夜")])
    ['Chapter 1', 'Chapter 1', 'Chapter 1', '第二章 夜']
    """
    headings = headings_of(blocks)
    starts = _starts(blocks, headings)
    for place in range(len(blocks) - 1):
        if starts[place] and headings[place] and starts[place + 1] and headings[place + 1]:
            starts[place] = ""
    seen: Counter[str] = Counter()
    titles: list[str] = []
    title, waiting = "", 0
    for place, found in enumerate(starts):
        if found:
            seen[found] += 1
            title = found if seen[found] == 1 else f"{found} ({seen[found]})"
            titles += [title] * waiting
            waiting = 0
        elif headings[place] and _next_start(starts, headings, place):
            waiting += 1
            continue
        titles.append(title)
    return titles + [title] * waiting


def _next_start(starts: Sequence[str], headings: Sequence[str], place: int) -> bool:
    """Return true if only headings stand between a heading and the beginning of a chapter that is one itself."""
    for later in range(place + 1, len(starts)):
        if not headings[later]:
            return False
        if starts[later]:
            return True
    return False


def _starts(blocks: Sequence[Block], headings: Sequence[str]) -> list[str]:
    """Return for each block the title of the chapter that begins with it; else an empty text."""
    if any(block.chapter for block in blocks):
        return [block.chapter for block in blocks]
    named = [bool(heading and heading_of(heading)) for heading in headings]
    levels = Counter(block.level for block, heading in zip(blocks, headings, strict=True) if heading and block.level)
    repeated = [level for level, count in levels.items() if count > 1]
    deepest = min(repeated, default=min(levels, default=0))
    by_name = sum(named) > 1 and all(level > 2 for level in levels)
    return [
        heading if heading and (is_named or not block.level or (block.level <= deepest and not by_name)) else ""
        for block, heading, is_named in zip(blocks, headings, named, strict=True)
    ]
