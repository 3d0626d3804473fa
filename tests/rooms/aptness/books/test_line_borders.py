from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.rooms.aptness.books.line_borders import snap_to_pauses
from aptone.rooms.aptness.books.line_times import LineTime
from aptone.types import Segment


def at(start: float, end: float) -> LineTime:
    return LineTime(3, 3, 0, Segment(start, end))


def ends(lines: Sequence[LineTime]) -> list[float]:
    return [number for line in lines if line.time is not None for number in (line.time.start, line.time.end)]


def test_borders_move_into_the_pause_between_two_lines() -> None:
    # Somebody speaks until 2.8 and again from 3.3 on; the letters say that the border is at 3.1.
    moved = snap_to_pauses([at(0.0, 3.1), at(3.1, 6.0)], [[Segment(0.0, 2.8), Segment(3.3, 6.0)]])
    # The line before keeps 0.2 s of the pause, in which its last sound dies away, and the one behind 0.05 s.
    assert ends(moved) == pytest.approx([0.0, 3.0, 3.25, 6.0])


def test_a_pause_that_is_too_far_away_does_not_draw_a_border() -> None:
    moved = snap_to_pauses([at(0.0, 3.0), at(3.0, 6.0)], [[Segment(0.0, 1.0), Segment(1.5, 6.0)]])
    assert [line.time for line in moved] == [Segment(0.0, 3.0), Segment(3.0, 6.0)]


def test_silence_at_the_edges_of_a_line_is_left_out() -> None:
    assert ends(snap_to_pauses([at(1.0, 9.0)], [[Segment(2.0, 8.0)]])) == pytest.approx([1.95, 8.05])


def aligned(start: float, end: float, *, quietest_before: float | None = None) -> LineTime:
    return LineTime(3, 3, 0, Segment(start, end), is_aligned=True, quietest_before=quietest_before)


def test_aligned_words_draw_the_border_into_the_pause_between_them_and_not_into_a_longer_one_nearby() -> None:
    # The pause from 3.0 to 3.3 lies between the words; the longer one from 2.2 to 2.7 lies within the first line.
    speech = [Segment(0.0, 2.2), Segment(2.7, 3.0), Segment(3.3, 6.0)]
    assert ends(snap_to_pauses([aligned(0.0, 3.05), aligned(3.25, 6.0)], [speech]))[1:3] == pytest.approx([3.2, 3.25])
    assert ends(snap_to_pauses([at(0.0, 3.05), at(3.25, 6.0)], [speech]))[1:3] == pytest.approx([2.4, 2.65])


def test_without_a_pause_aligned_lines_are_cut_at_the_quietest_moment() -> None:
    moved = snap_to_pauses([aligned(0.0, 3.0), aligned(3.0, 6.0, quietest_before=2.9)], [[Segment(0.0, 6.0)]])
    assert ends(moved)[1:3] == [2.9, 2.9]


def test_a_remark_between_two_lines_belongs_to_neither() -> None:
    # Somebody else speaks from 3.5 to 5.5.
    speech = [Segment(0.0, 3.0), Segment(3.5, 5.5), Segment(6.0, 9.0)]
    moved = snap_to_pauses([aligned(0.0, 3.0), aligned(6.0, 9.0)], [speech])
    assert ends(moved)[1:3] == pytest.approx([3.2, 5.95])


@given(
    borders=st.lists(st.floats(0.1, 100.0), min_size=2, max_size=12, unique=True),
    pauses=st.lists(st.tuples(st.floats(0.0, 100.0), st.floats(0.05, 2.0)), max_size=8),
)
def test_moved_lines_stay_in_order_and_never_overlap(borders: list[float], pauses: list[tuple[float, float]]) -> None:
    marks = sorted(borders)
    lines = [at(begin, end) for begin, end in pairwise(marks)]
    speech: list[Segment] = []
    reached = 0.0
    for start, length in sorted(pauses):
        if start > reached:
            speech.append(Segment(reached, start))
            reached = start + length
    speech.append(Segment(reached, reached + 120.0))
    moved = [line.time for line in snap_to_pauses(lines, [speech]) if line.time is not None]
    assert len(moved) == len(lines)
    assert all(one.end <= other.start + 1e-9 for one, other in pairwise(moved))


def test_a_take_that_was_left_behind_belongs_to_neither_line() -> None:
    # A broken-off take of 0.8 s lies between two lines; without being told, it would count as a misplaced word.
    speech = [[Segment(0.0, 3.0), Segment(3.4, 4.2), Segment(4.6, 7.0)]]
    second = replace(aligned(4.6, 7.0), is_parted_before=True)
    assert ends(snap_to_pauses([aligned(0.0, 3.0), second], speech))[2] == pytest.approx(4.55)
    assert ends(snap_to_pauses([aligned(0.0, 3.0), aligned(4.6, 7.0)], speech))[2] < 4.55
