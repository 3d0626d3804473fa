"""Tables of results, shown on a terminal and on a page, and the page of a benchmark, which holds them in sections.

The page is one HTML file like the report of a run.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from aptone.messages import words
from aptone.report.notation import UNDEFINED, interval, one_line
from aptone.report.page import assets, content_policy, render
from aptone.report.room_report import Figure
from aptone.types import Estimate, Language

LONGEST_CELL = 200
AMPLE = 1000
"""Characters in which any table has room."""
LONGEST_WORD = 14
"""Characters of a name that are kept together."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
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
    """One cell; `under` is small text below it on a page only, such as an interval; `strong` marks the best."""

    text: str
    under: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of results.

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

    @property
    def filled(self) -> Self:
        """The table without columns in which no cell holds anything; a dash is something: it says "undefined".

        >>> judged = (TableCell("built-in"), TableCell("0.50"), TableCell(""))
        >>> table = ResultTable("t", (Column("judge"), Column("LCC"), Column("why")), (judged,))
        >>> [column.name for column in table.filled.columns]
        ['judge', 'LCC']
        """
        places = [
            place
            for place in range(len(self.columns))
            if not self.rows or any(row[place].text or row[place].under for row in self.rows)
        ]
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
        )


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
    """A table for the terminal; one that is too wide for it comes in parts, one for each upper heading."""
    return _Fitting(table.filled)


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A table that looks how wide the terminal is before it is drawn."""

    table: ResultTable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whole = _drawn(self.table)
        # measured as if there were room for all: in a narrow terminal a table says that it fits, and cuts its cells
        needed = Measurement.get(console, options.update(width=AMPLE), whole).minimum
        if not self.table.groups or needed <= options.max_width:
            yield whole
        else:
            yield from map(_drawn, _parts(self.table))
        if self.table.note:
            yield Text(self.table.note, style="dim")


def _parts(table: ResultTable) -> list[ResultTable]:
    """The columns of each upper heading with the names on the left; what follows the last heading stays with it."""
    left = next(place for place, column in enumerate(table.columns) if column.group)
    names = dict.fromkeys(column.group for column in table.columns if column.group)
    chosen = {name: [place for place, column in enumerate(table.columns) if column.group == name] for name in names}
    chosen[[*names][-1]] += [place for place in range(left, len(table.columns)) if not table.columns[place].group]
    return [
        ResultTable(
            table.title if number == 0 else "",
            tuple(table.columns[place] for place in [*range(left), *places]),
            tuple(tuple(row[place] for place in [*range(left), *places]) for row in table.rows),
        )
        for number, places in enumerate(chosen.values())
    ]


def _drawn(table: ResultTable) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=table.title, title_justify="left")
    group = ""
    for place, column in enumerate(table.columns):
        above = column.group if column.group != group else ""
        group = column.group
        # names wrap, numbers never do: a number that is cut is another number
        name = column.name.replace(" ", "\n") if column.number else column.name
        heading = f"{above}\n{name}" if table.groups else name
        texts = [column.name if not column.number else heading, *(row[place].text for row in table.rows)]
        most = LONGEST_CELL if column.number else LONGEST_WORD
        kept = [part for text in texts for part in (text.splitlines() if column.number else text.split())]
        shown.add_column(
            heading,
            justify="right" if column.number else "left",
            vertical="bottom" if column.number else "top",
            no_wrap=column.number,
            overflow="fold",
            min_width=min(most, max(map(cell_len, kept), default=0)),
        )
    for row in table.rows:
        shown.add_row(*(_shown(cell, column) for cell, column in zip(row, table.columns, strict=True)))
    return shown


def _shown(cell: TableCell, column: Column) -> Text:
    text = f"{cell.text} {cell.under}".rstrip() if column.roomy else cell.text
    return Text(one_line(text, limit=LONGEST_CELL), style="bold" if cell.strong else "")


def result_figure(table: ResultTable, *, is_result: bool = True) -> Figure:
    """A table with its title above and its note below it; a result stands at the top of the page."""
    return Figure(
        table.title,
        render("result_table.html.j2", table=table.filled),
        note=table.note,
        is_wide=True,
        is_result=is_result,
    )


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Args:
        name: name of its anchor: letters and dashes.
        facts: short answers, name to value.
        figures: shown side by side, above the tables.
        folded: whether its tables are shown only when asked for.
        wide: whether its figures need room, so that two stand side by side.
    """

    name: str
    title: str
    intro: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[ResultTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    folded: bool = False
    wide: bool = False


def bench_page(
    title: str,
    *,
    byline: str,
    notes: Sequence[str],
    sections: Sequence[Section],
    version: str,
    language: Language = "en",
    eyebrow: str = "",
    with_players: bool = False,
) -> str:
    """A benchmark as one HTML document; nothing in it points outside, as in `aptone.report.run_report`.

    Args:
        sections: sections in order; those without anything to show are left out.
        eyebrow: kind of the page; by default a benchmark.
        with_players: whether figures hold sound.
    """
    style = assets("palette.css", "plots.css", "report.css", "bench.css", "claims.css", "contrasts.css")
    script = assets("problems.js", "players.js") if with_players else assets("problems.js")
    page = render(
        "bench.html.j2",
        title=title,
        eyebrow=eyebrow or words(language, "report")("benchmark"),
        byline=byline,
        notes=notes,
        sections=[section for section in sections if section.tables or section.figures or section.facts],
        version=version,
        language=language,
        word=words(language, "report"),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )
    return str(page)
