import math

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats import mean_pairwise_cosine


def test_cosines_by_hand() -> None:
    # item 1: (1,0), (0,1), (1,1): cosines 0, 1/√2, 1/√2; item 2: opposite vectors: -1
    got = mean_pairwise_cosine([[[1, 0], [0, 1], [1, 1]], [[2, 0], [-3, 0]]], seed=0)
    assert got.value == pytest.approx((math.sqrt(2) / 3 - 1) / 2, abs=1e-14)
    assert (got.count, got.reason) == (2, "")


def test_equal_vectors_of_any_length_have_cosine_one() -> None:
    vector = np.random.default_rng(0).normal(size=300)
    got = mean_pairwise_cosine([np.stack([vector, 1e200 * vector, 1e-200 * vector])], seed=0)
    assert got.value == pytest.approx(1.0, abs=1e-14)
    assert got.value <= 1.0


def test_items_without_two_directions_are_left_out_by_cause() -> None:
    nothing = [math.nan, math.nan]
    vectors: list[list[list[float]]] = [[[1, 0], [1, 0], nothing], [[1, 0], nothing], [[1, 0], [0, 0]], [[1, 0]]]
    got = mean_pairwise_cosine(vectors, seed=0)
    assert (got.value, got.count) == (1.0, 1)
    assert got.reason.startswith(
        "2 of 4 items left out: fewer than two vectors; 1 of 4 items left out: a vector is zero; "
    )


def test_without_items_it_is_undefined() -> None:
    got = mean_pairwise_cosine([[[0, 0], [0, 0]]], seed=0)
    assert math.isnan(got.value)
    assert got.reason == "1 of 1 items left out: a vector is zero"
    assert mean_pairwise_cosine([], seed=0).reason == "no items"


def test_wrong_input_is_refused_by_item() -> None:
    with pytest.raises(RecordError, match=r"vectors\[1\]: a vector is NaN in part"):
        mean_pairwise_cosine([[[1.0, 0.0], [1.0, 0.0]], [[1.0, math.nan], [1.0, 0.0]]], seed=0)
    with pytest.raises(RecordError, match=r"vectors\[0\]: expected rows of numbers"):
        mean_pairwise_cosine([[1, 0]], seed=0)
    with pytest.raises(UsageError, match="seed"):
        mean_pairwise_cosine([[[1, 0], [1, 0]]], seed=-3)
