import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from aptone.errors import RecordError, UsageError
from aptone.stats import concordance, kendall, pearson, samplewise_tau, spearman
from aptone.types import Estimate
from tests.tables import for_each

Correlation = Callable[..., Estimate]
ALL: list[Correlation] = [pearson, spearman, kendall, concordance]
RATINGS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=40)


def noisy_pair(size: int, *, seed: int = 0) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=size)
    return x, 0.6 * x + generator.normal(size=size)


def test_pearson_and_its_interval_equal_those_of_scipy() -> None:
    x, y = noisy_pair(50)
    expected = stats.pearsonr(x, y)
    interval = expected.confidence_interval(0.9)
    got = pearson(x, y, confidence=0.9)
    assert got.value == pytest.approx(expected.statistic, abs=1e-14)
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert (got.count, got.confidence, got.method, got.reason) == (50, 0.9, "fisher-z", "")


@given(RATINGS)
def test_rank_correlations_equal_those_of_scipy_with_ties(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y).value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_kendall_of_many_items_equals_that_of_scipy() -> None:
    x, y = noisy_pair(20_000)
    x, y = np.round(x, 2), np.round(y, 1)
    assert kendall(x, y).value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_spearman_interval_is_that_of_bonett_and_wright() -> None:
    # ranks 1..8 against two swaps of neighbours: Σd² = 4, r = 1 - 6·4/(8·63) = 20/21
    got = spearman([1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 5, 6, 7, 8])
    r = 20 / 21
    reach = 1.959963984540054 * math.sqrt((1 + r**2 / 2) / 5)
    assert got.value == pytest.approx(r, abs=1e-12)
    assert (got.low, got.high) == pytest.approx((math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)))


def test_kendall_interval_is_that_of_fieller() -> None:
    # 8 items, 2 of 28 pairs discordant: τ = (26 - 2)/28
    got = kendall([1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 5, 6, 7, 8])
    tau = 24 / 28
    reach = 1.959963984540054 * math.sqrt(0.437 / 4)
    assert got.value == pytest.approx(tau, abs=1e-14)
    assert (got.low, got.high) == pytest.approx(
        (math.tanh(math.atanh(tau) - reach), math.tanh(math.atanh(tau) + reach))
    )


@for_each("correlation", [pearson, spearman, kendall])
def test_intervals_cover_the_truth_about_as_often_as_they_say(correlation: Correlation) -> None:
    # bivariate normal with ρ = 0.5: Spearman's is 6/π·asin(ρ/2), Kendall's is 2/π·asin(ρ)
    truth = {"pearson": 0.5, "spearman": 6 / math.pi * math.asin(0.25), "kendall": 2 / math.pi * math.asin(0.5)}
    generator = np.random.default_rng(7)
    covered = 0
    for _ in range(600):
        x, noise = generator.normal(size=(2, 40))
        got = correlation(x, 0.5 * x + math.sqrt(0.75) * noise)
        covered += got.low <= truth[correlation.__name__] <= got.high
    assert covered / 600 == pytest.approx(0.95, abs=0.03)  # three standard errors of a share of 600


def test_concordance_of_lin_by_hand() -> None:
    # x̄ = 2.5, ȳ = 3, s_x² = 1.25, s_y² = 2.5, s_xy = 1.75: 2·1.75 / (1.25 + 2.5 + 0.25) = 0.875
    assert concordance([1, 2, 3, 4], [1, 2, 4, 5]).value == pytest.approx(0.875, abs=1e-14)


def test_concordance_interval_of_lin_by_hand() -> None:
    # Means 0 and 1, variances 1 and 1, six of eight on the same side: r = s_xy = (6 - 2) / 8 = 1/2, u² = 1,
    # c = 2 · 1/2 / (1 + 1 + 1) = 1/3, 1 - c² = 8/9. The terms are (3/4)(1/9) / ((8/9)(1/4)) = 3/8,
    # 2(1/27)(2/3) / ((1/2)(64/81)) = 1/8 and (1/81) / (2(1/4)(64/81)) = 1/32: σ² = (3/8 + 1/8 - 1/32) / 6 = 5/64.
    got = concordance([-1, -1, -1, -1, 1, 1, 1, 1], [0, 0, 0, 2, 0, 2, 2, 2])
    reach = 1.959963984540054 * math.sqrt(5) / 8
    assert got.value == pytest.approx(1 / 3, abs=1e-14)
    assert got.low == pytest.approx(math.tanh(math.atanh(1 / 3) - reach), abs=1e-12)
    assert got.high == pytest.approx(math.tanh(math.atanh(1 / 3) + reach), abs=1e-12)


def test_concordance_interval_has_the_spread_that_simulation_shows() -> None:
    # z = atanh(CCC) of many samples with a shift and a different spread: its standard deviation must equal Lin's σ,
    # read back from the width of an interval.
    generator = np.random.default_rng(3)
    values, deviations = [], []
    for _ in range(3000):
        x, noise = generator.normal(size=(2, 100))
        got = concordance(x, 1.3 * (0.8 * x + 0.6 * noise) + 0.7)
        values.append(math.atanh(got.value))
        deviations.append((math.atanh(got.high) - math.atanh(got.low)) / (2 * 1.959963984540054))
    assert np.mean(deviations) == pytest.approx(np.std(values), rel=0.05)


def test_concordance_with_variance_on_one_side_is_zero_without_an_interval() -> None:
    got = concordance([3, 3, 3, 3], [1, 2, 3, 4])
    assert (got.value, got.count, got.reason) == (0.0, 4, "no interval: no variance in predicted")
    assert math.isnan(got.low)
    assert concordance([1, 2, 3, 4], [3, 3, 3, 3]).reason == "no interval: no variance in reference"


def test_concordance_without_any_variance_is_undefined() -> None:
    got = concordance([3, 3, 3], [4, 4, 4])
    assert not got.is_defined
    assert got.reason == "no variance in either sequence"
    assert concordance([1], [2]).reason == "1 complete items, need 2"


def test_concordance_of_uncorrelated_values_has_no_interval() -> None:
    got = concordance([-1, 1, -1, 1], [-1, -1, 1, 1])
    assert got.value == 0.0
    assert got.reason == "no interval: its variance has no estimate here"


@for_each("correlation", ALL)
def test_two_items_have_a_value_but_no_interval(correlation: Correlation) -> None:
    got = correlation([1, 2], [1, 2])
    assert got.value == pytest.approx(1.0)
    assert math.isnan(got.low)
    assert got.reason.startswith("no interval: 2 complete items, need")


@for_each("correlation", ALL)
@for_each("sign", [1, -1])
def test_a_perfect_correlation_has_no_interval(correlation: Correlation, sign: int) -> None:
    values = np.array([-0.3, -0.1, 0.0, 0.1, 0.3, 0.7, -0.7])
    got = correlation(values, sign * values)
    assert got.value == pytest.approx(sign)
    assert abs(got.value) <= 1
    assert got.reason == "no interval: for a perfect correlation Fisher's z is infinite"


@for_each("correlation", [pearson, spearman, kendall])
def test_without_variance_a_correlation_is_undefined_and_says_where(correlation: Correlation) -> None:
    assert correlation([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], [1, 2, 3, 4, 5]).reason == "no variance in predicted"
    got = correlation([2, 2, 2], [3, 3, 3])
    assert math.isnan(got.value)
    assert got.reason == "no variance in predicted and reference"


@for_each("correlation", ALL)
def test_missing_values_leave_their_item_out_of_both_sequences(correlation: Correlation) -> None:
    x, y = [1, 2, None, 4, 5, 9, 7], [2, 1, 8, 3, math.nan, 6, 4]
    got = correlation(x, y)
    whole = correlation([1, 2, 4, 9, 7], [2, 1, 3, 6, 4])
    assert (got.value, got.low, got.high, got.count) == (whole.value, whole.low, whole.high, 5)
    assert got.reason == "2 of 7 items left out: a value is missing"


@for_each("correlation", ALL)
def test_too_few_items_are_undefined_and_counted(correlation: Correlation) -> None:
    got = correlation([1, None], [2, 3])
    assert math.isnan(got.value)
    assert got.count == 1
    assert got.reason == "1 of 2 items left out: a value is missing; 1 complete items, need 2"
    assert correlation([], []).reason == "0 complete items, need 2"


@for_each("correlation", ALL)
def test_wrong_input_is_refused(correlation: Correlation) -> None:
    with pytest.raises(RecordError, match="2 in predicted, 3 in reference"):
        correlation([1, 2], [1, 2, 3])
    with pytest.raises(RecordError, match="reference: 1 values are infinite"):
        correlation([1, 2], [1, math.inf])
    with pytest.raises(RecordError, match="predicted: expected one number an item"):
        correlation([[1, 2]], [1, 2])
    with pytest.raises(UsageError, match="confidence"):
        correlation([1, 2], [1, 2], confidence=95)


@for_each("scale", [1e-200, 1e200])
@for_each("correlation", ALL)
def test_the_size_of_the_unit_does_not_matter(correlation: Correlation, scale: float) -> None:
    x, y = noisy_pair(30)
    assert correlation(x * scale, y * scale).value == pytest.approx(correlation(x, y).value, abs=1e-12)


def test_samplewise_tau_is_the_mean_over_items() -> None:
    # τ-b by hand: 1; one of three pairs discordant: 1/3; -1
    got = samplewise_tau([[1, 2, 3], [1, 2, 3], [1, 2]], [[4, 5, 6], [1, 3, 2], [9, 8]], seed=1)
    assert got.value == pytest.approx((1 + 1 / 3 - 1) / 3)
    assert (got.count, got.reason, got.method) == (3, "", "bootstrap-percentile")
    assert -1 <= got.low < got.value < got.high <= 1


def test_samplewise_tau_leaves_out_undefined_items_and_counts_them_by_cause() -> None:
    predicted: list[list[float | None]] = [[1, 2, 3], [2, 2, 2], [1, 2], [1, None], [5]]
    reference = [[1, 2, 3], [1, 2, 3], [2, 1], [1, 2], [5]]
    got = samplewise_tau(predicted, reference, seed=1)
    assert (got.value, got.count) == (0.0, 2)
    assert got.reason == (
        "1 candidate left out: a value is missing; 1 of 5 items left out: no variance in predicted; "
        "2 of 5 items left out: fewer than two complete candidates"
    )


def test_samplewise_tau_without_a_defined_item_is_undefined() -> None:
    got = samplewise_tau([[1, 1]], [[1, 2]], seed=0)
    assert math.isnan(got.value)
    assert got.reason == "1 of 1 items left out: no variance in predicted"
    assert samplewise_tau([], [], seed=0).reason == "no items"


def test_samplewise_tau_names_the_item_that_does_not_fit() -> None:
    with pytest.raises(RecordError, match=r"3 in predicted\[1\], 2 in reference\[1\]"):
        samplewise_tau([[1, 2], [1, 2, 3]], [[1, 2], [1, 2]], seed=0)
    with pytest.raises(RecordError, match="2 in predicted, 1 in reference"):
        samplewise_tau([[1, 2], [1, 2]], [[1, 2]], seed=0)
