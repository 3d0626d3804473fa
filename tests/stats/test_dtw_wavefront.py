import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.stats import dtw
from aptone.stats.dtw import BLOCK, wavefront_dtw

Numbers = npt.NDArray[np.float64]
sequences = st.lists(st.floats(-100, 100), min_size=2, max_size=40).map(lambda values: np.array(values, np.float64))


def transcribed(x: Numbers, y: Numbers) -> float:
    """The recurrence as it is written: D(i, j) = |x_i - y_j| + min(D(i-1, j), D(i, j-1), D(i-1, j-1))."""
    table = np.full((x.size + 1, y.size + 1), math.inf)
    table[0, 0] = 0.0
    for i, a in enumerate(x, start=1):
        for j, b in enumerate(y, start=1):
            table[i, j] = abs(a - b) + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return float(table[-1, -1])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(x=sequences, y=sequences)
def test_the_walks_from_both_corners_meet_at_the_answer_of_the_recurrence(x: Numbers, y: Numbers) -> None:
    assert wavefront_dtw(x, y) == pytest.approx(transcribed(x, y), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("shorter", [2, 3, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 2])
@pytest.mark.parametrize("longer", [BLOCK + 2, 2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK + 5])
def test_the_answer_does_not_depend_on_where_blocks_end(shorter: int, longer: int) -> None:
    generator = np.random.default_rng([shorter, longer])
    x, y = generator.standard_normal(shorter), generator.standard_normal(longer)
    expected = transcribed(x, y)
    assert wavefront_dtw(x, y) == pytest.approx(expected, rel=1e-12)
    assert wavefront_dtw(y, x) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(19, 20), (20, 20), (20, 21), (21, 21), (1, 700), (2, 700)])
def test_short_and_long_sequences_are_measured_alike(n: int, m: int) -> None:
    generator = np.random.default_rng([n, m])
    x, y = generator.standard_normal(n), generator.standard_normal(m)
    assert dtw(x, y) == pytest.approx(transcribed(x, y), rel=1e-12)
    assert dtw(y, x) == pytest.approx(transcribed(x, y), rel=1e-12)


def test_a_sequence_is_no_distance_from_itself_stretched() -> None:
    x = np.sin(np.arange(1000) / 50)
    assert dtw(x, np.repeat(x, 2)) == 0.0
