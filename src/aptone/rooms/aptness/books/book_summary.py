"""What was understood of a book: chapters, speakers, kinds of lines, and what was left out, as tables and JSON."""

from collections import Counter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import translate, words
from aptone.rooms.aptness.books.book_text import Book, LineKind
from aptone.rooms.aptness.books.formats.blocks import LeftOutReason
from aptone.types import Json, Language, to_json

MOST_SPEAKERS = 30
"""Speakers that a table shows; the others are counted."""

KINDS: tuple[LineKind, ...] = ("speech", "narration", "tag", "heading")


def summarize(book: Book) -> dict[str, Json]:
    """Return title, language, chapters with their lines by kind, speakers with their lines, and what was left out."""
    kinds = Counter((line.chapter, line.kind) for line in book.lines)
    chapters: list[dict[str, Json]] = [
        {"title": chapter, **{kind: kinds[chapter, kind] for kind in KINDS}} for chapter in book.chapters
    ]
    spoken = Counter(line.line.role for line in book.lines if line.kind == "speech")
    timed = sum(line.time is not None for line in book.lines)
    return {
        "title": book.title,
        "language": book.language,
        "source": book.source,
        "lines": {kind: sum(line.kind == kind for line in book.lines) for kind in KINDS},
        "timed": timed,
        "chapters": chapters,
        "speakers": [{"name": name, "lines": count} for name, count in spoken.most_common() if name],
        "unknown_speaker": spoken[""],
        "left_out": [
            {name: value for name, value in to_json(one).items() if name != "schema"} for one in book.left_out
        ],
        "notes": list(book.notes),
    }


def summary_tables(book: Book, *, language: Language, lines: bool = False) -> RenderableType:
    """Return the tables of a book: chapters, who speaks how often, what was left out and why.

    Args:
        lines: show every line with its kind and speaker, too.
    """
    word = words(language, "books")
    kinds = Counter((line.chapter, line.kind) for line in book.lines)
    shown: list[RenderableType] = [Text(f"{book.title or book.source} ({book.language})", style="bold")]
    chapters = _table(word("chapter"), *(word(f"kind_{kind}") for kind in KINDS[:3]))
    for chapter in book.chapters:
        counts = [str(kinds[chapter, kind]) for kind in KINDS[:3]]
        chapters.add_row(Text(chapter or word("untitled")), *counts)
    shown += [Text(), chapters, Text(), _speakers(book, language)]
    if book.left_out:
        gone = _table(word("left_out"), word("count"), word("place"), word("begins"))
        pieces: Counter[LeftOutReason] = Counter()
        for one in book.left_out:
            pieces[one.reason] += one.pieces
        first = {one.reason: one for one in reversed(book.left_out)}
        for reason, count in pieces.most_common():
            one = first[reason]
            place = str(one.place) if one.place is not None else ""
            gone.add_row(word(f"reason_{reason.replace('-', '_')}"), str(count), Text(place), Text(one.text[:60]))
        shown += [Text(), gone]
    if lines:
        table = _table("", word("kind"), word("speaker"), word("line"))
        for number, line in enumerate(book.lines, start=1):
            who = line.line.role or (word("unknown_speaker") if line.kind == "speech" else "")
            table.add_row(str(number), word(f"kind_{line.kind}"), Text(who), Text(line.line.text))
        shown += [Text(), table]
    shown += [Text(f"! {translate(note, language)}", style="yellow") for note in book.notes]
    return Group(*shown)


def _speakers(book: Book, language: Language) -> Table:
    word = words(language, "books")
    spoken = Counter(line.line.role for line in book.lines if line.kind == "speech")
    total = sum(spoken.values())
    table = _table(word("speaker"), word("lines"), word("share"))
    named = [(name, count) for name, count in spoken.most_common() if name]
    for name, count in named[:MOST_SPEAKERS]:
        table.add_row(Text(name), str(count), f"{count / total:.0%}")
    if rest := sum(count for _, count in named[MOST_SPEAKERS:]):
        table.add_row(Text(word("others", count=len(named) - MOST_SPEAKERS)), str(rest), f"{rest / total:.0%}")
    if spoken[""]:
        table.add_row(Text(word("unknown_speaker"), style="yellow"), str(spoken[""]), f"{spoken[''] / total:.0%}")
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold" if number in (0, len(columns) - 1) else "ellipsis")
    return table
