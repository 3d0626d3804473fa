"""FastDTW of our own against the package of that name, which the released scripts call."""

import fastdtw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.stats import dtw, fast_dtw

SEQUENCES = st.lists(st.floats(-1, 1), min_size=1, max_size=40)
STEPS = st.lists(st.integers(-2, 2), min_size=1, max_size=40)


@given(SEQUENCES, SEQUENCES, st.integers(1, 3))
def test_the_distance_is_that_of_the_package(x: list[float], y: list[float], radius: int) -> None:
    assert fast_dtw(x, y, radius=radius) == pytest.approx(fastdtw.fastdtw(x, y, radius=radius)[0], abs=1e-12)


@given(STEPS, STEPS)
def test_so_it_is_where_many_steps_cost_the_same(x: list[int], y: list[int]) -> None:
    assert fast_dtw(x, y) == pytest.approx(fastdtw.fastdtw(x, y)[0], abs=1e-12)


def test_it_is_never_below_the_exact_distance_and_sometimes_above() -> None:
    generator = np.random.default_rng(0)
    above = 0
    for _ in range(60):
        x, y = (generator.uniform(-1, 1, int(generator.integers(5, 40))) for _ in range(2))
        assert fast_dtw(x, y) >= dtw(x, y) - 1e-12
        above += fast_dtw(x, y) > dtw(x, y) + 1e-9
    assert above > 10


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(RecordError, match="empty"):
        fast_dtw([], [1.0])
    with pytest.raises(RecordError, match="NaN"):
        fast_dtw([1.0], [float("nan")])
    with pytest.raises(UsageError, match="radius"):
        fast_dtw([1.0], [1.0], radius=0)
