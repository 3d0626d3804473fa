import math
import statistics
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.report.numbers import ORDINARY, between, deviation, exponent_of, mean, median, share

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
