import hypothesis.strategies as st
import pytest
from hypothesis import given

from aptone.errors import UsageError
from aptone.planner import LARGEST_WINDOW, Window, context_window, voting_windows
from aptone.types import Line
from tests.tables import for_each


def lines(names: str) -> tuple[Line, ...]:
    return tuple(Line(name) for name in names)


def text(window: Window) -> tuple[str, str]:
    return "".join(line.text for line in window.before), "".join(line.text for line in window.after)


@for_each(
    ("before", "after", "size", "expected"),
    [
        ("abcde", "xyz", 3, ("cde", "")),  # enough before it
        ("ab", "xyz", 4, ("ab", "xy")),  # two are missing, so two that follow
        ("", "xyz", 2, ("", "xy")),  # the first line of a story
        ("abc", "xyz", 0, ("", "")),  # context-free
        ("a", "x", 5, ("a", "x")),  # the whole story is shorter
        ("abc", "", 3, ("abc", "")),
    ],
)
def test_a_context_of_c_lines_looks_back_first_and_then_ahead(
    before: str, after: str, size: int, expected: tuple[str, str]
) -> None:
    assert text(context_window(lines(before), lines(after), size=size)) == expected


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 20))
def test_a_context_has_exactly_c_lines_unless_the_story_is_shorter(before: int, after: int, size: int) -> None:
    story = [Line(str(number)) for number in range(before + after)]
    window = context_window(story[:before], story[before:], size=size)
    assert window.size == min(size, before + after)
    # They are neighbours of the target, in order, and none that follows is taken while one before is left.
    assert [*window.before, *window.after] == story[before - len(window.before) : before + len(window.after)]
    assert not window.after or len(window.before) == before


def test_voting_windows_only_look_back_and_stop_growing_where_the_story_begins() -> None:
    windows = voting_windows(lines("abc"))
    assert [text(window) for window in windows] == [("c", ""), ("bc", ""), ("abc", "")]


def test_there_are_fifteen_voting_windows_in_a_long_story() -> None:
    windows = voting_windows(lines("abcdefghijklmnopqrst"))
    assert [window.size for window in windows] == list(range(1, LARGEST_WINDOW + 1))
    assert text(windows[-1]) == ("fghijklmnopqrst", "")


@pytest.mark.parametrize(("before", "largest"), [("", 15), ("abc", 0)])
def test_a_line_without_context_still_has_one_window(before: str, largest: int) -> None:
    assert voting_windows(lines(before), largest=largest) == (Window(),)


@for_each("size", [-1, True, 2.0, "3"])
def test_a_size_that_is_no_count_is_refused(size: int) -> None:
    with pytest.raises(UsageError, match="a context has 0 lines or more"):
        context_window([], [], size=size)
    with pytest.raises(UsageError, match="a context has 0 lines or more"):
        voting_windows([], largest=size)
