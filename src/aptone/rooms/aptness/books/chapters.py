"""A book as chapters of lines, each of which is speech or narration.

Headings are lines of their own: "Chapter 3", "Prologue", 第三章, a Markdown heading. A text without any is one chapter;
or, where that is asked for, chapters are what two or more empty lines part.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from aptone.planner.reading.attribution import attribute, split_speech
from aptone.rooms.aptness.books.book_text import Book, BookLine, make_line
from aptone.rooms.aptness.books.story_file import book_from_json, is_book_json
from aptone.rooms.aptness.story import language_of, load_story, make_story
from aptone.rooms.aptness.text_files import read_utf8
from aptone.types import Language, Line, loads

Division = Literal["headings", "blank", "none"]
"""Division into chapters: by headings, by two or more empty lines, or none."""

LONGEST_HEADING = 80
"""Characters of a heading; a sentence that begins with "Part" is longer."""

LONGEST_PASSAGE: dict[Language, int] = {"en": 320, "zh": 110}
"""Characters of narration beyond which it is cut at the end of a sentence: some twenty seconds of speech."""

_NUMBER = (
    r"(?:\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|"
    r"nine)teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|(?:the )?\w+(?:st|nd|rd|th))"
)
_HEADING = re.compile(
    rf"(?:(?:chapter|part|book|act|section|volume|canto)\s+{_NUMBER}\b(?:\s*[-–—:.].*)?"
    r"|(?:prologue|epilogue|foreword|preface|introduction|afterword|interlude)\b(?:\s*[-–—:.].*)?"
    r"|第\s*[零〇一二三四五六七八九十百千两\d]+\s*[章回节節卷部集幕篇](?:\s*\S.*)?"
    r"|(?:序章?|楔子|引子|前言|尾声|后记|番外)(?:[\s：:].*)?)",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"#{1,6}\s+(\S.*?)\s*#*")
_SENTENCE = re.compile(
    r".+?(?:(?<![A-Z]r)(?<!Mrs)(?<!\bSt)[.!?…。！？]+[”’\"』」)）]*(?=\s|$|[^\s.!?…。！？”’\"』」)）])|$)", re.DOTALL
)
_SENTENCE_ENDS = re.compile(r"[。！？；，,;”」]$")
_GAP = re.compile(r"\n[ \t]*\n[ \t]*\n\s*")


def load_book(path: Path, *, language: Language | None = None, division: Division = "headings") -> Book:
    """The book in a file; see `aptone.rooms.aptness.story` for the kinds of files.

    Args:
        language: language of the book; by default that of its characters.

    Raises:
        RecordError: if the file cannot be understood.
    """
    if path.suffix.lower() == ".json" and is_book_json(data := loads(read_utf8(path, what="a story"), what=str(path))):
        book = book_from_json(data, source=str(path))
        return book if language is None else replace(book, language=language)
    if division == "blank" and path.suffix.lower() not in (".json", ".jsonl", ".srt"):
        blocks = [block for block in _GAP.split(read_utf8(path, what="a book")) if block.strip()]
        paragraphs = [[Line(row.strip()) for row in block.split("\n") if row.strip()] for block in blocks]
        make_story([line for block in paragraphs for line in block], source=str(path), roles=False)  # the same care
        chapters = [(str(number), block) for number, block in enumerate(paragraphs, start=1)]
        chosen = language or language_of([line for _, block in chapters for line in block])
        return Book(tuple(_book_lines(chapters, chosen)), chosen, str(path))
    story = load_story(path, language=language, roles=False)
    titled = [("", story.lines)] if division == "none" else list(divide(story.lines))
    return Book(tuple(_book_lines(titled, story.language)), story.language, str(path))


def divide(lines: Sequence[Line]) -> Iterator[tuple[str, Sequence[Line]]]:
    """The chapters of some lines: a title, and the lines from its heading on; the first may have no title.

    Titles that come twice are numbered, so that no two chapters are taken for one.

    >>> [(title, len(part)) for title, part in divide([Line("Chapter 1"), Line("It rained."), Line("第二章 夜")])]
    [('Chapter 1', 2), ('第二章 夜', 1)]
    """
    seen: dict[str, int] = {}
    title, part = "", list[Line]()
    for line in lines:
        found = heading_of(line)
        if not found:
            part.append(line)
            continue
        if part:
            yield title, part
        seen[found] = seen.get(found, 0) + 1
        title = found if seen[found] == 1 else f"{found} ({seen[found]})"
        part = [Line(found)]
    if part:
        yield title, part


def heading_of(line: Line) -> str:
    """The title, if a line is a heading; else empty.

    >>> heading_of(Line("## The Storm ##")), heading_of(Line("CHAPTER IV: Rain")), heading_of(Line("Part of it fell."))
    ('The Storm', 'CHAPTER IV: Rain', '')
    """
    text = line.text.strip()
    if line.role or len(text) > LONGEST_HEADING:
        return ""
    if markdown := _MARKDOWN.fullmatch(text):
        return markdown.group(1)
    return text if _HEADING.fullmatch(text) and not _SENTENCE_ENDS.search(text) else ""


def _book_lines(chapters: Sequence[tuple[str, Sequence[Line]]], language: Language) -> Iterator[BookLine]:
    """Lines that are speech or narration; who speaks is found in the whole book, since names come back."""
    roles = {line.role for line in attribute([line for _, part in chapters for line in part])} - {""}
    for title, part in chapters:
        has_heading = bool(part) and bool(heading_of(part[0])) and title.startswith(heading_of(part[0]))
        if has_heading:
            yield BookLine(part[0], title, "heading")
        for line in split_speech(part[1:] if has_heading else part, roles=roles):
            for piece in passages(line, language):
                yield make_line(piece, title)


def passages(line: Line, language: Language) -> Iterator[Line]:
    """A line, cut at the ends of sentences where it is long.

    >>> [piece.text[:9] for piece in passages(Line("It rained. " * 40), "en")]
    ['It rained', 'It rained']
    """
    longest = LONGEST_PASSAGE[language]
    if len(line.text) <= longest:
        yield line
        return
    taken, begun = "", False
    for sentence in _SENTENCE.findall(line.text):
        if taken and len(taken) + len(sentence) > longest:
            yield replace(line, text=taken.strip(), continues=line.continues or begun)
            taken, begun = "", True
        taken += sentence
    if taken.strip():
        yield replace(line, text=taken.strip(), continues=line.continues or begun)
