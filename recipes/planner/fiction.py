"""Lines of public-domain novels with their authors' speech tags, located in the book.

The folder holds ``books.en.tar.xz``, ``books.zh.tar.xz`` (a book a file, one paragraph a row) and
``lines.en.jsonl.xz``, ``lines.zh.jsonl.xz``: book, paragraph, line, tag, and the emotion and delivery of the tag.
"""

import csv
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
"""Paragraphs of context before that of the line."""
AFTER = 1
"""Paragraphs of context after it."""
_QUOTED = {
    "en": re.compile(r'“[^”]*(?:”|$)|"[^"]*(?:"|$)'),
    "zh": re.compile(r"“[^”]*(?:”|$)|「[^」]*(?:」|$)"),
}
_FARTHEST = 4
"""Largest number of characters between a quotation and its tag."""


@dataclass(frozen=True, slots=True)
class TaggedLine:
    """A line of a book with its tag.

    Args:
        number: number of the line in its file.
        book, paragraph: place of the line.
        split: train or dev, by author.
        language: language of the book.
        text: its paragraph.
        start, end: range of the words of its (first) quotation.
        tag_start, tag_end: range of the tag.
        said: contents of the tag: verb, adverb, speaker, emotion, delivery, strong.
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
        """Emotion of a sure tag; empty for the others."""
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

    def books(self, language: Language) -> list[str]:
        """Return the names of the books of a language."""
        return list(self._books(language))

    def paragraphs(self, book: str) -> list[str]:
        """Return the paragraphs of a book, some of them empty."""
        return self._books(book[:2])[book]

    def splits(self) -> dict[str, str]:
        """Return the split of each book, train or dev, by its author."""
        with (self._folder / "index.csv").open(encoding="utf-8", newline="") as file:
            return {row["id"]: row["split"] for row in csv.DictReader(file)}

    def rows(self, language: Language) -> list[dict[str, Any]]:
        """Yield the rows of the file of lines, unchanged."""
        with lzma.open(self._folder / f"lines.{language}.jsonl.xz", "rt", encoding="utf-8") as file:
            return [json.loads(row) for row in file]

    def lines(self, language: Language) -> Iterator[TaggedLine]:
        """Yield the tagged lines whose quotation and tag can be found in their paragraph."""
        for number, row in enumerate(self.rows(language)):
            if (found := self.located(number, row, language)) is not None:
                yield found

    def located(self, number: int, row: Mapping[str, Any], language: Language) -> TaggedLine | None:
        """Return a row with the places of its line and its tag; ``None`` if they cannot be found."""
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
