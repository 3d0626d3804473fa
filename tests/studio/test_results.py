"""Results of simulated listening tests: against independent implementations, and whole for every kind of test."""

import csv
import io
import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.formula.api import ols  # type: ignore[import-untyped]
from statsmodels.stats.anova import anova_lm  # type: ignore[import-untyped]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from aptone.ratings.listening_tests import (
    HIDDEN_REFERENCE,
    LOW_ANCHOR,
    MID_ANCHOR,
    TESTS,
    MushraExtras,
    Take,
    build_test,
)
from aptone.stats.student import student_mean
from aptone.studio.results.methods import methods_paragraph
from aptone.studio.results.observations import read_test
from aptone.studio.results.report import result_report
from aptone.studio.results.tables import csv_text, result_json, result_rows
from aptone.types import AudioRef, Json, Rating, RatingItem, RatingTask, dumps

CLIP = AudioRef("a.wav")
STORY: Json = {"lines": [{"text": "Stay.", "role": "Mara", "clip": ""}], "target": 0}
TEXTS = [f"t{number}" for number in range(8)]
WORTH = {"bad": -1.0, "fair": 0.0, "good": 1.0, HIDDEN_REFERENCE: 6.0, LOW_ANCHOR: -2.5, MID_ANCHOR: -1.5}


def made(test: str, *names: str, texts: list[str] = TEXTS) -> RatingTask:
    clips = dict.fromkeys(texts, CLIP)
    extras = MushraExtras(clips, {LOW_ANCHOR: clips, MID_ANCHOR: clips})
    systems = {name: {text: Take(CLIP, "Words.", STORY) for text in texts} for name in names or ("bad", "fair", "good")}
    return build_test(test, systems, extras=extras)


def answer(
    task: RatingTask, item: RatingItem, generator: np.random.Generator, noise: float
) -> tuple[Json, tuple[str, ...]]:
    """What a listener says about an item, and the order that was shown."""
    control = task.controls[0]

    def heard(system: str) -> float:
        return WORTH[system] + float(generator.normal(0, noise))

    shown = item.fields.get(control.prefill or "takes")
    clips = [str(clip) for clip in shown] if isinstance(shown, list) else []
    if task.test == "mos":
        return round(min(5, max(1, 3 + heard(str(item.hidden["system"]))))), ()
    if task.test == "cmos":
        order = clips if generator.random() < 0.5 else clips[::-1]
        return round(min(3, max(-3, heard(order[1]) - heard(order[0])))), tuple(order)
    if task.test == "abx":
        right = generator.random() < 0.8
        return next(clip for clip in clips if (clip == item.hidden["x_is"]) == right), ()
    ordered = sorted(clips, key=heard, reverse=True)
    if control.kind == "preference":
        return ordered[0], ()
    if control.kind == "ranking":
        return [*ordered], ()
    if control.kind == "best-worst":
        return {"best": ordered[0], "worst": ordered[-1]}, ()
    middle, scale = (control.low + control.high) / 2, (control.high - control.low) / 6
    return {clip: round(min(control.high, max(control.low, middle + scale * heard(clip)))) for clip in clips}, ()


def heard_by(task: RatingTask, *, people: int = 10, noise: float = 0.7, seed: int = 0) -> list[Rating]:
    generator = np.random.default_rng(seed)
    ratings = []
    for person, item in itertools.product(range(people), task.items):
        value, shown = answer(task, item, generator, noise)
        ratings.append(Rating(task.name, item.id, f"p{person}", {task.controls[0].name: value}, shown=shown))
    return ratings


@pytest.mark.parametrize("test", [test for test in TESTS if test != "abx"])
def test_systems_stand_in_the_order_of_their_worth_and_all_differences_are_found(test: str) -> None:
    task = made(test)
    report = result_report(task, heard_by(task))
    assert report is not None
    assert [one.system for one in report.systems if not one.role] == ["good", "fair", "bad"]
    assert len(report.pairs) == 3
    assert all(one.significant for one in report.pairs)
    assert report.systems[[one.system for one in report.systems].index("good")].better_than == ("bad", "fair")
    assert report.people == 10
    assert report.power.smallest > 0


@pytest.mark.parametrize("test", TESTS)
def test_paragraph_and_tables_are_whole_in_both_languages(test: str) -> None:
    task = made(test) if test != "abx" else made(test, "fair", "good")
    ratings = heard_by(task)
    report = result_report(task, ratings)
    assert report is not None
    paragraph = methods_paragraph(report)
    assert set(paragraph) == {"en", "zh"}
    for text in paragraph.values():
        assert str(report.ratings) in text
        assert "{" not in text
        assert "nan" not in text
    assert "listeners" in paragraph["en"]
    assert "听者" in paragraph["zh"]
    for part in ("systems", "pairs", "ratings"):
        rows = list(csv.DictReader(io.StringIO(csv_text(result_rows(report, part, task=task, ratings=ratings)))))
        assert bool(rows) == (part != "systems" or test != "abx")
    assert json.loads(dumps(result_json(report)))["methods"] == paragraph


def test_mushra_means_medians_and_quartiles_are_those_of_pandas_and_scipy() -> None:
    task = made("mushra")
    ratings = heard_by(task, people=9)
    report = result_report(task, ratings)
    assert report is not None
    assert not report.set_aside
    frame = pd.DataFrame(
        [
            {"rater": rating.rater, "item": rating.item, "system": system, "value": value}
            for rating in ratings
            for system, value in rating.answers["quality"].items()  # type: ignore[union-attr]
        ]
    )
    for one in report.systems:
        if one.role == "reference":  # everybody gave it 100: there is nothing to compare
            assert (one.mean.value, one.mean.low, one.mean.high) == (100.0, 100.0, 100.0)
            continue
        values = frame[frame.system == one.system].value
        assert one.mean.value == pytest.approx(values.mean())
        assert one.median.value == values.median()
        assert one.quartiles == pytest.approx((float(values.quantile(0.25)), float(values.quantile(0.75))))
        low, high = scipy_stats.t.interval(0.95, len(values) - 1, values.mean(), scipy_stats.sem(values))
        assert (one.plain.low, one.plain.high) == pytest.approx((low, high))
        assert one.mean.low < one.plain.low  # other listeners and texts add to what is not known
    # the differences: Clark's quasi-F from the analysis of variance of statsmodels
    wide = frame.pivot_table(index=["rater", "item"], columns="system", values="value")
    for pair in report.pairs:
        apart = (wide[pair.second] - wide[pair.first]).rename("d").reset_index()
        anova = anova_lm(ols("d ~ C(rater) + C(item)", apart).fit())
        squares = anova["mean_sq"]
        left, freedom = float(squares["Residual"]), float(anova["df"]["Residual"])
        raters, items = apart.rater.nunique(), apart.item.nunique()
        # components below 0 are taken for 0, that is, their mean square for what is left
        people, things = max(float(squares["C(rater)"]), left), max(float(squares["C(item)"]), left)
        error = math.sqrt((people + things - left) / len(apart))
        statistic = float(apart.d.mean()) / error
        own = (people + things - left) ** 2 / (people**2 / (raters - 1) + things**2 / (items - 1) + left**2 / freedom)
        assert pair.difference.value == pytest.approx(float(apart.d.mean()))
        assert pair.p_value == pytest.approx(2 * scipy_stats.t.sf(abs(statistic), own), rel=1e-6)
    assert [one.adjusted for one in report.pairs] == pytest.approx(
        list(multipletests([one.p_value for one in report.pairs], method="holm")[1])
    )


def test_who_misses_the_hidden_reference_does_not_count_and_is_named() -> None:
    task = made("mushra")
    good = heard_by(task, people=6)
    deaf = [
        Rating(task.name, item.id, "deaf", {"quality": {str(name): 50.0 for name in item.fields["conditions"]}})  # type: ignore[union-attr]
        for item in task.items
    ]
    report, alone = result_report(task, good + deaf), result_report(task, good)
    assert report is not None
    assert alone is not None
    assert set(report.set_aside) == {"deaf"}
    assert report.systems == alone.systems
    assert "1 assessor were excluded" in methods_paragraph(report)["en"].replace("was", "were")


def test_a_comparison_counts_for_what_was_shown_second() -> None:
    task = made("cmos", "old", "new", texts=["t0"])
    (item,) = task.items
    assert item.fields["takes"] == ["old", "new"]
    ratings = [
        Rating("cmos", "t0", "p", {"comparison": 2}, shown=("old", "new")),  # new is better by 2
        Rating("cmos", "t0", "q", {"comparison": -1}, shown=("new", "old")),  # old is worse by 1: new is better
    ]
    data = read_test(task, ratings)
    assert data is not None
    assert [(one.first, one.second, one.value, one.shown_first) for one in data.comparisons] == [
        ("old", "new", 2.0, "old"),
        ("old", "new", 1.0, "new"),
    ]


def test_intervals_of_scores_end_with_the_scale_and_the_paragraph_says_so() -> None:
    task = made("mos", "good", texts=["t0", "t1"])
    given = {("p", 0): 5, ("p", 1): 5, ("q", 0): 5, ("q", 1): 4, ("r", 0): 5, ("r", 1): 5}
    ratings = [Rating("mos", task.items[place].id, who, {"quality": one}) for (who, place), one in given.items()]
    report = result_report(task, ratings)
    assert report is not None
    (one,) = report.systems
    assert student_mean(list(map(float, given.values()))).high > 5  # 29 / 6 + 2.57 / 6
    assert (one.mean.high, one.plain.high) == (5.0, 5.0)
    assert one.mean.low < one.mean.value == pytest.approx(29 / 6)
    assert "cut at the ends of the scale (1 and 5)" in methods_paragraph(report)["en"]
    assert "已截去" in methods_paragraph(report)["zh"]


def test_abx_is_the_exact_binomial_test() -> None:
    task = made("abx", "fair", "good")
    ratings = heard_by(task, people=5)
    report = result_report(task, ratings)
    assert report is not None
    (one,) = report.abx
    expected = scipy_stats.binomtest(one.hits, 40, alternative="greater")
    assert one.trials == 40
    assert one.p_value == pytest.approx(expected.pvalue)
    assert (one.share.low, one.share.high) == pytest.approx(
        tuple(scipy_stats.binomtest(one.hits, 40).proportion_ci(method="exact"))
    )
    assert report.systems == ()


def test_a_task_without_systems_has_no_results_and_one_without_answers_has_empty_ones() -> None:
    plain = made("mos")
    nothing = result_report(plain, [])
    assert nothing is not None
    assert all(not one.mean.is_defined for one in nothing.systems)
    assert methods_paragraph(nothing)["en"].startswith("0 listeners")
    other = RatingTask("t", {}, {}, (), plain.controls, (RatingItem("i"),))
    assert result_report(other, []) is None


def test_a_name_that_a_spreadsheet_would_compute_is_written_as_text() -> None:
    assert csv_text([{"system": "=1+1", "mean": math.nan}]) == "system,mean\n =1+1,\n"


@pytest.mark.parametrize("test", ["ab", "best-worst", "aptness-rank", "cmos"])
def test_no_interval_of_a_mean_reaches_beyond_what_a_mean_can_be(test: str) -> None:
    # three people who differ much: as normal as the model takes them, intervals would reach beyond the ends
    task = made(test, "bad", "good", texts=["t0", "t1", "t2"])
    report = result_report(task, heard_by(task, people=3, noise=2.0, seed=3))
    assert report is not None
    limits: dict[str, tuple[float, float]] = {
        "share": (0, 1), "best-worst": (-1, 1), "place": (0, 1), "comparison": (-3, 3),
    }  # fmt: skip
    ends = limits[report.unit]
    assert (report.low, report.high) == ends
    known = [end for one in report.systems for end in (one.mean.low, one.mean.high) if not math.isnan(end)]
    assert known
    assert ends[0] <= min(known) <= max(known) <= ends[1]
    assert all(ends[0] < one.mean.value < ends[1] for one in report.systems)
    assert {*ends} & {*known}  # some were cut
    assert "cut at the ends" in methods_paragraph(report)["en"]
