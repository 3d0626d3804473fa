"""Agreement on a task: every figure is the one that `aptone.stats` gives for the same rows, and it comes at once."""

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.errors import RecordError
from aptone.models.built_in_text_embedder import load_static_vectors
from aptone.run.rating_rules import set_aside
from aptone.run.rating_tasks import task_template, with_items
from aptone.stats import (
    bootstrap,
    icc_2_1,
    krippendorff_alpha,
    majority_agreement,
    mean_pairwise_cosine,
    pearson,
    spearman,
)
from aptone.stats.intervals import wilson_interval
from aptone.studio.agreement import RESAMPLES, AgreementReport, Figure, agreement_report
from aptone.studio.agreement_raters import beside_the_mean, beside_the_shares
from aptone.studio.agreement_tables import complete_block, crossed
from aptone.studio.feeling_places import feeling_places
from aptone.types import (
    AudioRef,
    Choice,
    Control,
    Estimate,
    Json,
    Qualification,
    Rating,
    RatingItem,
    RatingTask,
    dumps,
    to_json,
)

NAN = math.nan
LABEL = {"en": "?", "zh": "？"}
WORDS = ["calm", "very sad", "angry", "温柔", "zorbly", "!"]
SCORE = Control("score", "scale", LABEL, low=0, high=5, step=0.5, judged_by="judge")
TONE = Control("tone", "choice", LABEL, choices=tuple(Choice(one, LABEL) for one in ("flat", "rising", "falling")))
FEELING = Control("feeling", "text", LABEL, agreement="vad", required=False)
SOUNDS = Control("sounds", "text", LABEL, required=False)
ENDS = Control("ends", "boundaries", LABEL)
WORDING = Control("wording", "edit", LABEL, prefill="line")
CONTROLS = (SCORE, TONE, FEELING, SOUNDS, ENDS, WORDING)


def task_of(count: int, *, controls: Sequence[Control] = CONTROLS, **rules: object) -> RatingTask:
    items = tuple(
        RatingItem(f"i{number}", fields={"line": "Go."}, hidden={"judge": float(number % 5)}) for number in range(count)
    )
    task = RatingTask("listening", LABEL, LABEL, shown=(), controls=tuple(controls), items=items)
    return replace(task, **rules)  # type: ignore[arg-type]


def rating(item: str, rater: str, answers: Mapping[str, Json] | None = None, **fields: float) -> Rating:
    return Rating("listening", item, rater, answers or {}, **fields)  # type: ignore[arg-type]


def same(found: Estimate, expected: Estimate) -> bool:
    """Equal in every number; NaN equals NaN."""
    pairs = [(getattr(found, name), getattr(expected, name)) for name in ("value", "low", "high", "count")]
    return all(one == other or (one != one and other != other) for one, other in pairs)


def figures(report: AgreementReport, control: str) -> Mapping[str, Figure]:
    return next(one.figures for one in report.controls if one.control == control)


ends = st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda pair: [pair[0] / 10, (pair[0] + pair[1]) / 10])
answers: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries(
    {
        "score": st.integers(0, 10).map(lambda step: step / 2),
        "tone": st.sampled_from(["flat", "rising", "falling"]),
        "ends": ends,
        "wording": st.sampled_from(["Go.", "Go!", "Go now.", ""]),
    },
    optional={"feeling": st.sampled_from(WORDS), "sounds": st.sampled_from(WORDS)},
)


@st.composite
def rated(draw: st.DrawFn) -> tuple[RatingTask, list[Rating]]:
    count, people = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    pairs = itertools.product([f"i{number}" for number in range(count)], ["robin", "swift", "wren", "kite"][:people])
    return task_of(count), [rating(item, rater, draw(answers)) for item, rater in pairs if draw(st.booleans())]


def rows(ratings: Sequence[Rating], control: str) -> dict[str, dict[str, Json]]:
    """Item to rater to answer, as plainly as can be."""
    found: dict[str, dict[str, Json]] = {}
    for one in ratings:
        if one.answers.get(control) not in (None, "") or control == "wording":
            found.setdefault(one.item, {})[one.rater] = one.answers[control]
    return found


def padded(table: Mapping[str, Mapping[str, Json]]) -> list[list[Json]]:
    width = max(map(len, table.values()))
    return [[*by.values(), *[None] * (width - len(by))] for by in table.values()]


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
    block = complete_block(crossed(scores))  # type: ignore[arg-type]
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
            [vectors.embed([str(text)])[0] if text != "" else np.full(vectors.size, NAN) for text in by.values()]
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
    assert seconds.value == pytest.approx(np.mean(apart) if apart else NAN, nan_ok=True)
    assert seconds.count == len(apart)


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
        block = complete_block(crossed({item: by for item, by in numbers.items() if by}))
        expected = icc_2_1(block.table).value if block.raters else NAN
        singles.append(found[dimension].estimate.value)
        assert singles[-1] == pytest.approx(expected, nan_ok=True)
    assert found["vad"].estimate.value == pytest.approx(np.mean(singles), nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(rated())
def test_a_rater_beside_the_rest_and_the_judge_beside_the_people_are_stats_too(
    drawn: tuple[RatingTask, list[Rating]],
) -> None:
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
    (judge,) = report.judge
    means = {item: np.mean([float(str(value)) for value in by.values()]) for item, by in scores.items()}
    said = {item.id: float(str(item.hidden["judge"])) for item in task.items}
    if means:
        both = [said[item] for item in means], list(means.values())
        assert judge.judge["LCC"].value == pytest.approx(pearson(*both).value, nan_ok=True)
        assert judge.judge["Spearman"].value == pytest.approx(spearman(*both).value, nan_ok=True)


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
        "icc_2_1",
        "percent",
        "",
        "",
        "seconds_apart",
        "character_error_rate",
    ]
    biases = [one.controls["score"].bias for one in report.raters]
    assert [bias.value for bias in biases if bias] == [-0.25, 0.25]  # b gave one point more, once in four


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


def test_those_set_aside_are_compared_with_the_others_and_nobody_with_them() -> None:
    aside = {"d": "why"}
    tones = {"i0": {"a": "flat", "b": "flat", "c": "rising", "d": "rising"}, "i1": {"a": "flat", "d": "flat"}}
    assert beside_the_shares(tones, aside) == {"a": [0.5], "b": [0.5], "c": [0.0], "d": [1 / 3, 1.0]}
    scores = {"i0": {"a": 1.0, "b": 2.0, "d": 5.0}, "i1": {"a": 3.0, "d": 0.0}}
    assert beside_the_mean(scores, aside) == {"a": ([1.0], [2.0]), "b": ([2.0], [1.0]), "d": ([5.0, 0.0], [1.5, 3.0])}


def test_calibration_is_apart_and_attention_checks_are_nowhere() -> None:
    task = task_of(4, calibration=("i0", "i1"), attention=("i3",))
    ratings = [rating(f"i{n}", who, {"score": n + k}) for n in range(4) for k, who in enumerate("ab")]
    report = agreement_report(task, ratings)
    assert (report.items, report.ratings, report.people) == (1, 2, 2)
    assert next(one for one in report.calibration if one.control == "score").figures["icc_2_1"].estimate.count == 2
    assert agreement_report(task_of(4), ratings).calibration == ()


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


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=7))
def test_the_block_has_no_gap_and_is_everything_where_nothing_is_missing(given_: list[list[bool]]) -> None:
    table = {
        f"i{row}": {rater: float(row) for rater, is_given in zip("abcd", marks, strict=True) if is_given}
        for row, marks in enumerate(given_)
    }
    table = {item: by for item, by in table.items() if by}
    if not table:
        return
    block = complete_block(crossed(table))
    assert not np.isnan(block.table).any()
    assert block.table.shape == ((len(block.items), len(block.raters)) if block.raters else (0, 0))
    everybody = {rater for by in table.values() for rater in by}
    if len(table) > 1 and len(everybody) > 1 and all(set(by) == everybody for by in table.values()):
        assert (len(block.items), len(block.raters)) == (len(table), len(everybody))
    shared = [sum(set(pair) <= set(by) for by in table.values()) for pair in itertools.combinations("abcd", 2)]
    assert bool(block.raters) == (max(shared) >= 2)
    assert block.table.size >= (2 * max(shared) if max(shared) >= 2 else 0)


def test_a_crowd_of_raters_is_compared_by_the_pairs_that_share_most() -> None:
    # 40 raters on 30 items but for one gap each: 780 pairs, of which 400 are taken
    ratings = [
        rating(f"i{n}", f"r{k:02}", {"score": (n + k % 3) % 6}) for n in range(30) for k in range(40) if n != k % 30
    ]
    found = figures(agreement_report(task_of(30), ratings), "score")["icc_2_1_pairs"]
    assert found.how.startswith("pairs of raters: 400 of 780, those that share most, sharing")
