"""Checks of a judge: every figure is derived from numbers that are given here."""

import math

import pytest

from aptone.rooms.answer.bench.validation import (
    REPORTED_CORRELATIONS,
    blind_check,
    judge_swap,
    people_checks,
    reproduction,
)
from aptone.rooms.answer.data import Dimension, Prompt
from aptone.rooms.answer.score import OVERALL, Average, JudgedAnswer, PairMargin, average
from aptone.types import Estimate
from tests.tables import for_each


def judged(name: str, fitness: float, category: str = "happy") -> JudgedAnswer:
    dimension = Dimension.SARCASM if category == "sincere" else Dimension.EMOTION
    return JudgedAnswer(Prompt(name, "Is it?", dimension, category), fitness)


def test_a_judge_that_says_what_people_say_correlates_perfectly_with_them() -> None:
    answers = {str(n): judged(str(n), 1.0 + n) for n in range(5)}
    ratings = {str(n): {"a": 0.5 + n, "b": 1.5 + n, "c": 1.0 + n} for n in range(5)}  # mean 1 + n
    found = people_checks(answers, ratings)
    assert set(found) == {OVERALL, "emotion"}
    check = found["emotion"]
    assert [check.agreement[name].value for name in ("LCC", "Spearman", "ACC")] == pytest.approx([1.0, 1.0, 1.0])
    assert (check.rated, check.raters) == (5, 3)
    assert check.ceiling["LCC"].value == pytest.approx(1.0)  # raters differ by a constant
    assert check.ceiling["ICC(2,1)"].value < 1.0  # but not in absolute terms


def test_dimensions_are_compared_with_people_one_by_one() -> None:
    answers = {f"{way}{n}": judged(f"{way}{n}", 1.0 + n, way) for way in ("happy", "sincere") for n in range(4)}
    ratings = {
        name: {"a": answer.fitness if name[0] == "h" else 6.0 - answer.fitness} for name, answer in answers.items()
    }
    found = people_checks(answers, ratings)
    assert found["emotion"].agreement["LCC"].value == pytest.approx(1.0)
    assert found["sarcasm"].agreement["LCC"].value == pytest.approx(-1.0)
    assert found["emotion"].ceiling == {}  # one rater has nobody to agree with
    assert set(REPORTED_CORRELATIONS) >= {"emotion", "sarcasm"}


def test_without_ratings_there_is_nothing_to_compare() -> None:
    assert people_checks({"a": judged("a", 3.0)}, {}) == {}
    assert people_checks({"a": judged("a", 3.0)}, {"b": {"x": 3.0}, "a": {}}) == {}


@for_each(("measured", "holds"), [(3.35, True), (3.05, True), (3.36, False), (3.04, False)])
def test_an_average_is_reproduced_within_0_15(measured: float, holds: bool) -> None:
    found = reproduction(Average(Estimate(measured), missing=("meld",)), 3.2)
    assert found.is_reproduced is holds
    assert found.difference == pytest.approx(measured - 3.2)
    assert found.missing == ("meld",)


def test_an_undefined_average_reproduces_nothing() -> None:
    assert not reproduction(average([judged("a", math.nan)]), 3.0).is_reproduced


def test_a_milder_judge_shifts_the_scores_and_keeps_the_order() -> None:
    one = {"x": [judged("a", 2.0), judged("b", 3.0)], "y": [judged("a", 3.0), judged("b", 4.0)]}
    other = {name: [judged(answer.prompt.id, answer.fitness + 0.5) for answer in of] for name, of in one.items()}
    found = judge_swap(one, other)
    assert found.linear.value == pytest.approx(1.0)
    assert found.shift.difference.value == pytest.approx(0.5)
    assert found.averages == {"x": (2.5, 3.0), "y": (3.5, 4.0)}
    assert found.ranks == {"x": (2.0, 2.0), "y": (1.0, 1.0)}
    assert found.keeps_order
    assert found.order.value == pytest.approx(1.0)


def test_a_judge_that_turns_the_order_round_is_told() -> None:
    one = {"x": [judged("a", 2.0)], "y": [judged("a", 4.0)]}
    found = judge_swap(one, {"x": [judged("a", 4.0)], "y": [judged("a", 2.0)], "z": [judged("a", 1.0)]})
    assert set(found.ranks) == {"x", "y"}
    assert not found.keeps_order
    assert found.order.value == pytest.approx(-1.0)


def test_systems_that_one_judge_could_not_score_have_no_rank() -> None:
    found = judge_swap({"x": [judged("a", 2.0)]}, {"x": [judged("a", math.nan)]})
    assert math.isnan(found.ranks["x"][1])
    assert not found.keeps_order
    # where "y" stands nobody knows either: its average of 3 is no rank
    half = judge_swap(
        {"x": [judged("a", 2.0)], "y": [judged("a", 3.0)]}, {"x": [judged("a", math.nan)], "y": [judged("a", 3.0)]}
    )
    assert half.ranks["y"][0] == 1.0
    assert math.isnan(half.ranks["y"][1])


def test_a_system_that_minds_the_way_of_asking_beats_a_blind_one() -> None:
    def margins(*values: float) -> list[PairMargin]:
        return [PairMargin(str(n), Dimension.AGE, value) for n, value in enumerate(values)]

    found = blind_check(Average(Estimate(3.5)), margins(1.0, 0.5, -0.1), Average(Estimate(3.0)), margins(0.0, 0.0, 0.0))
    assert found.is_passed
    assert (found.pairs.first_larger, found.pairs.second_larger) == (2, 1)
    assert found.difference == 0.5
    assert not blind_check(Average(Estimate(3.0)), margins(0.0), Average(Estimate(3.0)), margins(0.0)).is_passed
