import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.report.plots.geometry import WIDEST_BAR, Frame, Histogram, Tick, histogram, nice_ceiling, scatter, waveform
from aptone.types import Score

LARGEST = sys.float_info.max


def _scores(*values: float) -> list[Score]:
    return [Score(value, range=(0.0, 5.0)) for value in values]


def test_whole_numbers_get_a_bar_each() -> None:
    plot = histogram("aptness", _scores(0.0, 3.0, 3.0, 5.0))
    assert [(bar.label, bar.count) for bar in plot.bars] == [("0", 1), ("1", 0), ("2", 0), ("3", 2), ("4", 0), ("5", 1)]


def test_halves_get_a_bar_each() -> None:
    plot = histogram("aptness", _scores(0.5, 3.0))
    assert len(plot.bars) == 11  # 0, 0.5, …, 5
    assert [bar.label for bar in plot.bars if bar.count] == ["0.5", "3"]


def test_other_values_get_ten_bins_over_the_scale_with_the_upper_end_included() -> None:
    plot = histogram("aptness", _scores(0.1, 5.0, 4.9))
    assert [bar.count for bar in plot.bars] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert plot.bars[0].label == "0 – 0.5"


@given(st.integers(1, 10**9))
def test_an_axis_of_counts_ends_little_above_the_largest(count: int) -> None:
    assert count <= nice_ceiling(count) <= 4 * count / 3  # 3 items, an axis to 4


def test_heights_are_proportional_to_counts() -> None:
    plot = histogram("aptness", _scores(1.0, 2.0, 2.0, 2.0, 2.0))
    heights = {bar.label: bar.height for bar in plot.bars}
    assert heights["2"] == pytest.approx(4 * heights["1"], abs=0.05)
    assert heights["0"] == 0
    frame = Frame()
    assert heights["2"] == pytest.approx(frame.base - frame.top, abs=0.05)  # 4 is a round number: it reaches the top


def test_bars_stay_inside_the_frame() -> None:
    plot = histogram("aptness", _scores(*np.random.default_rng(1).uniform(0, 5, 200)))
    assert all(plot.frame.left <= bar.x and bar.x + bar.width <= plot.frame.end for bar in plot.bars)
    assert all(bar.y >= plot.frame.top for bar in plot.bars)
    assert sum(bar.count for bar in plot.bars) == 200


def test_what_has_no_number_is_counted_beside_the_plot() -> None:
    scores: list[Score | None] = [*_scores(1.0, 2.0), None, Score(math.nan, reason="short")]
    scores.append(Score(math.nan, reason="no need", needed=False))
    plot = histogram("aptness", scores)
    assert (plot.defined, plot.undefined, plot.not_needed) == (2, 2, 1)
    assert plot.median == 1.5


def test_without_numbers_there_are_no_bars() -> None:
    plot = histogram("aptness", [None])
    assert plot.bars == ()
    assert math.isnan(plot.median)


def test_an_open_scale_runs_over_what_was_seen() -> None:
    plot = histogram("pitch", [Score(value, unit="Hz") for value in (100.25, 180.0, 300.0)])
    assert plot.unit == "Hz"
    assert (plot.x_ticks[0].label, plot.x_ticks[-1].label) == ("100.25", "300")


def test_equal_values_on_an_open_scale_make_one_bar() -> None:
    plot = histogram("pitch", [Score(182.3), Score(182.3)])
    assert [bar.count for bar in plot.bars] == [2]


def test_scores_that_disagree_about_their_range_are_drawn_over_what_was_seen() -> None:
    plot = histogram("mixed", [Score(1.0, range=(0.0, 5.0)), Score(3.0, range=(1.0, 5.0))])
    assert [bar.label for bar in plot.bars] == ["1", "2", "3"]


def test_a_point_on_the_diagonal_lies_on_it_and_the_scale_holds_every_point() -> None:
    plot = scatter([("a", 0.0, 0.0), ("b", 6.0, 6.0), ("c", 3.0, 3.0)], range=(0.0, 5.0))
    assert plot is not None
    frame = plot.frame
    assert (plot.points[0].x, plot.points[0].y) == (frame.left, frame.base)
    assert (plot.points[1].x, plot.points[1].y) == (frame.end, frame.top)
    assert plot.points[2].x == pytest.approx((frame.left + frame.end) / 2, abs=0.01)
    assert plot.x_ticks[-1].label == "6"


def test_a_single_value_still_has_a_scale() -> None:
    plot = scatter([("a", 3.0, 3.0)], range=None)
    assert plot is not None
    assert [tick.label for tick in (plot.x_ticks[0], plot.x_ticks[-1])] == ["2.5", "3.5"]
    assert scatter([], range=(0.0, 5.0)) is None


def test_the_waveform_has_a_stroke_a_column_and_fills_its_height_at_the_peak() -> None:
    samples = np.zeros(1600, dtype=np.float32)
    samples[800] = -0.5
    strokes = waveform(samples, columns=160, height=40.0).split("M")[1:]
    assert len(strokes) == 160
    assert strokes[80] == "322 1.0V39.0"  # (80 + 0.5) * 4; the middle 20, plus and minus 19
    assert strokes[0] == "2 19.5V20.5"


def test_very_short_and_silent_sounds_have_a_waveform() -> None:
    assert waveform(np.zeros(3, dtype=np.float32)).count("M") == 3


FINITE = st.floats(allow_nan=False, allow_infinity=False)
HARD = st.sampled_from(
    [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 3.0, 3.0000000000000004, 2.0**52 + 1, 1e200, 1e308, -1e308, LARGEST]
)


def _check_inside(frame: Frame, ticks: tuple[Tick, ...], *, low: float, high: float) -> None:
    assert ticks
    assert all(low - 0.01 <= tick.at <= high + 0.01 for tick in ticks)
    assert all(len(tick.label) <= 10 for tick in ticks)


def _check_drawn(plot: Histogram, count: int) -> None:
    frame = plot.frame
    assert sum(bar.count for bar in plot.bars) == plot.defined == count
    for bar in plot.bars:
        assert bar.width > 0
        assert frame.left <= bar.x <= bar.x + bar.width <= frame.end
        assert frame.top <= bar.y <= frame.base
    assert frame.left <= plot.median_at <= frame.end
    _check_inside(frame, plot.x_ticks, low=frame.left, high=frame.end)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.one_of(FINITE, HARD), min_size=1, max_size=20), st.booleans())
def test_any_finite_scores_can_be_drawn(values: list[float], bounded: bool) -> None:
    scale = (min(values), max(values)) if bounded else None
    _check_drawn(histogram("any", [Score(value, range=scale) for value in values]), len(values))


@settings(derandomize=True, deadline=None)
@given(st.one_of(FINITE, HARD), st.integers(1, 5))
def test_equal_scores_of_any_size_make_one_bar(value: float, count: int) -> None:
    plot = histogram("any", [Score(value)] * count)
    assert [bar.count for bar in plot.bars] == [count]
    _check_drawn(plot, count)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.one_of(FINITE, HARD), st.one_of(FINITE, HARD)), min_size=1, max_size=10), st.booleans())
def test_any_finite_pairs_can_be_drawn(pairs: list[tuple[float, float]], bounded: bool) -> None:
    plot = scatter([("x", human, judged) for human, judged in pairs], range=(0.0, 5.0) if bounded else None)
    assert plot is not None
    frame = plot.frame
    assert all(frame.left <= point.x <= frame.end and frame.top <= point.y <= frame.base for point in plot.points)
    _check_inside(frame, plot.x_ticks, low=frame.left, high=frame.end)
    _check_inside(frame, plot.y_ticks, low=frame.top, high=frame.base)


def test_huge_scores_keep_their_places() -> None:
    # -1e308, 0 and 1e308: the ends and the middle of ten bins, of which the sixth begins at the middle
    plot = histogram("huge", [Score(value) for value in (-1e308, 0.0, 1e308)])
    assert [bar.count for bar in plot.bars] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert (plot.x_ticks[0].label, plot.x_ticks[-1].label) == ("-1e+308", "1e+308")


def test_values_that_differ_by_rounding_only_make_one_bar() -> None:
    plot = histogram("pitch", [Score(0.1 + 0.2), Score(0.3)])
    assert [(bar.label, bar.count) for bar in plot.bars] == [("0.3", 2)]


def test_a_single_value_is_a_bar_in_the_middle_and_not_a_wall() -> None:
    plot = histogram("ERS", [Score(0.7)])
    (bar,) = plot.bars
    assert bar.width == WIDEST_BAR
    assert bar.x + bar.width / 2 == pytest.approx((plot.frame.left + plot.frame.end) / 2)
