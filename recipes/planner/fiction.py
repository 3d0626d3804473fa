"""Lines of public-domain novels with the speech tags of their authors: where a line and its tag stand in the book.

The folder holds ``books.en.tar.xz``, ``books.zh.tar.xz`` (a book a file, one paragraph a row) and
``lines.en.jsonl.xz``, ``lines.zh.jsonl.xz``: book, paragraph, line, tag, and what the tag says of emotion and delivery.
"""

import functools
import json
import lzma
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aptone.types import Language

BEFORE = 8
"""Paragraphs before that of the line that belong to its context."""
AFTER = 1
"""Paragraphs after it."""
_QUOTED = {
    "en": re.compile(r'“[^”]*(?:”|$)|"[^"]*(?:"|$)'),
    "zh": re.compile(r"“[^”]*(?:”|$)|「[^」]*(?:」|$)"),
}
_FARTHEST = 4
"""Characters between a quotation and its tag."""


@dataclass(frozen=True, slots=True)
class TaggedLine:
    """A line of a book with its tag.

    Args:
        number: of the line in its file.
        book, paragraph: where it stands.
        split: train or dev, by author.
        language: of the book.
        text: its paragraph.
        start, end: of the words of its (first) quotation.
        tag_start, tag_end: of the tag.
        said: what the tag says: verb, adverb, speaker, emotion, delivery, strong.
    """

    number: int
    book: str
    paragraph: int
    split: str
    language: Language
    text: str
    start: int
    end: int
    tag_start: int
    tag_end: int
    said: Mapping[str, Any]

    @property
    def emotion(self) -> str:
        """The emotion of a tag that is sure of it; empty for the others."""
        return str(self.said.get("emotion", "")) if self.said.get("strong") else ""


class Fiction:
    """The books of a folder, and their tagged lines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._books = functools.cache(self._read_books)

    def _read_books(self, language: str) -> dict[str, list[str]]:
        found = {}
        with tarfile.open(self._folder / f"books.{language}.tar.xz") as archive:
            for member in archive:
                if (file := archive.extractfile(member)) is not None:
                    found[Path(member.name).stem] = file.read().decode("utf-8").split("\n")
        return found

    def paragraphs(self, book: str) -> list[str]:
        """The paragraphs of a book, some of them empty."""
        return self._books(book[:2])[book]

    def rows(self, language: Language) -> list[dict[str, Any]]:
        """The rows of the file of lines, as they are."""
        with lzma.open(self._folder / f"lines.{language}.jsonl.xz", "rt", encoding="utf-8") as file:
            return [json.loads(row) for row in file]

    def lines(self, language: Language) -> Iterator[TaggedLine]:
        """The tagged lines whose quotation and tag can be found in their paragraph."""
        for number, row in enumerate(self.rows(language)):
            if (found := self.located(number, row, language)) is not None:
                yield found

    def located(self, number: int, row: Mapping[str, Any], language: Language) -> TaggedLine | None:
        """A row with the places of its line and its tag; ``None`` where they cannot be found."""
        if row.get("para") is None:
            return None
        text = self.paragraphs(row["book"])[row["para"]]
        wanted = _letters(row["line"])
        nearest: tuple[int, int, int, int, int] | None = None
        quotations = [match.span() for match in _QUOTED[language].finditer(text)]
        for tag in re.finditer(re.escape(row["tag"]), text):
            for start, end in quotations:
                inside = _letters(text[start + 1 : end - 1])
                if not inside or not wanted.startswith(inside[:40]):
                    continue
                gap = tag.start() - end if end <= tag.start() else start - tag.end()
                if 0 <= gap <= _FARTHEST and (nearest is None or gap < nearest[0]):
                    nearest = (gap, start, end, *tag.span())
        if nearest is None:
            return None
        _, start, end, tag_start, tag_end = nearest
        end -= text[end - 1] in '”"」'
        return TaggedLine(
            number, row["book"], row["para"], row["split"], language, text, start + 1, end, tag_start, tag_end, row
        )


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)
