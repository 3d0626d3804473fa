"""Agreement on one question: every figure is the one that `aptone.stats` gives for the same rows."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.stats import icc_2_1, krippendorff_alpha, majority_agreement, mean_pairwise_cosine
from aptone.stats.intervals import wilson_interval
from aptone.studio.agreement import controls as module
from aptone.studio.agreement.controls import text_vectors
from aptone.studio.agreement.feeling_places import feeling_places
from aptone.studio.agreement.items import complete_block, rating_table
from aptone.studio.agreement.overview import RESAMPLES, agreement_report
from aptone.types import AudioRef, Choice, Control, Estimate, Rating, RatingItem, RatingTask
from tests.studio.compared import LABEL, WORDS, figures, padded, rated, rating, rows, same, task_of


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(rated())
def test_every_figure_equals_that_of_stats_on_the_same_rows(drawn: tuple[RatingTask, list[Rating]]) -> None:
    task, ratings = drawn
    report = agreement_report(task, ratings, seed=3)
    options = {"seed": 3, "resamples": RESAMPLES}
    if not ratings:
        assert all(not one.figures and not one.main for one in report.controls)
        return
    scores, tones = rows(ratings, "score"), rows(ratings, "tone")
    found = figures(report, "score")
    alpha = krippendorff_alpha(padded(scores), level="interval", **options)
    assert same(found["alpha"].estimate, alpha)
    assert same(found["alpha_trimmed"].estimate, alpha)
    if any(len(by) >= 4 for by in scores.values()):
        trimmed = krippendorff_alpha(padded(scores), level="interval", trim=1, **options)
        assert same(found["alpha_without_extremes"].estimate, trimmed)
    block = complete_block(rating_table(scores))  # type: ignore[arg-type]
    if block.raters:
        table = [[scores[item][rater] for rater in block.raters] for item in block.items]
        assert same(found["icc_2_1"].estimate, icc_2_1(table))  # type: ignore[arg-type]
        assert found["icc_2_1"].raters == len(block.raters)
    else:
        assert math.isnan(found["icc_2_1"].estimate.value)
    found = figures(report, "tone")
    assert same(found["percent"].estimate, majority_agreement(padded(tones), **options))
    nominal = krippendorff_alpha(padded(tones), level="nominal", **options)
    assert same(found["alpha"].estimate, nominal)
    if sounds := rows(ratings, "sounds"):
        vectors = load_static_vectors()
        tables = [
            [vectors.embed([str(text)])[0] if text != "" else np.full(vectors.size, math.nan) for text in by.values()]
            for by in sounds.values()
        ]
        cosine = mean_pairwise_cosine(tables, **options)
        assert figures(report, "sounds")["cosine"].estimate.value == pytest.approx(cosine.value, abs=1e-6, nan_ok=True)
    apart = [
        np.mean([np.abs(one - other).mean() for one, other in itertools.combinations(map(np.array, by.values()), 2)])
        for by in rows(ratings, "ends").values()
        if len(by) > 1
    ]
    seconds = figures(report, "ends")["seconds_apart"].estimate
    assert seconds.value == pytest.approx(np.mean(apart) if apart else math.nan, nan_ok=True)
    assert seconds.count == len(apart)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(rated())
def test_feelings_are_compared_as_places_dimension_by_dimension(drawn: tuple[RatingTask, list[Rating]]) -> None:
    task, ratings = drawn
    given_words = rows(ratings, "feeling")
    if not given_words:
        return
    found = figures(agreement_report(task, ratings), "feeling")
    places = feeling_places(WORDS)
    singles = []
    for dimension in ("valence", "arousal", "dominance"):
        numbers = {
            item: {rater: getattr(places[str(word)], dimension) for rater, word in by.items() if places[str(word)]}
            for item, by in given_words.items()
        }
        block = complete_block(rating_table({item: by for item, by in numbers.items() if by}))
        expected = icc_2_1(block.table).value if block.raters else math.nan
        singles.append(found[dimension].estimate.value)
        assert singles[-1] == pytest.approx(expected, nan_ok=True)
    assert found["vad"].estimate.value == pytest.approx(np.mean(singles), nan_ok=True)


def test_an_incomplete_table_is_cut_to_its_largest_full_block_and_the_pairs_stand_beside_it() -> None:
    # a and b rated six items, c two of them: 6 × 2 answers are more than 2 × 3
    ratings = [
        rating(f"i{n}", who, {"score": (n * k) % 6 / 2}) for n in range(6) for k, who in enumerate("ab", start=1)
    ]
    ratings += [rating(f"i{n}", "c", {"score": 2.0}) for n in range(2)]
    found = figures(agreement_report(task_of(6), ratings), "score")
    assert found["icc_2_1"].raters == 2
    assert found["icc_2_1"].estimate.count == 6
    assert found["icc_2_1"].how == "2 of 3 raters on the 6 of 6 items that all of them rated"
    pair = found["icc_2_1_pairs"]
    assert pair.estimate.value == pytest.approx(
        found["icc_2_1"].estimate.value
    )  # c shares fewer than three items with anybody
    assert pair.how.startswith("pairs of raters: 1, sharing 6 to 6 items")


def test_a_full_table_has_one_icc_and_says_nothing_of_gaps() -> None:
    ratings = [rating(f"i{n}", who, {"score": (n + k) % 4}) for n in range(5) for k, who in enumerate("abc")]
    found = figures(agreement_report(task_of(5), ratings), "score")
    assert "icc_2_1_pairs" not in found
    assert (found["icc_2_1"].raters, found["icc_2_1"].estimate.count, found["icc_2_1"].how) == (3, 5, "")


def test_a_crowd_of_raters_is_compared_by_the_pairs_that_share_most() -> None:
    # 40 raters on 30 items but for one gap each: 780 pairs, of which 400 are taken
    ratings = [
        rating(f"i{n}", f"r{k:02}", {"score": (n + k % 3) % 6}) for n in range(30) for k in range(40) if n != k % 30
    ]
    found = figures(agreement_report(task_of(30), ratings), "score")["icc_2_1_pairs"]
    assert found.how.startswith("pairs of raters: 400 of 780, those that share most, sharing")


def test_a_preference_is_counted_by_system_whatever_the_clips_are_called() -> None:
    better = Control(
        "better", "preference", LABEL, prefill="takes", choices=(Choice("same", LABEL),), judged_by="judge_choice"
    )
    items = []
    for number in range(3):
        names = ("old", "new") if number < 2 else ("new", "old")
        items.append(
            RatingItem(
                f"i{number}",
                audio={"first": AudioRef("a.wav"), "second": AudioRef("b.wav")},
                fields={"takes": ["first", "second"]},
                hidden={"systems": dict(zip(("first", "second"), names, strict=True)), "judge_choice": "second"},
            )
        )
    task = RatingTask("listening", LABEL, LABEL, shown=(), controls=(better,), items=tuple(items))
    votes = [("i0", "second"), ("i1", "second"), ("i2", "first")]  # always the new one
    ratings = [rating(item, who, {"better": choice}) for item, choice in votes for who in "ab"]
    ratings[1] = replace(ratings[1], answers={"better": "same"})
    report = agreement_report(task, ratings)
    found = figures(report, "better")
    low, high = wilson_interval(5, 6, confidence=0.95)
    assert found["share:new"].estimate == Estimate(5 / 6, low, high, 6, method="wilson over answers")
    assert found["share:old"].estimate.value == 0.0
    assert found["share:same"].estimate.value == pytest.approx(1 / 6)
    assert found["percent"].estimate.value == pytest.approx((0.5 + 1 + 1) / 3)
    # the judge says new, new, old: people side with it by 1/2, 1 and 0
    (judge,) = report.judge
    assert judge.judge["share"].value == pytest.approx(0.5)
    assert judge.people["share"].value == pytest.approx(2 / 3)  # each sides with the other on two items of three


def test_what_is_kept_is_bounded_and_the_same_when_it_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_kept", {})
    monkeypatch.setattr(module, "MOST_KEPT", 2)
    first = text_vectors(["calm", "angry"])
    assert set(module._kept) == {"calm", "angry"}
    assert set(text_vectors(["calm", "rain"])) == {"calm", "rain"}
    assert set(module._kept) == {"rain"}
    assert np.array_equal(text_vectors(["calm"])["calm"], first["calm"])
    assert np.isnan(text_vectors([" "])[" "]).all()
