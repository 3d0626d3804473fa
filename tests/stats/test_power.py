"""Power of crossed designs against simulation, the plain formula, and limits that are known."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from aptone.errors import UsageError
from aptone.stats.crossed import crossed_mean
from aptone.stats.power import (
    Design,
    Deviations,
    detectable_shift,
    difference_error,
    difference_power,
    raters_needed,
    smallest_difference,
)
from tests.stats.test_crossed import drawn, table_of

TYPICAL = Deviations(0.3, 0.3, 1.0)


@pytest.mark.parametrize(
    ("deviations", "design"),
    [((0.5, 0.4, 1.0), Design(8, 6)), ((0.0, 0.0, 1.0), Design(5, 4)), ((1.0, 0, 0.5), Design(9, 3))],
)
def test_the_promise_is_the_share_of_simulated_studies_that_find_it(
    deviations: tuple[float, float, float], design: Design
) -> None:
    difference = 2.8 * difference_error(Deviations(*deviations), design)
    found = 0
    for seed in range(1500):
        table = difference + drawn(seed, raters=design.raters, items=design.items, deviations=deviations)
        found += crossed_mean(*table_of(table)).p_value < 0.05
    promise = difference_power(difference, Deviations(*deviations), design)
    assert abs(found / 1500 - promise) < 3.5 * math.sqrt(promise * (1 - promise) / 1500)


def test_with_one_source_of_variance_that_is_large_it_is_the_power_of_a_t_test_over_raters() -> None:
    # no variance but that of raters: every mean square of items and rest is 0, so the test has R - 1 degrees of freedom
    power = difference_power(1.0, Deviations(1.5, 0.0, 1e-6), Design(12, 30))
    shift, critical = math.sqrt(12) / 1.5, scipy_stats.t.ppf(0.975, 11)
    expected = scipy_stats.nct.sf(critical, 11, shift) + scipy_stats.nct.cdf(-critical, 11, shift)
    assert power == pytest.approx(expected, abs=2e-3)


def test_without_a_difference_the_power_is_at_most_the_level() -> None:
    assert 0.02 < difference_power(0.0, TYPICAL, Design(20, 20)) < 0.051
    assert difference_power(0.0, TYPICAL, Design(20, 20), alpha=0.01) < 0.0105


def test_raters_that_are_needed_are_the_fewest_that_reach_the_power() -> None:
    design = Design(2, 20)
    needed = raters_needed(0.3, TYPICAL, design)
    assert difference_power(0.3, TYPICAL, Design(needed, 20)) >= 0.8
    assert difference_power(0.3, TYPICAL, Design(needed - 1, 20)) < 0.8
    smallest = smallest_difference(TYPICAL, Design(needed, 20))
    assert difference_power(smallest, TYPICAL, Design(needed, 20)) == pytest.approx(0.8, abs=1e-5)
    # with two items that differ, no number of raters finds a small difference
    assert raters_needed(0.05, Deviations(0.1, 1.0, 0.1), Design(2, 2)) == 0
    with pytest.raises(UsageError, match="difference of 0"):
        raters_needed(0.0, TYPICAL, design)


def test_half_the_ratings_cost_power_and_by_chance_more() -> None:
    whole = difference_power(0.3, TYPICAL, Design(20, 20))
    half = difference_power(0.3, TYPICAL, Design(20, 20, share=0.5, paired=False))
    chance = difference_power(0.3, TYPICAL, Design(20, 20, share=0.5, paired=False, balanced=False))
    assert whole > half > chance
    assert difference_error(TYPICAL, Design(20, 20, share=0.5)) == pytest.approx(math.sqrt(0.0045 + 0.0045 + 1 / 200))


def test_without_variance_of_items_and_rest_the_error_is_that_of_raters_alone() -> None:
    assert difference_error(Deviations(2.0, 0.0, 0.0), Design(9, 4)) == pytest.approx(2 / np.sqrt(9))
    assert difference_power(0.1, Deviations(0, 0, 0), Design(9, 4)) == 1.0


def test_designs_that_estimate_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="two raters"):
        Design(1, 4)
    with pytest.raises(UsageError, match="share"):
        Design(4, 4, share=0.0)


def test_a_shift_that_is_found_has_the_power_that_was_asked_for() -> None:
    shift, critical = detectable_shift(10, power=0.9), scipy_stats.t.ppf(0.975, 10)
    assert scipy_stats.nct.sf(critical, 10, shift) == pytest.approx(0.9, abs=1e-3)
