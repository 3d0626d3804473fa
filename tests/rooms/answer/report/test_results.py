"""Results of a run: every figure is derived from numbers that are given here."""

import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.report.result_table import TableCell
from aptone.report.run_report import render_html
from aptone.report.trust import trust_card
from aptone.rooms.answer.bench.paras2s import (
    JudgedRun,
    folder_of,
    judge_swaps,
    paras2s_json,
    paras2s_notes,
    paras2s_page,
    paras2s_tables,
)
from aptone.rooms.answer.data import AnswerSample, AnswerStyle, Fields
from aptone.rooms.answer.report.figures import answer_figures
from aptone.rooms.answer.report.results import answer_results, judged_entries, results_json
from aptone.rooms.answer.report.tables import (
    categories_table,
    checks_table,
    compared_table,
    pairs_table,
    people_table,
    result_notes,
    systems_table,
)
from aptone.rooms.answer.step import answer_items, assign_systems
from aptone.run import Run, RunConfig
from aptone.types import AudioRef, Entry, Item, Language, Outcome, Score, State, dumps, to_json
from tests.rooms.answer.answer_parts import SHORT, sample

WAYS = {"p1": ("angry", "sad"), "p2": ("adult", "child")}
GOOD = {"angry": (5.0, 2.0), "sad": (4.0, 3.0), "adult": (4.0, 4.0), "child": (3.0, 3.0)}
"""Fitness and swapped fitness: margins (9 - 5) / 2 = 2 and 0."""
FLAT = {"angry": (3.0, 3.0), "sad": (3.0, 3.0), "adult": (2.0, 2.0), "child": (2.0, 2.0)}


def entries(
    systems: Mapping[str, Mapping[str, tuple[float, float]]], *, people: Mapping[str, Mapping[str, float]] | None = None
) -> list[Entry]:
    """A run in which every system answers both questions of both pairs, as its table says; NaN is unscored."""
    questions = [short(f"{pair}-{way}", way, pair) for pair, ways in WAYS.items() for way in ways]
    asked = [one for one in assign_systems(questions, list(systems)) if one.ids["system"] != "recorded"]
    rated = [replace(one, ratings=(people or {}).get(one.id, {})) for one in asked]
    return [
        Entry(item, _outcome(one, systems[one.ids["system"]][one.prompt.category]))
        for one, item in zip(rated, answer_items(rated), strict=True)
    ]


def short(name: str, way: str, pair: str) -> AnswerSample:
    one = sample(name, way, pair=pair, answer=SHORT)
    return replace(one, prompt=replace(one.prompt, audio=AudioRef(str(SHORT))))


def _outcome(one: AnswerSample, judged: tuple[float, float]) -> Outcome:
    if math.isnan(judged[0]):
        return Outcome.unscored("no speech can be heard in the answer", signature="s")
    scores = {name: Score(value, range=(1.0, 5.0)) for name, value in zip(("fitness", "swapped"), judged, strict=True)}
    words = f"Take <b>this</b>, {one.prompt.category}."
    style = AnswerStyle({"calm": 1.0}, description="A calm voice.")
    fields = Fields(one.prompt.content, one.prompt.dimension, one.prompt.category, words, style)
    return Outcome(
        State.DONE,
        scores,
        main_score="fitness",
        rationale="It fits.",
        evidence={"fields": to_json(fields), "swapped": {"style": "sad"}},
        signature="s",
    )


def test_systems_have_averages_over_parts_and_the_pairs_that_they_win() -> None:
    good, flat = answer_results(entries({"good": GOOD, "flat": FLAT})).systems
    # emotion (5 + 4) / 2, age (4 + 3) / 2; each weighs alike
    assert {part: mean.value for part, mean in good.average.parts.items()} == {"emotion": 4.5, "age": 3.5}
    assert good.average.value.value == 4.0
    assert (good.pairs["all"].won.value, good.pairs["all"].ties, good.pairs["all"].margin.value) == (0.5, 1, 1.0)
    assert good.pairs["emotion"].margin.value == 2.0
    assert good.categories["emotion", "angry"].value == 5.0
    assert (flat.average.value.value, flat.pairs["all"].won.value) == (2.5, 0.0)
    assert flat.worst_case == flat.average.value


def test_what_has_no_score_is_counted_and_told_and_cannot_hide() -> None:
    gaps = {**GOOD, "sad": (math.nan, math.nan), "child": (math.nan, math.nan)}
    results = answer_results(entries({"gaps": gaps}))
    (system,) = results.systems
    assert (system.asked, system.scored) == (4, 2)
    assert system.unscored == {"no speech can be heard in the answer": 2}
    assert system.average.value.value == 4.5  # (5 + 4) / 2
    assert system.worst_case.value == 2.75  # emotion (5 + 1) / 2, age (4 + 1) / 2
    assert result_notes(results.systems) == [
        "gaps: 2 without a score, left out of the means: no speech can be heard in the answer",
        "gaps: 2 pairs without a margin: an answer of the pair has no fitness",
    ]
    table = systems_table(results)
    assert [column.name for column in table.columns][1] == "answers"
    assert table.rows[0][1] == TableCell("2 of 4")
    assert "if unscored = 1" in [column.name for column in table.columns]


def test_expectations_and_the_blind_system_are_checked() -> None:
    run = entries({"good": GOOD, "flat": FLAT})
    results = answer_results(run, expected={"good": 4.1, "flat": 3.0}, blind="flat")
    assert [one.is_reproduced for one in results.reproductions.values()] == [True, False]
    assert results.blind["good"].is_passed
    assert (results.blind["good"].pairs.first_larger, results.blind["good"].pairs.ties) == (1, 1)
    assert results.blind["good"].difference == 1.5
    table = checks_table(results)
    assert table is not None
    verdicts = [row[3].text for row in table.rows]
    assert verdicts[0].startswith("reproduced; but without sarcasm")
    assert verdicts[1].startswith("not reproduced")
    assert verdicts[2] == "passed"
    with pytest.raises(UsageError, match="there is no system 'nobody' in this run; it has good, flat"):
        answer_results(run, blind="nobody")


def test_named_checks_hold_or_do_not() -> None:
    run = entries({"good": GOOD, "flat": FLAT})
    assert answer_results(run).checks_hold  # none was named
    assert answer_results(run, expected={"good": 4.1}, blind="flat").checks_hold
    assert not answer_results(run, expected={"flat": 3.0}).checks_hold
    told = results_json(answer_results(run, blind="good"))  # flat does not beat good
    assert told["checks_hold"] is False


def test_a_system_that_a_budget_did_not_reach_is_in_the_report_without_answers() -> None:
    run = entries({"good": GOOD})
    results = answer_results(run, expected={"flat": 3.0}, blind="flat", systems=["good", "flat"])
    assert [(one.name, one.asked) for one in results.systems] == [("good", 4), ("flat", 0)]
    assert math.isnan(results.systems[1].average.value.value)
    assert results.systems[1].average.value.reason
    assert not results.checks_hold
    table = checks_table(results)
    assert table is not None
    assert {row[3].text for row in table.rows} == {"not decided: nothing to compare yet, which counts as not passed"}
    assert systems_table(results).rows[1][1].text == "0"
    assert dumps(results_json(results))


def test_people_are_compared_by_dimension_with_their_ceiling() -> None:
    people = {
        "good/p1-angry": {"a": 5, "b": 5, "c": 4},
        "good/p1-sad": {"a": 4, "b": 3, "c": 4},
        "good/p2-adult": {"a": 4, "b": 4, "c": 5},
        "good/p2-child": {"a": 1, "b": 2, "c": 1},
    }
    results = answer_results(entries({"good": GOOD}, people=people))
    assert list(results.people) == ["all", "emotion", "age"]
    assert (results.people["all"].rated, results.people["all"].raters) == (4, 3)
    # fitness 5, 4, 4, 3 (mean 4) against 14/3, 11/3, 13/3, 4/3 (mean 3.5): products sum to 7/6 + 13/6 = 10/3,
    # squares to 2 and 49/36 + 1/36 + 25/36 + 169/36 = 61/9
    assert results.people["all"].agreement["LCC"].value == pytest.approx(10 / 3 / math.sqrt(2 * 61 / 9))
    table = people_table(results)
    assert table is not None
    assert table.rows[1][-1] == TableCell("0.74")  # what the reconstruction reports for emotion


def test_there_are_no_tables_where_there_is_nothing_to_say() -> None:
    alone = [Entry(Item.make("x", to_json(assign_systems([sample("x")], [])[0])), Outcome.unscored("nothing"))]
    results = answer_results(alone)
    assert pairs_table(results) is None
    assert compared_table(results) is None
    assert people_table(results) is None
    assert checks_table(results) is None
    assert systems_table(results).rows[0][1].text == "0 of 1"
    assert categories_table(answer_results([])) is None
    assert answer_figures([], answer_results([]), language="en") == []


def test_entries_that_are_about_no_answer_are_passed_over() -> None:
    stranger = Entry(Item.make("x", {"schema": "aptone.Sample/1"}), Outcome.failed("no"))
    assert judged_entries([stranger]) == []
    (one, *_) = entries({"good": GOOD})
    assert judged_entries([replace(one, repeat=1)]) == []


def test_results_are_json_for_machines() -> None:
    told = results_json(answer_results(entries({"good": GOOD, "flat": FLAT}), expected={"good": 4.0}, blind="flat"))
    assert dumps(told)
    assert told["reproductions"]["good"]["is_reproduced"] is True  # type: ignore[index,call-overload]
    assert told["systems"][0]["pairs"]["all"]["won"]["value"] == 0.5  # type: ignore[index,call-overload]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_shows_pairs_side_by_side_with_players_and_escapes_what_was_said(language: Language) -> None:
    run = entries({"good": GOOD, "flat": FLAT})
    figures = answer_figures(run, answer_results(run, blind="flat"), language=language)
    card = trust_card(run, version="1")
    page = render_html(run, card, {}, embed=0, title="answer", language=language, figures=figures)
    pairs = figures[-1].markup
    assert pairs.count('<article class="contrast">') == 2
    assert pairs.count("<audio") == 2 * 2  # the questions; the systems' answers were never kept
    assert "Take &lt;b&gt;this&lt;/b&gt;, angry." in pairs
    assert "<b>this" not in page
    assert ("A contrast pair is won" in page) is (language == "en")
    assert ("差距" in page) is (language == "zh")
    assert ("+2.00 won" in pairs) is (language == "en")


@pytest.mark.slow
def test_recorded_answers_are_played_and_only_some_of_many_pairs_are_shown() -> None:
    questions = [short(f"{n}-{way}", way, str(n)) for n in range(9) for way in ("male", "female")]
    ready = assign_systems(questions, [])
    outcome = {"male": (4.0, 3.0), "female": (4.0, 3.0)}
    run = [
        Entry(item, _outcome(one, outcome[one.prompt.category]))
        for one, item in zip(ready, answer_items(ready), strict=True)
    ]
    figure = answer_figures(run, answer_results(run), language="en")[-1]
    assert figure.markup.count('<article class="contrast">') == 2  # the smallest and the largest margin
    assert figure.markup.count("<audio") == 2 * (2 + 2)
    assert "Shown are 2 of 9 pairs" in figure.note
    assert figure.markup.count("<tr>") == 1 + 9  # a row for each pair below


def test_pairs_of_a_run_that_was_moved_are_played_and_lost_recordings_are_told_of(tmp_path: Path) -> None:
    old = tmp_path / "old" / SHORT.name
    old.parent.mkdir()
    shutil.copyfile(SHORT, old)
    questions = [short(f"p-{way}", way, "p") for way in ("male", "female")]
    there = [
        replace(one, answer=AudioRef(str(old)), prompt=replace(one.prompt, audio=AudioRef(str(old))))
        for one in questions
    ]
    ready = assign_systems(there, [])
    run = [Entry(item, _outcome(one, (4.0, 3.0))) for one, item in zip(ready, answer_items(ready), strict=True)]
    moved = old.parent.rename(tmp_path / "new")
    figure = answer_figures(run, answer_results(run), language="en", folder=moved / "run")[-1]
    assert figure.markup.count("<audio") == 2 + 2
    shutil.rmtree(moved)
    figure = answer_figures(run, answer_results(run), language="en", folder=moved / "run")[-1]
    assert figure.markup.count("no sound here: the recording was not found") == 2 + 2


@pytest.mark.slow
def test_two_judges_are_compared_on_the_same_answers(tmp_path: Path) -> None:
    second = {way: (fitness - 1.0, swapped - 1.0) for way, (fitness, swapped) in GOOD.items()}
    lower = dict.fromkeys(FLAT, (1.5, 1.5))
    runs = [
        JudgedRun(name, Run(tmp_path / name, RunConfig("bench", "x", {}), tuple(found)), answer_results(found), notes)
        for name, found, notes in (
            ("one", entries({"good": GOOD, "flat": FLAT}), ("It is small.",)),
            ("other", entries({"good": second, "flat": lower}), ()),
        )
    ]
    swaps = judge_swaps(runs)
    assert swaps["other"].keeps_order
    # eight answers: four of good are 1 lower; flat 3, 3, 2, 2 become 1.5: -(4 + 1.5 + 1.5 + 0.5 + 0.5) / 8 = -1
    assert swaps["other"].shift.difference.value == pytest.approx(-1.0)
    titles = [table.title for table in paras2s_tables(runs, swaps)]
    assert titles[:2] == ["Systems · one", "Systems · other"]
    assert titles[-1] == "Another judge on the same answers"
    page = paras2s_page(runs, swaps, source="bench")
    assert "Another judge on the same answers" in page
    assert page.count('<article class="contrast">') == 2
    assert "换一个评审" in paras2s_page(runs, swaps, source="bench", language="zh")
    assert paras2s_notes(runs) == ["one: It is small."]
    assert paras2s_json(runs, swaps)["swaps"]["other"]["keeps_order"] is True  # type: ignore[index,call-overload]
    assert folder_of("../a b") == "a_b"
    assert judge_swaps(runs[:1]) == {}


def test_pairs_that_were_all_won_leave_room_for_others() -> None:
    good, _ = answer_results(entries({"good": GOOD, "flat": FLAT})).systems
    won = good.pairs["emotion"].won
    # Wilson, one of one at 95 %: 1 / (1 + 1.96²) = 0.2065
    assert (won.value, won.high) == (1.0, 1.0)
    assert won.low == pytest.approx(0.2065, abs=1e-4)
