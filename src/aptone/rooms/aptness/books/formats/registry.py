"""Formats of book files: found by what a file begins with, then by its ending."""

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.aptness.books.formats.blocks import SourceText
from aptone.rooms.aptness.books.formats.docx import OLD_FORMAT, read_docx
from aptone.rooms.aptness.books.formats.epub import read_epub
from aptone.rooms.aptness.books.formats.html_text import read_html
from aptone.rooms.aptness.books.formats.markdown import read_markdown
from aptone.rooms.aptness.books.formats.pdf import read_pdf
from aptone.rooms.aptness.books.formats.plain_text import read_plain_text
from aptone.rooms.aptness.books.formats.screenplay import read_fountain
from aptone.rooms.aptness.books.formats.timed_text import read_timed_text

Reader = Callable[[Path], SourceText]

READERS: Mapping[str, Reader] = {
    "epub": read_epub,
    "docx": read_docx,
    "pdf": read_pdf,
    "html": read_html,
    "markdown": read_markdown,
    "fountain": read_fountain,
    "subtitles": read_timed_text,
    "text": read_plain_text,
}
"""Reader of each format."""

ENDINGS: Mapping[str, str] = {
    ".epub": "epub",
    ".docx": "docx",
    ".docm": "docx",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".fountain": "fountain",
    ".spmd": "fountain",
    ".srt": "subtitles",
    ".vtt": "subtitles",
    ".ass": "subtitles",
    ".ssa": "subtitles",
    ".txt": "text",
    ".text": "text",
}
"""Format by the ending of a file."""

_OTHERS: Mapping[str, str] = {
    ".mobi": "books.other-kindle",
    ".azw": "books.other-kindle",
    ".azw3": "books.other-kindle",
    ".kfx": "books.other-kindle",
    ".doc": "books.old-word",
    ".odt": "books.other-office",
    ".rtf": "books.other-office",
    ".pages": "books.other-office",
    ".fdx": "books.other-final-draft",
}
"""Formats that are not read, and the message that says what to do."""

_SNIFFED = 4096


def format_of(path: Path) -> str:
    """Return the format of a file: a key of `READERS`.

    Raises:
        RecordError: if it is of a kind that is not read; the message says how to convert it.
    """
    suffix = path.suffix.lower()
    head = _head(path)
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path, suffix)
    if head.startswith(OLD_FORMAT):
        raise RecordError(message("books.old-word", name=path))
    if head.startswith(b"{\\rtf") or suffix in _OTHERS:
        raise RecordError(message(_OTHERS.get(suffix, "books.other-office"), name=path))
    known = ENDINGS.get(suffix, "text")
    if known == "text":
        text = head.decode("utf-8", "ignore").lstrip("\ufeff \r\n")
        if re.match(r"<!doctype html|<html\b|<\?xml[^>]*\?>\s*(?:<!doctype html|<html\b)", text, re.IGNORECASE):
            return "html"
        if text.startswith(("WEBVTT", "[Script Info]")):
            return "subtitles"
    return known


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_SNIFFED)
    except OSError:
        return b""  # its reader says what is wrong with it


def _zipped(path: Path, suffix: str) -> str:
    if suffix in (".epub", ".docx", ".docm"):
        return ENDINGS[suffix]
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:5000])
    except (zipfile.BadZipFile, OSError, ValueError):
        names = set()
    if "META-INF/container.xml" in names:
        return "epub"
    if "word/document.xml" in names:
        return "docx"
    raise RecordError(message(_OTHERS.get(suffix, "books.other-archive"), name=path))


def read_source_text(path: Path) -> SourceText:
    """Return the text of a book file of any format.

    Raises:
        MissingExtraError: if its format needs the extra ``books``.
        RecordError: if it cannot be understood.
    """
    return READERS[format_of(path)](path)
