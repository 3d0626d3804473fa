import math
import subprocess
import sys
from typing import Any

import fastdtw
import numpy as np
import pytest
from dtaidistance import dtw_cc
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.stats import dtw, dtw_path

SEQUENCES = st.lists(st.floats(-5, 5), min_size=1, max_size=20)
STEPS = st.lists(st.integers(-3, 3), min_size=1, max_size=20)


def recurrence(x: list[float], y: list[float]) -> float:
    """The definition: D(i, j) = |x_i - y_j| + min(D(i-1, j), D(i, j-1), D(i-1, j-1))."""
    table = [[math.inf] * (len(y) + 1) for _ in range(len(x) + 1)]
    table[0][0] = 0.0
    for i, a in enumerate(x, start=1):
        for j, b in enumerate(y, start=1):
            table[i][j] = abs(a - b) + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[-1][-1]


@given(SEQUENCES, SEQUENCES)
def test_the_distance_equals_the_recurrence_to_the_last_bit(x: list[float], y: list[float]) -> None:
    assert dtw(x, y) == recurrence(x, y)


@given(STEPS, STEPS)
def test_sequences_of_steps_with_many_ties_equal_the_recurrence(x: list[int], y: list[int]) -> None:
    assert dtw(x, y) == recurrence([float(a) for a in x], [float(b) for b in y])


@pytest.mark.parametrize("seed", range(4))
def test_longer_sequences_equal_the_recurrence_to_rounding(seed: int) -> None:
    generator = np.random.default_rng(seed)
    x = np.sin(np.arange(150) / 9) + 0.01 * generator.normal(size=150)
    y = np.sin(np.arange(150 + 20 * seed) / 9 + 0.1 * seed)
    assert dtw(x, y) == pytest.approx(recurrence(x.tolist(), y.tolist()), rel=1e-12)


@given(SEQUENCES, SEQUENCES)
def test_the_path_is_a_warping_path_and_costs_the_distance(x: list[float], y: list[float]) -> None:
    path = dtw_path(x, y)
    assert path[0].tolist() == [0, 0]
    assert path[-1].tolist() == [len(x) - 1, len(y) - 1]
    steps = {tuple(step) for step in np.diff(path, axis=0).tolist()}
    assert steps <= {(0, 1), (1, 0), (1, 1)}
    cost = sum(abs(x[i] - y[j]) for i, j in path.tolist())
    assert cost == pytest.approx(dtw(x, y), abs=1e-9)


@given(SEQUENCES, SEQUENCES)
def test_the_distance_is_symmetric_and_never_above_fastdtw(x: list[float], y: list[float]) -> None:
    assert dtw(x, y) == pytest.approx(dtw(y, x), abs=1e-12)
    assert dtw(x, y) <= fastdtw.fastdtw(x, y, radius=1)[0] + 1e-9


def test_by_hand() -> None:
    # 1-1, 2-2, 2-2, 4-3: only the last pair costs
    assert dtw([1, 2, 2, 4], [1, 2, 3]) == 1.0
    assert dtw([0.0], [1.0, 2.0, 3.0]) == 6.0  # one step against all three
    assert dtw([1.0, 1.0], [1.0]) == 0.0


def test_lists_integers_single_precision_and_strided_arrays_are_taken() -> None:
    x, y = np.array([1.0, 9.0, 2.0, 9.0, 4.0, 9.0])[::2], [1, 3]
    assert dtw(x, y) == dtw([1, 2, 4], [1.0, 3.0]) == dtw(np.array([1, 2, 4], dtype=np.float32), y) == 2.0


@pytest.mark.parametrize("function", [dtw, dtw_path])
@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([], "x: expected at least one number to compare, got an empty sequence"),
        ([1.0, math.nan], "x: 1 of 2 values are NaN or infinite; fill or cut the gaps"),
        (np.array([math.inf, 1.0]), "x: 1 of 2 values are NaN or infinite"),
        ([[1.0, 2.0]], "x: expected one number an item"),
        (["1"], "x: expected one number an item"),
    ],
)
def test_sequences_that_cannot_be_compared_are_refused(function: Any, x: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        function(x, [1.0])
    with pytest.raises(RecordError, match="y: "):
        function([1.0], x)


def test_large_numbers_are_fine_until_their_differences_overflow() -> None:
    assert dtw([1e200], [-1e200]) == 2e200
    with pytest.raises(RecordError, match="too large to add up"):
        dtw([1e308], [-1e308])


def test_a_path_whose_table_would_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="10001 with 10000 steps takes more than 200 MB"):
        dtw_path(np.zeros(10_001), np.zeros(10_000))


@pytest.mark.parametrize("length", [2, 40])
def test_differences_that_overflow_are_refused_at_every_length(length: int) -> None:
    x = np.full(length, 1e308)
    with pytest.raises(RecordError, match="too large to add up"):
        dtw(x, -x)


def test_of_alignments_that_cost_the_same_the_diagonal_one_is_taken() -> None:
    assert dtw_path([0.0] * 3, [0.0] * 3).tolist() == [[0, 0], [1, 1], [2, 2]]
    assert dtw_path([0.0] * 2, [0.0] * 4).tolist() == [[0, 0], [0, 1], [0, 2], [1, 3]]
    assert dtw_path([0.0] * 4, [0.0] * 2).tolist() == [[0, 0], [1, 0], [2, 0], [3, 1]]


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 9), (9, 1), (120, 77), (77, 120)])
def test_the_path_is_that_of_dtaidistance_where_there_is_one_alone(n: int, m: int) -> None:
    generator = np.random.default_rng([n, m])
    x, y = generator.standard_normal(n), generator.standard_normal(m)
    assert dtw_path(x, y).tolist() == [list(pair) for pair in dtw_cc.warping_path(x, y, inner_dist=1)]
    assert dtw(x, y) == pytest.approx(dtw_cc.distance(x, y, inner_dist=1), rel=1e-12)  # 1: |a - b| as the local cost


def test_the_distance_of_long_sequences_needs_no_table() -> None:
    # a table of 6,000 × 6,000 numbers would take 288 MB; peak memory of the process must grow by far less
    script = """
import resource, numpy as np
from aptone.stats import dtw
x, y = np.random.default_rng(0).normal(size=(2, 6000))
dtw(x[:10], y[:10])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
dtw(x, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    pytest.importorskip("resource", reason="peak memory is read from the resource module, which Windows lacks")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 20_000_000
