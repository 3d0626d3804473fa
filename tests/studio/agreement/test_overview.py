"""The whole report on a task: what counts, what is apart, what is refused, each rater beside the rest."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from aptone.errors import RecordError
from aptone.ratings.rules import set_aside
from aptone.ratings.tasks import task_template, with_items
from aptone.stats import bootstrap, pearson
from aptone.studio.agreement.overview import RESAMPLES, agreement_report, means_of_rest, shares_of_rest
from aptone.types import AudioRef, Json, Qualification, Rating, RatingItem, RatingTask, dumps, to_json
from tests.studio.compared import figures, rated, rating, rows, task_of


def test_the_agreement_of_three_raters_by_hand() -> None:
    # scores (1, 1), (2, 2), (3, 3), (1, 2): α = 1 - 7/8 · 1 / 4.875 = 0.821 (see krippendorff_alpha)
    pairs = [(1, 1), (2, 2), (3, 3), (1, 2)]
    ratings = [
        rating(f"i{number}", rater, {"score": value, "tone": "flat", "ends": end, "wording": text})
        for number, pair in enumerate(pairs)
        for rater, value, end, text in zip(("a", "b"), pair, ([0.0, 2.0], [1.0, 2.0]), ("Go.", "Go!"), strict=True)
    ]
    report = agreement_report(task_of(4), ratings)
    assert figures(report, "score")["alpha"].estimate.value == pytest.approx(0.821, abs=1e-3)
    assert figures(report, "tone")["percent"].estimate.value == 1.0
    assert figures(report, "tone")["alpha"].estimate.reason == "all ratings are equal: nothing was told apart"
    assert figures(report, "ends")["seconds_apart"].estimate.value == 0.5  # starts one second apart, ends none
    assert figures(report, "ends")["overlap"].estimate.value == 0.5  # one second of two
    assert figures(report, "wording")["character_error_rate"].estimate.value == pytest.approx(1 / 3)
    assert [one.main for one in report.controls] == [
        "alpha_trimmed",
        "alpha_trimmed",
        "",
        "",
        "alpha_times",
        "alpha_edits",
    ]
    biases = [one.controls["score"].bias for one in report.raters]
    assert [bias.value for bias in biases if bias] == [-0.25, 0.25]  # b gave one point more, once in four


def test_who_fails_the_test_or_strays_is_named_and_counts_in_raw_alpha_only() -> None:
    rules = {"outlier_distance": 2.0, "outlier_share": 0.3, "qualification": Qualification(("i0",), tolerance=1.0)}
    task = task_of(12)
    items = (replace(task.items[0], gold={"score": 5}), *task.items[1:])
    task = replace(task, items=items, **rules)  # type: ignore[arg-type]
    ratings = [rating("i0", who, {"score": value}) for who, value in zip("abcd", (5, 4, 5, 1), strict=True)]
    for n in range(1, 12):
        right = n % 5
        strays = 5 - right if n < 6 else right  # c answers the other way round on 5 of 11 items
        values = (right, right, strays, 0)
        ratings += [
            rating(f"i{n}", who, {"score": value}, seconds=n) for who, value in zip("abcd", values, strict=True)
        ]
    report = agreement_report(task, ratings)
    assert report.set_aside == set_aside(task, ratings)
    assert report.set_aside["d"] == "0 of 1 answers of the test are right"
    # n = 1, 4, 5: |c - right| = 3, 3, 5 beyond two points; n = 2, 3: 1: three of eleven is 27 %, below 30 %
    assert set(report.set_aside) == {"d"}
    found = figures(report, "score")
    assert (found["alpha"].raters, found["alpha_trimmed"].raters) == (4, 3)
    assert found["alpha"].estimate.value < found["alpha_trimmed"].estimate.value
    by = {one.rater: one for one in report.raters}
    assert by["c"].outlier_share == pytest.approx(3 / 11)
    assert (by["d"].qualification.right, by["d"].qualification.count) == (0, 1)
    assert by["a"].items == 11  # the test is none of them
    assert by["a"].seconds == 6  # the middle of 1 to 11
    assert by["d"].set_aside == report.set_aside["d"]


def test_calibration_is_apart_and_attention_checks_are_nowhere() -> None:
    task = task_of(4, calibration=("i0", "i1"), attention=("i3",))
    ratings = [rating(f"i{n}", who, {"score": n + k}) for n in range(4) for k, who in enumerate("ab")]
    report = agreement_report(task, ratings)
    assert (report.items, report.ratings, report.people) == (1, 2, 2)
    assert next(one for one in report.calibration if one.control == "score").figures["icc_2_1"].estimate.count == 2
    assert agreement_report(task_of(4), ratings).calibration == ()


def test_ratings_of_another_task_and_doubled_ones_are_refused() -> None:
    with pytest.raises(RecordError, match="no item 'elsewhere'; are these ratings of another task"):
        agreement_report(task_of(1), [rating("elsewhere", "a")])
    with pytest.raises(RecordError, match="'a' has rated 'i0' twice"):
        agreement_report(task_of(1), [rating("i0", "a"), rating("i0", "a")])


def test_answers_of_the_wrong_kind_are_passed_over_and_never_a_score() -> None:
    wrong: dict[str, Json] = {
        "score": True,
        "tone": 3,
        "feeling": [],
        "sounds": " ",
        "ends": [3, 1],
        "wording": {"text": "Go."},
    }
    report = agreement_report(task_of(2), [rating("i0", "a", wrong), rating("i0", "b", wrong)])
    assert all(one.figures == {} for one in report.controls)
    dumps(to_json(report))


@pytest.mark.slow
def test_five_thousand_items_by_five_raters_are_compared_while_somebody_waits() -> None:
    generator = np.random.default_rng(0)
    items = [
        RatingItem(f"p{n}", {"clip": AudioRef("a.wav")}, {"description": "x"}, hidden={"judge_score": n % 6})
        for n in range(5000)
    ]
    task = with_items(task_template("s3bench"), items)
    ratings = [
        Rating(
            "s3bench",
            f"p{n}",
            f"r{rater:02}",
            {"fit": float(generator.integers(6)), "confidence": ("high", "low")[int(generator.integers(2))]},
            seconds=10.0,
        )
        for n in range(5000)
        for rater in generator.permutation(24)[:5]
    ]
    agreement_report(task, ratings[:50])  # what is loaded once
    began = time.process_time()
    report = agreement_report(task, ratings)
    assert time.process_time() - began < 4.0  # less than one where benchmarks/studio_agreement.py was run
    assert report.ratings == 25_000


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(rated())
def test_a_rater_beside_the_rest_is_compared_by_stats(drawn: tuple[RatingTask, list[Rating]]) -> None:
    task, ratings = drawn
    report = agreement_report(task, ratings, seed=1)
    scores = rows(ratings, "score")
    for one in report.raters:
        own, others = [], []
        for by in scores.values():
            rest = [float(str(value)) for rater, value in by.items() if rater != one.rater]
            if one.rater in by and rest:
                own.append(float(str(by[one.rater])))
                others.append(sum(rest) / len(rest))
        measured = one.controls["score"]
        assert measured.bias is not None
        assert measured.deviation is not None
        assert measured.correlation is not None
        if not own:
            assert measured.bias.reason == measured.deviation.reason == "no item was rated by somebody else, too"
            continue
        differences = np.array(own) - np.array(others)
        bias = bootstrap(np.mean, differences, seed=1, resamples=RESAMPLES)
        assert measured.bias.value == pytest.approx(bias.value)
        assert measured.bias.count == bias.count
        assert measured.deviation.value == pytest.approx(math.sqrt(np.mean(differences**2)))
        assert measured.correlation.value == pytest.approx(pearson(own, others).value, nan_ok=True)


def test_those_set_aside_are_compared_with_the_others_and_nobody_with_them() -> None:
    aside = {"d": "why"}
    tones = {"i0": {"a": "flat", "b": "flat", "c": "rising", "d": "rising"}, "i1": {"a": "flat", "d": "flat"}}
    assert shares_of_rest(tones, aside) == {"a": [0.5], "b": [0.5], "c": [0.0], "d": [1 / 3, 1.0]}
    scores = {"i0": {"a": 1.0, "b": 2.0, "d": 5.0}, "i1": {"a": 3.0, "d": 0.0}}
    assert means_of_rest(scores, aside) == {"a": ([1.0], [2.0]), "b": ([2.0], [1.0]), "d": ([5.0, 0.0], [1.5, 3.0])}
