import math

import numpy as np
import pytest

from aptone.errors import RecordError
from aptone.stats.agreement import label_codes
from tests.tables import for_each


def test_equal_labels_have_equal_codes_whatever_their_kind() -> None:
    codes = label_codes([["a", "b", "a"], [1, 1.0, True]], name="labels")
    assert codes.tolist() == [[0, 1, 0], [2, 2, 2]]


def test_missing_labels_and_short_rows_are_nan() -> None:
    codes = label_codes([["a", None, "", math.nan, np.float32("nan")], ["a"]], name="labels")
    assert np.isnan(codes).tolist() == [[False, True, True, True, True], [False, True, True, True, True]]


def test_no_rows_give_an_empty_table() -> None:
    assert label_codes([], name="labels").shape == (0, 0)


@for_each("rows", ["words", 3, {"a": 1}])
def test_rows_must_be_a_list(rows: object) -> None:
    with pytest.raises(RecordError, match="labels: expected a list of labels an item"):
        label_codes(rows, name="labels")


@for_each("row", ["rising", 3, None])
def test_each_row_must_be_a_list_and_is_named(row: object) -> None:
    with pytest.raises(RecordError, match=r"labels\[1\]: expected a list of labels"):
        label_codes([["a"], row], name="labels")


@pytest.mark.parametrize("label", [math.inf, [1]])
def test_labels_that_cannot_be_compared_are_refused(label: object) -> None:
    with pytest.raises(RecordError, match=r"labels\[0\]: a label is a word or a finite number"):
        label_codes([["a", label]], name="labels")
