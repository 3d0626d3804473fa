"""Draw passages of novels for careful readers, and add their answers to the labels.

    python -m recipes.planner.passage_readings draw en --data TEXTS --out TASKS --count 240
    python -m recipes.planner.passage_readings merge en --data TEXTS --rows ANSWERS.txt …

Of a passage everything that is spoken is numbered: in English the first quotation of each paragraph, in Mandarin, where
several people speak in one, every quotation. ``merge`` writes rows of the form

    passage number|speaker/other name|emotion|also,also|intensity

to ``labels/passages.LANGUAGE.jsonl``: by book, paragraph and characters, without any text of the book. A speaker "?" is
one whom the text does not name; the field may be empty. A row that cannot be read is named and left out.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from aptone.planner.reading.attribution import speech_spans
from aptone.types import Language
from recipes.planner.examples import EMOTIONS
from recipes.planner.fiction import Fiction
from recipes.planner.labels import FOLDER, rows

PAGE = 8
"""Passages of a page."""
LINES = 13
"""Spoken lines of a passage."""
LEAD = 2
"""Paragraphs before the first spoken one."""
LONGEST = {"en": 6500, "zh": 2600}
"""Most characters of a passage."""
UNNAMED = "?"


class Passage(NamedTuple):
    """Stretch of a book, from its first paragraph to before its end."""

    book: str
    first: int
    end: int

    @property
    def id(self) -> str:
        """Identity in the readers' rows."""
        return f"{self.book[:5]}.{self.first}-{self.end}"


class Spoken(NamedTuple):
    """Quotation of a book: its paragraph and the range of its words."""

    paragraph: int
    start: int
    end: int


def spoken(paragraphs: Sequence[str], passage: Passage, language: Language) -> list[Spoken]:
    """Return what is numbered in a passage."""
    found = []
    rows_of = paragraphs[passage.first : passage.end]
    for place, quotations in enumerate(speech_spans(rows_of), start=passage.first):
        for one in quotations[: 1 if language == "en" else None]:
            inside = paragraphs[place][one.start + 1 : one.end - one.is_closed]
            first = one.start + 1 + len(inside) - len(inside.lstrip())
            if any(letter.isalnum() for letter in inside):
                found.append(Spoken(place, first, first + len(inside.strip())))
    return found


def draw_passage(book: str, paragraphs: Sequence[str], language: Language, chance: random.Random) -> Passage | None:
    """Return a random passage with much speech; ``None`` if none was found."""
    for _ in range(40):
        first = chance.randrange(max(1, len(paragraphs) - 60))
        end, length = first, 0
        while end < min(len(paragraphs), first + 60) and length < LONGEST[language]:
            length += len(paragraphs[end])
            end += 1
            passage = Passage(book, first, end)
            if length > LONGEST[language] * 1.5:
                break
            if len(lines := spoken(paragraphs, passage, language)) >= LINES:
                if lines[0].paragraph - first <= 2 * LEAD:
                    return passage
                break
    return None


def draw(language: Language, data: Path, out: Path, *, count: int, seed: int) -> None:
    """Write pages of passages, drawn over all books in turn."""
    fiction = Fiction(data / "fiction")
    chance = random.Random(seed)
    books = fiction.books(language)
    chance.shuffle(books)
    known = {(row["book"], row["paragraph"]) for row in rows(f"passages.{language}")}
    passages: list[Passage] = []
    for number in range(3 * count):
        book = books[number % len(books)]
        found = draw_passage(book, fiction.paragraphs(book), language, chance)
        if found is None or any((book, place) in known for place in range(found.first, found.end)):
            continue
        known |= {(book, place) for place in range(found.first, found.end)}
        passages.append(found)
        if len(passages) == count:
            break
    total = 0
    for first in range(0, len(passages), PAGE):
        page = []
        for one in passages[first : first + PAGE]:
            paragraphs = fiction.paragraphs(one.book)
            lines = spoken(paragraphs, one, language)
            total += len(lines)
            page.append(f"### {one.id}\n{_numbered(paragraphs, one, lines)}\n")
        (out / f"passages.{language}.{first // PAGE:03d}.txt").write_text("\n".join(page), encoding="utf-8")
    print(f"{len(passages)} passages, {total} lines")


def _numbered(paragraphs: Sequence[str], passage: Passage, lines: Sequence[Spoken]) -> str:
    shown = list(paragraphs[passage.first : passage.end])
    for number in range(len(lines), 0, -1):
        place, start, end = lines[number - 1]
        text = shown[place - passage.first]
        shown[place - passage.first] = f"{text[:start]}⟦{number} {text[start:end]}⟧{text[end:]}"
    return "\n".join(row for row in shown if row.strip())


def label_of(row: str, fiction: Fiction, language: Language) -> dict[str, Any]:
    """Return a reader's row as a label.

    Raises:
        ValueError: if a field has an unknown value.
    """
    place, speaker, emotion, also, intensity = (
        "" if field.strip() == "-" else field.strip() for field in row.split("|")
    )
    name, _, number = place.partition(" ")
    short, _, span = name.partition(".")
    first, _, end = span.partition("-")
    books = [book for book in fiction.books(language) if book.startswith(f"{short}_")]
    if len(books) != 1 or not (first.isdigit() and end.isdigit() and number.isdigit()):
        raise ValueError(f"unknown passage {place!r}")
    others = [one.strip() for one in also.split(",") if one.strip()]
    if unknown := [one for one in (emotion, *others) if one not in EMOTIONS]:
        raise ValueError(f"unknown emotion {unknown[0]!r}")
    if intensity not in ("0", "1", "2", "3"):
        raise ValueError(f"unknown intensity {intensity!r}")
    lines = spoken(fiction.paragraphs(books[0]), Passage(books[0], int(first), int(end)), language)
    if not 1 <= int(number) <= len(lines):
        raise ValueError(f"{len(lines)} spoken lines, none has the number {number}")
    line = lines[int(number) - 1]
    return {
        "id": f"{name}.{number}",
        "book": books[0],
        "paragraph": line.paragraph,
        "start": line.start,
        "end": line.end,
        "speakers": [one.strip() for one in speaker.split("/") if one.strip(" ?")],
        "emotion": emotion,
        "also": [one for one in others if one != emotion],
        "intensity": int(intensity),
    }


def merge(language: Language, data: Path, answers: Sequence[Path], *, folder: Path = FOLDER) -> None:
    """Append the answers of readers to the labels."""
    fiction = Fiction(data / "fiction")
    splits = fiction.splits()
    target = folder / f"passages.{language}.jsonl"
    known = {row["id"] for row in rows(f"passages.{language}", folder=folder)}
    added = []
    for row in _rows(answers):
        try:
            label = label_of(row, fiction, language)
        except ValueError as error:
            print(f"left out: {row} ({error})")
            continue
        if label["id"] not in known:
            known.add(label["id"])
            added.append(label | {"split": splits[label["book"]]})
    with target.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in added)
    print(f"{target}: {len(added)} labels added")


def _rows(answers: Sequence[Path]) -> Iterator[str]:
    for path in answers:
        yield from (row for row in path.read_text(encoding="utf-8").splitlines() if row.strip())


def main() -> None:
    """Draw or merge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("draw", "merge"))
    parser.add_argument("language", choices=get_args(Language))
    parser.add_argument("--data", type=Path, required=True, help="Folder that holds fiction/.")
    parser.add_argument("--out", type=Path, help="Folder for the pages.")
    parser.add_argument("--count", type=int, default=240, help="Number of passages.")
    parser.add_argument("--rows", type=Path, nargs="*", default=(), help="Files of readers' rows.")
    parser.add_argument("--seed", type=int, default=1, help="Random seed of the passages.")
    options = parser.parse_args()
    if options.step == "draw":
        draw(options.language, options.data, options.out, count=options.count, seed=options.seed)
    else:
        merge(options.language, options.data, options.rows)


if __name__ == "__main__":
    main()
