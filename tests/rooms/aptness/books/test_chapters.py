from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book_file import load_book, passages
from aptone.rooms.aptness.books.chapters import chapter_titles, heading_of
from aptone.rooms.aptness.books.formats.blocks import Block
from aptone.types import Language, Line
from tests.tables import for_each

BOOK = """Chapter 1: Rain

It rained. “Go!” said Tom.

Chapter 2

“No,” said Ann. She stayed.
"""


@for_each(
    "text",
    ["Chapter 3", "CHAPTER XIV", "Chapter Twenty-One: Home", "Part One", "Book the Second", "Prologue", "Epilogue.",
     "第三章", "第十二回 风雪夜归人", "第3节", "序章", "楔子", "尾声"],
)  # fmt: skip
def test_headings_are_known_in_both_languages(text: str) -> None:
    assert heading_of(text) == text


@for_each(
    "text",
    ["Part of it fell.", "Chapter by chapter he read.", "Booked a room", "Introduction to arms", "序言很长的一句话。",
     "尾声渐近，众人散去。", "Act now",
     "Chapter 3 was the one that he had always liked best, whatever his mother said of it."],
)  # fmt: skip
def test_sentences_that_begin_alike_are_no_headings(text: str) -> None:
    assert heading_of(text) == ""


def test_what_a_role_says_is_no_heading_and_markdown_is_one() -> None:
    assert chapter_titles([Block("Chapter 3", "speech", role="Tom")]) == [""]
    assert heading_of("## The Storm ##") == "The Storm"


def test_a_book_is_chapters_of_speech_and_narration(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    book = load_book(tmp_path / "book.txt")
    assert book.chapters == ("Chapter 1: Rain", "Chapter 2")
    assert [(line.line.text, line.line.role, line.kind) for line in book.lines] == [
        ("Chapter 1: Rain", "", "heading"),
        ("It rained.", "", "tag"),
        ("Go!", "Tom", "speech"),
        ("said Tom.", "", "tag"),
        ("Chapter 2", "", "heading"),
        ("No,", "Ann", "speech"),
        ("said Ann. She stayed.", "", "tag"),
    ]


def test_what_stands_before_the_first_heading_has_no_title() -> None:
    assert chapter_titles([Block("For my mother."), Block("第一章"), Block("下雨了。")]) == ["", "第一章", "第一章"]


def test_two_chapters_of_one_title_are_told_apart() -> None:
    found = chapter_titles([Block("Chapter 1"), Block("a"), Block("Chapter 1"), Block("b")])
    assert found == ["Chapter 1", "Chapter 1", "Chapter 1 (2)", "Chapter 1 (2)"]


def test_sub_headings_begin_no_chapter_and_the_title_of_a_book_belongs_to_its_first_one() -> None:
    blocks = [
        Block("Rain", "heading", 1), Block("One", "heading", 2), Block("a"), Block("A bit", "heading", 3), Block("b"),
        Block("Two", "heading", 2), Block("c"),
    ]  # fmt: skip
    assert chapter_titles(blocks) == ["One"] * 5 + ["Two"] * 2


def test_a_table_of_contents_decides_where_chapters_begin() -> None:
    blocks = [Block("a", chapter="I"), Block("Chapter 9", "heading", 1), Block("b", chapter="II")]
    assert chapter_titles(blocks) == ["I", "I", "II"]


def test_chapters_may_be_parted_by_two_empty_lines_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("One.\nTwo.\n\n\nThree.\n\nFour.\n", encoding="utf-8")
    book = load_book(tmp_path / "book.txt", division="blank")
    assert [(line.chapter, line.line.text) for line in book.lines] == [
        ("1", "One."), ("1", "Two."), ("2", "Three."), ("2", "Four.")
    ]  # fmt: skip
    assert load_book(tmp_path / "book.txt", division="none").chapters == ("",)


def test_an_empty_book_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("\n\n\n")
    for division in ("headings", "blank", "none"):
        with pytest.raises(RecordError, match="the story is empty"):
            load_book(tmp_path / "book.txt", division=division)


@pytest.mark.parametrize(("sentence", "language"), [("It rained on Mr. Smith. ", "en"), ("雨下了一整夜。", "zh")])
def test_long_narration_is_cut_at_the_ends_of_sentences_and_loses_nothing(sentence: str, language: Language) -> None:
    text = (sentence * 40).strip()
    pieces = [piece.text for piece in passages(Line(text), language)]
    assert len(pieces) > 1
    assert all(piece.endswith((".", "。")) and not piece.endswith("Mr.") for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
