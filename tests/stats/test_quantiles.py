"""Median and percentiles."""

import math

import numpy as np

from aptone.stats.quantiles import median, percentiles
from tests.tables import for_each

SHARES = (0.0, 1.0, 5.0, 10.0, 33.3, 50.0, 90.0, 95.0, 99.0, 100.0)


@for_each("count", [1, 2, 3, 4, 5, 10, 37, 100, 399, 400, 4950])
def test_they_are_those_of_numpy_to_the_last_bit(count: int) -> None:
    generator = np.random.default_rng(count)
    for values in (generator.normal(size=count), generator.integers(0, 3, size=count).astype(np.float64)):
        assert median(values) == float(np.median(values))
        assert percentiles(values, *SHARES) == tuple(np.percentile(values, SHARES).tolist())


def test_what_is_asked_of_nothing_or_of_nan_is_undefined() -> None:
    assert math.isnan(median(np.empty(0)))
    assert math.isnan(median(np.array([1.0, math.nan, 2.0])))
    assert [math.isnan(one) for one in percentiles(np.array([1.0, math.nan]), 10.0, 90.0)] == [True, True]
