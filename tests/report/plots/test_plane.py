import math

from aptone.report.plots.plane import FRAME, PlanePoint, plane_figure

OPTIONS = {"x_label": "v", "y_label": "a", "shade_label": "d"}


def drawn(*points: PlanePoint) -> str:
    figure = plane_figure("<plane>", points, scale=(1.0, 7.0), cells=10, **OPTIONS)
    assert figure is not None
    return str(figure.markup)


def test_points_lie_at_their_ratings_and_bars_count_columns_and_rows() -> None:
    markup = drawn(PlanePoint(1.0, 7.0, 7.0, "loud"), PlanePoint(1.0, 4.0, 1.0, "soft"))
    assert f'class="shade-4" cx="{FRAME.across(0.0)}" cy="{FRAME.up(1.0)}"' in markup
    assert f'class="shade-0" cx="{FRAME.across(0.0)}" cy="{FRAME.up(0.5)}"' in markup
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
