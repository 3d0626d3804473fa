from itertools import count

import numpy as np

from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.book_text import BookLine
from aptone.rooms.aptness.books.line_times import HeardWord, LineTime, align_lines
from aptone.rooms.aptness.build.line_places import check_lines
from aptone.types import Line, Segment
from tests.tables import for_each


def placed(words: int, found: int, start: float, end: float) -> PlacedLine:
    return PlacedLine(1, BookLine(Line("w " * words)), LineTime(words, found, 0, Segment(start, end)))


def problems(lines: list[PlacedLine], seconds: float = 100.0) -> list[str]:
    return [line.time.problem for line in check_lines(lines, [seconds], language="en")]


def test_a_line_ends_with_its_recording_and_does_not_begin_behind_it() -> None:
    within, behind = check_lines([placed(4, 4, 8.0, 10.5), placed(4, 4, 10.0, 12.0)], [10.0], language="en")
    assert within.time.time == Segment(8.0, 10.0)
    assert behind.time.problem == "it would begin at 10.0 s, and the recording lasts 10.0 s"


@for_each(
    ("line", "problem"),
    [
        (placed(1, 1, 0.0, 0.1), "it would last 0.10 s"),
        (placed(20, 20, 0.0, 2.0), "it would be said at 10 words a second"),
        (placed(4, 4, 0.0, 20.0), "it would be said at 0.2 words a second"),
        (placed(3, 3, 0.0, 20.0), ""),  # a few words may be drawn out
        (placed(8, 8, 0.0, 2.0), ""),
    ],
)
def test_a_line_that_nobody_could_say_like_that_falls(line: PlacedLine, problem: str) -> None:
    assert problems([line]) == [problem]


def laid(text: list[str], said: list[str]) -> list[tuple[str, str]]:
    """The lines of a text and their problems, when something is said at three words a second."""
    clock = count()
    heard = [
        HeardWord(token, 0, Segment(place / 3, (place + 1) / 3))
        for line in said
        for token in tokens_of(line, "en")
        for place in [next(clock)]
    ]
    found = align_lines([tokens_of(line, "en") for line in text], heard)
    lines = [PlacedLine(number, BookLine(Line(text[number])), time) for number, time in enumerate(found.lines)]
    checked = check_lines(lines, [next(clock) / 3], language="en", words=[heard], odd=found.odd)
    return [(line.line.line.text, line.time.problem) for line in checked]


OURS = ["The storm stood over the island since noon", "Yes", "Nobody answered her and the wind went on", "No"]
THEIRS = ["He sold two horses in the spring", "Yes", "My aunt has never seen the town hall", "No"]


def test_words_that_any_recording_has_are_not_taken_for_a_line() -> None:
    assert all(problem for _, problem in laid(OURS, THEIRS))
    ours, theirs = ([*lines[:1], "Yes I shall", *lines[2:]] for lines in (OURS, THEIRS))
    assert laid(ours, theirs)[1] == ("Yes I shall", "only 0 % of the words around it were found, so this may be chance")


def test_the_same_words_count_where_the_lines_around_them_were_found() -> None:
    assert laid(OURS, OURS) == [(line, "") for line in OURS]


def test_a_reading_that_leaves_out_half_of_the_story_keeps_what_it_reads() -> None:
    narrated = ["She went down the stairs to look at the sea", "Then it was evening, and nobody had come to them yet"]
    story = [narrated[0], OURS[0], "Yes", narrated[1], OURS[2], "No", *narrated]
    assert {text for text, problem in laid(story, OURS) if not problem} == set(OURS)


def test_a_text_that_is_a_part_of_what_is_read_keeps_its_lines() -> None:
    said = [*THEIRS[:1], *THEIRS[2:3], *OURS, "And so they lived there for many years in peace"]
    assert [problem for _, problem in laid(OURS, said)] == [""] * 4


def test_long_lines_need_no_neighbours() -> None:
    line = "Stay where you are we will not come tonight"  # nine words
    assert laid([line], [line]) == [(line, "")]
    short = "We will not come"
    assert "may be chance" in laid([short], [short])[0][1]


def test_lines_of_unrelated_texts_hardly_ever_pass() -> None:
    generator = np.random.default_rng(1)
    words = [f"{chr(97 + number % 26)}{chr(97 + number // 26)}x" for number in range(500)]
    weights = 1 / np.arange(1, 501)

    def lines() -> list[str]:
        drawn = [
            generator.choice(words, size=size, p=weights / weights.sum()) for size in generator.integers(1, 12, 400)
        ]
        return [" ".join(line) for line in drawn]

    passed = [text for text, problem in laid(lines(), lines()) if not problem]
    assert len(passed) <= 4  # of 400
