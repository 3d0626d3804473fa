from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.formats.docx import OLD_FORMAT, read_docx
from tests.rooms.aptness.books.formats.book_files import write_zip

docx = pytest.importorskip("docx")

BODY = """<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>"""


def test_a_word_document_has_headings_paragraphs_and_what_was_left_out(tmp_path: Path) -> None:
    made = docx.Document()
    made.core_properties.title = "Rain"
    made.add_heading("One", 1)
    made.add_paragraph("“Go,” said Tom.")
    made.add_paragraph("A boat.", style="Caption")
    made.add_heading("Two", 1)
    hidden = made.add_paragraph("It rained.")
    hidden.add_run(" Not for you.").font.hidden = True
    made.sections[0].header.paragraphs[0].text = "Rain, draft 3"
    made.save(str(tmp_path / "book.docx"))
    book = load_book(tmp_path / "book.docx")
    assert [(line.kind, line.line.text, line.chapter) for line in book.lines] == [
        ("heading", "One", "One"),
        ("speech", "Go,", "One"),
        ("tag", "said Tom.", "One"),
        ("heading", "Two", "Two"),
        ("narration", "It rained.", "Two"),
    ]
    assert book.title == "Rain"
    assert {(one.reason, one.text) for one in book.left_out} == {
        ("caption", "A boat."), ("hidden", ""), ("header-footer", "Rain, draft 3"),
    }  # fmt: skip


def test_a_script_in_two_columns_names_its_speakers_and_other_tables_are_left_out(tmp_path: Path) -> None:
    made = docx.Document()
    script = made.add_table(rows=0, cols=2)
    for name, said in [("TOM", "Go."), ("ANN", "No."), ("TOM", "Go!")]:
        row = script.add_row()
        row.cells[0].text, row.cells[1].text = name, said
    made.add_paragraph("They left.")
    prices = made.add_table(rows=1, cols=3)
    prices.rows[0].cells[0].text = "12"
    made.save(str(tmp_path / "script.docx"))
    book = load_book(tmp_path / "script.docx")
    assert [(line.kind, line.line.role, line.line.text) for line in book.lines] == [
        ("speech", "TOM", "Go."), ("speech", "ANN", "No."), ("speech", "TOM", "Go!"), ("narration", "", "They left."),
    ]  # fmt: skip
    assert [one.reason for one in book.left_out] == ["table"]


def test_deleted_words_and_marks_of_notes_are_not_read(tmp_path: Path) -> None:
    words = (
        "<w:p><w:r><w:t>It </w:t></w:r><w:del><w:r><w:delText>snowed</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>rained</w:t></w:r></w:ins><w:r><w:footnoteReference/></w:r><w:r><w:t>.</w:t></w:r></w:p>"
    )
    found = read_docx(write_zip(tmp_path / "book.docx", {"word/document.xml": BODY.format(words)}))
    assert [block.text for block in found.blocks] == ["It rained."]
    assert {one.reason for one in found.left_out} == {"deleted", "note-mark"}


def test_an_empty_document_an_old_one_and_a_bomb_are_refused_with_the_way_out(tmp_path: Path) -> None:
    docx.Document().save(str(tmp_path / "empty.docx"))
    with pytest.raises(RecordError, match=r"empty\.docx: there is no text in it"):
        load_book(tmp_path / "empty.docx")
    (tmp_path / "old.docx").write_bytes(OLD_FORMAT + b"\0" * 600)
    with pytest.raises(RecordError, match=r"old\.docx.*save it as \.docx without a password"):
        load_book(tmp_path / "old.docx")
    bomb = BODY.format("<w:p>" + "<w:r/>" * 5_000_000 + "</w:p>")
    with pytest.raises(RecordError, match=r"bomb\.docx: refused: word/document\.xml"):
        load_book(write_zip(tmp_path / "bomb.docx", {"word/document.xml": bomb}))
