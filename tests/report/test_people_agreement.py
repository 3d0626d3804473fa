import math
from collections.abc import Callable

from aptone.report.people_agreement import (
    agreement_with_people,
    human_ceiling,
    human_scores,
    item_ratings,
    number_or_nan,
)
from aptone.types import Entry, Json
from tests.tables import for_each

MakeEntry = Callable[..., Entry]


@for_each("value", [None, "4", True, [4], math.inf, 10**400])
def test_what_is_no_finite_number_is_nan(value: Json) -> None:
    assert math.isnan(number_or_nan(value))


def test_human_scores_and_ratings_come_from_the_payloads(make_entry: MakeEntry) -> None:
    entries = [
        make_entry("a", 3.0, payload={"human_score": 4, "ratings": {"x": 4, "y": None}}),
        make_entry("b", 3.0, payload={"human_score": None, "ratings": "none"}),
        make_entry("c", 3.0),
    ]
    assert human_scores(entries) == {"a": 4.0}
    assert [item_ratings(entry) for entry in entries] == [{"x": 4.0}, {}, {}]


def test_without_human_scores_there_is_no_agreement() -> None:
    assert agreement_with_people({"a": 1.0}, {}, tolerance=1.0) == {}


def test_agreement_of_a_small_run_by_hand() -> None:
    judged = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": math.nan}
    human = {"a": 1.0, "b": 3.0, "c": 2.0, "d": 5.5, "e": 5.0}
    found = agreement_with_people(judged, human, tolerance=1.0)
    # judged - 2.5 = -1.5, -0.5, 0.5, 1.5; human - 2.875 = -1.875, 0.125, -0.875, 2.625
    # products 2.8125 - 0.0625 - 0.4375 + 3.9375 = 6.25; squares 5 and
    # 3.515625 + 0.015625 + 0.765625 + 6.890625 = 11.1875
    assert math.isclose(found["LCC"].value, 6.25 / math.sqrt(5 * 11.1875))
    assert found["ACC"].value == 3 / 4  # differences 0, 1, 1, 1.5
    assert math.isclose(found["Spearman"].value, 1 - 6 * 2 / (4 * 15))  # rank differences 0, 1, -1, 0
    assert all(estimate.count == 4 and not math.isnan(estimate.low) for estimate in found.values())


def test_the_tolerance_is_that_of_the_caller() -> None:
    assert agreement_with_people({"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 2.0}, tolerance=2.0)["ACC"].value == 1.0


def test_labels_without_any_score_leave_agreement_undefined_with_a_reason() -> None:
    found = agreement_with_people({"a": math.nan}, {"a": 3.0}, tolerance=1.0)
    assert {estimate.reason for estimate in found.values()} == {"none of the 1 items with a human score was scored."}


def test_raters_who_share_no_item_have_no_ceiling() -> None:
    assert human_ceiling({"x": {"a": 1.0}, "y": {"b": 2.0}}, tolerance=1.0) == {}


def test_leave_one_out_compares_each_rater_with_the_mean_of_the_others() -> None:
    raters = {
        "x": {"a": 1.0, "b": 2.0, "c": 3.0},
        "y": {"a": 1.0, "b": 2.0, "c": 3.0},
        "z": {"a": 3.0, "b": 2.0, "c": 1.0},
    }
    found = human_ceiling(raters, tolerance=1.0)
    # x and y against the mean of the others, which is 2, 2, 2: no variance, undefined. z against 1, 2, 3: -1.
    assert found["LCC"].value == -1.0
    assert "mean of 1 raters, undefined for 2" in found["LCC"].method
    # ACC: x: |1-2|, 0, |3-2| all within 1; y alike; z: 2, 0, 2: one of three.
    assert math.isclose(found["ACC"].value, (1 + 1 + 1 / 3) / 3)
    assert found["ACC"].method.endswith("0.33 to 1.00")
    assert found["ACC"].reason.startswith("no interval")


def test_a_ceiling_that_no_rater_defines_keeps_the_reason() -> None:
    found = human_ceiling({"x": {"a": 1.0}, "y": {"a": 2.0}}, tolerance=1.0)
    assert found["LCC"].reason.startswith("undefined for every rater: ")
    assert "2 of 2 raters on 1 items" in found["ICC(2,1)"].reason


def test_items_that_only_one_rater_rated_do_not_count() -> None:
    found = human_ceiling(
        {"x": {"a": 1.0, "b": 2.0, "c": 5.0}, "y": {"a": 1.0, "b": 2.0}, "w": {"d": 1.0}}, tolerance=1.0
    )
    assert math.isclose(found["LCC"].value, 1.0)
    assert found["LCC"].count == 2


def test_icc_leaves_raters_out_until_enough_items_are_complete() -> None:
    items = [f"item {index}" for index in range(6)]
    raters = {
        "x": {name: float(index) for index, name in enumerate(items)},
        "y": {name: float(index) + 1 for index, name in enumerate(items)},
        "z": {"item 0": 3.0, "item 1": 4.0},
    }
    found = human_ceiling(raters, tolerance=1.0)["ICC(2,1)"]
    # Items 0..5 with a constant shift of 1 between two raters: MSR = 2 * 17.5 / 5 = 7, MSC = 6 * 2 * 0.25 = 3, MSE = 0.
    # ICC = 7 / (7 + 2 * 3 / 6) = 0.875
    assert math.isclose(found.value, 7 / 8)
    assert found.count == 6
    assert found.method.endswith("2 of 3 raters on 6 items that all of them rated")
