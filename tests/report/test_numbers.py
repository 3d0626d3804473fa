import math

from aptone.report.numbers import band, duration, figure, goodness, interval, interval_in_points, percent, score_figure
from aptone.types import Estimate, Score
from tests.tables import for_each


@for_each(
    ("value", "written"),
    [
        (0.0, "0"),
        (5.0, "5"),
        (3.14159, "3.14"),
        (-2.5, "-2.5"),
        (1500.4, "1,500"),
        (0.0012, "0.0012"),
        (1e200, "1e+200"),
        (-999999, "-999,999"),
        (math.nan, "–"),
    ],
)
def test_a_number_is_written_short(value: float, written: str) -> None:
    assert figure(value) == written


def test_only_all_is_a_hundred_percent_and_only_none_is_zero() -> None:
    assert percent(9999, 10000) == "99.9 %"
    assert percent(1, 10000) == "0.1 %"
    assert percent(3, 3) == "100 %"
    assert percent(0, 3) == "0 %"


def test_a_missing_interval_is_a_dash() -> None:
    assert interval(Estimate(0.5)) == "–"
    assert interval_in_points(Estimate(0.5)) == "–"


def test_a_huge_interval_is_written_with_exponents() -> None:
    assert interval(Estimate(1e200, low=-1e308, high=2.5)) == "[-1e+308, 2.5]"
    assert interval(Estimate(0.5, low=0.001, high=0.9)) == "[0.00, 0.90]"
    assert interval_in_points(Estimate(0.5, low=0.001, high=0.9)) == "[0.001, 0.9]"


def test_a_scale_that_does_not_start_at_zero_is_not_written_as_out_of() -> None:
    assert score_figure(Score(3.0, range=(1.0, 5.0))) == "3"
    assert score_figure(Score(math.nan, reason="short")) == "–"


def test_durations_choose_their_unit() -> None:
    assert [duration(seconds) for seconds in (59.94, 60, 3600, math.nan)] == ["59.9 s", "1 min 0 s", "1 h 0 min", "–"]


def test_thirds_of_the_scale_have_names_in_the_direction_of_good() -> None:
    scale = {"range": (0.0, 3.0)}
    assert [band(Score(value, range=(0.0, 3.0))) for value in (0.9, 1.0, 1.9, 2.0)] == [
        "low",
        "middle",
        "middle",
        "high",
    ]
    assert band(Score(0.5, range=scale["range"], higher_is_better=False)) == "high"


@for_each(
    "score",
    [
        None,
        Score(math.nan, reason="short"),
        Score(3.0),
        Score(3.0, range=(0.0, 5.0), higher_is_better=None),
        Score(3.0, range=(3.0, 3.0)),
    ],
)
def test_goodness_is_undefined_where_no_end_is_known_to_be_better(score: Score | None) -> None:
    assert math.isnan(goodness(score))
    assert band(score) == ""
