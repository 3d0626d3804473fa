"""Grades of S3Bench's guide, expected over what may hold."""

import itertools

import numpy as np
import pytest

from aptone.rooms.style.evidence.grade import GUIDE, expected_grade


def test_a_single_property_gets_five_times_its_probability() -> None:
    assert expected_grade(np.array([[0.0], [0.2], [1.0]])) == pytest.approx([0.0, 1.0, 5.0])


def test_the_grade_is_the_mean_over_everything_that_may_hold() -> None:
    likely = np.array([0.9, 0.4, 0.7])
    shares, values = np.array(GUIDE).T
    direct = 0.0
    for holds in itertools.product((0, 1), repeat=3):
        chance = np.prod(np.where(holds, likely, 1.0 - likely))
        direct += chance * np.interp(sum(holds) / 3, shares, values)
    assert expected_grade(likely[np.newaxis])[0] == pytest.approx(direct)


def test_what_was_not_judged_does_not_count_and_nothing_judged_has_no_grade() -> None:
    rows = np.array([[0.5, np.nan], [np.nan, 0.5], [np.nan, np.nan]])
    assert expected_grade(rows)[:2] == pytest.approx([2.5, 2.5])
    assert np.isnan(expected_grade(rows)[2])
    assert np.isnan(expected_grade(np.empty((1, 0)))[0])


def test_one_of_two_properties_is_a_grade_of_the_guide() -> None:
    # half of the description: between 0.3 → 2 and 0.55 → 3, 2 + 0.2 / 0.25 = 2.8
    assert expected_grade(np.array([[1.0, 0.0]]))[0] == pytest.approx(2.8)
