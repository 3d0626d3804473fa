"""S3Bench's numbers, derived by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import RecordError, UsageError
from aptone.rooms.style.data import StylePair
from aptone.rooms.style.score import (
    by_language,
    classify,
    correlations,
    mean_of_repeats,
    rater_agreement,
    recall_at,
    reference_scores,
)
from aptone.types import AudioRef, Language


def pair(name: str, *ratings: float, language: Language = "en") -> StylePair:
    given = {str(place): float(rating) for place, rating in enumerate(ratings)}
    return StylePair(name, AudioRef("a.wav"), "calm", language, ratings=given)


def test_a_trimmed_reference_leaves_out_the_highest_and_the_lowest() -> None:
    pairs = [pair("a", 0, 4, 4, 4, 5), pair("b", 1, 2), pair("c")]
    raw, trimmed = reference_scores(pairs), reference_scores(pairs, trim=1)
    assert raw[:2].tolist() == [17 / 5, 1.5]
    assert trimmed[0] == 4.0  # of 4, 4, 4
    assert np.isnan(trimmed[1])  # nothing is left of two
    assert np.isnan(raw[2])


@given(some.lists(some.integers(0, 5), min_size=3, max_size=9))
def test_a_trimmed_reference_lies_between_the_ratings_that_stay(ratings: list[int]) -> None:
    value = reference_scores([pair("a", *ratings)], trim=1)[0]
    ordered = sorted(ratings)
    assert ordered[1] <= value <= ordered[-2]


def test_trimming_raises_alpha_where_single_raters_stray() -> None:
    pairs = [pair(str(level), level, level, level, 0, 5) for level in (1, 2, 3, 4)]
    found = {(one.language, one.level): one for one in rater_agreement(pairs, seed=0)}
    assert set(found) == {("all", "interval"), ("all", "ordinal")}
    # what stays of 0, k, k, k, 5 is k, k, k: no disagreement within a pair
    assert found["all", "interval"].trimmed.value == 1.0
    assert found["all", "interval"].raw.value < 0.5


def test_agreement_is_told_for_each_language() -> None:
    pairs = [pair("a", 1, 1), pair("b", 4, 4), pair("c", 1, 4, language="zh"), pair("d", 4, 1, language="zh")]
    found = {(one.language, one.level): one.raw.value for one in rater_agreement(pairs, seed=0)}
    assert found["en", "interval"] == 1.0
    # zh: D_o is (1-4)² = 9; D_e of 1, 1, 4, 4: 8 of 12 ordered pairs differ by 3, 9 · 8/12 = 6; 1 - 9/6
    assert found["zh", "interval"] == pytest.approx(-0.5)


def test_correlations_are_split_by_language() -> None:
    predicted = np.array([0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4])
    reference = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0, 1.0])
    languages: list[Language] = ["en", "en", "en", "en", "zh", "zh", "zh", "zh"]
    rows = correlations(predicted, reference, languages)
    values = {row.language: (row.pearson.value, row.spearman.value, row.kendall.value) for row in rows}
    assert values["en"] == pytest.approx((1.0, 1.0, 1.0))
    assert values["zh"] == pytest.approx((-1.0, -1.0, -1.0))
    assert values["all"] == pytest.approx((0.0, 0.0, 0.0))
    with pytest.raises(RecordError, match="for each pair"):
        correlations(predicted, reference, ["en"])


def test_repeats_give_their_mean_and_range() -> None:
    reference = np.array([1.0, 2.0, 3.0])
    up, down = (correlations(np.array(values), reference, ["en"] * 3) for values in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]))
    (row,) = mean_of_repeats([up, down])
    assert row.pearson.value == pytest.approx(0.0)
    assert row.pearson.low == pytest.approx(-0.95)  # 2.5 % of the way from -1 to 1
    (undefined,) = mean_of_repeats([correlations(np.array([1.0, 1.0, 1.0]), reference, ["en"] * 3)])
    assert math.isnan(undefined.pearson.value)
    assert undefined.pearson.reason


def test_one_language_alone_is_all() -> None:
    assert list(by_language(["zh", "zh"])) == ["all"]


def test_recall_counts_queries_with_something_right_among_the_first() -> None:
    similarities = np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1], [0.9, 0.5, 0.1]])
    relevant = np.eye(3, dtype=np.bool_)
    assert [recall_at(similarities, relevant, most=most).value for most in (1, 2, 3)] == [1 / 3, 2 / 3, 1.0]


def test_equal_similarities_find_nothing() -> None:
    assert recall_at(np.zeros((4, 4)), np.eye(4, dtype=np.bool_), most=3).value == 0.0


def test_queries_without_an_answer_are_left_out_and_counted() -> None:
    similarities = np.array([[0.9, 0.1], [np.nan, np.nan]])
    found = recall_at(similarities, np.eye(2, dtype=np.bool_), most=1)
    assert (found.value, found.count) == (1.0, 1)
    assert "1 of 2 queries left out" in found.reason
    assert math.isnan(recall_at(np.full((1, 1), np.nan), np.ones((1, 1), dtype=np.bool_), most=1).value)


@given(some.integers(1, 6), some.integers(0, 1000))
def test_recall_never_falls_when_more_answers_are_looked_at(size: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    similarities = generator.normal(size=(size, size))
    relevant = generator.random((size, size)) < 0.5
    values = [recall_at(similarities, relevant, most=most).value for most in range(1, size + 1)]
    known = [value for value in values if not math.isnan(value)]
    assert known == sorted(known)
    assert not known or known[-1] == 1.0


@pytest.mark.parametrize("most", [0, -1])
def test_recall_among_none_is_refused(most: int) -> None:
    with pytest.raises(UsageError, match="first 1 or more"):
        recall_at(np.ones((1, 1)), np.ones((1, 1), dtype=np.bool_), most=most)


def test_a_clip_gets_the_class_whose_prompts_fit_best_on_average() -> None:
    prompts = ["sad", "sad", "happy"]
    similarities = np.array([[0.9, 0.1, 0.4], [0.1, 0.1, 0.4], [0.2, 0.2, 0.1]])  # means of sad: 0.5, 0.1, 0.2
    found = classify(similarities, prompts, ["sad", "sad", "happy"], seed=0)
    assert found.accuracy.value == pytest.approx(1 / 3)
    assert found.recall.value == pytest.approx(0.25)  # sad 1/2, happy 0/1
    assert found.confusion == {"sad": {"sad": 1, "happy": 1}, "happy": {"sad": 1, "happy": 0}}


def test_a_clip_without_a_guess_counts_as_wrong() -> None:
    similarities = np.array([[0.5, 0.5], [np.nan, np.nan], [0.9, 0.1]])
    found = classify(similarities, ["a", "b"], ["a", "b", "a"], seed=0)
    assert found.accuracy.value == pytest.approx(1 / 3)
    assert found.left_out == 2


def test_classes_without_prompts_and_single_classes_are_refused() -> None:
    with pytest.raises(UsageError, match="no prompt for 'c'"):
        classify(np.zeros((1, 2)), ["a", "b"], ["c"], seed=0)
    with pytest.raises(UsageError, match="one class is no choice"):
        classify(np.zeros((1, 1)), ["a"], ["a"], seed=0)
