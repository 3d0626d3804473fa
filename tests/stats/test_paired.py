import itertools
import math

import numpy as np
import pytest
from scipy import stats

from aptone.errors import RecordError, UsageError
from aptone.stats import concordance, paired_difference, paired_statistic_difference, pearson, tolerance_accuracy
from aptone.stats.intervals import Statistic
from aptone.types import to_json


def test_the_exact_p_value_equals_a_count_over_all_signs() -> None:
    differences = np.array([0.3, -0.1, 0.4, 0.2, 0.0, 0.5])
    means = [abs(np.mean(differences * signs)) for signs in itertools.product([1, -1], repeat=6)]
    got = paired_difference(np.zeros(6), differences, seed=0)
    assert got.p_value == np.mean(np.array(means) >= abs(differences.mean()) - 1e-12)
    assert (got.exact, got.permutations) == (True, 64)
    assert got.difference.value == pytest.approx(1.3 / 6)
    assert (got.first, got.second) == pytest.approx((0.0, 1.3 / 6))


def test_the_exact_p_value_equals_that_of_scipy() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 10))

    def mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], axis: int) -> object:
        return np.mean(values, axis=axis)

    expected = stats.permutation_test((y - x,), mean, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    assert paired_difference(x, y, seed=0).p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_a_sampled_p_value_lies_near_the_exact_one_and_is_never_zero() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 13))
    y = y + 0.5
    exact = paired_difference(x, y, seed=0)
    sampled = paired_difference(x, y, seed=0, permutations=8000)
    assert (exact.exact, exact.permutations) == (True, 8192)
    assert (sampled.exact, sampled.permutations) == (False, 8000)
    error = math.sqrt(exact.p_value * (1 - exact.p_value) / 8000)
    assert sampled.p_value == pytest.approx(exact.p_value, abs=4 * error)
    far = paired_difference(np.zeros(100), np.ones(100), seed=0, permutations=99)
    assert far.p_value == 0.01  # (0 + 1) / (99 + 1)


def test_blocks_of_many_items_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 8))
    whole = paired_difference(x, y, seed=0).p_value
    monkeypatch.setattr("aptone.stats.paired.BLOCK", 24)  # three patterns at a time
    assert paired_difference(x, y, seed=0).p_value == whole


def test_under_chance_alone_p_values_are_even() -> None:
    generator = np.random.default_rng(9)
    values = [
        paired_difference(*generator.normal(size=(2, 30)), seed=seed, resamples=40, permutations=200).p_value
        for seed in range(300)
    ]
    assert np.mean(np.array(values) <= 0.1) == pytest.approx(0.1, abs=0.052)  # three standard errors


def test_judges_that_say_the_same_do_not_differ() -> None:
    got = paired_difference([1, 2, 3, 4], [1, 2, 3, 4], seed=0)
    assert (got.difference.value, got.p_value) == (0.0, 1.0)
    assert got.difference.reason.startswith("every resample gives the same value")


def test_differences_that_cancel_out_are_no_evidence_despite_rounding() -> None:
    got = paired_difference([0, 0, 0], [0.1, 0.2, -0.3], seed=0)
    assert got.difference.value != 0  # 0.1 + 0.2 - 0.3 is not 0 in binary
    assert got.p_value == 1.0


def test_missing_items_are_left_out_of_both_and_counted() -> None:
    got = paired_difference([1, None, 3], [2, 3, 5], seed=0)
    assert (got.difference.value, got.difference.count) == (1.5, 2)
    assert got.difference.reason == "1 of 3 items left out: a value is missing"


def test_without_items_the_comparison_is_undefined() -> None:
    got = paired_difference([math.nan], [1], seed=0)
    assert math.isnan(got.difference.value)
    assert math.isnan(got.p_value)
    assert (got.permutations, got.exact) == (0, False)
    assert got.difference.reason == "1 of 1 items left out: a value is missing; no items"


def test_a_comparison_is_a_record_with_a_json_form() -> None:
    data = to_json(paired_difference([1, 2, 3], [2, 3, 4], seed=0))
    assert data["schema"] == "aptone.PairedComparison/1"
    assert data["p_value"] == 0.25


def test_the_difference_of_correlations_and_its_exact_p_value_by_enumeration() -> None:
    people = np.array([1.0, 2, 3, 4, 5, 6, 7])
    poor, good = np.array([3.0, 1, 2, 6, 4, 7, 5]), np.array([1.0, 2, 4, 3, 5, 6, 7])
    observed = stats.pearsonr(good, people).statistic - stats.pearsonr(poor, people).statistic
    hits = 0
    for mask in itertools.product([False, True], repeat=7):
        one, other = np.where(mask, good, poor), np.where(mask, poor, good)
        difference = stats.pearsonr(other, people).statistic - stats.pearsonr(one, people).statistic
        hits += abs(difference) >= abs(observed) - 1e-9
    got = paired_statistic_difference(pearson, people, poor, good, seed=0)
    assert got.difference.value == pytest.approx(observed)
    assert (got.p_value, got.exact, got.permutations) == (hits / 128, True, 128)
    assert got.second - got.first == pytest.approx(observed)
    assert got.difference.low < got.difference.value < got.difference.high


def test_a_plain_function_serves_as_a_statistic() -> None:
    def closeness(predicted: object, reference: object) -> float:
        return -float(np.abs(np.asarray(predicted) - np.asarray(reference)).mean())

    got = paired_statistic_difference(closeness, [1, 2, 3], [2, 3, 4], [1, 2, 3], seed=0)
    assert (got.difference.value, got.first, got.second) == (1.0, -1.0, 0.0)
    assert got.p_value == 0.25  # only no swap and all swapped lie as far out


@pytest.mark.slow
def test_judges_on_different_scales_are_brought_to_one() -> None:
    generator = np.random.default_rng(5)
    people = generator.normal(size=60)
    one, other = people + generator.normal(size=(2, 60))
    raw = paired_statistic_difference(pearson, people, one, 100 * other + 50, seed=0, permutations=200)
    fair = paired_statistic_difference(
        pearson, people, one, 100 * other + 50, seed=0, permutations=200, standardise=True
    )
    same = paired_statistic_difference(pearson, people, one, other, seed=0, permutations=200, standardise=True)
    assert fair.difference.value == pytest.approx(raw.difference.value)
    assert fair.p_value == same.p_value  # the unit of a judge has no say
    assert fair.p_value != raw.p_value


@pytest.mark.parametrize("statistic", [concordance, tolerance_accuracy])
def test_standardising_is_refused_where_it_changes_the_statistic(statistic: Statistic) -> None:
    with pytest.raises(UsageError, match="standardise=True changes this statistic"):
        paired_statistic_difference(statistic, [1, 2, 3, 4], [10, 20, 30, 40], [1, 2, 4, 3], seed=0, standardise=True)


@pytest.mark.parametrize("standardise", [False, True])
def test_a_judge_without_a_statistic_makes_the_comparison_undefined(standardise: bool) -> None:
    got = paired_statistic_difference(
        pearson, [1, 2, 3, None], [2, 2, 2, 2], [1, 3, 2, 1], seed=0, standardise=standardise
    )
    assert math.isnan(got.difference.value)
    assert math.isnan(got.p_value)
    assert math.isnan(got.first)
    assert got.second == pytest.approx(0.5)
    assert got.difference.reason == ("1 of 4 items left out: a value is missing; first judge: no variance in predicted")


def test_an_undefined_plain_statistic_has_a_reason_too() -> None:
    got = paired_statistic_difference(lambda *_: math.nan, [1, 2], [1, 2], [1, 2], seed=0)
    assert got.difference.reason == "the statistic is undefined on these items"


def test_without_complete_items_a_statistic_difference_is_undefined() -> None:
    got = paired_statistic_difference(pearson, [None, 1], [1, None], [1, 2], seed=0, standardise=True)
    assert math.isnan(got.difference.value)
    assert math.isnan(got.first)
    assert got.difference.reason.startswith("2 of 2 items left out: a value is missing; first judge: no complete items")


def test_a_swap_on_which_the_statistic_is_undefined_counts_as_a_hit() -> None:
    # swapped on item 1 only, the first judge says 2, 2, 2: undefined. So is it for the other judge on items 2 and 3.
    people, one, other = [1.0, 2.0, 4.0], [1.0, 2.0, 2.0], [2.0, 1.0, 1.5]
    hits = 0
    observed = pearson(other, people).value - pearson(one, people).value
    undefined = 0
    for mask in itertools.product([False, True], repeat=3):
        first, second = np.where(mask, other, one), np.where(mask, one, other)
        difference = pearson(second, people).value - pearson(first, people).value
        undefined += math.isnan(difference)
        hits += not abs(difference) < abs(observed) - 1e-9
    assert undefined > 0
    assert paired_statistic_difference(pearson, people, one, other, seed=0).p_value == hits / 8


def test_wrong_input_and_options_are_refused() -> None:
    with pytest.raises(RecordError, match="2 in first, 3 in second"):
        paired_difference([1, 2], [1, 2, 3], seed=0)
    with pytest.raises(RecordError, match="3 in reference, 2 in first, 2 in second"):
        paired_statistic_difference(pearson, [1, 2, 3], [1, 2], [1, 2], seed=0)
    with pytest.raises(UsageError, match="permutations is a whole number from 1 upwards, got 0"):
        paired_difference([1, 2], [1, 2], seed=0, permutations=0)
    with pytest.raises(UsageError, match="from 1 upwards, got -1"):
        paired_statistic_difference(pearson, [1, 2], [1, 2], [1, 2], seed=0, permutations=-1)
    with pytest.raises(UsageError, match="seed"):
        paired_difference([1, 2], [1, 2], seed=-1)


def test_a_number_of_permutations_is_whole() -> None:
    with pytest.raises(UsageError, match=r"permutations is a whole number from 1 upwards, got 2\.5"):
        paired_difference([1, 2], [2, 3], seed=0, permutations=2.5)  # type: ignore[arg-type]  # as without types
