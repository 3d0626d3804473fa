import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.report.plots.points import (
    FRAME,
    PLANE,
    Place,
    PlanePoint,
    fitted_line,
    plane_figure,
    points_figure,
    round_step,
)


def test_points_lie_between_round_marks_around_what_was_seen() -> None:
    figure = points_figure("t", {"one": [Place(0.0, 0.1, "a"), Place(10.0, 0.6, "b")]}, x_label="x", y_label="y")
    assert figure is not None
    # steps of 10 / 5 and 0.5 / 5: from 0 to 10 and from 0.1 to 0.6
    assert f'cx="{FRAME.across(0.0)}" cy="{FRAME.up(0.0)}"' in figure.markup
    assert f'cx="{FRAME.across(1.0)}" cy="{FRAME.up(1.0)}"' in figure.markup
    assert "legend" not in figure.markup


def test_a_falling_line_is_marked_and_groups_have_a_legend() -> None:
    places = {"one": [Place(0.0, 1.0, "a")], "<two>": [Place(1.0, 0.0, "b")]}
    figure = points_figure("t", places, x_label="x", y_label="y", fitted=True)
    assert figure is not None
    assert 'class="fit falls"' in figure.markup
    assert "&lt;two&gt;" in figure.markup


def test_what_is_undefined_is_left_out_and_a_single_place_has_no_line() -> None:
    nothing = {"one": [Place(math.nan, 1.0, "a"), Place(1.0, math.inf, "b")]}
    assert points_figure("t", nothing, x_label="x", y_label="y") is None
    one = points_figure("t", {"one": [Place(2.0, 2.0, "a")]}, x_label="x", y_label="y", fitted=True)
    assert one is not None
    assert "fit" not in one.markup
    with pytest.raises(ValueError, match="9 groups in one drawing"):
        points_figure("t", {str(number): [] for number in range(9)}, x_label="x", y_label="y")


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=20))
def test_every_finite_point_is_drawn_inside_the_frame(pairs: list[tuple[float, float]]) -> None:
    figure = points_figure("t", {"one": [Place(*pair, "p") for pair in pairs]}, x_label="x", y_label="y", fitted=True)
    assert figure is not None
    assert figure.markup.count("<circle") == len(pairs)


@given(st.floats(1e-9, 1e9))
def test_a_step_is_not_below_what_is_needed_and_less_than_three_times_it(least: float) -> None:
    assert least * (1 - 1e-6) <= round_step(least) < 2.6 * least


def test_a_line_of_least_squares_goes_through_the_middle() -> None:
    # x̄ = 1, ȳ = 2; slope (1·1 + 1·1) / 2 = 1
    assert fitted_line([Place(0.0, 1.0, ""), Place(1.0, 2.0, ""), Place(2.0, 3.0, "")]) == pytest.approx((1.0, 1.0))
    assert fitted_line([Place(1.0, 1.0, ""), Place(1.0, 2.0, "")]) is None


OPTIONS = {"x_label": "v", "y_label": "a", "shade_label": "d"}


def drawn(*points: PlanePoint) -> str:
    figure = plane_figure("<plane>", points, scale=(1.0, 7.0), cells=10, **OPTIONS)
    assert figure is not None
    return str(figure.markup)


def test_points_lie_at_their_ratings_and_bars_count_columns_and_rows() -> None:
    markup = drawn(PlanePoint(1.0, 7.0, 7.0, "loud"), PlanePoint(1.0, 4.0, 1.0, "soft"))
    assert f'class="shade-4" cx="{PLANE.across(0.0)}" cy="{PLANE.up(1.0)}"' in markup
    assert f'class="shade-0" cx="{PLANE.across(0.0)}" cy="{PLANE.up(0.5)}"' in markup
    # both in the first column; rows 6 and 10 of ten, 0.6 wide each
    assert "1 – 1.6: 2</title>" in markup
    assert "4 – 4.6: 1</title>" in markup
    assert "6.4 – 7: 1</title>" in markup


def test_a_shade_that_nobody_gave_has_no_colour_and_no_legend() -> None:
    markup = drawn(PlanePoint(4.0, 4.0, math.nan, "x"))
    assert 'class="shade-none"' in markup
    assert "legend" not in markup


def test_names_are_escaped_and_nothing_is_no_picture() -> None:
    assert "<b>" not in drawn(PlanePoint(2.0, 2.0, 2.0, "<b>"))
    assert plane_figure("t", [], scale=(1.0, 7.0), cells=10, **OPTIONS) is None
