"""Matrices in four bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.models.text.four_bits import pack, unpack
from tests.tables import for_each


def test_multiples_of_one_step_survive_packing_exactly() -> None:
    # The largest is 7 steps of 0.25, and both are exact in half precision: nothing is rounded.
    steps = np.tile(np.arange(-7, 9).clip(max=7), 2)[np.newaxis]
    assert unpack(pack(steps * 0.25)).tolist() == (steps * 0.25).tolist()


@given(st.integers(0, 2**32 - 1), st.integers(-6, 4))
def test_no_number_moves_by_more_than_the_cut_and_half_a_step(seed: int, exponent: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(3, 64)).astype(np.float32) * 10.0**exponent
    largest = np.abs(matrix).reshape(3, 2, 32).max(axis=2).repeat(32, axis=1)
    # At worst 0.7 of the largest is kept (a cut of 0.3), or half of a step of largest / 7; plus the scale's rounding.
    bound = 0.3 * largest + 0.02 * largest + 1e-6
    assert np.all(np.abs(unpack(pack(matrix)) - matrix) <= bound)


def test_zeros_stay_zeros() -> None:
    assert not unpack(pack(np.zeros((2, 32)))).any()


@for_each("shape", [(32,), (2, 31), (1, 2, 32)])
def test_a_matrix_that_is_not_made_of_whole_groups_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="multiple of 32"):
        pack(np.zeros(shape))
