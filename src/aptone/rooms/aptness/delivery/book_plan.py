"""Plans of all lines of a book, each read once: items and step of a run that can be resumed, and what it found.

A line is planned from the same lines around it as when its recording is scored, so that both give the same plan. Tags
and headings have none: they are read as context, and stay in the sheet since somebody speaks them.
"""

import hashlib
import inspect
from collections.abc import Awaitable, Iterable, Iterator
from dataclasses import dataclass

from aptone.messages import message
from aptone.planner import LARGEST_WINDOW, Planner
from aptone.report.item_view import plan_of
from aptone.rooms.aptness.books.book_text import Book, BookLine
from aptone.rooms.aptness.data import UNSPOKEN
from aptone.run import Call
from aptone.types import AudioRef, Entry, Item, Json, Line, Outcome, Plan, Sample, Score, State, to_json

NARRATION, UNKNOWN = "narration", "unknown"
"""Names of narration, and of speech whose speaker is not known, among characters."""


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """A line of a book with its plan.

    Args:
        number: number of the line in the book, from 1 on.
        plan: ``None`` for tags and headings, lines that nobody asked for, and where planning failed.
        reason: why a line that was asked for has no plan.
    """

    number: int
    line: BookLine
    plan: Plan | None = None
    reason: str = ""

    @property
    def character(self) -> str:
        """Name by which the line is filed: its speaker, ``narration``, or ``unknown``; empty for a heading."""
        if self.line.kind == "heading":
            return ""
        return self.line.line.role or (UNKNOWN if self.line.kind == "speech" else NARRATION)


@dataclass(frozen=True, slots=True)
class LineChoice:
    """Lines of a book that are planned.

    Args:
        chapters: titles of chapters; all where none is named.
        characters: speakers, ``narration`` or ``unknown``; all where none is named.
        narration: whether narration is planned, too.
    """

    chapters: frozenset[str] = frozenset()
    characters: frozenset[str] = frozenset()
    narration: bool = True

    def includes(self, planned: PlannedLine) -> bool:
        """Return true for lines that are planned."""
        line = planned.line
        if not line.is_judged or not self.is_chapter(line.chapter):
            return False
        if self.characters:
            return planned.character in self.characters
        return self.narration or line.kind == "speech"

    def is_chapter(self, chapter: str) -> bool:
        """Return true for chapters that are planned."""
        return not self.chapters or chapter in self.chapters


def numbered_lines(book: Book) -> Iterator[PlannedLine]:
    """Yield all lines of a book with their numbers, without plans."""
    for number, line in enumerate(book.lines, start=1):
        yield PlannedLine(number, line)


class BookWindows:
    """Lines of a book with those around them, as planners read them: headings left out, across chapters."""

    def __init__(self, book: Book) -> None:
        self._language = book.language
        self._lines: list[Line] = []
        self._marks: list[dict[str, str]] = []
        self._places: dict[int, int] = {}
        for number, line in enumerate(book.lines, start=1):
            if line.kind != "heading":
                self._places[number] = len(self._lines)
                self._lines.append(line.line)
                self._marks.append(line.narration_mark)

    def sample(self, number: int) -> Sample:
        """Return a line, by its number, as a sample without a recording."""
        place = self._places[number]
        return Sample(
            f"{number:06d}",
            AudioRef(UNSPOKEN),
            self._lines[place],
            context=tuple(self._lines[max(0, place - LARGEST_WINDOW) : place]),
            following=tuple(self._lines[place + 1 : place + 1 + LARGEST_WINDOW]),
            language=self._language,
            ids=self._marks[place],
        )


@dataclass(frozen=True, slots=True)
class BookPlanStep:
    """Plans the line of an item; the book stays in memory, so that the journal does not hold every window."""

    planner: Planner
    windows: BookWindows

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """Return the plan of a line as evidence, and as score how sure it is."""
        made: Plan | Awaitable[Plan] = self.planner.plan(self.windows.sample(int(item.id)), call)
        plan = await made if inspect.isawaitable(made) else made
        sure = plan.confidence if plan.confidence == plan.confidence else plan.vote_share
        reason = "" if sure == sure else message("aptness.no-confidence")
        score = Score(sure, range=(0.0, 1.0), reason=reason, signature=plan.signature)
        return Outcome(State.DONE, scores={"confidence": score}, evidence={"plan": to_json(plan)})


@dataclass(frozen=True, slots=True)
class PlanItems:
    """Items of the lines to plan, made as they are asked for, so that a book does not hold its windows."""

    book: Book
    windows: BookWindows
    choice: LineChoice

    def __len__(self) -> int:
        return sum(map(self.choice.includes, numbered_lines(self.book)))

    def __iter__(self) -> Iterator[Item]:
        """Yield an item for each line to plan; its hash covers the line and all that is read around it."""
        for planned in filter(self.choice.includes, numbered_lines(self.book)):
            sample = self.windows.sample(planned.number)
            told = (planned.line.kind,) if sample.is_narration else ()
            read = repr((sample.language, sample.context, sample.target, sample.following, *told))
            digest = hashlib.blake2b(read.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            ids: dict[str, Json] = {"chapter": planned.line.chapter, "role": planned.character}
            payload: dict[str, Json] = {"line": planned.line.line.text, "window": digest, "ids": ids}
            yield Item.make(sample.id, payload, position=planned.number)


def planned_lines(book: Book, entries: Iterable[Entry], choice: LineChoice) -> Iterator[PlannedLine]:
    """Yield the lines of the chosen chapters in order, with the plans that a run has of them so far.

    Lines of other characters, tags and headings come without a plan.

    Args:
        entries: entries of the run in the order of the book; one at a time is held.
    """
    known: Iterator[tuple[int, Entry | None]] = ((int(entry.item.id), entry) for entry in entries if entry.repeat == 0)
    number, entry = next(known, _NONE)
    for planned in numbered_lines(book):
        while number < planned.number and entry is not None:
            number, entry = next(known, _NONE)
        if not choice.is_chapter(planned.line.chapter):
            continue
        if entry is None or number != planned.number or not choice.includes(planned):
            yield planned
        else:
            yield PlannedLine(planned.number, planned.line, plan_of(entry), entry.outcome.reason)


_NONE: tuple[int, Entry | None] = (0, None)
