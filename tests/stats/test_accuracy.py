import itertools
import math

import numpy as np
import pandas as pd
import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats import tolerance_accuracy
from tests.tables import for_each


def test_the_tolerance_is_inclusive() -> None:
    # differences 0, 1, 1.5, 2: two of four are within 1
    got = tolerance_accuracy([3, 4, 3.5, 5], [3, 3, 2, 3])
    assert (got.value, got.count, got.method) == (0.5, 4, "wilson")


def test_scores_one_apart_count_whatever_their_binary_form() -> None:
    # all pairs of one-decimal scores from 0 to 10 that are exactly 1 apart in decimals
    lower = [tenths / 10 for tenths in range(91)]
    upper = [(tenths + 10) / 10 for tenths in range(91)]
    assert max(high - low for low, high in zip(lower, upper, strict=True)) > 1  # so a plain comparison would fail
    assert tolerance_accuracy(upper, lower).value == 1.0
    assert tolerance_accuracy(np.array(upper, dtype=np.float32), np.array(lower)).value == 1.0


def test_scores_a_little_more_than_one_apart_do_not_count() -> None:
    assert tolerance_accuracy([4.000001, 2.0], [3.0, 3.000001]).value == 0.0


@for_each("tolerance", [0.0, 0.1, 0.3, 0.5])
def test_every_tolerance_is_inclusive(tolerance: float) -> None:
    tenths = round(tolerance * 10)
    for number in range(50):
        low, high = number / 10, (number + tenths) / 10
        assert tolerance_accuracy([low], [high], tolerance=tolerance).value == 1.0
        assert tolerance_accuracy([low], [high + 1e-6], tolerance=tolerance).value == 0.0


def test_missing_items_are_left_out_and_counted() -> None:
    got = tolerance_accuracy([1, None, 5], [1, 2, 1])
    assert (got.value, got.count, got.reason) == (0.5, 2, "1 of 3 items left out: a value is missing")


def test_without_complete_items_the_accuracy_is_undefined() -> None:
    got = tolerance_accuracy([math.nan], [1])
    assert math.isnan(got.value)
    assert got.reason == "1 of 1 items left out: a value is missing; no complete items"
    assert tolerance_accuracy([], []).reason == "no complete items"


def test_the_interval_is_wilsons() -> None:
    # 81 of 263 at 95 %: 0.2553 to 0.3662 (Newcombe 1998, Table I, method 3)
    got = tolerance_accuracy([0] * 263, [0] * 81 + [3] * 182)
    assert (round(got.low, 4), round(got.high, 4)) == (0.2553, 0.3662)


@for_each("tolerance", [-0.1, math.nan, math.inf])
def test_a_tolerance_that_makes_no_sense_is_refused(tolerance: float) -> None:
    with pytest.raises(UsageError, match="a tolerance is a finite number from 0 upwards"):
        tolerance_accuracy([1], [1], tolerance=tolerance)


def test_wrong_input_is_refused() -> None:
    for predicted, reference in itertools.permutations([[1, 2], [1, 2, 3]]):
        with pytest.raises(RecordError, match="align them by item first"):
            tolerance_accuracy(predicted, reference)


def test_the_precision_is_that_of_the_numbers_whatever_holds_them() -> None:
    # As float32, 3.3 - 2.3 and 4.3 - 3.3 exceed 1 by rounding, which is less than four units in float32's last place.
    predicted = np.array([3.3, 4.3, 1.1], dtype=np.float32)
    reference = np.array([2.3, 3.3, 2.1], dtype=np.float32)
    assert tolerance_accuracy(predicted, reference).value == 1.0
    assert tolerance_accuracy(list(predicted), list(reference)).value == 1.0
    assert tolerance_accuracy([*predicted, None], [*reference, None]).value == 1.0
    assert tolerance_accuracy(pd.Series(predicted), pd.Series(reference)).value == 1.0
    # The same numbers as float64 are more than float64's rounding away from a difference of 1.
    assert tolerance_accuracy(predicted.astype(np.float64), reference.astype(np.float64)).value < 1.0
