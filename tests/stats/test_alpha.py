"""Alpha of points, labels and choices: equal to Krippendorff's where that is defined, 0 for lots, with a word."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.stats import krippendorff_alpha
from aptone.stats.alpha import (
    WORDS,
    ChoiceSample,
    LabelSample,
    PointSample,
    agreement_word,
    bootstrap_alpha,
    item_disagreements,
    rating_variance,
    sample_alpha,
)
from aptone.types import Estimate
from tests.tables import for_each

TABLES = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=5), min_size=1, max_size=12)


def columns(table: list[list[int]]) -> list[np.ndarray]:
    return [np.array(row, dtype=float)[:, None] for row in table]


def padded(table: list[list[int]]) -> list[list[float | None]]:
    width = max(map(len, table))
    return [[*map(float, row), *[None] * (width - len(row))] for row in table]


@settings(max_examples=80, deadline=None)
@given(TABLES)
def test_alpha_of_points_and_of_labels_equals_krippendorffs(table: list[list[int]]) -> None:
    names = list(range(len(table)))
    interval = krippendorff_alpha(padded(table), level="interval", seed=0, resamples=40)
    nominal = krippendorff_alpha(padded(table), level="nominal", seed=0, resamples=40)
    assert sample_alpha(PointSample.of(columns(table), names)) == pytest.approx(interval.value, nan_ok=True)
    assert sample_alpha(LabelSample.of(table, names)) == pytest.approx(nominal.value, nan_ok=True)


def test_alpha_of_points_in_a_plane_is_one_minus_observed_over_expected_distances() -> None:
    rows = [np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [0.0, 2.0], [3.0, 2.0]])]
    everything = np.concatenate(rows)

    def squared(one: np.ndarray, other: np.ndarray) -> float:
        return float(((one - other) ** 2).sum())

    # each item's pairs are weighed by 1/(m - 1), as Krippendorff (2018) has it
    observed = sum(
        2 * sum(itertools.starmap(squared, itertools.combinations(row, 2))) / (len(row) - 1) for row in rows
    ) / len(everything)
    expected = (
        2
        * sum(itertools.starmap(squared, itertools.combinations(everything, 2)))
        / (len(everything) * (len(everything) - 1))
    )
    assert sample_alpha(PointSample.of(rows, ["a", "b"])) == pytest.approx(1 - observed / expected)


def test_units_of_one_item_are_drawn_together() -> None:
    # ten items of two units each: with twenty items in the bootstrap the interval would be narrower than it is
    generator = np.random.default_rng(0)
    units = [list(generator.choice(["a", "b"], size=3)) for _ in range(20)]
    units = [row for row in units for _ in range(2)]  # the second unit of an item repeats the first
    together = bootstrap_alpha(LabelSample.of(units, [n // 2 for n in range(40)]), seed=1, resamples=500)
    apart = bootstrap_alpha(LabelSample.of(units, list(range(40))), seed=1, resamples=500)
    assert together.value == pytest.approx(apart.value)
    assert (together.count, apart.count) == (20, 40)
    assert together.high - together.low > 1.2 * (apart.high - apart.low)


def test_everybody_prefers_one_system_and_that_is_perfect_agreement() -> None:
    choices = [["new", "new", "new"]] * 6
    assert sample_alpha(ChoiceSample.of(choices, list(range(6)), same="same")) == 1.0
    assert math.isnan(sample_alpha(LabelSample.of(choices, list(range(6)))))  # which plain alpha cannot say


def test_a_preference_by_hand() -> None:
    # pairs of one item agree or not: 1 of 2 items; nobody says "the same", so chance agrees in half of the cases
    choices = [["new", "new"], ["new", "old"]]
    assert sample_alpha(ChoiceSample.of(choices, ["i", "j"], same="same")) == pytest.approx(1 - 0.5 / (1 - 1 / 2))
    # with two of four answers "the same": chance agrees by 2·1/(4·3) for those, and by half of that for the others
    choices = [["same", "same"], ["new", "old"]]
    assert sample_alpha(ChoiceSample.of(choices, ["i", "j"], same="same")) == pytest.approx(
        1 - 0.5 / (1 - 2 / 12 - 1 / 12)
    )


def test_the_disagreements_of_items_are_those_over_chance_and_average_to_one_minus_alpha() -> None:
    table = [[1, 1, 1], [2, 2, 2], [1, 5, 3]]
    sample = PointSample.of(columns(table), ["a", "b", "c"])
    apart = item_disagreements(sample)
    assert apart["a"] == apart["b"] == 0
    assert apart["c"] / 3 == pytest.approx(1 - sample_alpha(sample))
    assert item_disagreements(PointSample.of(columns([[2, 2], [2, 2]]), ["a", "b"])) == {}
    assert item_disagreements(PointSample.of(columns([[2, 2], [3, 3]]), ["a", "b"])) == {"a": 0.0, "b": 0.0}


@for_each(
    ("low", "word"),
    [
        (-0.3, "none"),
        (0.0, "none"),
        (0.001, "slight"),
        (0.2, "slight"),
        (0.3, "fair"),
        (0.5, "moderate"),
        (0.7, "substantial"),
        (0.81, "almost-perfect"),
    ],
)
def test_the_word_follows_the_lower_end_of_the_interval(low: float, word: str) -> None:
    assert agreement_word(Estimate(0.9, low, 0.95)) == word
    assert word in WORDS


def test_without_an_interval_there_is_no_word() -> None:
    assert agreement_word(Estimate(0.9)) == ""
    assert bootstrap_alpha(PointSample.of([], []), seed=0, resamples=40).reason == "no item has two ratings"


@pytest.mark.slow
def test_the_variance_has_the_shape_that_simulated_studies_have() -> None:
    generator = np.random.default_rng(3)

    def spread(raters: int) -> float:
        alphas = []
        for _ in range(400):
            scores = generator.normal(size=(60, 1)) + generator.normal(size=(60, raters))
            alphas.append(sample_alpha(PointSample.of(list(scores[:, :, None]), list(range(60)))))
        return float(np.var(alphas))

    few, many = spread(2), spread(8)
    assert many / few == pytest.approx(rating_variance(0.5, raters=8) / rating_variance(0.5, raters=2), rel=0.3)
