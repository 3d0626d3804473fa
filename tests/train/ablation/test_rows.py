"""The ablation: its rows as the paper has them, and figures with intervals over speakers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.errors import RecordError, RunError, UsageError
from aptone.train.ablation import results as ablation_results
from aptone.train.ablation.results import (
    RowResult,
    ablation_lines,
    ablation_record,
    difference,
    figure_of,
    lcc,
    read_result,
    write_result,
)
from aptone.train.ablation.rows import CONTROLS, ROWS, Recipe, chains

TABLE = """
0 no no none no no
1 no no none no no
2 yes no none no no
3 yes no one no no
4 yes no vote no no
5 yes no other no no
6 yes no vote no yes
7 yes only vote no no
8 yes mixed vote no no
9 yes mixed vote no yes
10 yes only vote yes no
11 yes mixed vote yes no
12 yes mixed vote yes yes
"""
"""Table 4: distillation, CoT, planner, bias, RL."""


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of names and tables, in which no interval is looked at."""
    monkeypatch.setattr(ablation_results, "RESAMPLES", 100)


def result(row: int, given: list[float], *, control: str = "") -> RowResult:
    truth = [1.0, 2.0, 3.0, 4.0]
    return RowResult(row, control, np.array(truth), np.array(given), ("a", "a", "b", "b"))


def test_the_rows_are_those_of_the_papers_table() -> None:
    said = {True: "yes", False: "no"}
    for line in TABLE.strip().splitlines():
        number, distilled, thinking, planned, bias, reinforced = line.split()
        recipe = ROWS[int(number)]
        assert recipe.trained == (number != "0")
        assert said[recipe.distilled] == distilled
        assert recipe.thinking == thinking.replace("no", "none")
        assert recipe.planned == planned
        assert (said[recipe.bias], said[recipe.reinforced]) == (bias, reinforced)
    assert len(ROWS) == 13


def test_controls_of_bias_and_reinforcement_differ_in_that_alone() -> None:
    for without, using in CONTROLS["bias"]:
        assert ROWS[using] == Recipe(thinking=ROWS[without].thinking, bias=True)
    for without, using in CONTROLS["reinforcement"]:
        assert ROWS[using].fine_tuned == ROWS[without]


def test_rows_that_go_on_from_one_another_stand_in_one_chain() -> None:
    assert chains(range(13)) == [(0,), (1,), (2,), (3,), (4, 6), (5,), (7,), (8, 9), (10,), (11, 12)]
    with pytest.raises(UsageError, match="0 to 12"):
        chains([13])


def test_names_of_recipes_tell_them_apart() -> None:
    assert len({recipe.name for recipe in ROWS.values()}) == 13


def test_a_reply_that_cannot_be_read_is_left_out_and_counted() -> None:
    row = result(4, [1.0, np.nan, 3.0, 4.0])
    assert row.unreadable == 1
    assert figure_of(row, lcc).value == pytest.approx(1.0)


def test_a_row_without_any_legible_reply_is_undefined_with_a_reason() -> None:
    found = figure_of(result(0, [np.nan] * 4), lcc)
    assert np.isnan(found.value)
    assert "none of 4 replies" in found.reason


def test_the_difference_of_two_rows_is_taken_on_items_that_both_answered() -> None:
    # Without the second item: LCC of (1, 3, 4) is 1, that of (4, 3, 1) with (1, 3, 4) is -1; so -1 - 1 = -2.
    first, second = result(4, [1.0, 9.0, 3.0, 4.0]), result(6, [4.0, np.nan, 2.0, 1.0])
    assert difference(first, second, lcc).value == pytest.approx(-2.0)


def test_rows_on_different_items_are_not_compared() -> None:
    other = RowResult(6, "", np.array([1.0]), np.array([1.0]), ("a",))
    with pytest.raises(UsageError, match="different items"):
        difference(result(4, [1.0, 2.0, 3.0, 4.0]), other, lcc)


@pytest.mark.usefixtures("few_resamples")
def test_a_record_holds_rows_controls_and_differences() -> None:
    results = [
        result(11, [1.0, 2.0, 2.0, 4.0]),
        result(12, [1.0, 2.0, 3.0, 4.0]),
        result(12, [4.0, 1.0, 3.0, 2.0], control="shuffled"),
        result(0, [np.nan] * 4),
    ]
    record = ablation_record(results)
    assert list(record["rows"]) == ["0", "11", "12", "12 shuffled"]  # type: ignore[arg-type]
    assert set(record["differences"]) == {"reinforcement: 11 to 12", "12 shuffled to 12"}  # type: ignore[arg-type]
    lines = ablation_lines(record)
    assert any("undefined" in line and line.startswith("| 0 |") for line in lines)
    told = ablation_lines(record, language="zh")
    assert told[0].startswith("| 行 | 蒸馏 | 思维链 |")
    assert any("未定义" in line and line.startswith("| 0 |") for line in told)
    assert any(line.startswith("| 强化学习：11 → 12 |") for line in told)


@pytest.mark.usefixtures("few_resamples")
def test_rows_that_were_asked_about_different_items_do_not_cost_the_table() -> None:
    shorter = RowResult(7, "", np.array([1.0, 2.0]), np.array([1.0, 2.0]), ("a", "a"))
    record = ablation_record([result(4, [1.0, 2.0, 3.0, 4.0]), shorter])
    found: Any = record["differences"]
    assert found["reasoning: 4 to 7"]["LCC"] == {"value": None, "reason": "rows 4 and 7 judged different items"}
    assert ablation_lines(record)[-1] == "| reasoning: 4 to 7 | undefined | undefined |"


@pytest.mark.usefixtures("few_resamples")
def test_what_rows_expect_is_compared_with_what_others_expect() -> None:
    results = [
        result(row, [1.0, 2.0, 3.0, 4.0], control=control)
        for row, control in ((11, ""), (12, ""), (11, "expected"), (12, "expected"), (12, "shuffled expected"))
    ]
    assert set(ablation_record(results)["differences"]) == {  # type: ignore[arg-type]
        "reinforcement: 11 to 12",
        "reinforcement: 11 to 12 (expected)",
        "11 expected to 11",
        "12 expected to 12",
        "12 shuffled expected to 12 expected",
    }


@pytest.mark.usefixtures("few_resamples")
def test_the_table_names_the_true_plan_and_gives_another_judge_no_switches() -> None:
    results = [result(12, [1.0, 2.0, 3.0, 4.0], control=control) for control in ("", "true expected", "built-in judge")]
    cells = {line.split(" | ")[0]: line.split(" | ")[1:6] for line in ablation_lines(ablation_record(results))[2:5]}
    assert cells == {
        "| 12": ["yes", "mixed", "vote", "yes", "yes"],
        "| 12 true expected": ["yes", "mixed", "true", "yes", "yes"],
        "| 12 built-in judge": ["", "", "", "", ""],
    }


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    row = result(12, [1.0, np.nan, 3.0, 4.0], control="shuffled")
    write_result(tmp_path / "row.json", row)
    back = read_result(tmp_path / "row.json")
    assert (back.row, back.control, back.groups) == (12, "shuffled", row.groups)
    assert np.array_equal(back.given, row.given, equal_nan=True)
    with pytest.raises(RunError):
        write_result(tmp_path / "row.json" / "within.json", row)
    (tmp_path / "row.json").write_text('{"row": 99, "control": "", "truth": [], "given": [], "groups": []}')
    with pytest.raises(RecordError, match="no result"):
        read_result(tmp_path / "row.json")
