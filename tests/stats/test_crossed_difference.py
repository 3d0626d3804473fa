"""Differences of two systems, whoever heard what, against simulation and the mean of differences."""

import math

import numpy as np
import pytest

from aptone.errors import RecordError
from aptone.stats.crossed import crossed_mean
from aptone.stats.crossed_difference import crossed_difference
from tests.stats.test_crossed import drawn, table_of


def test_a_difference_within_cells_is_the_mean_of_the_differences() -> None:
    first = drawn(1, raters=5, items=4, deviations=(1, 1, 1))
    second = first + drawn(2, raters=5, items=4, deviations=(0.3, 0.3, 0.3)) + 0.5
    apart = crossed_mean(*table_of(second - first))
    values, raters, items = table_of(first)
    more = table_of(second)[0]
    sides = [False] * len(values) + [True] * len(more)
    assert crossed_difference(values + more, sides, raters * 2, items * 2) == apart


def latin(seed: int, *, difference: float, slopes: float = 0.3) -> tuple[list[float], list[bool], list[str], list[str]]:
    """Twelve raters, each of whom hears half of twelve texts from one system and half from the other."""
    generator = np.random.default_rng(seed)
    people, things = generator.normal(0, 0.5, 12), generator.normal(0, 0.5, 12)
    person_slope, thing_slope = generator.normal(0, slopes, 12), generator.normal(0, slopes, 12)
    cells = [(r, i) for r in range(12) for i in range(12)]
    sides = [(r + i) % 2 == 1 for r, i in cells]
    values = [
        people[r] + things[i] + side * (difference + person_slope[r] + thing_slope[i]) + generator.normal(0, 0.7)
        for (r, i), side in zip(cells, sides, strict=True)
    ]
    return list(map(float, values)), sides, [f"r{r}" for r, _ in cells], [f"i{i}" for _, i in cells]


def test_where_nobody_hears_a_text_twice_the_difference_and_its_error_are_still_right() -> None:
    found = [crossed_difference(*latin(seed, difference=0.5)) for seed in range(400)]
    values = np.array([one.estimate.value for one in found])
    errors = np.array([one.error for one in found])
    assert values.mean() == pytest.approx(0.5, abs=3 * float(values.std()) / 20)
    assert float((errors**2).mean()) == pytest.approx(float(values.var()), rel=0.2)
    held = np.mean([one.estimate.low <= 0.5 <= one.estimate.high for one in found])
    assert 0.915 <= held <= 0.985  # 95 % ± 3.2 binomial errors


def test_a_difference_that_nobody_could_hear_is_undefined_with_a_reason() -> None:
    found = crossed_difference([1, 2, 3, 4], [False, False, True, True], list("aabb"), list("xyzw"))
    assert math.isnan(found.estimate.value)
    assert "nobody heard both" in found.estimate.reason


def test_components_of_raters_items_and_rest_are_right_on_average_where_nobody_hears_a_text_twice() -> None:
    # slopes 0.3 of raters and items, rest 0.7 a rating: a pair of ratings would have 2·0.49
    found = [crossed_difference(*latin(seed, difference=0.0)) for seed in range(600)]
    rest = np.array([one.rest_variance for one in found])
    assert abs(rest.mean() - 0.98) < 4 * rest.std() / math.sqrt(600)
    for parts in ([one.rater_variance for one in found], [one.item_variance for one in found]):
        assert float(np.mean(parts)) == pytest.approx(0.09, rel=0.25)  # what is estimated below zero counts as zero


def test_too_few_ratings_to_tell_parts_apart_have_a_wide_interval_nevertheless() -> None:
    values, sides = [3.0, 4.0, 2.0, 4.0, 3.5], [False, True, False, True, True]
    found = crossed_difference(values, sides, list("aabbc"), list("xxyyx"))
    assert math.isnan(found.rater_variance)
    assert found.estimate.low < found.estimate.value < found.estimate.high


def test_ratings_of_other_lengths_are_refused() -> None:
    with pytest.raises(RecordError, match="a system, a rater and an item"):
        crossed_difference([1.0, 2.0], [True], ["a", "a"], ["x", "x"])
