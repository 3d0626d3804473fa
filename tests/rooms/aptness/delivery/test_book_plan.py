from pathlib import Path

import numpy as np
import soundfile

from aptone.planner import LARGEST_WINDOW
from aptone.rooms.aptness.books.book import PlacedLine, book_items
from aptone.rooms.aptness.books.book_text import Book, make_line
from aptone.rooms.aptness.books.line_times import LineTime
from aptone.rooms.aptness.delivery.book_plan import (
    BookPlanStep,
    BookWindows,
    LineChoice,
    PlanItems,
    numbered_lines,
    planned_lines,
)
from aptone.run import RunConfig, run_items
from aptone.types import Line, Sample, Segment, from_json
from tests.rooms.aptness.delivery.books import CountedPlanner, book


def numbers(choice: LineChoice) -> list[int]:
    return [one.number for one in numbered_lines(book()) if choice.includes(one)]


def test_speech_and_narration_are_planned_tags_and_headings_are_not() -> None:
    assert numbers(LineChoice()) == [2, 3, 6, 7]
    assert numbers(LineChoice(narration=False)) == [3, 6, 7]
    assert numbers(LineChoice(chapters=frozenset({"Chapter 2"}))) == [6, 7]
    assert numbers(LineChoice(characters=frozenset({"Mara", "narration"}))) == [2, 3]
    assert numbers(LineChoice(characters=frozenset({"unknown"}))) == [7]
    assert len(PlanItems(book(), BookWindows(book()), LineChoice(narration=False))) == 3


def test_a_line_is_read_with_the_lines_that_scoring_reads(tmp_path: Path) -> None:
    many = Book(tuple(make_line(Line(f"Line {number}."), "One") for number in range(40)), "en", "b.txt")
    soundfile.write(tmp_path / "a.wav", np.zeros(8000 * 50), 8000)
    placed = [
        PlacedLine(number, line, LineTime(2, 2, 0, Segment(float(number), number + 1.0)))
        for number, line in enumerate(many.lines, start=1)
    ]
    clips = {line.number: tmp_path / "a.wav" for line in placed}
    windows = BookWindows(many)
    for item in book_items(many, placed, clips, [tmp_path / "a.wav"]):
        payload = {name: value for name, value in item.payload.items() if name != "alignment"}
        scored, planned = from_json(Sample, payload), windows.sample(int(item.id))
        assert (planned.context, planned.target, planned.following) == (
            scored.context,
            scored.target,
            scored.following,
        )
    assert len(windows.sample(20).context) == LARGEST_WINDOW


def test_each_line_is_read_once_however_often_the_command_is_typed(tmp_path: Path) -> None:
    planner, config = CountedPlanner(), RunConfig("plan", "built-in")
    windows = BookWindows(book())
    step = BookPlanStep(planner, windows)
    mara = LineChoice(characters=frozenset({"Mara"}))
    run_items(PlanItems(book(), windows, mara), step, folder=tmp_path, config=config)
    assert planner.read == ["Get out, <all> of you!"]
    ended = run_items(PlanItems(book(), windows, LineChoice()), step, folder=tmp_path, config=config)
    assert sorted(planner.read) == sorted(
        ["Get out, <all> of you!", "The storm stood over the island.", "=1+1", "Who is there?"]
    )
    whole = list(planned_lines(book(), ended.run.entries, LineChoice()))
    assert [(one.number, one.plan is not None) for one in whole] == [
        (1, False),
        (2, True),
        (3, True),
        (4, False),
        (5, False),
        (6, True),
        (7, True),
    ]
    tom = list(planned_lines(book(), ended.run.entries, LineChoice(frozenset({"Chapter 2"}), frozenset({"Tom"}))))
    assert [(one.number, one.plan is not None) for one in tom] == [(5, False), (6, True), (7, False)]


def test_a_changed_line_has_another_hash_and_so_has_its_neighbour() -> None:
    def hashes(lines: Book) -> list[str]:
        return [item.content_hash for item in PlanItems(lines, BookWindows(lines), LineChoice())]

    before, other = hashes(book()), Book((*book().lines[:-1], make_line(Line("Gone.", "Tom"), "Chapter 2")), "en", "b")
    assert all(one != two for one, two in zip(before, hashes(other), strict=True))
    assert before == hashes(book())
