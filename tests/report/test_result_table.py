import pytest
from rich.console import Console

from aptone.report.result_table import Column, ResultTable, TableCell, terminal_table

ROW = ("a judge with a long name", "0.10", "0.25")
TABLE = ResultTable(
    "Results",
    (Column("Judge", number=False), Column("0", "LCC"), Column("5", "LCC"), Column("Gain", roomy=True)),
    ((*map(TableCell, ROW), TableCell("+0.15", "[0.1, 0.2]", strong=True)),),
    "a note",
)


def shown(table: ResultTable, width: int) -> list[str]:
    console = Console(width=width, no_color=True)
    with console.capture() as captured:
        console.print(terminal_table(table))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_group_stands_once_above_its_columns() -> None:
    assert TABLE.groups == (("", 1), ("LCC", 2), ("", 1))
    lines = shown(TABLE, 100)
    assert lines[0] == "Results"
    assert sum(line.count("LCC") for line in lines) == 1
    assert lines[-1] == "a note"


def test_numbers_are_never_cut_where_the_terminal_is_narrow() -> None:
    text = "\n".join(shown(TABLE, 44))
    assert all(number in text for number in ("0.10", "0.25", "+0.15 [0.1, 0.2]"))


def test_a_table_without_groups_has_one_row_of_headings() -> None:
    plain = ResultTable("t", (Column("x"),), ())
    assert plain.groups == ()
    assert sum("x" in line for line in shown(plain, 40)) == 1


def test_what_a_stranger_wrote_is_made_harmless() -> None:
    table = ResultTable("t", (Column("x", number=False),), ((TableCell("a\x1b[2Jb"),),))
    assert "\x1b" not in "\n".join(shown(table, 40))


def test_a_row_with_too_few_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="t: 2 columns, but 1 cells"):
        ResultTable("t", (Column("x"), Column("y")), ((TableCell("1"),),))


def _wide(words: int) -> ResultTable:
    groups = [Column(name, group) for group in ("Pearson", "Spearman") for name in ("all", "en", "zh")]
    columns = (Column("Model", number=False), *groups, Column("no score"))
    cells = (TableCell(" ".join(["embedder"] * words)), *(TableCell(f"0.{place}{place}") for place in range(1, 7)))
    return ResultTable("Correlation", columns, ((*cells, TableCell("31")),))


def test_a_table_that_is_too_wide_comes_in_parts_and_no_number_is_cut() -> None:
    lines = shown(_wide(1), 40)
    # one part a heading, each with the names; what has no heading stays with the last
    assert [line.split() for line in lines if "embedder" in line] == [
        ["embedder", "0.11", "0.22", "0.33"],
        ["embedder", "0.44", "0.55", "0.66", "31"],
    ]
    assert sum("Correlation" in line for line in lines) == 1


def test_a_table_that_fits_stays_whole_and_its_names_wrap_between_words() -> None:
    lines = shown(_wide(3), 60)
    assert sum("0.11" in line for line in lines) == 1
    assert all("0.66" in line for line in lines if "0.11" in line)
    assert sum("embedder" in line for line in lines) >= 1
    assert " ".join(lines).count("embedder") == 3


def test_an_upper_heading_that_is_wider_than_its_columns_cuts_nothing() -> None:
    groups = [Column(name, group) for group in ("judge with people", "people with each other") for name in ("r", "rho")]
    columns = (Column("part", number=False), *groups)
    cells = (TableCell("emotion"), *(TableCell(f"0.{place}{place}") for place in range(1, 5)))
    # 7 + 17 + 3 + 22 + 3 and a space between each two: 56 do not fit into 50, so that there are two parts
    lines = shown(ResultTable("Against people", columns, (cells,)), 50)
    assert [line.split() for line in lines if "emotion" in line] == [
        ["emotion", "0.11", "0.22"],
        ["emotion", "0.33", "0.44"],
    ]
    assert all(any(group in line for line in lines) for group in ("judge with people", "people with each other"))
