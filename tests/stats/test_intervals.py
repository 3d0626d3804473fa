import math

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats import bootstrap, pearson
from aptone.stats.intervals import fisher_interval, normal_quantile, wilson_interval
from tests.tables import for_each


def test_normal_quantile_of_ninety_five_percent() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-12)


def test_fisher_interval_by_hand() -> None:
    # atanh(0.5) = 0.5493; ± 1.96/5 gives tanh(0.1573) and tanh(0.9413)
    low, high = fisher_interval(0.5, 0.2, confidence=0.95)
    assert (low, high) == pytest.approx((math.tanh(0.549306 - 0.391993), math.tanh(0.549306 + 0.391993)), abs=1e-5)


def test_wilson_interval_solves_its_equation() -> None:
    # its ends are the shares p with (hits/n - p)² = q² p (1-p)/n
    q = normal_quantile(0.9)
    for end in wilson_interval(7, 20, confidence=0.9):
        assert (7 / 20 - end) ** 2 == pytest.approx(q**2 * end * (1 - end) / 20, abs=1e-14)


@pytest.mark.parametrize(("hits", "end"), [(0, 0), (12, 1)])
def test_wilson_interval_has_width_at_the_ends_and_stays_inside(hits: int, end: int) -> None:
    interval = wilson_interval(hits, 12, confidence=0.95)
    assert interval[end] == end
    # at an end the equation above becomes q²/(n + q²)
    q = normal_quantile(0.95)
    assert interval[1] - interval[0] == pytest.approx(q**2 / (12 + q**2))


@for_each(
    ("hits", "count", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_equal_the_published_ones(hits: int, count: int, low: float, high: float) -> None:
    # Newcombe 1998 (Statistics in Medicine 17:857), Table I, method 3
    interval = wilson_interval(hits, count, confidence=0.95)
    assert (round(interval[0], 4), round(interval[1], 4)) == (low, high)


def test_the_bootstrap_of_a_mean_has_the_width_of_the_normal_interval() -> None:
    values = np.random.default_rng(0).normal(size=400)
    got = bootstrap(np.mean, values, seed=5, resamples=4000)
    expected = 2 * 1.96 * values.std() / math.sqrt(400)
    assert got.value == values.mean()
    assert got.high - got.low == pytest.approx(expected, rel=0.05)
    assert (got.count, got.method, got.reason) == (400, "bootstrap-percentile", "")


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(0).normal(size=30)
    first, again, other = (bootstrap(np.mean, values, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_items_are_drawn_jointly() -> None:
    # the second array is twice the first, so on every resample the ratio of means is exactly 2
    values = np.arange(1.0, 11.0)
    got = bootstrap(lambda x, y: float(y.mean() / x.mean()), values, 2 * values, seed=0)
    assert (got.value, got.low, got.high) == (2.0, 2.0, 2.0)
    assert got.reason == "every resample gives the same value, so the interval says nothing about the spread"


@pytest.mark.slow
def test_undefined_resamples_are_left_out_and_counted() -> None:
    # of three items, a resample holds one item only with chance 3/27 = 1/9; Pearson is undefined there
    got = bootstrap(pearson, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0], seed=0, resamples=9000)
    undefined = int(got.reason.split(" ")[0])
    assert got.reason == f"{undefined} of 9000 resamples undefined and left out"
    assert undefined == pytest.approx(1000, abs=120)  # four standard errors of a count with p = 1/9
    assert (got.value, got.low, got.high) == pytest.approx((0.5, -1, 1))


def test_no_interval_is_given_if_most_resamples_are_undefined() -> None:
    def only_whole(x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return 1.0 if len(set(x.tolist())) == x.size else math.nan

    got = bootstrap(only_whole, np.arange(6.0), seed=0, resamples=100)
    assert got.value == 1.0
    assert math.isnan(got.low)
    assert got.reason.endswith("no interval: more than half of the resamples are undefined")


def test_the_count_of_the_statistic_is_kept() -> None:
    got = bootstrap(pearson, [1.0, 2.0, math.nan, 4.0, 3.0], [1.0, 3.0, 2.0, 5.0, 3.0], seed=0)
    assert got.count == 4
    assert got.reason.startswith("rests on 4 of 5 items")


def test_an_undefined_statistic_gives_its_reason() -> None:
    assert bootstrap(pearson, [1.0, 1.0], [1.0, 2.0], seed=0).reason == "no variance in predicted"
    assert bootstrap(lambda _: math.nan, [1.0], seed=0).reason == "the statistic is undefined on these items"


def test_one_item_has_no_interval_and_none_has_no_value() -> None:
    one = bootstrap(np.mean, [3.0], seed=0)
    assert (one.value, one.count, one.reason) == (3.0, 1, "no interval: a bootstrap needs at least two items")
    none = bootstrap(np.mean, [], seed=0)
    assert math.isnan(none.value)
    assert (none.count, none.reason) == (0, "no items")


def test_wrong_input_to_the_bootstrap_is_refused() -> None:
    with pytest.raises(RecordError, match=r"got lengths \[2, 3\]"):
        bootstrap(pearson, [1, 2], [1, 2, 3], seed=0)
    with pytest.raises(RecordError, match="array 0: some values are infinite"):
        bootstrap(np.mean, [1.0, math.inf], seed=0)
    with pytest.raises(RecordError, match=r"array 0: .*single number"):
        bootstrap(np.mean, 3.0, seed=0)
    with pytest.raises(UsageError, match="at least one array"):
        bootstrap(np.mean, seed=0)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="a seed is a whole number from 0 upwards, got -1"):
        bootstrap(np.mean, [1.0, 2.0], seed=-1)
    for wrong in (1.5, True, None):
        with pytest.raises(UsageError, match="a seed is a whole number from 0 upwards, got"):
            bootstrap(np.mean, [1.0, 2.0], seed=wrong)  # type: ignore[arg-type]  # what a caller without types does
    with pytest.raises(UsageError, match=r"resamples is a whole number from 1 upwards, got 99\.5"):
        bootstrap(np.mean, [1.0, 2.0], seed=0, resamples=99.5)  # type: ignore[arg-type]  # the same
    with pytest.raises(UsageError, match="needs at least 40 resamples, got 39"):
        bootstrap(np.mean, [1.0, 2.0], seed=0, resamples=39)
    with pytest.raises(UsageError, match="confidence"):
        bootstrap(np.mean, [1.0, 2.0], seed=0, confidence=1.0)
