from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_text import Book, BookLine, make_line
from aptone.rooms.aptness.books.formats.blocks import LeftOut, SourcePlace
from aptone.rooms.aptness.books.story_file import book_from_json, book_json, dumps_book, write_story_file
from aptone.types import Line, Segment, from_json, loads, to_json

BOOK = Book(
    (
        BookLine(Line("Chapter 1"), "Chapter 1", "heading", SourcePlace("paragraph", 1, "one.xhtml")),
        make_line(Line("Go,", "Tom", speech=True), "Chapter 1", time=Segment(0.5, 1.25), recording="one.mp3"),
        make_line(Line("said Tom.", continues=True), "Chapter 1", kind="tag"),
        make_line(Line("No!", speech=True), "Chapter 1", place=SourcePlace("page", 3)),
        make_line(Line("It rained."), "Chapter 1"),
    ),
    "en",
    "book.epub",
    "Rain",
    (LeftOut("contents", "Contents"), LeftOut("page-number", "12", SourcePlace("page", 12), 30)),
    ("a note",),
)


def test_a_book_comes_back_from_its_story_file_as_it_was(tmp_path: Path) -> None:
    write_story_file(tmp_path / "story.json", BOOK)
    assert load_book(tmp_path / "story.json") == BOOK
    assert from_json(Book, to_json(BOOK)) == BOOK


def test_a_story_file_has_a_row_for_each_line_and_a_role_to_fill_in() -> None:
    rows = [row for row in dumps_book(BOOK).splitlines() if '"line"' in row]
    assert len(rows) == len(BOOK.lines)
    assert loads(rows[3].rstrip(",")) == {
        "chapter": "Chapter 1",
        "kind": "speech",
        "line": {"role": "", "speech": True, "text": "No!"},
        "place": {"number": 3, "unit": "page"},
    }
    assert "role" not in rows[4]


def test_a_wrong_correction_is_refused_with_the_file_and_the_field() -> None:
    data = book_json(BOOK)
    lines = data["lines"]
    assert isinstance(lines, list)
    lines[4] = {"line": {"text": "It rained.", "role": "Tom"}, "kind": "narration"}
    with pytest.raises(RecordError, match=r"story\.json: Book\.lines\[4\].*the kind is narration"):
        book_from_json(data, source="story.json")
    lines[4] = {"line": {"text": "It rained."}, "kind": "speach"}
    with pytest.raises(RecordError, match=r"Book\.lines\[4\]\.kind"):
        book_from_json(data, source="story.json")


def test_a_tag_belongs_to_the_speech_of_its_paragraph() -> None:
    assert BOOK.speech_of_tag(2) == 1
    before = Book((make_line(Line("Tom said:"), kind="tag"), make_line(Line("Go!", "Tom", continues=True))), "en", "b")
    assert before.speech_of_tag(0) == 1
    apart = Book((make_line(Line("Tom said:"), kind="tag"), make_line(Line("Go!", "Tom"))), "en", "b")
    assert apart.speech_of_tag(0) == 1
    alone = Book((make_line(Line("Go!", "Tom")), make_line(Line("Tom said."), kind="tag")), "en", "b")
    assert alone.speech_of_tag(1) is None


def test_speech_of_nobody_known_is_speech() -> None:
    assert make_line(Line("No!", speech=True)).kind == "speech"
    with pytest.raises(ValueError, match="the kind is narration"):
        BookLine(Line("No!", speech=True))
