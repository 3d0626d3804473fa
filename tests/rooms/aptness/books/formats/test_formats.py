from pathlib import Path

import pytest

from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.formats.page_rows import join_rows
from aptone.rooms.aptness.books.formats.plain_text import plain_source

books_text = pytest.importorskip("benchmarks.books_text", reason="python-docx and reportlab write the files")


@pytest.mark.slow
def test_files_of_every_format_give_their_lines_kinds_and_speakers(tmp_path: Path) -> None:
    for name, found in books_text.measure_formats(tmp_path):
        assert min(found["lines"], found["kinds"], found["speakers"]) >= 0.97, (name, found)


@pytest.mark.slow
def test_bad_files_are_refused_by_name(tmp_path: Path) -> None:
    for name, why in books_text.bad_files(tmp_path):
        assert why.startswith(name), (name, why)


def test_the_licence_of_an_e_text_captions_and_notes_are_left_out() -> None:
    text = (
        "Some notice\n*** START OF THE PROJECT GUTENBERG EBOOK RAIN ***\nProduced by Nobody\nIt _rained_.[1]\n"
        "[Illustration: rain]\n[1] In May.\n*** END OF THE PROJECT GUTENBERG EBOOK RAIN ***\nLicence\n"
    )
    found = plain_source(text)
    assert [block.text for block in found.blocks] == ["It rained."]
    assert {one.reason for one in found.left_out} == {"licence", "caption", "notes", "note-mark"}


def test_a_drop_cap_joins_its_word_and_an_article_does_not() -> None:
    text = "T he night was dark.\nA dog barked at the night, and then another dog.\n"
    first, second = (block.text for block in plain_source(text).blocks)
    assert first == "The night was dark."
    assert second.startswith("A dog")


def test_hyphens_at_the_end_of_a_row_are_closed_unless_the_word_has_one() -> None:
    assert join_rows("It was won-", "derful", set()) == "It was wonderful"
    assert join_rows("a well-", "known man", {"well-known"}) == "a well-known man"


def test_dialogue_behind_dashes_and_over_paragraphs_is_speech(tmp_path: Path) -> None:
    (tmp_path / "dash.txt").write_text(
        "—Go away, said Tom.\n—Never, said Ann. Not today.\nIt rained.\n", encoding="utf-8"
    )
    found = [(line.kind, line.line.text, line.line.role) for line in load_book(tmp_path / "dash.txt").lines]
    assert [one for one in found if one[0] == "speech"] == [
        ("speech", "Go away,", "Tom"), ("speech", "Never,", "Ann"), ("speech", "Not today.", "Ann"),
    ]  # fmt: skip
    (tmp_path / "long.txt").write_text("“Go,” said Tom. “It is late\n“and cold.”\n", encoding="utf-8")
    assert [line.line.role for line in load_book(tmp_path / "long.txt").lines if line.kind == "speech"] == ["Tom"] * 3
