"""Tables, figures and page of the benchmark, from a result that is made by hand."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aptone.report.result_table import ResultTable
from aptone.rooms.aptness.bench.ceaeval import bench_ceaeval
from aptone.rooms.aptness.bench.contestants import Grid, contestant_of
from aptone.rooms.aptness.bench.page import ceaeval_page, result_notes, set_facts, statistics_page, trend_figures
from aptone.rooms.aptness.bench.results import BenchResult
from aptone.rooms.aptness.bench.statistics import set_statistics
from aptone.rooms.aptness.bench.tables import cells_table, count_tables, judges_table, main_table, planner_table
from aptone.rooms.aptness.rated_lines import RatedLine, RatedSet
from aptone.types import Annotation, Estimate, Plan, Rhythm, to_json
from tests.rooms.aptness.bench_judges import HUMAN, OpenPlanner, SwitchedJudge, TableJudge, samples, tone

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> BenchResult:
    folder = tmp_path_factory.mktemp("bench")
    judges = [
        contestant_of(SwitchedJudge, name="switched", planner=OpenPlanner(), parameters=7_000_000_000),
        contestant_of(TableJudge(dict.fromkeys(HUMAN, 3.0)), name=HOSTILE, planner=OpenPlanner()),
    ]
    lines = samples(tone(folder), plan=Plan(HOSTILE, rhythm=Rhythm.HEAVY))
    return bench_ceaeval(lines, judges, folder=folder / "bench", grid=Grid(context_sizes=(0, 5)), resamples=50)


def cells(table: ResultTable | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


@pytest.mark.slow
def test_the_main_table_has_a_row_for_each_way_to_judge_and_a_column_for_each_size(result: BenchResult) -> None:
    table = main_table(result)
    assert table is not None
    assert [column.name for column in table.columns] == ["Judge", "Goes by", "CoT", "0", "5", "0", "5", "No score"]
    assert table.groups == (("", 3), ("LCC", 2), ("ACC %", 2), ("", 1))
    assert cells(table) == [
        ["switched", "story", "without", "1.00", "1.00", "100.0", "100.0", "0"],
        ["switched", "story", "with", "1.00", "1.00", "100.0", "100.0", "2"],  # d, at both sizes
        ["switched", "plan", "without", "1.00", "1.00", "100.0", "100.0", "0"],
        ["switched", "plan", "with", "1.00", "1.00", "100.0", "100.0", "2"],
        [HOSTILE, "plan", "–", "–", "–", "75.0", "75.0", "0"],  # a constant judge has no LCC
    ]
    assert table.rows[0][3].strong
    assert not table.rows[4][5].strong


def test_the_planner_table_sets_story_plan_and_given_plan_side_by_side(result: BenchResult) -> None:
    table = planner_table(result)
    assert table is not None
    assert [name for name, _ in table.groups] == ["", "story", "plan", "given plan", ""]
    assert cells(table)[0] == ["switched", "without", *["1.00", "100.0"] * 3, "+0.00", "1.00"]
    assert cells(table)[2] == [HOSTILE, "–", "", "", "–", "75.0", "–", "75.0", "", ""]


def test_judges_are_told_with_parameters_prompts_and_what_went_wrong(result: BenchResult) -> None:
    rows = cells(judges_table(result))
    # with CoT, d has no score: 2 guides × 2 sizes × 2 languages and the given plan in 2 languages = 10
    assert rows[0][:4] == ["switched", "7B", "zh (en 0.65, zh 1)", "10"]
    assert rows[1][:3] == [HOSTILE, "–", "–"]


@pytest.mark.slow
def test_the_table_of_all_cells_says_why_a_correlation_is_undefined(result: BenchResult) -> None:
    rows = cells(cells_table(result))
    assert len(rows) == len(result.cells)
    assert rows[-1][-2] == "no variance in predicted"
    assert cells(cells_table(result, language="zh"))[-1][-2] == "评审的分数没有差异"


def test_the_drawing_has_a_line_for_each_judge_and_a_mark_for_each_size(result: BenchResult) -> None:
    figures = {figure.title: str(figure.markup) for figure in trend_figures(result)}
    ways = [f"{guide}, {how} CoT" for guide in ("story", "plan") for how in ("with", "without")]
    # and that of the constant judge, which has no LCC to draw
    assert set(figures) == {"ACC: plan", *(f"{name}: {way}" for name in ("LCC", "ACC") for way in ways)}
    drawn = figures["LCC: plan, without CoT"]
    assert drawn.count("<title>switched, ") == 3  # CTS 0, CTS 5, and the given plan
    assert "given plan" in drawn


def test_more_judges_than_colours_get_a_second_drawing(result: BenchResult) -> None:
    story = [cell for cell in result.chosen if cell.condition.guide == "story" and not cell.condition.reasoning]
    many = tuple(replace(cell, judge=f"judge {number}") for number in range(10) for cell in story)
    figures = trend_figures(replace(result, cells=many))
    assert [figure.title for figure in figures][:2] == ["LCC: story, without CoT (1)", "LCC: story, without CoT (2)"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_holds_everything_and_nothing_in_it_is_obeyed(result: BenchResult, language: str) -> None:
    page = ceaeval_page(replace(result, source=f"sets/{HOSTILE}"), language="zh" if language == "zh" else "en")
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    for name in ("main", "trends", "planner", "tests", "judges", "set", "cells"):
        assert f'<section id="{name}">' in page
    if language == "zh":
        visible = re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
        assert "Agreement" not in visible
        assert "与人的一致性" in visible


def test_a_proxy_is_never_called_agreement_with_people(result: BenchResult) -> None:
    page = ceaeval_page(replace(result, proxy=True))
    assert "Agreement with people" not in page
    assert "The scores that judges are compared with are a proxy" in page
    assert "The scores that judges are compared with are a proxy" not in ceaeval_page(result)


def test_what_must_be_known_is_said_first(result: BenchResult) -> None:
    notes = result_notes(replace(result, stopped="interrupted"))
    assert notes[0] == "The benchmark ended early: interrupted."
    assert any("chosen with these very lines in view" in note for note in notes)
    assert "switched: made for a test" in notes


def test_statistics_count_characters_classes_and_bands(tmp_path: Path) -> None:
    clip = tone(tmp_path)
    lines = [
        RatedLine(sample, Annotation(emotion=emotion, rhythm=Rhythm.TENSE if emotion else None))
        for sample, emotion in zip(samples(clip, {**HUMAN, "e": 5.0}), ("Joy", "happy", "sad", "", ""), strict=True)
    ]
    lines[0] = replace(lines[0], sample=replace(lines[0].sample, context=lines[0].sample.context[:2]))
    statistics = set_statistics(RatedSet(tuple(lines)), context_sizes=(0, 5))
    # "Line 0 of the story." has 20 characters, lines 10 and 11 have 21: 2 × 20 for the first line of the set, and
    # 3 × 20 + 2 × 21 = 102 for the others
    spread = statistics.context_characters["5"]
    assert (spread.least, spread.most, spread.median) == (40.0, 102.0, 102.0)
    assert statistics.whole_contexts == {"0": 5, "5": 4}
    assert statistics.classes["emotion"].counts == {"happy": 2, "sad": 1}
    assert (statistics.classes["emotion"].unanswered, statistics.classes["emotion"].planned) == (2, False)
    assert statistics.bands == {"0–1": 0, "1–2": 1, "2–3": 1, "3–4": 1, "4–5": 2}  # 5 belongs to the last band
    assert statistics.seconds.median == pytest.approx(0.05)
    assert to_json(statistics)["rated"] == 5


def test_where_nobody_annotated_the_classes_are_those_of_the_plans(result: BenchResult) -> None:
    rhythm = result.statistics.classes["rhythm"]
    assert (rhythm.counts, rhythm.planned) == ({"heavy": 4}, True)


def test_a_clip_that_cannot_be_read_has_no_duration_and_is_counted(tmp_path: Path) -> None:
    statistics = set_statistics(RatedSet(tuple(map(RatedLine, samples(tmp_path / "nowhere.wav")))))
    assert (statistics.unreadable, statistics.seconds.count) == (4, 0)
    assert math.isnan(statistics.seconds.mean)
    facts = set_facts(statistics, source="", ceiling={})
    assert facts["Clips"] == "4 could not be read"


def test_the_statistics_alone_are_a_page_and_tables(result: BenchResult) -> None:
    ceiling = {"LCC": Estimate(0.8, count=4)}
    page = statistics_page(result.statistics, source="x.jsonl", ceiling=ceiling, version="1")
    assert "LCC 0.80" in page
    lengths, classes = count_tables(result.statistics)
    assert cells(lengths)[5][:2] == ["5", "102"]
    assert ["Rhythm", "heavy 4"] in cells(classes)
