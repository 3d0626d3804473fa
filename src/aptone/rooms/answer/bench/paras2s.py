"""ParaS2SBench over several judges: the same answers, judged by each, and what changes with the judge."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from aptone.messages import translate, words
from aptone.report.result_table import Column, ResultTable, Section, TableCell, bench_page, estimate_cell
from aptone.rooms.answer.bench.validation import JudgeSwap, judge_swap
from aptone.rooms.answer.report.figures import pairs_figure
from aptone.rooms.answer.report.results import AnswerResults, judged_answers, results_json
from aptone.rooms.answer.report.tables import (
    categories_table,
    checks_table,
    compared_table,
    pairs_table,
    people_table,
    result_notes,
    result_tables,
    systems_table,
)
from aptone.run import Run
from aptone.types import Json, Language, to_json

REPORT, RESULTS = "report.html", "results.json"


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """Verdicts of one judge on all answers."""

    judge: str
    run: Run
    results: AnswerResults
    notes: tuple[str, ...] = ()


def judge_swaps(runs: Sequence[JudgedRun]) -> dict[str, JudgeSwap]:
    """The first judge beside each of the others, by the other's name."""
    first = judged_answers(runs[0].run.entries)
    return {one.judge: judge_swap(first, judged_answers(one.run.entries)) for one in runs[1:]}


def folder_of(judge: str) -> str:
    """The name of a judge's folder.

    >>> folder_of("qwen3-32b @ home/..")
    'qwen3-32b_home'
    """
    return re.sub(r"[^\w.-]+", "_", judge).strip("._") or "judge"


def paras2s_json(runs: Sequence[JudgedRun], swaps: Mapping[str, JudgeSwap]) -> dict[str, Json]:
    """Everything for machines."""
    return {
        "judges": [{"judge": one.judge, "run": str(one.run.folder), **results_json(one.results)} for one in runs],
        "swaps": {
            name: {"first": runs[0].judge, "keeps_order": swap.keeps_order, **to_json(swap)}
            for name, swap in swaps.items()
        },
    }


def paras2s_tables(
    runs: Sequence[JudgedRun], swaps: Mapping[str, JudgeSwap], *, language: Language = "en"
) -> list[ResultTable]:
    """The tables for a terminal: the systems by each judge, pairs and checks by the first, the swap of judges."""
    return [
        *_of_judges(runs, language),
        *(_titled(table, runs[0].judge, runs) for table in result_tables(runs[0].results, language=language)[1:]),
        *_there(swap_table(runs, swaps, language=language)),
    ]


def swap_table(
    runs: Sequence[JudgedRun], swaps: Mapping[str, JudgeSwap], *, language: Language = "en"
) -> ResultTable | None:
    """Table of the change between judges; ``None`` with one judge only."""
    if not swaps:
        return None
    word = words(language, "answer")
    rows = tuple(
        (
            TableCell(runs[0].judge),
            TableCell(name),
            estimate_cell(swap.linear),
            estimate_cell(swap.by_rank),
            estimate_cell(swap.shift.difference, signed=True),
            TableCell(word("same_order" if swap.keeps_order else "other_order")),
        )
        for name, swap in swaps.items()
    )
    first, other, order = (Column(word(name), number=False) for name in ("judge", "other_judge", "order"))
    columns = (first, other, Column("Pearson"), Column("Spearman"), Column(word("shift")), order)
    return ResultTable(word("swap"), columns, rows, word("swap_note"))


def paras2s_page(
    runs: Sequence[JudgedRun], swaps: Mapping[str, JudgeSwap], *, source: str, language: Language = "en"
) -> str:
    """The benchmark as one HTML document; the pairs that can be heard are those of the first judge."""
    word = words(language, "answer")
    first = runs[0]
    heard = pairs_figure(first.run.entries, first.results, language=language, folder=first.run.folder)
    sections = [
        Section("systems", word("systems"), tables=tuple(_of_judges(runs, language))),
        Section(
            "pairs",
            word("pairs"),
            tables=tuple(
                _titled(table, first.judge, runs)
                for table in _there(
                    pairs_table(first.results, language=language), compared_table(first.results, language=language)
                )
            ),
        ),
        Section("heard", word("pairs_heard"), figures=(heard,) if heard is not None else ()),
        Section(
            "categories",
            word("categories"),
            tables=tuple(
                _titled(table, one.judge, runs)
                for one in runs
                if (table := categories_table(one.results, language=language)) is not None
            ),
        ),
        Section(
            "trust",
            word("trust"),
            tables=(
                *(
                    _titled(table, first.judge, runs)
                    for table in _there(
                        people_table(first.results, language=language), checks_table(first.results, language=language)
                    )
                ),
                *_there(swap_table(runs, swaps, language=language)),
            ),
        ),
    ]
    answers = sum(system.asked for system in first.results.systems)
    return bench_page(
        f"ParaS2SBench · {source}",
        byline=word("byline", systems=len(first.results.systems), answers=answers, judges=len(runs)),
        notes=paras2s_notes(runs, language=language),
        sections=sections,
        version=version("aptone"),
        language=language,
        with_players=True,
    )


def paras2s_notes(runs: Sequence[JudgedRun], *, language: Language = "en") -> list[str]:
    """Return the notes above the results: about each judge, and about what the means leave out."""
    notes = []
    for one in runs:
        named = f"{one.judge}: " if len(runs) > 1 else ""
        notes += [f"{named}{translate(note, language)}" for note in one.notes]
        notes += [f"{named}{note}" for note in result_notes(one.results.systems, language=language)]
    return notes


def _of_judges(runs: Sequence[JudgedRun], language: Language) -> list[ResultTable]:
    """The systems by each judge; what the columns mean is said once, below the last."""
    tables = [_titled(systems_table(one.results, language=language), one.judge, runs) for one in runs]
    return [replace(table, note="") for table in tables[:-1]] + tables[-1:]


def _titled(table: ResultTable, judge: str, runs: Sequence[JudgedRun]) -> ResultTable:
    """Return the table with the name of the judge in its title where there are several."""
    return replace(table, title=f"{table.title} · {judge}" if len(runs) > 1 else table.title)


def _there(*tables: ResultTable | None) -> list[ResultTable]:
    return [table for table in tables if table is not None]
