import numpy as np
import pytest
from scipy.optimize import nnls

from aptone.stats.regression import non_negative_least_squares


@pytest.mark.parametrize("seed", range(60))
def test_the_weights_are_those_of_scipy(seed: int) -> None:
    generator = np.random.default_rng(seed)
    count = int(generator.integers(1, 12))
    columns = generator.standard_normal((int(generator.integers(count, 60)), count))
    columns += generator.uniform(0, 3) * generator.standard_normal((len(columns), 1))  # alike, as scores of aspects are
    target = columns @ generator.uniform(-1, 2, count) + generator.standard_normal(len(columns))
    ours = non_negative_least_squares(columns, target)
    theirs, _ = nnls(columns, target)
    assert ours == pytest.approx(theirs, rel=1e-7, abs=1e-9)
    assert (ours >= 0).all()


def test_a_column_that_leaves_again_is_found_out() -> None:
    # The first column fits best alone, and is worth nothing once the other two are there.
    columns = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.1, 1.0, 1.0], [0.0, 0.0, 0.0]])
    target = np.array([1.0, 1.0, 2.0, 0.0])
    assert non_negative_least_squares(columns, target) == pytest.approx([0.0, 1.0, 1.0], abs=1e-12)


def test_where_every_column_points_away_all_weights_are_zero() -> None:
    assert non_negative_least_squares(np.eye(3), -np.ones(3)).tolist() == [0.0, 0.0, 0.0]


def test_a_column_of_zeros_and_a_column_twice_do_no_harm() -> None:
    columns = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    weights = non_negative_least_squares(columns, np.array([3.0, 6.0]))
    assert columns @ weights == pytest.approx([3.0, 6.0])
    assert weights[2] == 0.0
