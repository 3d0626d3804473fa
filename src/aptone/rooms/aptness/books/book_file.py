"""Books from files: the one way in for all formats (`load_book`), and how blocks of text become lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.planner.reading.attribution import split_paragraphs
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.tag_lines import MarkedLine, mark_tags
from aptone.rooms.aptness.books.book_text import Book, BookLine, LineKind, make_line
from aptone.rooms.aptness.books.chapters import Division, chapter_titles, headings_of
from aptone.rooms.aptness.books.formats.blocks import Block, BlockKind, LeftOut, SourcePlace, SourceText
from aptone.rooms.aptness.books.formats.registry import format_of, read_source_text
from aptone.rooms.aptness.books.story_file import book_from_json, is_book_json
from aptone.rooms.aptness.books.title_rows import with_title
from aptone.rooms.aptness.story_json import lines_from_json
from aptone.rooms.aptness.text_files import LONGEST_LINE, read_utf8
from aptone.types import Language, Line, Segment, language_of_text, loads

LONGEST_PASSAGE: dict[Language, int] = {"en": 320, "zh": 110}
"""Characters of narration beyond which it is cut at the end of a sentence: some twenty seconds of speech."""

_SENTENCE = re.compile(
    r".+?(?:(?<![A-Z]r)(?<!Mrs)(?<!\bSt)[.!?…。！？]+[”’\"』」)）]*(?=\s|$|[^\s.!?…。！？”’\"』」)）])|$)", re.DOTALL
)
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u202f"), " ")
"""Spaces at which no row is broken, and which nothing else tells from a space."""

_GAP = re.compile(r"\n[ \t]*\n[ \t]*\n\s*")


def load_book(path: Path, *, language: Language | None = None, division: Division = "headings") -> Book:
    """Return the book in a file: EPUB, Word, PDF, HTML, Markdown, a script, subtitles, plain text, or a story file.

    Args:
        language: language of the book; by default the one that it states, else that of its characters.
        division: division into chapters.

    Raises:
        MissingExtraError: if its format needs the extra ``books``.
        RecordError: if the file cannot be understood; the message names it and says what to do.
    """
    if path.suffix.lower() in (".json", ".jsonl"):
        text = read_utf8(path, what="a story")
        if path.suffix.lower() == ".json" and text.strip() and is_book_json(data := loads(text, what=str(path))):
            book = book_from_json(data, source=str(path))
            return book if language is None else replace(book, language=language)
        lines, stated = lines_from_json(path, text)
        blocks = tuple(_block_of(line, number) for number, line in enumerate(lines, start=1))
        return make_book(SourceText(blocks), source=str(path), language=language or stated, division=division)
    if division == "blank" and format_of(path) == "text":
        source = _by_gaps(read_utf8(path, what="a book"))
    else:
        source = read_source_text(path)
    return make_book(source, source=str(path), language=language, division=division)


def _block_of(line: Line, number: int) -> Block:
    kind: BlockKind = "speech" if line.is_speech else "paragraph"
    return Block(line.text, kind, role=line.role, direction=line.direction, place=SourcePlace("row", number))


def _by_gaps(text: str) -> SourceText:
    """Return a text with a chapter for each part between two or more empty rows."""
    blocks: list[Block] = []
    for number, part in enumerate((part for part in _GAP.split(text) if part.strip()), start=1):
        rows = [row.strip() for row in part.split("\n") if row.strip()]
        blocks += [Block(row, chapter=str(number) if place == 0 else "") for place, row in enumerate(rows)]
    return SourceText(tuple(blocks))


def make_book(
    source_text: SourceText, *, source: str, language: Language | None = None, division: Division = "headings"
) -> Book:
    """Return the book of blocks of text.

    Args:
        source: path or name of its file.

    Raises:
        RecordError: if there is no text, or a paragraph is too long.
    """
    left_out = list(source_text.left_out)
    blocks = _without_gaps(source_text.blocks, left_out)
    blocks = with_title(blocks, source_text.title, left_out)
    if not blocks:
        raise RecordError(message("aptness.story-empty", name=source))
    for number, block in enumerate(blocks, start=1):
        if len(block.text) > LONGEST_LINE:
            raise RecordError(
                message("aptness.line-too-long", name=source, number=number, length=len(block.text), most=LONGEST_LINE)
            )
    chosen = language or source_text.language or language_of_text("".join(block.text for block in blocks))
    texts = with_curly_quotes([block.text.translate(_SPACES) for block in blocks])
    blocks = [replace(block, text=text) for block, text in zip(blocks, texts, strict=True)]
    chapters = [""] * len(blocks) if division == "none" else chapter_titles(blocks)
    lines = tuple(_lines(blocks, chapters, chosen))
    return Book(lines, chosen, source, source_text.title, tuple(left_out), source_text.notes)


def _without_gaps(blocks: Sequence[Block], left_out: list[LeftOut]) -> list[Block]:
    """Return the blocks that have words; one behind a row of asterisks begins a scene."""
    kept: list[Block] = []
    gaps, is_gap = 0, False
    for block in blocks:
        if not any(character.isalnum() for character in block.text):
            gaps, is_gap = gaps + 1, True
            continue
        kept.append(replace(block, is_break=True) if is_gap else block)
        is_gap = False
    if gaps:
        left_out.append(LeftOut("scene-break", pieces=gaps))
    return kept


def _lines(blocks: Sequence[Block], chapters: Sequence[str], language: Language) -> Iterator[BookLine]:
    """Yield lines of all kinds; who speaks is found in the whole book, since names come back."""
    headings = headings_of(blocks)
    given = [_line(block, is_heading=bool(heading)) for block, heading in zip(blocks, headings, strict=True)]
    pieces = split_paragraphs(given)
    marked = iter(mark_tags([piece for group in pieces for piece in group], language))
    for block, chapter, heading, group in zip(blocks, chapters, headings, pieces, strict=True):
        parts = [part for _ in group for part in next(marked)]
        if heading or block.kind == "action":
            kind: LineKind | None = "heading" if heading else None
            line = Line(heading or block.text)
            cut = [line] if heading else passages(line, language)
            for piece in cut:
                yield make_line(piece, chapter, kind=kind, place=block.place)
            continue
        yield from _timed(block, chapter, parts, language)


def _line(block: Block, *, is_heading: bool) -> Line:
    if is_heading or block.kind == "action":
        return Line("")  # keeps its place: turns of a dialogue do not go on over it
    if block.kind == "speech":
        return Line(block.text, block.role, speech=True, direction=block.direction)
    return Line(block.text)


def _timed(block: Block, chapter: str, parts: Sequence[MarkedLine], language: Language) -> Iterator[BookLine]:
    """Yield the lines of a block, each with its time where the source states it."""
    reached = 0
    for part in parts:
        cut = [part.line] if part.is_tag else list(passages(part.line, language))
        for piece in cut:
            start = max(block.text.find(piece.text, reached), reached)
            reached = start + len(piece.text)
            time, recording = _time(block, start, reached)
            kind: LineKind | None = "tag" if part.is_tag else None
            yield make_line(piece, chapter, kind=kind, place=block.place, time=time, recording=recording)


def _time(block: Block, start: int, end: int) -> tuple[Segment | None, str]:
    """Return the time of a span of a block, if timed spans make up just that span."""
    spans = [one for one in block.times if _words_in(block.text, max(start, one.start), min(end, one.end))]
    if not spans:
        return None, ""
    first, last = spans[0], spans[-1]
    outside = _words_in(block.text, first.start, start) or _words_in(block.text, end, last.end)
    reached, missing = start, False
    for one in spans:
        missing = missing or _words_in(block.text, reached, one.start)
        reached = one.end
    missing = missing or _words_in(block.text, reached, end)
    if outside or missing or len({one.recording for one in spans}) > 1 or first.time.start >= last.time.end:
        return None, ""
    return Segment(first.time.start, last.time.end), first.recording


def _words_in(text: str, start: int, end: int) -> bool:
    return any(character.isalnum() for character in text[start:end]) if start < end else False


def passages(line: Line, language: Language) -> Iterator[Line]:
    """Yield a line, cut at the ends of sentences where it is long.

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
