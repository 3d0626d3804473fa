"""Books as JSON that people can correct by hand: one line of the book on each row, without what is empty."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aptone.errors import RecordError
from aptone.files import write_whole
from aptone.messages import labelled
from aptone.rooms.aptness.books.book_text import Book
from aptone.types import Json, dumps, from_json, schema_name, to_json

_ALWAYS = frozenset({"text", "kind", "language", "source", "lines", "unit", "number", "reason", "start", "end"})


def is_book_json(data: Json) -> bool:
    """Return true for the JSON of a book: it says so, or its lines are those of a book.

    >>> is_book_json({"schema": "aptone.Book/1"}), is_book_json({"lines": [{"line": {"text": "Go!"}}]})
    (True, True)
    """
    if not isinstance(data, Mapping):
        return False
    lines = data.get("lines")
    first = lines[0] if isinstance(lines, Sequence) and not isinstance(lines, str) and lines else None
    return data.get("schema") == schema_name(Book) or (isinstance(first, Mapping) and "line" in first)


def book_from_json(data: Json, *, source: str) -> Book:
    """Return the book of its JSON.

    Args:
        source: file that it comes from, for messages.

    Raises:
        RecordError: if it is no book; the message names the file and the field.
    """
    try:
        return from_json(Book, data)
    except RecordError as error:
        raise RecordError(labelled(source, str(error))) from error


def book_json(book: Book) -> dict[str, Json]:
    """Return the JSON of a book without empty fields; speech keeps its role, so that it can be filled in."""
    whole = to_json(book)
    made = _pruned(whole)
    assert isinstance(made, dict)
    for line, kept in zip(book.lines, made["lines"], strict=True):
        if line.kind == "speech":
            kept["line"]["role"] = line.line.role
    return {"schema": schema_name(Book), **made}


def dumps_book(book: Book) -> str:
    """Return the text of a story file: JSON with one line of the book on each row."""
    data = book_json(book)
    heads = [f"  {dumps(name)}: {dumps(value)}" for name, value in data.items() if name not in ("lines", "left_out")]
    for name in ("left_out", "lines"):
        if rows := data.get(name):
            assert isinstance(rows, Sequence)
            heads.append(f"  {dumps(name)}: [\n    " + ",\n    ".join(map(dumps, rows)) + "\n  ]")
    return "{\n" + ",\n".join(heads) + "\n}\n"


def write_story_file(path: Path, book: Book) -> None:
    """Write the story file of a book, whole or not at all.

    Raises:
        RunError: if it cannot be written.
    """
    write_whole(path, dumps_book(book))


def _pruned(value: Json) -> Any:
    if isinstance(value, Mapping):
        pruned = {name: _pruned(item) for name, item in value.items() if name != "schema"}
        return {name: item for name, item in pruned.items() if name in _ALWAYS or not _is_default(name, item)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_pruned(item) for item in value]
    return value


def _is_default(name: str, value: Json) -> bool:
    return value in ("", None, [], False) or (name, value) == ("pieces", 1)
