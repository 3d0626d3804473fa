import math
import re
import statistics
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.report.hearing.findings import MEASURES
from aptone.report.notation import (
    ORDINARY,
    band,
    between,
    deviation,
    duration,
    exponent_of,
    figure,
    goodness,
    interval,
    interval_in_points,
    mean,
    median,
    named,
    one_line,
    percent,
    score_figure,
    score_name,
    share,
    visible,
)
from aptone.types import AgeBand, ClosedSet, Emotion, Estimate, Intonation, RecordingCondition, Rhythm, Score, Sex
from tests.tables import for_each


@for_each("closed", [AgeBand, Emotion, Intonation, RecordingCondition, Rhythm, Sex])
def test_every_member_of_a_closed_set_has_its_own_mandarin_name(closed: type[ClosedSet]) -> None:
    for member in closed:
        assert named(member, "zh") == member.zh
        assert named(member, "en") == member.value


@for_each("name", [name for names in MEASURES.values() for name in names])
def test_every_measure_of_the_ear_has_a_mandarin_name(name: str) -> None:
    assert re.search("[\u4e00-\u9fff]", named(name, "zh"))


def test_no_two_measures_share_a_mandarin_name() -> None:
    said = [named(name, "zh") for names in MEASURES.values() for name in names]
    assert len(set(said)) == len(said)


def test_names_with_underscores_are_known_too() -> None:
    assert named("recording_condition", "zh") == named("recording condition", "zh") == "录音状态"
    assert named("recording_condition", "en") == "recording condition"


@for_each("name", ["", "sparkle", "{0}", "[red]x[/red]"])
def test_what_is_not_ours_stays_as_it_is(name: str) -> None:
    assert score_name(name, "zh") == name
    assert named(name, "zh") == named(name, "en") == name


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


def test_a_long_unit_is_cut() -> None:
    assert score_figure(Score(7.0, unit="semitones " * 1000)) == f"7 {('semitones ' * 6)[:59]}…"


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


@for_each("code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x200B, 0xFEFF])
def test_marks_that_turn_or_hide_text_are_spelled_out(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"


def test_no_control_character_but_tab_and_line_feed_survives() -> None:
    every = "".join(map(chr, range(0x10000)))
    kept = {character for character in visible(every) if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")}
    assert kept == {"\t", "\n"}


def test_lone_surrogates_become_something_that_a_file_can_hold() -> None:
    assert visible("\ud83d!").encode() == "\ufffd!".encode()


def test_line_ends_of_every_system_become_line_feeds() -> None:
    assert visible("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


def test_delete_gets_its_picture() -> None:
    assert visible("\x7f") == "␡"


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    text = "Grüße, 你好，سلام, नमस्ते, 👩\u200d🚀"
    assert visible(text) == text


def test_cut_text_is_no_longer_than_its_limit_and_ends_in_an_ellipsis() -> None:
    assert visible("x" * 100_000, limit=10) == "x" * 9 + "…"
    assert visible("\r\n" * 50, limit=10).endswith("…")


def test_text_of_just_the_limit_is_not_cut() -> None:
    assert visible("0123456789", limit=10) == "0123456789"


def test_a_stand_in_cannot_push_text_over_the_limit() -> None:
    assert len(visible("\u202e" * 10, limit=10)) <= 10


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        visible("a", limit=0)


def test_one_line_has_single_spaces_only() -> None:
    assert one_line(" a\t\tb\n\nc ") == "a b c"
    assert one_line("a \n" * 1000, limit=9).startswith("a a a a")


def test_one_line_says_when_it_cut_white_space_away() -> None:
    assert one_line("a" + " " * 1000 + "b", limit=10) == "a…"


FINITE = st.floats(allow_nan=False, allow_infinity=False)
ORDINARY_NUMBERS = st.floats(min_value=-1e6, max_value=1e6)
LARGEST = sys.float_info.max
SMALLEST = 5e-324


@settings(derandomize=True, deadline=None)
@given(st.lists(ORDINARY_NUMBERS, min_size=2))
def test_ordinary_numbers_get_what_the_standard_library_gives(values: list[float]) -> None:
    if max(map(abs, values)) == 0 or math.frexp(max(map(abs, values)))[1] >= -ORDINARY:
        assert exponent_of(values) == 0
        assert mean(values) == pytest.approx(statistics.fmean(values), rel=1e-15, abs=0)
        assert median(values) == statistics.median(values)
        assert deviation(values) == statistics.stdev(values)


@settings(derandomize=True, deadline=None)
@given(st.lists(FINITE, min_size=1))
def test_mean_and_median_of_any_finite_numbers_lie_among_them(values: list[float]) -> None:
    assert min(values) <= mean(values) <= max(values)
    assert min(values) <= median(values) <= max(values)


@settings(derandomize=True, deadline=None)
@given(st.lists(FINITE, min_size=2))
def test_a_deviation_is_no_negative_number_and_never_infinite(values: list[float]) -> None:
    found = deviation(values)
    assert math.isnan(found) or 0 <= found <= LARGEST


@settings(derandomize=True, deadline=None)
@given(FINITE, FINITE, FINITE)
def test_a_number_between_two_others_has_a_share_between_none_and_all(one: float, two: float, three: float) -> None:
    low, value, high = sorted((one, two, three))
    part = share(value, low, high)
    assert math.isnan(part) == (low == high)
    if low != high:
        assert 0 <= part <= 1
        assert low <= between(low, high, part) <= high


def test_the_largest_and_the_smallest_floats_are_told_apart() -> None:
    # half way between -x and x is 0, and between 0 and the smallest float there is nothing
    assert (share(0.0, -LARGEST, LARGEST), share(LARGEST, -LARGEST, LARGEST)) == (0.5, 1.0)
    assert (share(0.0, 0.0, SMALLEST), share(SMALLEST, 0.0, SMALLEST)) == (0.0, 1.0)
    assert mean([LARGEST] * 7) == LARGEST
    assert mean([LARGEST, -LARGEST]) == 0.0


def test_the_median_keeps_every_digit_of_a_small_number_beside_huge_ones() -> None:
    assert median([6.5e150, 1.4871751320668973e-160, 1.4871751320668973e-160]) == 1.4871751320668973e-160


def test_without_values_there_is_no_mean_and_no_median() -> None:
    assert math.isnan(mean([]))
    assert math.isnan(median([]))
