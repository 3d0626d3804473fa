"""The tables of CEAEval's benchmark: the paper's Table 2 and Table 3, paired tests, judges, and all cells."""

import math
from collections.abc import Callable, Iterable
from itertools import groupby

from aptone.messages import translate, words
from aptone.report.notation import UNDEFINED, duration, figure
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, percent_cell, with_best
from aptone.rooms.aptness.bench.contestants import GUIDES, Condition
from aptone.rooms.aptness.bench.results import BenchResult, CellResult, JudgeFacts, PairedTest
from aptone.rooms.aptness.bench.statistics import SetStatistics
from aptone.types import Language

MOST_CLASSES = 12
"""Classes of a dimension that a terminal shows."""

Word = Callable[..., str]
Row = tuple[TableCell, ...]


def main_table(result: BenchResult, *, language: Language = "en") -> ResultTable | None:
    """Like the paper's Table 2: judges × context sizes, LCC and ACC, with and without CoT; ``None`` without sizes."""
    word = words(language, "aptness.ceaeval")
    cells = [cell for cell in result.chosen if cell.condition.context_size is not None]
    if not cells:
        return None
    sizes = sorted({size for cell in cells if (size := cell.condition.context_size) is not None})
    rows: list[Row] = []
    for key, group in groupby(sorted(cells, key=_row_order(result)), key=_row_key):
        own = {cell.condition.context_size: cell for cell in group}
        judge, guide, reasoning = key
        without = sum(_without(cell) for cell in own.values())
        rows.append(
            (
                *_cells(judge, word(guide), _thinks(reasoning, word)),
                *(estimate_cell(own[size].lcc) if size in own else TableCell("") for size in sizes),
                *(percent_cell(own[size].acc) if size in own else TableCell("") for size in sizes),
                TableCell(str(without)),
            )
        )
    columns = (
        *(Column(word(name), number=False) for name in ("judge", "goes_by", "cot")),
        *(Column(str(size), "LCC") for size in sizes),
        *(Column(str(size), word("acc_percent")) for size in sizes),
        Column(word("no_score")),
    )
    numbers = range(3, 3 + 2 * len(sizes))
    return ResultTable(word("main_table"), columns, with_best(rows, numbers), word("main_note"))


def _cells(*texts: object) -> Row:
    return tuple(TableCell(str(text)) for text in texts)


def _row_key(cell: CellResult) -> tuple[str, str, bool | None]:
    return cell.judge, cell.condition.guide, cell.condition.reasoning


def _row_order(result: BenchResult) -> Callable[[CellResult], tuple[int, int, int]]:
    places = {judge.name: place for place, judge in enumerate(result.judges)}
    return lambda cell: (places[cell.judge], GUIDES.index(cell.condition.guide), int(cell.condition.reasoning or 0))


def planner_table(result: BenchResult, *, language: Language = "en") -> ResultTable | None:
    """Like the paper's Table 3: with and without the planner at the largest context size; ``None`` without plans."""
    word = words(language, "aptness.ceaeval")
    sizes = [size for cell in result.chosen if (size := cell.condition.context_size) is not None]
    largest = max(sizes, default=None)
    cells = [cell for cell in result.chosen if cell.condition.context_size in (None, largest)]
    guides = [guide for guide in GUIDES if any(cell.condition.guide == guide for cell in cells)]
    if len(guides) < 2:
        return None
    tested = any(test.family == "planner" for test in result.tests)
    rows: list[Row] = []
    ordered = sorted(cells, key=lambda cell: (_row_order(result)(cell)[0], int(cell.condition.reasoning or 0)))
    for (judge, reasoning), group in groupby(ordered, key=lambda cell: (cell.judge, cell.condition.reasoning)):
        own = {cell.condition.guide: cell for cell in group}
        row = [*_cells(judge, _thinks(reasoning, word))]
        for guide in guides:
            one = own.get(guide)
            row += [estimate_cell(one.lcc), percent_cell(one.acc)] if one else _cells("", "")
        rows.append((*row, *(_gain(result.tests, judge, reasoning) if tested else ())))
    columns = [Column(word("judge"), number=False), Column(word("cot"), number=False)]
    for guide in guides:
        columns += [Column("LCC", word(guide)), Column(word("acc_percent"), word(guide))]
    columns += [Column(word("gain")), Column(word("p"))] if tested else []
    title = word("planner_table", size=UNDEFINED if largest is None else largest)
    note = word("planner_note") if tested else ""
    return ResultTable(title, tuple(columns), with_best(rows, range(2, 2 + 2 * len(guides))), note)


def _gain(tests: Iterable[PairedTest], judge: str, reasoning: bool | None) -> Row:
    for test in tests:
        if test.family == "planner" and test.first[0] == judge and test.first[1].reasoning == reasoning:
            return estimate_cell(test.difference, signed=True), TableCell(p_figure(test.adjusted))
    return _cells("", "")


def paired_tables(result: BenchResult, *, language: Language = "en") -> list[ResultTable]:
    """A table of paired tests for each family that has any."""
    word = words(language, "aptness.ceaeval")
    columns = (
        *(Column(word(name), number=False) for name in ("first", "second")),
        Column(word("difference"), roomy=True),
        *(Column(word(name)) for name in ("p", "adjusted", "lines")),
    )
    tables = []
    for family, group in groupby(result.tests, key=lambda test: test.family):
        rows = tuple(
            (
                *_cells(*(f"{judge} · {condition_words(one, language)}" for judge, one in (test.first, test.second))),
                estimate_cell(test.difference, signed=True),
                *_cells(p_figure(test.p_value), p_figure(test.adjusted), test.difference.count),
            )
            for test in group
        )
        tables.append(ResultTable(word(f"tests_{family}"), columns, rows))
    return tables


def judges_table(result: BenchResult, *, language: Language = "en") -> ResultTable:
    """The judges: parameters, prompt language, what went wrong, cost."""
    word = words(language, "aptness.ceaeval")
    names = ("judge", "parameters", "prompts", "no_score", "failed", "parse_failures", "cost", "time")
    columns = tuple(Column(word(name), number=place >= 3) for place, name in enumerate(names))
    rows = []
    for judge in result.judges:
        own = [cell for cell in result.cells if cell.judge == judge.name]
        rows.append(
            _cells(
                judge.name,
                _size(judge, word),
                _prompts(judge, word),
                sum(cell.unscored for cell in own),
                sum(cell.failed for cell in own),
                sum(cell.card.parse_failures for cell in own),
                figure(math.fsum(cell.card.cost for cell in own)),
                duration(math.fsum(cell.card.seconds for cell in own)),
            )
        )
    return ResultTable(word("judges"), columns, tuple(rows), word("judges_note"))


def cells_table(result: BenchResult, *, language: Language = "en") -> ResultTable:
    """Every judge under every condition, all prompt languages included."""
    word = words(language, "aptness.ceaeval")
    columns = (
        *(Column(word(name), number=False) for name in ("judge", "goes_by")),
        Column("LCC"),
        *(Column(word(name)) for name in ("acc_percent", "strict", "rho", "lines", "no_score")),
        *(Column(word(name), number=False) for name in ("why", "folder")),
    )
    rows = tuple(
        (
            *_cells(cell.judge, condition_words(cell.condition, language)),
            estimate_cell(cell.lcc),
            *(percent_cell(cell.acc), percent_cell(cell.strict)),
            estimate_cell(cell.spearman),
            *_cells(f"{cell.scored} / {cell.lines}", _without(cell)),
            *_cells("" if cell.lcc.is_defined else translate(cell.lcc.reason, language), cell.folder),
        )
        for cell in result.cells
    )
    return ResultTable(word("cells_table"), columns, rows)


def count_tables(statistics: SetStatistics, *, language: Language = "en") -> list[ResultTable]:
    """Tables of a set: lengths of contexts, and the commonest classes of each dimension."""
    word = words(language, "aptness.ceaeval")
    lengths = ResultTable(
        word("characters_plot"),
        (Column("CTS"), Column(word("mean")), Column(word("median")), Column(word("most")), Column(word("whole"))),
        tuple(
            _cells(size, *map(figure, (one.mean, one.median, one.most)), statistics.whole_contexts[size])
            for size, one in statistics.context_characters.items()
        ),
        word("whole_note"),
    )
    classes = {word(name): found.counts for name, found in statistics.classes.items()}
    rows = tuple(
        _cells(name, ", ".join(f"{kind} {count}" for kind, count in list(counts.items())[:MOST_CLASSES]))
        for name, counts in {word("scores_plot"): statistics.bands, **classes}.items()
    )
    columns = (Column(word("dimension"), number=False), Column(word("classes"), number=False))
    return [lengths, ResultTable(word("set"), columns, rows)]


def condition_words(condition: Condition, language: Language) -> str:
    """A condition in words.

    >>> condition_words(Condition("story", 5, reasoning=True, prompt_language="zh"), "en")
    'story, CTS 5, with CoT, zh'
    """
    word = words(language, "aptness.ceaeval")
    parts = [word(condition.guide)]
    if condition.context_size is not None:
        parts.append(word("cts_is", size=condition.context_size))
    if condition.reasoning is not None:
        parts.append(word("cot_with" if condition.reasoning else "cot_without"))
    if condition.prompt_language is not None:
        parts.append(condition.prompt_language)
    return ("，" if language == "zh" else ", ").join(parts)


def p_figure(p_value: float) -> str:
    """A p-value with as many digits as matter.

    >>> p_figure(0.0312), p_figure(0.0002), p_figure(0.4), p_figure(math.nan)
    ('0.031', '< 0.001', '0.40', '–')
    """
    if math.isnan(p_value):
        return UNDEFINED
    if p_value < 0.001:
        return "< 0.001"
    return f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"


def parameters_figure(count: int) -> str:
    """A number of parameters as people write it.

    >>> parameters_figure(7_000_000_000), parameters_figure(5_600_000_000), parameters_figure(950_000)
    ('7B', '5.6B', '950k')
    """
    for size, unit in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count) if count else UNDEFINED


def _size(judge: JudgeFacts, word: Word) -> str:
    own = parameters_figure(judge.parameters)
    if not judge.planner_parameters:
        return own
    return word("with_planner", judge=own, planner=parameters_figure(judge.planner_parameters))


def _prompts(judge: JudgeFacts, word: Word) -> str:
    if judge.prompt_language is None:
        return UNDEFINED
    if not judge.language_means:
        return judge.prompt_language
    means = ", ".join(f"{name} {figure(mean)}" for name, mean in judge.language_means.items())
    return word("prompts_by", language=judge.prompt_language, means=means)


def _thinks(reasoning: bool | None, word: Word) -> str:
    return word("none") if reasoning is None else word("with" if reasoning else "without")


def _without(cell: CellResult) -> int:
    return cell.unscored + cell.failed
