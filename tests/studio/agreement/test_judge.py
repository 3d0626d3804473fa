"""The automatic judge beside the people."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from aptone.stats import icc_2_1, pearson, spearman
from aptone.studio.agreement.overview import agreement_report
from aptone.types import Choice, Control, Rating, RatingItem, RatingTask
from tests.studio.compared import LABEL, rated, rating, rows, same, task_of


@settings(max_examples=30, deadline=None)
@given(rated())
def test_a_judge_beside_the_people_is_compared_by_stats(drawn: tuple[RatingTask, list[Rating]]) -> None:
    task, ratings = drawn
    (judge,) = agreement_report(task, ratings, seed=1).judge
    scores = rows(ratings, "score")
    means = {item: np.mean([float(str(value)) for value in by.values()]) for item, by in scores.items()}
    said = {item.id: float(str(item.hidden["judge"])) for item in task.items}
    if means:
        both = [said[item] for item in means], list(means.values())
        assert judge.judge["LCC"].value == pytest.approx(pearson(*both).value, nan_ok=True)
        assert judge.judge["Spearman"].value == pytest.approx(spearman(*both).value, nan_ok=True)


def test_a_judge_on_another_scale_has_correlations_but_neither_icc_nor_accuracy() -> None:
    task = task_of(6)
    items = tuple(replace(item, hidden={"judge": 10.0 * n}) for n, item in enumerate(task.items))
    ratings = [rating(f"i{n}", who, {"score": n / 2 + k / 2}) for n in range(6) for k, who in enumerate("ab")]
    (judge,) = agreement_report(replace(task, items=items), ratings).judge
    assert judge.judge["LCC"].value == pytest.approx(1.0)
    assert judge.judge["ICC(2,1)"].reason == "the judge answers on another scale: 10 is not from 0 to 5"
    assert math.isnan(judge.judge["ACC"].value)
    assert judge.people["LCC"].value == pytest.approx(1.0)
    table = [[n / 2, n / 2 + 0.5] for n in range(6)]
    assert same(judge.people["ICC(2,1)"], icc_2_1(table))


def test_a_judge_of_a_closed_question_needs_a_second_person_and_one_of_free_text_has_no_measure() -> None:
    mood = Control("mood", "choice", LABEL, choices=(Choice("glad", LABEL), Choice("sad", LABEL)), judged_by="machine")
    words = Control("words", "text", LABEL, judged_by="machine")
    items = tuple(RatingItem(f"i{number}", hidden={"machine": "glad"}) for number in range(2))
    task = RatingTask("listening", LABEL, LABEL, shown=(), controls=(mood, words), items=items)
    ratings = [rating(item, "a", {"mood": mood_, "words": "x"}) for item, mood_ in (("i0", "glad"), ("i1", "sad"))]
    (judge,) = agreement_report(task, ratings).judge
    assert (judge.control, judge.judge["share"].value) == ("mood", 0.5)
    assert judge.people["share"].reason == "no item has two raters"
    (unrated,) = agreement_report(task, []).judge
    assert unrated.judge["share"].reason == "no item has both a judge's answer and a rater's"
