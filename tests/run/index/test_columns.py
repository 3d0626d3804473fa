"""Arrays are kept up to a size, and orders put what has no value last."""

from functools import partial

import numpy as np

from aptone.run.index.columns import Floats, KeptArrays, at_numbers, in_order


def test_arrays_that_were_used_longest_ago_go_first() -> None:
    kept = KeptArrays(largest=3 * 80)  # three arrays of ten numbers
    made: list[str] = []

    def make(name: str) -> Floats:
        made.append(name)
        return np.zeros(10)

    for name in "abcadabc":
        kept.get(name, partial(make, name))
    assert made == ["a", "b", "c", "d", "b", "c"]  # d pushes out b, b pushes out c, c pushes out d


def test_an_array_larger_than_the_limit_is_kept_alone() -> None:
    kept = KeptArrays(largest=10)
    first = kept.get("a", lambda: np.zeros(100))
    assert kept.get("a", lambda: np.ones(100)) is first
    assert not first.flags.writeable


def test_values_are_in_order_with_ties_by_number_and_nothing_last() -> None:
    values = np.array([np.nan, 2.0, 1.0, np.nan, 2.0])
    numbers = np.array([3, 4, 2, 1])
    assert in_order(values, numbers, descending=False).tolist() == [2, 1, 4, 3]
    assert in_order(values, numbers, descending=True).tolist() == [4, 1, 2, 3]
    assert np.array_equal(at_numbers(values, np.array([4, 9])), [2.0, np.nan], equal_nan=True)
