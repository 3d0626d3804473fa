"""PDF: the text layer, row by row; see `page_rows` for what becomes of pages."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.rooms.aptness.books.formats.blocks import LeftOut, SourceText
from aptone.rooms.aptness.books.formats.plain_text import paged_source
from aptone.rooms.aptness.text_files import LARGEST_TEXT, read_bytes

WHAT = message("books.kind-pdf")
MOST_PAGES = 20_000
"""Most pages of a book."""

FEWEST_LETTERS = 3
"""Fewest letters on an average page of a book that has a text layer."""


def read_pdf(path: Path) -> SourceText:
    """Return the text of the text layer of a PDF.

    Raises:
        MissingExtraError: without pypdf.
        RecordError: if it is damaged, has a password, or holds pictures of pages only.
    """
    try:
        import pypdf
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as error:
        raise MissingExtraError(WHAT, extra="books") from error
    read_bytes(path, what=WHAT)  # says what is wrong with a file that cannot be opened
    pages: list[list[str]] = []
    size = 0
    with _quiet():
        try:
            reader = pypdf.PdfReader(path, strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise RecordError(message("books.pdf-password", name=path))
            count = len(reader.pages)
            if count > MOST_PAGES:
                raise RecordError(message("books.pdf-too-long", name=path, count=count, most=MOST_PAGES))
            for page in reader.pages:
                text = page.extract_text(extraction_mode="layout", layout_mode_strip_rotated=True)
                size += len(text)
                if size > LARGEST_TEXT:
                    raise RecordError(message("books.archive-bomb", name=path, what=WHAT, part="text"))
                pages.append(text.split("\n"))
            title = str((reader.metadata.title if reader.metadata else "") or "")
        except RecordError:
            raise
        except DependencyError as error:
            raise RecordError(message("books.pdf-password", name=path)) from error
        except (
            PyPdfError,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            RecursionError,
            OSError,
        ) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise RecordError(message("books.pdf-damaged", name=path, why=why)) from error
    letters = sum(character.isalpha() for page in pages for row in page for character in row)
    if letters < FEWEST_LETTERS * max(1, len(pages)):
        raise RecordError(message("books.pdf-pictures", name=path, count=len(pages)))
    left_out: list[LeftOut] = []
    found = paged_source(pages, by_page=True, left_out=left_out)
    return replace(found, title=title.strip() or found.title)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pypdf from writing to the terminal about faults of a file that it can mend."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
