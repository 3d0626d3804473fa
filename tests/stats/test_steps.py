import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.stats.steps import step_count, step_means


@given(st.floats(0.01, 100.0), st.floats(0.05, 5.0))
def test_steps_cover_the_whole_and_the_last_one_begins_before_its_end(seconds: float, step: float) -> None:
    count = step_count(seconds, step)
    assert count * step >= seconds - 1e-5 * step
    assert count == 1 or (count - 1) * step < seconds


@given(st.integers(1, 60), st.floats(0.1, 3.0), st.integers(0, 2**32 - 1))
def test_means_are_those_of_a_loop(count: int, step: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    times = np.sort(generator.uniform(0.0, 10.0, count))
    values = generator.normal(size=(count, 2))
    means = step_means(values, times, seconds=10.0, step=step)
    last = len(means) - 1
    for number, row in enumerate(means):
        chosen = [value for value, time in zip(values, times, strict=True) if min(int(time / step), last) == number]
        assert row == pytest.approx(np.mean(chosen, axis=0) if chosen else [np.nan, np.nan], nan_ok=True)
