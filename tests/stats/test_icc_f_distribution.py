import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, fdtri

from aptone.stats.icc import beta_probability, f_quantile

FREEDOMS = st.floats(0.2, 5000)
LEVELS = st.sampled_from([0.005, 0.025, 0.1, 0.5, 0.8, 0.9, 0.95, 0.975, 0.995, 0.9995])


@given(FREEDOMS, FREEDOMS, LEVELS)
def test_the_quantile_is_that_of_scipy(numerator: float, denominator: float, level: float) -> None:
    assert f_quantile(numerator, denominator, level) == pytest.approx(fdtri(numerator, denominator, level), rel=1e-8)


@given(st.floats(0.1, 3000), st.floats(0.1, 3000), st.floats(0, 1))
def test_the_probability_is_that_of_scipy(a: float, b: float, x: float) -> None:
    assert beta_probability(a, b, x) == pytest.approx(float(betainc(a, b, x)), rel=1e-8, abs=1e-11)


def test_by_hand() -> None:
    # with 2 and 2 degrees of freedom the probability below f is f / (1 + f): half below 1, 95 % below 19
    assert f_quantile(2, 2, 0.5) == pytest.approx(1.0, rel=1e-12)
    assert f_quantile(2, 2, 0.95) == pytest.approx(19.0, rel=1e-12)
    # with 1 and very many, the square of a normal variable: 1.959964² = 3.841459
    assert f_quantile(1, 1e7, 0.95) == pytest.approx(3.841459, rel=1e-6)


@given(FREEDOMS, FREEDOMS, LEVELS)
def test_swapping_the_freedoms_inverts_the_quantile(numerator: float, denominator: float, level: float) -> None:
    other = f_quantile(denominator, numerator, 1 - level)
    assert f_quantile(numerator, denominator, level) == pytest.approx(1 / other, rel=1e-8)


@pytest.mark.parametrize(
    ("numerator", "denominator", "level"),
    [(0, 5, 0.9), (5, 0, 0.9), (-1, 5, 0.9), (math.nan, 5, 0.9), (5, math.inf, 0.9), (5, 5, 0), (5, 5, 1)],
)
def test_what_has_no_quantile_is_undefined(numerator: float, denominator: float, level: float) -> None:
    assert math.isnan(f_quantile(numerator, denominator, level))
