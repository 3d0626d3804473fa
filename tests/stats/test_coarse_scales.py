"""What a scale leaves of a difference, against drawn ratings and closed forms."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from aptone.errors import UsageError
from aptone.stats.coarse_scales import (
    TYPICAL_MOS,
    Listeners,
    Points,
    compared_difference,
    preference_points,
    rated_difference,
    scale_points,
    smallest_rated_difference,
)
from aptone.stats.power import Design, Deviations, difference_power

HEARD = Listeners(rater_level=0.4, item_level=0.3, rater=0.3, item=0.2, rest=0.7)


def test_points_and_their_borders_are_those_of_rounding() -> None:
    assert scale_points(1, 5, 0.5).values == (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5)
    assert scale_points(0, 100, 1).borders[0] == 0.5
    assert preference_points(same_within=0.4) == Points((-1, 0, 1), (-0.4, 0.4))
    with pytest.raises(UsageError, match="ascending"):
        Points((1, 2, 3), (2.5, 1.5))


def test_a_fine_scale_that_nobody_leaves_changes_nothing() -> None:
    shown, deviations = rated_difference(0.3, HEARD, scale_points(-20, 20, 0.05), centre=0.0)
    assert shown == pytest.approx(0.3, abs=1e-6)
    assert deviations.rater == pytest.approx(0.3, abs=1e-4)
    assert deviations.item == pytest.approx(0.2, abs=1e-4)
    assert deviations.rest**2 == pytest.approx(2 * 0.49 + 2 * 0.05**2 / 12, rel=1e-4)  # Sheppard's correction, twice


@pytest.mark.parametrize("centre", [3.2, 4.6])
def test_what_is_left_on_a_scale_of_five_points_is_what_drawn_ratings_have(centre: float) -> None:
    points, generator = scale_points(1, 5, 1), np.random.default_rng(0)
    raters = items = 600
    levels = generator.normal(0, HEARD.rater_level, (raters, 1)) + generator.normal(0, HEARD.item_level, (1, items))
    own = generator.normal(0, HEARD.rater, (raters, 1)) + generator.normal(0, HEARD.item, (1, items))
    first, second = (
        np.clip(np.round(centre + levels + side * (0.5 + own) + generator.normal(0, 0.7, (raters, items))), 1, 5)
        for side in (-0.5, 0.5)
    )
    apart = second - first
    centred = apart - apart.mean(axis=1, keepdims=True) - apart.mean(axis=0, keepdims=True) + apart.mean()
    shown, deviations = rated_difference(0.5, HEARD, points, centre=centre)
    assert shown == pytest.approx(apart.mean(), abs=4 * math.hypot(HEARD.rater, HEARD.item) / math.sqrt(600))
    assert deviations.rest == pytest.approx(float(centred.std()), rel=0.02)
    assert deviations.rater == pytest.approx(float(apart.mean(axis=1).std()), rel=0.12)
    assert deviations.item == pytest.approx(float(apart.mean(axis=0).std()), rel=0.12)


def test_a_preference_is_a_probit_of_the_difference() -> None:
    # all variances together are 1 + 0.16 + 0.09
    mean, deviations = compared_difference(0.5, Deviations(0.4, 0.3, 1.0), preference_points())
    assert mean == pytest.approx(2 * scipy_stats.norm.cdf(0.5 / math.sqrt(1.25)) - 1)
    assert deviations.rater**2 + deviations.item**2 + deviations.rest**2 == pytest.approx(1 - mean**2)
    # variance over raters of 2·Φ((0.5 + u) / √1.09) - 1, u normal with deviation 0.4, by a fine sum
    u = np.linspace(-4, 4, 20001)
    weight, rated = scipy_stats.norm.pdf(u, scale=0.4), 2 * scipy_stats.norm.cdf((0.5 + u) / math.sqrt(1.09)) - 1
    weight /= weight.sum()
    assert deviations.rater**2 == pytest.approx(float(weight @ (rated - weight @ rated) ** 2), rel=1e-4)


def test_the_smallest_difference_has_the_promised_power_and_is_larger_on_a_coarser_scale() -> None:
    design = Design(20, 16)
    coarse = smallest_rated_difference(TYPICAL_MOS, scale_points(1, 5, 1), design, centre=3.5)
    fine = smallest_rated_difference(TYPICAL_MOS, scale_points(1, 5, 0.1), design, centre=3.5)
    assert coarse > fine
    low, high = 0.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        shown, deviations = rated_difference(middle, TYPICAL_MOS, scale_points(1, 5, 1), centre=3.5)
        low, high = (middle, high) if shown < coarse else (low, middle)
    assert difference_power(shown, deviations, design) == pytest.approx(0.8, abs=1e-3)


def test_two_people_and_two_texts_find_nothing_on_a_scale() -> None:
    assert smallest_rated_difference(TYPICAL_MOS, scale_points(1, 5, 1), Design(2, 2), centre=3.5) == math.inf
