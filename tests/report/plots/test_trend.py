import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.report.plots.trend import FRAME, MOST_SERIES, axis_of, draw_trends, trend_figure
from aptone.types import Estimate

UNDEFINED = Estimate(math.nan, reason="no variance")


def test_marks_stand_at_their_values_and_intervals_reach_as_far_as_they_are() -> None:
    series = {"one": {"0": Estimate(0.0, -0.2, 0.2), "5": Estimate(0.8, 0.6, 1.0)}}
    drawing = draw_trends(series, places=["0", "5"])
    assert drawing is not None
    first, second = drawing.trends[0].marks
    # the axis runs from -0.2 to 1.0: 0 is a sixth of the way up, 0.8 five sixths
    assert (first.y, second.y) == (FRAME.up(0.2 / 1.2), FRAME.up(1.0 / 1.2))
    assert (first.low, second.high) == (FRAME.up(0.0), FRAME.up(1.0))
    assert (first.x, second.x) == (FRAME.across(0.25), FRAME.across(0.75))
    assert drawing.trends[0].path == f"M{first.x} {first.y}L{second.x} {second.y}"
    assert drawing.zero == first.y
    assert [tick.label for tick in drawing.y_ticks] == ["-0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


def test_what_is_undefined_is_not_drawn_and_what_stands_apart_is_not_connected() -> None:
    series = {"one": {"0": Estimate(0.5), "5": UNDEFINED, "given": Estimate(0.7)}}
    drawing = draw_trends(series, places=["0", "5", "given"], apart=["given"], ceiling=0.9)
    assert drawing is not None
    assert len(drawing.trends[0].marks) == 2
    assert drawing.trends[0].path == ""
    assert not drawing.trends[0].marks[0].has_interval
    assert drawing.ceiling == FRAME.up(0.9)


def test_marks_of_several_lines_at_one_place_are_set_apart() -> None:
    drawing = draw_trends({name: {"0": Estimate(0.5)} for name in "abc"}, places=["0"])
    assert drawing is not None
    assert len({trend.marks[0].x for trend in drawing.trends}) == 3


def test_nothing_defined_is_no_drawing_and_too_many_lines_are_refused() -> None:
    assert trend_figure("t", {"a": {"0": UNDEFINED}}, places=["0"], x_label="x", y_label="y") is None
    many = {str(number): {"0": Estimate(0.5)} for number in range(MOST_SERIES + 1)}
    with pytest.raises(ValueError, match="9 lines in one drawing, at most 8"):
        trend_figure("t", many, places=["0"], x_label="x", y_label="y")


def test_names_in_a_drawing_are_escaped() -> None:
    figure = trend_figure("<t>", {"<b>": {"0": Estimate(0.5)}}, places=["0"], x_label="<x>", y_label="y")
    assert figure is not None
    assert "<b>" not in figure.markup
    assert "&lt;b&gt;" in figure.markup


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_an_axis_holds_what_was_seen_and_zero(one: float, other: float) -> None:
    low, high = sorted((one, other))
    bottom, top, step = axis_of(low, high)
    assert bottom - 1e-6 <= min(low, 0)
    assert top + 1e-6 >= max(high, 0)
    assert round((top - bottom) / step) == pytest.approx((top - bottom) / step)
