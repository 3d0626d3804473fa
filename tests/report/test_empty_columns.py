"""Columns that hold nothing in a whole run are left out, on the page and in the terminal."""

import io
import math
import re
from collections.abc import Sequence
from typing import Literal

import pytest
from rich.console import Console, RenderableType

from aptone.report.result_table import (
    Column,
    ResultTable,
    Section,
    TableCell,
    bench_page,
    result_figure,
    terminal_table,
)
from aptone.report.room_report import report_of
from aptone.report.run_report import render_html
from aptone.report.terminal import comparison_table
from aptone.report.trust import trust_card
from aptone.rooms.caption.report import caption_table
from aptone.run.compare import Change
from aptone.types import Entry, Estimate, Item, Json, Language, Outcome, Plan, Rhythm, Score, State, to_json
from tests.tables import for_each


def _entry(name: str, evidence: dict[str, Json] | None = None, **payload: Json) -> Entry:
    plan = to_json(Plan("joy", rhythm=Rhythm.BRISK))
    outcome = Outcome(State.DONE, {"aptness": Score(2.0, range=(0.0, 5.0))}, evidence=evidence or {"plan": plan})
    return Entry(Item.make(name, {"language": "en", **payload}), outcome)


def _page(entries: Sequence[Entry], language: Language = "en") -> str:
    return render_html(
        entries,
        trust_card(entries, version="1"),
        {},
        title="A run",
        language=language,
        marks=report_of("caption").marks,
    )


def _heads(page: str, table: Literal["aspects", "items"]) -> list[list[str]]:
    """The headings of all tables of a class; those of items end with an arrow that is drawn by the style."""
    found = re.findall(rf'<table class="{table}[^"]*">(?:(?!<thead>).)*<thead>(.*?)</thead>', page, flags=re.DOTALL)
    return [re.findall(r">([^<>]+)</(?:th|button)>", head) for head in found]


def _printed(table: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("language", "heads", "caption"),
    [("en", ["Aspect", "Planned"], "The plan"), ("zh", ["方面", "计划"], "计划")],
)
def test_where_a_judge_says_nothing_of_what_it_heard_there_is_the_plan_alone(
    language: Language, heads: list[str], caption: str
) -> None:
    page = _page([_entry("a"), _entry("b")], language)
    assert _heads(page, "aspects") == [heads, heads]
    assert page.count(f"<caption>{caption}</caption>") == 2
    assert page.count('<td data-label="') == 2 * 2  # emotion and rhythm of both, planned


def test_what_one_card_has_is_a_column_of_all() -> None:
    heard: dict[str, Json] = {"emotion": {"planned": "joy", "heard": "sadness", "score": None}}
    page = _page([_entry("a"), _entry("b", {"aspects": heard})])
    assert _heads(page, "aspects") == [["Aspect", "Planned", "Heard"]] * 2
    assert page.count("<caption>Planned and heard</caption>") == 2


@for_each(
    ("aspect", "heads"),
    [
        ({"heard": "sadness"}, ["Aspect", "Heard"]),
        (
            {"measured": {"naturalness": 1.8}, "score": to_json(Score(1.8, range=(0.0, 5.0)))},
            ["Aspect", "Heard", "Fit"],
        ),
        ({"score": to_json(Score(math.nan, reason="too short"))}, ["Aspect", "Fit"]),
    ],
)
def test_without_a_plan_there_is_no_column_for_it(aspect: dict[str, Json], heads: list[str]) -> None:
    page = _page([_entry("a", {"aspects": {"naturalness": aspect}})])
    assert _heads(page, "aspects") == [heads]
    assert "<caption>Aspect by aspect</caption>" in page


def test_the_table_of_all_items_has_lines_people_and_reasons_only_where_there_are_any() -> None:
    assert _heads(_page([_entry("a"), _entry("b")]), "items") == [["Item", "aptness"]]
    rated = _entry("b", line="Go!", human_score=4.0)
    assert _heads(_page([_entry("a"), rated]), "items") == [["Item", "Line", "aptness", "People"]]
    failed = Entry(Item.make("c", {}), Outcome.failed("timed out"))
    page = _page([_entry("a"), failed])
    assert _heads(page, "items") == [["Item", "aptness", "State", "Why"]]
    assert len(re.findall(r"<t[dh][ >]", page[page.index('<tr data-state="failed">') :].split("</tr>")[0])) == 4


def test_a_score_without_any_number_is_named_and_has_no_column() -> None:
    scores = {"F": Score(0.5), "recall": Score(math.nan, reason="no reference")}
    entries = [Entry(Item.make(name, {}), Outcome(State.DONE, scores, main_score="F")) for name in "ab"]
    page = _page(entries)
    assert _heads(page, "items") == [["Item", "F"]]
    assert "No item has a number for recall; the items say why." in page


def test_the_main_score_keeps_its_column_where_nothing_was_scored() -> None:
    scores = {"F": Score(math.nan, reason="no claims"), "recall": Score(math.nan, reason="no reference")}
    entries = [Entry(Item.make("a", {}), Outcome(State.DONE, scores, main_score="F"))]
    assert _heads(_page(entries), "items") == [["Item", "F", "State", "Why"]]


def _claim(measured: str) -> Entry:
    unit: dict[str, Json] = {"fact": "a sad voice", "evidence": "sad", "start": 0, "end": 3, "verdict": "true"}
    evidence: dict[str, Json] = {"units": [{**unit, "measured": measured}], "dropped_units": 0}
    return _entry("a", evidence, caption="sad voice")


@pytest.mark.parametrize(("measured", "shown"), [("", False), ("P(sad) 0.8", True)])
def test_claims_have_a_column_of_measures_where_something_was_measured(measured: str, shown: bool) -> None:
    entry = _claim(measured)
    assert _heads(_page([entry]), "aspects") == [["Words", "Claim", "Verdict", *(["Measured"] if shown else [])]]
    printed = _printed(caption_table(entry.outcome))
    assert "a sad voice" in printed
    assert ("Measured" in printed) == shown


def test_compared_runs_without_lines_have_no_column_of_lines() -> None:
    def printed(line: str) -> str:
        rows = [Change("a", 1.0, 2.0, line)]
        return _printed(comparison_table(rows, difference=Estimate(1.0, count=1), p_value=math.nan))

    assert "Line" in printed("Go!")
    assert "Line" not in printed("")


def test_tables_of_results_leave_out_columns_without_a_word_and_keep_dashes() -> None:
    columns = (Column("judge", number=False), Column("LCC", "to people"), Column("rho", "to people"), Column("why"))
    cells = (TableCell("built-in"), TableCell(""), TableCell("–"), TableCell(""))
    table = ResultTable("Judges", columns, (cells, cells))
    assert [column.name for column in table.filled.columns] == ["judge", "rho"]
    assert table.filled.groups == (("", 1), ("to people", 1))
    pages = [
        _printed(terminal_table(table)),
        result_figure(table).markup,
        bench_page("x", byline="", notes=[], sections=[Section("s", "S", tables=(table,))], version="1"),
    ]
    for shown in pages:
        assert "rho" in shown
        assert "LCC" not in shown.split("<body>")[-1]
    under = ResultTable("t", (Column("a"), Column("b")), ((TableCell("1"), TableCell("", "[0, 1]")),))
    assert under.filled == under
    assert ResultTable("t", columns, ()).filled.columns == columns
