"""Student's t and binomial tests against scipy."""

import math

import pytest
from scipy import stats as scipy_stats

from aptone.errors import UsageError
from aptone.stats.binomial import binomial_p_value, clopper_pearson
from aptone.stats.student import t_p_value, t_power, t_quantile


@pytest.mark.parametrize("freedom", [1, 2.5, 7, 30, 400.3])
def test_quantiles_p_values_and_power_are_those_of_scipy(freedom: float) -> None:
    for confidence in (0.8, 0.95, 0.99):
        assert t_quantile(freedom, confidence) == pytest.approx(scipy_stats.t.ppf((1 + confidence) / 2, freedom))
    for statistic in (0.0, 0.7, -2.5, 12.0):
        assert t_p_value(statistic, freedom) == pytest.approx(2 * scipy_stats.t.sf(abs(statistic), freedom), rel=1e-8)
    if freedom >= 2:
        critical = scipy_stats.t.ppf(0.975, freedom)
        for shift in (0.0, 1.0, 2.8):
            expected = scipy_stats.nct.sf(critical, freedom, shift) + scipy_stats.nct.cdf(-critical, freedom, shift)
            assert t_power(shift, freedom) == pytest.approx(expected, abs=2e-4)


def test_what_has_no_freedom_has_no_p_value() -> None:
    assert math.isnan(t_p_value(2.0, 0))
    assert math.isnan(t_p_value(math.nan, 3))
    assert math.isnan(t_quantile(0, 0.95))
    assert math.isnan(t_power(1.0, 0))


def test_the_binomial_test_is_that_of_scipy() -> None:
    for count in (1, 2, 9, 40, 333):
        for hits in {0, 1, count // 3, count // 2, count}:
            for above, alternative in ((True, "greater"), (False, "two-sided")):
                expected = scipy_stats.binomtest(hits, count, alternative=alternative)
                assert binomial_p_value(hits, count, above=above) == pytest.approx(expected.pvalue, rel=1e-9)
            low, high = scipy_stats.binomtest(hits, count).proportion_ci(method="exact")
            assert clopper_pearson(hits, count) == pytest.approx((low, high), abs=1e-9)


def test_without_trials_there_is_no_p_value_and_more_hits_than_trials_are_refused() -> None:
    assert math.isnan(binomial_p_value(0, 0))
    assert all(map(math.isnan, clopper_pearson(0, 0)))
    with pytest.raises(UsageError, match="between 0 and the count"):
        binomial_p_value(3, 2)
