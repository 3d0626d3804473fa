"""``aptone.plan_book``: a book or script in, the plan of every line out."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aptone.errors import AptoneError, UsageError
from aptone.messages import message
from aptone.rooms.aptness.api import make_planner, plan_sample
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.data import is_manifest
from aptone.rooms.aptness.delivery.book_plan import BookWindows, LineChoice, PlannedLine, numbered_lines
from aptone.types import Json, Language


def plan_book(
    book: str | Path | Book,
    *,
    chapters: Sequence[str] = (),
    characters: Sequence[str] = (),
    narration: bool = True,
    language: Language | None = None,
    engine: str = "built-in",
    planner: str | None = None,
    settings: Mapping[str, Json] | None = None,
) -> Iterator[PlannedLine]:
    """Plan how the lines of a whole book or script should sound, one after the other as they are asked for.

    Args:
        book: a file (see `aptone.rooms.aptness.books`), or a book that was read.
        chapters: titles of the chapters to plan; all by default.
        characters: speakers whose lines to plan, ``narration`` or ``unknown``; all by default.
        narration: whether to plan narration as well.
        language: language of the book; by default that of its characters.
        engine: engine whose planner is used; ``aptone doctor`` lists them.
        planner: name of another planner than the engine's.
        settings: its options, as ``planner.<option>``.

    Yields:
        The lines of those chapters in order, tags and headings included. The `plan` of a line is ``None`` where it was
        not asked for, and where none could be made: then its `reason` says why.

    Raises:
        AptoneError: if the book or the planner cannot be used, or it has no such chapter or character.
    """
    read = book if isinstance(book, Book) else read_whole_book(Path(book), language=language)
    choice = checked_choice(read, LineChoice(frozenset(chapters), frozenset(characters), narration))
    made = make_planner(engine, planner=planner, settings=settings or {})
    windows = BookWindows(read)

    def lines() -> Iterator[PlannedLine]:
        for one in numbered_lines(read):
            if not choice.is_chapter(one.line.chapter):
                continue
            if not choice.includes(one):
                yield one
                continue
            try:
                yield PlannedLine(one.number, one.line, plan_sample(windows.sample(one.number), made).plan)
            except AptoneError as error:
                yield PlannedLine(one.number, one.line, None, str(error))

    return lines()


def read_whole_book(path: Path, *, language: Language | None = None) -> Book:
    """Read a book or script from a file.

    Raises:
        RecordError: if it cannot be understood.
        UsageError: if it is a manifest, whose lines have stories of their own.
    """
    if is_manifest(path):
        raise UsageError(message("delivery.manifest", path=path))
    return load_book(path, language=language)


def checked_choice(book: Book, choice: LineChoice) -> LineChoice:
    """Return the choice, if the book has such chapters and characters, and something is left to plan.

    Raises:
        UsageError: if not; the message lists what the book has.
    """
    characters = dict.fromkeys(one.character for one in numbered_lines(book) if one.line.is_judged)
    for what, chosen, known in (
        ("chapter", choice.chapters, list(book.chapters)),
        ("character", choice.characters, list(characters)),
    ):
        if unknown := sorted(chosen - set(known)):
            names = ", ".join(name for name in known[:20] if name)
            raise UsageError(message("production.unknown-name", what=what, name=repr(unknown[0]), names=names))
    if not any(map(choice.includes, numbered_lines(book))):
        raise UsageError(message("delivery.nothing-to-plan", path=book.source))
    return choice
