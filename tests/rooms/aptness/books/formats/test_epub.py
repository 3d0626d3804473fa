from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.formats.epub import read_epub
from aptone.types import Segment
from tests.rooms.aptness.books.formats.book_files import ENCRYPTION, NCX, OPF, PARTS, write_zip


def test_an_epub_is_read_in_the_order_of_its_spine_with_the_chapters_of_its_contents(tmp_path: Path) -> None:
    book = load_book(write_zip(tmp_path / "book.epub", PARTS))
    assert (book.title, book.language) == ("Rain", "en")
    assert [(line.kind, line.line.text, line.line.role, line.chapter) for line in book.lines] == [
        ("heading", "One", "", "One"),
        ("speech", "Go,", "Tom", "One"),
        ("tag", "said Tom.", "", "One"),
        ("narration", "It rained all day.", "", "One"),
        ("heading", "Two", "", "Two"),
        ("speech", "No!", "Ann", "Two"),
        ("tag", "cried Ann.", "", "Two"),
    ]
    assert {(one.reason, one.text) for one in book.left_out} == {
        ("copyright", "Copyright 2026. All rights reserved."),
        ("note-mark", ""),
        ("notes", "In May."),
    }
    place = book.lines[3].place
    assert place is not None
    assert (place.file, place.unit, place.number) == ("OEBPS/one.xhtml", "paragraph", 3)


def test_media_overlays_time_the_lines_that_they_hold(tmp_path: Path) -> None:
    lines = load_book(write_zip(tmp_path / "book.epub", PARTS)).lines
    assert [(line.time, line.recording) for line in lines[:4]] == [
        (None, ""),
        (Segment(0.0, 1.25), "OEBPS/audio/one.mp3"),
        (Segment(1.25, 2.5), "OEBPS/audio/one.mp3"),
        (None, ""),
    ]


def test_a_line_that_is_part_of_a_timed_sentence_has_no_time_of_its_own(tmp_path: Path) -> None:
    parts = {**PARTS, "OEBPS/one.smil": PARTS["OEBPS/one.smil"].replace("#s1", "#p1")}
    assert [line.time for line in load_book(write_zip(tmp_path / "book.epub", parts)).lines[:2]] == [None, None]


def test_an_epub_2_has_the_chapters_of_its_ncx_and_html_characters(tmp_path: Path) -> None:
    more = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    opf = OPF.format(more=more, toc=' toc="ncx"').replace(' properties="nav"', "")
    parts = {**PARTS, "OEBPS/book.opf": opf, "OEBPS/toc.ncx": NCX}
    assert read_epub(write_zip(tmp_path / "book.epub", parts)).blocks[0].chapter == "One"


def test_fonts_may_be_hidden_but_text_that_is_encrypted_is_refused(tmp_path: Path) -> None:
    fonts = ENCRYPTION.format(algorithm="http://www.idpf.org/2008/embedding")
    assert read_epub(write_zip(tmp_path / "fonts.epub", {**PARTS, "META-INF/encryption.xml": fonts})).blocks
    text = ENCRYPTION.format(algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc")
    path = write_zip(tmp_path / "drm.epub", {**PARTS, "META-INF/encryption.xml": text})
    with pytest.raises(RecordError, match=r"drm\.epub: is protected against copying \(DRM\).*manuscript"):
        load_book(path)


@pytest.mark.parametrize(
    ("name", "parts", "why"),
    [
        ("bomb", {"OEBPS/one.xhtml": "<p>" + "a" * 40_000_000}, "refused: OEBPS/one.xhtml unpacks to far more"),
        ("large", {"OEBPS/one.xhtml": "<p>" + "a" * (64 * 2**20 + 1)}, "refused: OEBPS/one.xhtml unpacks"),
        ("entities", {"OEBPS/book.opf": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, "declares XML entities"),
        (
            "external",
            {"OEBPS/book.opf": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'},
            "declares XML entities",
        ),
        ("damaged", {"OEBPS/book.opf": "<package>"}, "cannot be read as XML"),
        ("outside", {"META-INF/container.xml": '<c><rootfile full-path="../../etc/passwd"/></c>'}, "is missing"),
        ("pictures", {"OEBPS/one.xhtml": "<html><body><img src='1.png'/></body></html>"}, "there is no text in it"),
    ],
)
def test_hostile_and_broken_epubs_are_refused_by_name(
    tmp_path: Path, name: str, parts: dict[str, str], why: str
) -> None:
    path = write_zip(tmp_path / f"{name}.epub", {**PARTS, **parts})
    with pytest.raises(RecordError, match=rf"{name}\.epub.*{why}"):
        load_book(path)


def test_a_file_that_is_no_archive_and_one_without_parts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.epub").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(RecordError, match=r"text\.epub: cannot be read as an EPUB"):
        load_book(tmp_path / "text.epub")
    with pytest.raises(RecordError, match=r"container\.xml is missing"):
        load_book(write_zip(tmp_path / "empty.epub", {"mimetype": "x"}))


def test_links_that_lead_out_of_the_archive_are_not_followed(tmp_path: Path) -> None:
    parts = {**PARTS, "OEBPS/book.opf": PARTS["OEBPS/book.opf"].replace("rights.xhtml", "../../../etc/passwd")}
    assert read_epub(write_zip(tmp_path / "book.epub", parts)).blocks[0].text == "One"
