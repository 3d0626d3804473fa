"""Plain text: one paragraph a row, or rows wrapped at a width, with what e-text projects and page scans leave in it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, LeftOutReason, SourcePlace, SourceText, shortened
from aptone.rooms.aptness.books.formats.page_rows import Paragraph, Row, is_hard_wrapped, paragraphs_of, rows_of
from aptone.rooms.aptness.books.formats.screenplay import (
    is_screenplay,
    play_label,
    play_names,
    screenplay_blocks,
)
from aptone.rooms.aptness.text_files import read_utf8

LONGEST_HEADING = 80
"""Characters of a heading."""

_START = re.compile(r"^\s*\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG.*$|^.*\*END\*THE SMALL PRINT.*$", re.I | re.M)
_END = re.compile(
    r"^\s*\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG.*$|^\s*End of (?:the )?Project Gutenberg.*$", re.I | re.M
)
_CREDITS = re.compile(
    r"(?:Produced by|E-?text prepared by|Transcribed (?:from|by)|This (?:e-?book|etext) was (?:produced|created)"
    r"|Credits:|Scanned by"
    r"|Transcriber[’']s notes?)\b.*",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"\[(?:Illustration|Frontispiece|插图|插圖)\b[^\]]*\]", re.IGNORECASE)
_NOTE = re.compile(r"\[(?:Footnote|Note)\s*\w*:?.*\]?|\[\d{1,3}\]\s+\S.*", re.IGNORECASE | re.DOTALL)
_NOTE_MARK = re.compile(r"(?<=\S)\s?\[(?:\d{1,3}|[A-Z*†])\]")
_EMPHASIS = re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,2000}?)(?<=\S)_(?![\w_])")
_STARRED = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,400}?)(?<=[^\s*])\*(?![\w*])")
_CONTENTS = re.compile(r"(?:table of )?contents\.?|目\s*录|目\s*錄", re.IGNORECASE)
_ENTRY = re.compile(r".{1,120}?(?:\s*(?:\.\s?){2,}|\s{2,}|\t)\s*(?:\d{1,4}|[ivxlc]{1,7})\s*", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"[.,;:!?…。，；：！？—][”’\"'」』）)]*$")
_DROP_CAP = re.compile(r"([A-Z“‘\"]?[A-Z])\s+([a-z’']{1,20}|[A-Z]{2,}|[A-Z](?=\s+[a-z]))(?=\b)")
_FIRST_WORDS = frozenset(
    re.findall(
        r"\w+",
        "about above after again against all along although among an and another any are as at if in indeed inside "
        "instead into is it its of off often oh old on once one only or other our out outside over to he we so by no "
        "my be do go up us",
    )
)
"""Words with which a chapter may begin, of two letters or with a first one that is a word, too: A, I or O."""
_ROMAN = re.compile(r"[IVXLC]{1,7}\.?")


def read_plain_text(path: Path) -> SourceText:
    """Return the text of a plain text file.

    Raises:
        RecordError: if it is not UTF-8.
    """
    return plain_source(read_utf8(path, what="a story"))


def plain_source(text: str) -> SourceText:
    """Return the text of a plain text."""
    left_out: list[LeftOut] = []
    text = _without_licence(text, left_out)
    pages = [page.split("\n") for page in text.split("\f")]
    return paged_source(pages, by_page=len(pages) > 1, left_out=left_out)


def paged_source(pages: Sequence[Sequence[str]], *, by_page: bool, left_out: list[LeftOut]) -> SourceText:
    """Return the text of rows on pages: a script, wrapped paragraphs, or a paragraph on each row."""
    flat = [row for page in pages for row in page]
    if is_screenplay(flat):
        rows = rows_of(pages, by_page=by_page, left_out=left_out)
        blocks = list(screenplay_blocks(_spaced(rows), left_out))
        return SourceText(tuple(blocks), left_out=tuple(left_out))
    rows = (
        rows_of(pages, by_page=by_page, left_out=left_out)
        if _may_be_pages(pages, flat)
        else _plain_rows(pages, by_page)
    )
    wrapped = is_hard_wrapped(rows)
    found = list(paragraphs_of(rows)) if wrapped else [Paragraph(row.text, row.place) for row in rows]
    names = play_names([one.text for one in found])
    blocks = list(_blocks(_without_contents(found, left_out), left_out, wrapped, names))
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return SourceText(tuple(_with_drop_caps(blocks)), title if wrapped else "", left_out=tuple(left_out))


def _may_be_pages(pages: Sequence[Sequence[str]], flat: Sequence[str]) -> bool:
    """Return true for pages, and for a text with wrapped rows: only there rows may be page numbers or heads."""
    return len(pages) > 1 or is_hard_wrapped(_plain_rows([flat], by_page=False))


def _plain_rows(pages: Sequence[Sequence[str]], by_page: bool) -> list[Row]:
    rows: list[Row] = []
    counted = 0
    for number, page in enumerate(pages, start=1):
        gap = False
        for raw in page:
            counted += 1
            place = SourcePlace("page", number) if by_page else SourcePlace("row", counted)
            if text := " ".join(raw.split()):
                rows.append(Row(text, len(raw) - len(raw.lstrip()), place, gap))
            gap = not text
    return rows


def _spaced(rows: Sequence[Row]) -> list[str]:
    """Return rows as text again, with empty rows where they were."""
    found: list[str] = []
    for row in rows:
        goes_on = row.new_page and found and not _SENTENCE_ENDS.search(found[-1]) and not row.text.isupper()
        if row.gap and not goes_on:
            found.append("")
        found.append(" " * row.indent + row.text)
    return found


def _without_licence(text: str, left_out: list[LeftOut]) -> str:
    """Return a text without what an e-text project put around it; rows keep their numbers."""
    if (start := _START.search(text)) is not None:
        left_out.append(LeftOut("licence", shortened(text[: start.end()]), SourcePlace("row", 1)))
        text = "\n" * text.count("\n", 0, start.end()) + text[start.end() :]
    if (end := _END.search(text)) is not None:
        place = SourcePlace("row", text.count("\n", 0, end.start()) + 1)
        left_out.append(LeftOut("licence", shortened(text[end.start() :]), place))
        text = text[: end.start()]
    return text


def _without_contents(found: Sequence[Paragraph], left_out: list[LeftOut]) -> list[Paragraph]:
    """Return paragraphs without a table of contents: what stands below that word up to where an entry comes again."""
    start = next((place for place, one in enumerate(found[:200]) if _CONTENTS.fullmatch(one.text.strip(" .:"))), None)
    if start is None:
        return list(found)
    first = next((one.text for one in found[start + 1 : start + 2]), "")
    key = _title_key(first)
    again = next(
        (place for place in range(start + 2, len(found)) if key and _title_key(found[place].text) == key), None
    )
    if again is None:
        again = start + 1
        while (
            again < len(found)
            and (_ENTRY.fullmatch(found[again].text) or len(found[again].text) < LONGEST_HEADING)
            and (_SENTENCE_ENDS.search(found[again].text) is None)
        ):
            again += 1
    if again - start > 400:
        return list(found)
    words = " ".join(one.text for one in found[start:again])
    left_out.append(LeftOut("contents", shortened(words), found[start].place, again - start))
    return [*found[:start], *found[again:]]


def _title_key(text: str) -> str:
    """Return the beginning of an entry without its page number, for comparison."""
    plain = re.sub(r"(?:\s*(?:\.\s?){2,}|\s+)\s*(?:\d{1,4}|[ivxlc]{1,7})\s*$", "", text, flags=re.IGNORECASE)
    return re.sub(r"\W+", "", plain).casefold()[:40] or re.sub(r"\W+", "", text).casefold()[:40]


def _blocks(found: Sequence[Paragraph], left_out: list[LeftOut], wrapped: bool, names: Counter[str]) -> Iterator[Block]:
    plays = len([name for name, count in names.items() if count > 1]) > 1
    marks = 0
    for one in found:
        text = _STARRED.sub(r"\1", _EMPHASIS.sub(r"\1", one.text))
        if (reason := _reason(text)) is not None:
            left_out.append(LeftOut(reason, shortened(text), one.place))
            continue
        text = _CAPTION.sub("", text)
        text, count = _NOTE_MARK.subn("", text)
        marks += count
        if not text.strip():
            continue
        if plays and (label := play_label(text, names)) is not None:
            yield Block(label[1], "speech", role=label[0], place=one.place)
        elif wrapped and _is_heading(replace(one, text=text)):
            yield Block(text, "heading", 3, place=one.place)
        else:
            yield Block(text.strip(), place=one.place)
    if marks:
        left_out.append(LeftOut("note-mark", pieces=marks))


def _reason(text: str) -> LeftOutReason | None:
    if _CAPTION.fullmatch(text.strip()):
        return "caption"
    if _NOTE.fullmatch(text.strip()):
        return "notes"
    if len(text) < 400 and _CREDITS.match(text):
        return "licence"
    return None


def _is_heading(one: Paragraph) -> bool:
    """Return true for a short row by itself in capitals, a Roman number, or in the middle of the page."""
    text = one.text.strip()
    if len(text) > LONGEST_HEADING or not one.is_alone or (_SENTENCE_ENDS.search(text) and not _ROMAN.fullmatch(text)):
        return False
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return False
    return (text.upper() == text and text.lower() != text) or (one.centred and len(text) < 50)


def _with_drop_caps(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks with a first letter that was set apart joined to its word: ``T he night``."""
    words = Counter(word for block in blocks for word in re.findall(r"[A-Za-z’']+", block.text.lower()))
    for block in blocks:
        match = _DROP_CAP.match(block.text) if block.kind == "paragraph" else None
        if match is not None:
            letter, rest = match[1][-1], match[2]
            whole = (letter + rest).lower()
            alone = letter in "AIO" and words[rest.lower()] >= words[whole]
            if len(rest) == 1 and rest.isupper():
                is_word = whole in _FIRST_WORDS
            else:
                is_word = whole in _FIRST_WORDS or (not alone and bool(words[whole] or letter not in "AIO"))
            if is_word:
                joined = match[1] + (rest.lower() if rest.isupper() else rest)
                block = replace(block, text=joined + block.text[match.end() :])
        yield block
