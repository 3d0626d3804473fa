"""Rules for excluding raters: qualification test, attention checks, outliers."""

from dataclasses import replace

import pytest

from aptone.errors import RecordError
from aptone.ratings.rules import (
    Tally,
    attention_tallies,
    checked_ratings,
    is_right,
    qualification_tallies,
    set_aside,
    task_outlier_shares,
    unrated_items,
)
from aptone.types import Choice, Control, Json, Qualification, Rating, RatingItem, RatingTask
from tests.tables import for_each

LABEL = {"en": "?"}
FIT = Control("fit", "scale", LABEL, low=0, high=5, step=1)
SURE = Control("sure", "choice", LABEL, choices=(Choice("yes", LABEL), Choice("no", LABEL)))
ENDS = Control("ends", "boundaries", LABEL)


def task(**rules: object) -> RatingTask:
    items = tuple(
        RatingItem(name, gold={"fit": 4, "sure": "yes"} if name in ("test", "check") else {})
        for name in ("test", "check", "first", "a", "b", "c")
    )
    whole = RatingTask(
        "t",
        LABEL,
        LABEL,
        (),
        (FIT, SURE),
        items,
        calibration=("first",),
        attention=("check",),
        qualification=Qualification(("test",), tolerance=1.0, pass_share=0.7),
        outlier_distance=2.0,
        outlier_share=0.3,
    )
    return replace(whole, **rules)  # type: ignore[arg-type]


def rated(item: str, rater: str, fit: Json, sure: Json = "yes") -> Rating:
    return Rating("t", item, rater, {"fit": fit, "sure": sure})


@for_each(
    ("control", "given", "gold", "right"),
    [
        (FIT, 3, 4, True),
        (FIT, 2.9, 4, False),
        (FIT, "4", 4, False),
        (FIT, True, 1, False),
        (FIT, None, 4, False),
        (SURE, " Yes", "yes", True),
        (SURE, "no", "yes", False),
        (SURE, None, "yes", False),
        (ENDS, [0.5, 2.5], [1.0, 2.0], True),
        (ENDS, [0.5, 3.5], [1.0, 2.0], False),
        (ENDS, [0.5], [1.0, 2.0], False),
    ],
)
def test_an_answer_is_right_within_the_tolerance_or_if_it_is_the_same(
    control: Control, given: Json, gold: Json, right: bool
) -> None:
    assert is_right(control, given, gold, tolerance=1.0) is right


def test_right_answers_are_counted_by_question() -> None:
    ratings = [rated("test", "a", 5, "no"), rated("test", "b", 4), rated("check", "b", 0, "no")]
    assert qualification_tallies(task(), ratings) == {"a": Tally(1, 2), "b": Tally(2, 2)}
    assert attention_tallies(task(), ratings) == {"b": Tally(0, 2)}
    assert Tally().passes(0.7)


def test_who_fails_the_test_or_the_checks_or_strays_is_set_aside_with_the_reason() -> None:
    ratings = [rated("test", "failed", 0), rated("check", "asleep", 4, "no")]
    for item, scores in {"a": (1, 1, 5), "b": (2, 2, 2), "c": (4, 4, 0)}.items():
        ratings += [rated(item, who, score) for who, score in zip(("good", "fair", "stray"), scores, strict=True)]
        ratings += [rated(item, who, 5) for who in ("failed", "asleep")]
    assert set_aside(task(), ratings) == {
        "failed": "1 of 2 answers of the test are right",
        "asleep": "1 of 2 attention checks are right",
        # |5 - 1| and |0 - 4| are more than two; without those who failed, the others are never further than two apart
        "stray": "67 % of the ratings stray from those of the others",
    }


def test_a_task_without_a_rule_sets_nobody_aside() -> None:
    ratings = [rated("a", "x", 0), rated("a", "y", 5), rated("a", "z", 5)]
    rules = {"outlier_distance": float("nan"), "outlier_share": float("nan")}
    assert set_aside(task(**rules), ratings) == {}
    assert task_outlier_shares(task(**rules), ratings) == {}


def test_tests_and_calibration_do_not_count_among_outliers_and_names_of_raters_are_not_those_of_items() -> None:
    ratings = [rated(item, who, score) for item in ("test", "check", "first") for who, score in (("x", 0), ("y", 5))]
    assert task_outlier_shares(task(), ratings) == {}
    assert unrated_items(task()) == {"test", "check", "first"}
    ratings = [rated("a", "test", 0), rated("a", "y", 5)]
    assert task_outlier_shares(task(), ratings) == {"test": 1.0, "y": 1.0}


def test_ratings_of_unknown_items_and_doubled_ones_are_refused() -> None:
    with pytest.raises(RecordError, match="no item 'z'"):
        checked_ratings(task(), [rated("z", "x", 1)])
    with pytest.raises(RecordError, match="twice"):
        checked_ratings(task(), [rated("a", "x", 1), rated("a", "x", 1)])
