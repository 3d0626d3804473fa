"""Tables of results: one record, shown on a terminal and on a page."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.report.figures import UNDEFINED, interval
from aptone.report.visible import one_line
from aptone.types import Estimate

LONGEST_CELL = 200
LONGEST_WORD = 14
"""Characters of a heading that are kept together."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        name: its heading.
        group: a heading above it, which neighbours may share.
        number: whether it holds numbers, which stand to the right.
        roomy: whether a terminal, too, has room for what a page shows below its cells.
    """

    name: str
    group: str = ""
    number: bool = True
    roomy: bool = False


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell.

    Args:
        text: what stands in it.
        under: what a page shows small below it, such as an interval; a terminal has no room for it.
        strong: whether it is the best of its column.
    """

    text: str
    under: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of results.

    Args:
        title: above it.
        columns: from left to right.
        rows: of cells, one for each column.
        note: below it.

    Raises:
        ValueError: if a row does not have a cell for each column.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        if wrong := [row for row in self.rows if len(row) != len(self.columns)]:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, but {len(wrong[0])} cells in a row.")

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """The upper headings, and how many columns each covers; empty when there are none.

        >>> ResultTable("t", (Column("a"), Column("0", "LCC"), Column("5", "LCC")), ()).groups
        (('', 1), ('LCC', 2))
        """
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return tuple(found) if any(name for name, _ in found) else ()


def estimate_cell(estimate: Estimate, *, digits: int = 2, signed: bool = False) -> TableCell:
    """An estimate with its interval below it; a dash where it is undefined.

    >>> estimate_cell(Estimate(0.5), signed=True).text
    '+0.50'
    """
    if not estimate.is_defined:
        return TableCell(UNDEFINED)
    under = interval(estimate)
    text = f"{estimate.value:{'+' if signed else ''}.{digits}f}"
    zero = f"{0:.{digits}f}"
    return TableCell(zero if text == f"-{zero}" else text, "" if under == UNDEFINED else under)


def percent_cell(estimate: Estimate) -> TableCell:
    """A share in percent with its interval below it; a dash where it is undefined."""
    if not estimate.is_defined:
        return TableCell(UNDEFINED)
    return TableCell(f"{100 * estimate.value:.1f}", f"[{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]")


def with_best(rows: Sequence[tuple[TableCell, ...]], columns: Iterable[int]) -> tuple[tuple[TableCell, ...], ...]:
    """The rows with the highest number of each column made strong, where there are several to choose from."""
    found = [list(row) for row in rows]
    for column in columns:
        numbers = [(_number(row[column]), row) for row in found]
        defined = [number for number, _ in numbers if not math.isnan(number)]
        for number, row in numbers:
            if len(defined) > 1 and number == max(defined):
                row[column] = replace(row[column], strong=True)
    return tuple(map(tuple, found))


def _number(cell: TableCell) -> float:
    return math.nan if cell.text in ("", UNDEFINED) else float(cell.text)


def terminal_table(table: ResultTable) -> RenderableType:
    """A table for the terminal."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=table.title, title_justify="left")
    group = ""
    for column in table.columns:
        above = column.group if column.group != group else ""
        group = column.group
        # names wrap, numbers never do: a number that is cut is another number
        name = column.name.replace(" ", "\n") if column.number else column.name
        shown.add_column(
            f"{above}\n{name}" if table.groups else name,
            justify="right" if column.number else "left",
            vertical="bottom" if column.number else "top",
            no_wrap=column.number,
            overflow="fold",
            min_width=0 if column.number else min(LONGEST_WORD, max(map(cell_len, column.name.split()), default=0)),
        )
    for row in table.rows:
        shown.add_row(*(_shown(cell, column) for cell, column in zip(row, table.columns, strict=True)))
    return Group(shown, Text(table.note, style="dim")) if table.note else shown


def _shown(cell: TableCell, column: Column) -> Text:
    text = f"{cell.text} {cell.under}".rstrip() if column.roomy else cell.text
    return Text(one_line(text, limit=LONGEST_CELL), style="bold" if cell.strong else "")
