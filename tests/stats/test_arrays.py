import math

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats.arrays import check_confidence, complete_items, is_constant, joined, matrix, same_items, vector
from tests.tables import for_each


def test_none_and_nan_mean_missing() -> None:
    assert np.isnan(vector([1, None, math.nan], name="x")).tolist() == [False, True, True]


def test_masked_entries_are_missing_and_not_the_number_under_the_mask() -> None:
    masked = np.ma.MaskedArray([1.0, 9.0, 3.0], mask=[False, True, False])
    assert np.isnan(vector(masked, name="x")).tolist() == [False, True, False]


@for_each("values", [["1", "2"], [1 + 2j], [1, "two"], [object()], np.array(["2020"], "datetime64[Y]")])
def test_what_is_not_a_number_is_refused_by_name(values: list[object]) -> None:
    with pytest.raises(RecordError, match="scores: expected one number an item"):
        vector(np.asarray(values), name="scores")


def test_infinite_numbers_are_refused_and_counted() -> None:
    with pytest.raises(RecordError, match="scores: 2 values are infinite"):
        vector([1, math.inf, -math.inf], name="scores")


def test_a_matrix_is_not_a_sequence_and_a_sequence_is_not_a_matrix() -> None:
    with pytest.raises(RecordError, match=r"scores: .*got shape \(1, 2\)"):
        vector([[1, 2]], name="scores")
    with pytest.raises(RecordError, match=r"ratings: .*got shape \(2,\)"):
        matrix([1, 2], name="ratings")


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(RecordError, match=r"ratings: .*rows of different lengths"):
        matrix([[1, 2], [3]], name="ratings")


def test_different_lengths_are_refused_with_both_lengths() -> None:
    with pytest.raises(RecordError, match="2 in first, 3 in second; align them by item first"):
        complete_items(first=[1, 2], second=[1, 2, 3])
    with pytest.raises(RecordError, match="got 1 in first, 2 in second"):
        same_items([1], [1, 2], names=("first", "second"))


def test_an_item_missing_anywhere_is_left_out_everywhere_and_counted() -> None:
    arrays, remark = complete_items(a=[1, 2, None, 4], b=[None, 6, 7, 8], c=[9, 10, 11, 12])
    assert [array.tolist() for array in arrays] == [[2, 4], [6, 8], [10, 12]]
    assert remark == "2 of 4 items left out: a value is missing"


def test_values_that_differ_by_rounding_only_are_constant() -> None:
    assert is_constant(np.array([0.1 + 0.2, 0.3]))
    assert is_constant(np.zeros(3))
    assert is_constant(np.array([1e308, 1e308]))
    assert not is_constant(np.array([1e308, -1e308]))
    assert not is_constant(np.array([0.0, 5e-324]))
    assert not is_constant(np.array([1.0, 1.0 + 1e-9]))


@for_each("confidence", [0.0, 1.0, 95.0, -0.5, math.nan])
def test_a_confidence_outside_zero_to_one_is_refused(confidence: float) -> None:
    with pytest.raises(UsageError, match="confidence lies between 0 and 1"):
        check_confidence(confidence)


def test_remarks_are_joined_without_the_empty_ones() -> None:
    assert joined("", "a", "", "b") == "a; b"
    assert joined("", "") == ""
