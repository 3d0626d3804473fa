"""A small made-up book for tests of delivery sheets, and a planner that counts what it reads."""

from pathlib import Path

from aptone.models import About
from aptone.rooms.aptness.books.book_text import Book, BookLine, make_line
from aptone.run import Call
from aptone.types import Evidence, Intonation, Line, Plan, Rhythm, Sample

LINES = (
    BookLine(Line("Chapter 1"), "Chapter 1", "heading"),
    make_line(Line("The storm stood over the island."), "Chapter 1"),
    make_line(Line("Get out, <all> of you!", "Mara"), "Chapter 1"),
    make_line(Line("shouted Mara.", continues=True), "Chapter 1", kind="tag"),
    BookLine(Line("Chapter 2"), "Chapter 2", "heading"),
    make_line(Line("=1+1", "Tom"), "Chapter 2"),
    make_line(Line("Who is there?", speech=True), "Chapter 2"),
)


def book(source: str = "book.txt") -> Book:
    """Return a book of two chapters with two characters, narration, a tag and an unknown speaker."""
    return Book(LINES, "en", source)


class CountedPlanner:
    """Planner that notes every line that it reads."""

    about = About()

    def __init__(self) -> None:
        self.read: list[str] = []

    @property
    def signature(self) -> str:
        """Name of the planner."""
        return "counted"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return a plan that rests on the line before."""
        self.read.append(sample.target.text)
        evidence = (Evidence("<storm>", "angry", -1, 0, 7, "narration", -1),)
        return Plan(
            "angry",
            Rhythm.HEAVY,
            Intonation.FALLING,
            emotions={"angry": 1.0},
            unsaid=0.1,
            intensity=0.9,
            evidence=evidence,
        )


def write_book(path: Path) -> Path:
    """Write a book as text."""
    path.write_text(
        "Chapter 1\n\nThe storm had stood over the island since noon.\n“Get out!” Mara shouted in terror.\n\n"
        "Chapter 2\n\n“We will build it again,” said Tom calmly.\n",
        encoding="utf-8",
    )
    return path
