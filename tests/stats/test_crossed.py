"""Means over raters and items against the analysis of variance by hand, a mixed model, and simulation."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.formula.api import mixedlm  # type: ignore[import-untyped]

from aptone.errors import RecordError
from aptone.stats.crossed import crossed_bootstrap, crossed_mean


def table_of(values: np.ndarray) -> tuple[list[float], list[str], list[str]]:
    """Flatten raters × items, NaN left out."""
    cells = [(r, i) for r, i in itertools.product(*map(range, values.shape)) if not math.isnan(values[r, i])]
    return [float(values[cell]) for cell in cells], [f"r{r}" for r, _ in cells], [f"i{i}" for _, i in cells]


def drawn(seed: int, *, raters: int, items: int, deviations: tuple[float, float, float]) -> np.ndarray:
    generator = np.random.default_rng(seed)
    people, things, rest = deviations
    whole: np.ndarray = (
        generator.normal(0, people, (raters, 1))
        + generator.normal(0, things, (1, items))
        + generator.normal(0, rest, (raters, items))
    )
    return whole


def test_the_error_of_a_full_table_is_that_of_the_analysis_of_variance_by_hand() -> None:
    # raters a: 1 2 3, b: 2 3 5; mean 16/6 = 8/3
    # rater means 2, 10/3: SS = 3·2·(2/3)² = 8/3, MS = 8/3 (1 degree of freedom)
    # item means 1.5, 2.5, 4: SS = 2·[(7/6)² + (1/6)² + (4/3)²] = 2·(49 + 1 + 64)/36 = 19/3, MS = 19/6 (2)
    # whole SS = 52 - 36·16/... = 52 - 6·64/9 = 28/3; rest = 28/3 - 8/3 - 19/3 = 1/3, MS = 1/6 (2)
    # variance of the mean = (MSr + MSi - MSe) / 6 = (16/6 + 19/6 - 1/6) / 6 = 34/36
    mean = crossed_mean([1, 2, 3, 2, 3, 5], list("aaabbb"), list("xyzxyz"))
    assert mean.error == pytest.approx(math.sqrt(34 / 36))
    assert mean.rest_variance == pytest.approx(1 / 6)
    assert mean.rater_variance == pytest.approx((8 / 3 - 1 / 6) / 3)
    assert mean.item_variance == pytest.approx((19 / 6 - 1 / 6) / 2)
    freedom = (34 / 36) ** 2 / ((8 / 3 / 6) ** 2 / 1 + (19 / 6 / 6) ** 2 / 2 + (1 / 6 / 6) ** 2 / 2)
    assert mean.freedom == pytest.approx(freedom)
    reach = scipy_stats.t.ppf(0.975, freedom) * math.sqrt(34 / 36)
    assert mean.estimate.high - mean.estimate.value == pytest.approx(reach)
    assert mean.p_value == pytest.approx(2 * scipy_stats.t.sf(8 / 3 / math.sqrt(34 / 36), freedom))


def test_components_and_error_are_those_of_a_mixed_model_by_reml() -> None:
    table = drawn(3, raters=12, items=9, deviations=(0.8, 0.6, 1.0)) + 0.4
    values, raters, items = table_of(table)
    frame = pd.DataFrame({"y": values, "rater": raters, "item": items, "all": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mixedlm(
            "y ~ 1", frame, groups="all", re_formula="0", vc_formula={"rater": "0 + C(rater)", "item": "0 + C(item)"}
        ).fit(reml=True)
    mean = crossed_mean(values, raters, items)
    assert mean.estimate.value == pytest.approx(float(model.params["Intercept"]), abs=1e-4)
    assert mean.error == pytest.approx(float(model.bse["Intercept"]), rel=2e-3)
    components = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
    assert mean.rater_variance == pytest.approx(components["rater"], rel=5e-3)
    assert mean.item_variance == pytest.approx(components["item"], rel=5e-3)
    assert mean.rest_variance == pytest.approx(float(model.scale), rel=5e-3)


def test_with_one_item_it_is_the_t_test_over_raters() -> None:
    values = [0.2, 1.1, -0.3, 0.9, 0.4]
    mean = crossed_mean(values, list("abcde"), ["x"] * 5)
    expected = scipy_stats.ttest_1samp(values, 0.0)
    assert mean.p_value == pytest.approx(expected.pvalue)
    assert mean.freedom == 4
    assert "over raters" in mean.estimate.reason


def test_missing_cells_leave_the_variances_unbiased() -> None:
    # 400 tables of which a third is missing: the mean of the estimates is within 3 errors of the truth (1, 0.5, 2)
    truth = (1.0, math.sqrt(0.5), math.sqrt(2.0))
    found = []
    for seed in range(400):
        table = drawn(seed, raters=15, items=12, deviations=truth)
        table[np.random.default_rng(seed + 10_000).random(table.shape) < 1 / 3] = np.nan
        mean = crossed_mean(*table_of(table))
        found.append((mean.rest_variance, mean.error**2, mean.estimate.value))
    rest, squared, values = np.array(found).T
    assert abs(rest.mean() - 2.0) < 3 * rest.std() / 20
    # the estimated variance of the mean is what the means really vary by
    assert squared.mean() == pytest.approx(values.var(), rel=0.2)


def test_intervals_of_few_raters_and_items_hold_the_truth_about_as_often_as_they_say() -> None:
    held = []
    for seed in range(1500):
        mean = crossed_mean(*table_of(drawn(seed, raters=8, items=6, deviations=(0.5, 0.4, 1.0)))).estimate
        held.append(mean.low <= 0 <= mean.high)
    assert 0.93 <= float(np.mean(held)) <= 0.985  # 95 %, ± 3.5 binomial errors; a little conservative


def test_answers_that_are_all_equal_are_tested_by_sign_over_raters() -> None:
    same = crossed_mean([1.0] * 8, list("aabbccdd"), list("xyxyxyxy"))
    assert (same.estimate.low, same.estimate.high) == (1.0, 1.0)
    assert same.p_value == 2 * 0.5**4
    assert crossed_mean([0.0] * 4, list("aabb"), list("xyxy")).p_value == 1.0


def test_several_numbers_of_a_cell_count_as_their_mean() -> None:
    twice = crossed_mean([1, 3, 2, 4, 5], list("aabbb"), ["x", "x", "x", "y", "y"])
    once = crossed_mean([2, 2, 4.5], list("abb"), ["x", "x", "y"])
    assert twice == once


def test_nothing_and_one_number_have_no_interval() -> None:
    assert math.isnan(crossed_mean([], [], []).estimate.value)
    assert math.isnan(crossed_mean([3.0], ["a"], ["x"]).estimate.low)
    with pytest.raises(RecordError, match="missing"):
        crossed_mean([1.0, math.nan], ["a", "b"], ["x", "x"])
    with pytest.raises(RecordError, match="a rater and an item"):
        crossed_mean([1.0], [], [])


def test_the_bootstrap_of_a_mean_is_at_least_as_wide_as_the_closed_form() -> None:
    values, raters, items = table_of(drawn(5, raters=20, items=20, deviations=(1.0, 1.0, 0.3)))
    closed = crossed_mean(values, raters, items).estimate
    drawn_ = crossed_bootstrap(lambda one: float(np.mean(one)), values, raters, items, seed=0)
    assert drawn_.value == pytest.approx(closed.value)
    assert drawn_.high - drawn_.low == pytest.approx(closed.high - closed.low, rel=0.15)
    assert crossed_bootstrap(lambda one: float(np.median(one)), values, raters, items, seed=0) == crossed_bootstrap(
        lambda one: float(np.median(one)), values, raters, items, seed=0
    )
