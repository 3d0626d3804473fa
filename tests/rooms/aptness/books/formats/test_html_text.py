import time
from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.formats.html_text import html_blocks
from aptone.rooms.aptness.books.formats.markup import decode_markup
from tests.tables import for_each


def texts(markup: str) -> list[str]:
    return [block.text for block in html_blocks(markup).blocks]


def test_paragraphs_are_read_without_markup_and_drop_caps_are_part_of_their_word() -> None:
    markup = "<p><span class='cap'>T</span>he <i>night</i>&nbsp;was<br/>dark &amp; cold.<p>Rain."
    assert texts(markup) == ["The night\u00a0was dark & cold.", "Rain."]


def test_quotations_by_element_have_marks() -> None:
    assert texts("<p><q>Go,</q> said Tom.</p>") == ["“Go,” said Tom."]


@for_each(
    ("markup", "reason"),
    [
        ("<nav><a href='#a'>One</a></nav>", "contents"),
        ("<aside epub:type='footnote'>In May.</aside>", "notes"),
        ("<section role='doc-endnotes'><p>In May.</p></section>", "notes"),
        ("<figure><img><figcaption>A boat.</figcaption></figure>", "caption"),
        ("<table><tr><td>1</td></tr></table>", "table"),
        ("<p hidden>Gone.</p>", "hidden"),
        ("<div style='display: none'>Gone.</div>", "hidden"),
        ("<span class='pagenum'>12</span>", "page-number"),
        ("<section epub:type='copyright-page'><p>Rights.</p></section>", "copyright"),
        ("<section epub:type='dedication'><p>For Ann.</p></section>", "front-matter"),
        ("<del>Gone.</del>", "deleted"),
    ],
)
def test_what_is_not_read_aloud_is_left_out_with_its_reason(markup: str, reason: str) -> None:
    found = html_blocks(f"<p>Before.</p>{markup}<p>After.</p>")
    assert [block.text for block in found.blocks] == ["Before.", "After."]
    assert [one.reason for one in found.left_out] == [reason]


@for_each(
    "mark", ["<sup>1</sup>", "<sup><a href='#n1'>[2]</a></sup>", "<a href='#n3'>*</a>", "<a href='n'><sup>a</sup></a>"]
)
def test_marks_of_notes_are_not_read(mark: str) -> None:
    found = html_blocks(f"<p>It rained{mark} all day.</p>")
    assert [block.text for block in found.blocks] == ["It rained all day."]


def test_a_link_and_a_raised_word_are_read() -> None:
    assert texts("<p>See <a href='#x'>the barn</a>, the 4<sup>th</sup> on the left.</p>") == [
        "See the barn, the 4th on the left."
    ]


def test_scripts_and_styles_are_no_text() -> None:
    assert texts("<style>p {}</style><script>alert('<p>no</p>')</script><p>Yes.</p>") == ["Yes."]


def test_a_page_is_a_book_of_chapters(tmp_path: Path) -> None:
    markup = "<title>Rain</title><h1>Rain</h1><h2>One</h2><p>“Go!” said Tom.</p><h2>Two</h2><p>It rained.</p>"
    (tmp_path / "book.html").write_text(markup, encoding="utf-8")
    book = load_book(tmp_path / "book.html")
    assert (book.title, book.chapters) == ("Rain", ("One", "Two"))


def test_encodings_are_those_that_the_file_states() -> None:
    assert decode_markup('<meta charset="gb2312"><p>雨</p>'.encode("gb18030"), where="a").endswith("<p>雨</p>")
    assert decode_markup("\ufeff雨".encode("utf-16"), where="a").strip("\ufeff") == "雨"
    with pytest.raises(RecordError, match=r"a\.html: is not in the encoding utf-8"):
        decode_markup("é".encode("latin-1"), where="a.html")


@for_each("markup", ["<div>" * 60_000, "<p" * 60_000, "<a href=" * 30_000, "&" * 100_000, "<!--" * 20_000])
def test_hostile_markup_does_not_take_long(markup: str) -> None:
    start = time.process_time()
    html_blocks(markup)
    assert time.process_time() - start < 5.0
