import math

import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats import majority_agreement


def test_agreement_is_the_mean_share_of_the_majority() -> None:
    # 2/3, 3/3 and 1/2
    got = majority_agreement([["a", "a", "b"], ["b", "b", "b"], ["a", "b"]], seed=0)
    assert got.value == pytest.approx((2 / 3 + 1 + 1 / 2) / 3)
    assert (got.count, got.method, got.reason) == (3, "bootstrap-percentile", "")
    assert 0.5 <= got.low < got.value < got.high <= 1


def test_a_tie_counts_the_share_of_one_of_the_tied_labels() -> None:
    assert majority_agreement([["a", "a", "b", "b"]], seed=0).value == 0.5
    assert majority_agreement([[1, 2, 3, 4]], seed=0).value == 0.25


def test_missing_labels_do_not_count_and_items_left_with_one_are_left_out() -> None:
    got = majority_agreement([["a", "a", None], ["a", ""], [math.nan, 3, 3, 4]], seed=0)
    assert got.value == pytest.approx((1 + 2 / 3) / 2)
    assert got.count == 2
    assert got.reason == "1 of 3 items left out: fewer than two labels"


def test_without_comparable_items_the_agreement_is_undefined() -> None:
    got = majority_agreement([["a"], []], seed=0)
    assert math.isnan(got.value)
    assert got.reason == "2 of 2 items left out: fewer than two labels"
    assert majority_agreement([], seed=0).reason == "no items"


def test_wrong_input_is_refused() -> None:
    with pytest.raises(RecordError, match=r"labels\[0\]: expected a list of labels, got str"):
        majority_agreement(["flat", "rising"], seed=0)
    with pytest.raises(UsageError, match="resamples"):
        majority_agreement([["a", "a"]], seed=0, resamples=3)
