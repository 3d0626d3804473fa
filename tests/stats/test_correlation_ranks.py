import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from aptone.stats.correlation import average_ranks, inversions, tied_pairs
from tests.tables import for_each

SMALL = st.lists(st.integers(0, 20), max_size=60)


@given(SMALL)
def test_average_ranks_equal_those_of_scipy(numbers: list[int]) -> None:
    values = np.array(numbers, dtype=np.float64)
    assert average_ranks(values).tolist() == rankdata(values, method="average").tolist()


@given(SMALL)
def test_inversions_equal_a_count_over_all_pairs(numbers: list[int]) -> None:
    expected = sum(numbers[i] > numbers[j] for i in range(len(numbers)) for j in range(i + 1, len(numbers)))
    assert inversions(np.array(numbers, dtype=np.int64)) == expected


@given(SMALL)
def test_tied_pairs_equal_a_count_over_all_pairs(numbers: list[int]) -> None:
    expected = sum(numbers[i] == numbers[j] for i in range(len(numbers)) for j in range(i + 1, len(numbers)))
    assert tied_pairs(np.array(numbers, dtype=np.int64)) == expected


@for_each("size", [2, 3, 1000])
def test_a_reversed_order_inverts_every_pair(size: int) -> None:
    assert inversions(np.arange(size, dtype=np.int64)[::-1]) == size * (size - 1) // 2
    assert inversions(np.arange(size, dtype=np.int64)) == 0
