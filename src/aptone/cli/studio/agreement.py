"""``aptone studio agreement``: how well raters agree, in words that cannot be misread, and what to do next."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import (
    chosen_lexicon,
    database_option,
    folder_argument,
    language_option,
    lexicon_options,
    open_project,
    require_task,
    task_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import translate, words
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, terminal_table
from aptone.types import Estimate, Language, to_json

if TYPE_CHECKING:
    from aptone.studio.agreement.controls import ControlAgreement
    from aptone.studio.agreement.next_steps import NextSteps
    from aptone.studio.agreement.overview import AgreementReport

Word = Callable[..., str]
MOST_NAMED = 5
"""Items that a line names."""
MATTERS = 0.02
"""Gain in agreement from which a rater is named."""


@click.command("agreement")
@folder_argument
@task_option
@lexicon_options
@click.option(
    "--half-width",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Wanted half-width of the 95 % interval; the report says how many more ratings it takes.",
)
@database_option
@language_option
@json_option
def agreement(
    folder: Path,
    task_name: str,
    lexicon_file: Path | None,
    lexicon_scale: tuple[float, float] | None,
    half_width: float,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Report rater agreement on a task, question by question, what to do next, and that of the automatic judge.

    The agreement on a question is corrected for chance: 0 is what random answers give, 1 is perfect. Its word follows
    the lower end of the interval.

    \b
    aptone studio agreement listening/ --task s3bench
    aptone studio agreement listening/ --task ceaeval-d --lexicon NRC-VAD-Lexicon.txt
    """  # noqa: D301
    with open_project(folder, database_url) as project:
        from aptone.studio.agreement.overview import agreement_report

        require_task(project, task_name)
        stored = project.tasks.get(task_name)
        report = agreement_report(
            stored.task,
            [row.rating for row in project.results.ratings(task_name)],
            lexicon=chosen_lexicon(lexicon_file, lexicon_scale),
            seconds=stored.seconds,
            half_width=half_width,
        )
    if as_json:
        print_json(to_json(report))
        return 0
    word = words(language, "studio")
    tables = _tables(report, word)
    if not tables:
        print_text(word("nobody_yet", task=report.task))
    for title, controls in tables.items():
        print_rich(terminal_table(_headlines(title, controls, word)))
    if tables:
        print_text(_limits(report, word))
        print_rich(terminal_table(_other_figures(report.controls if report.ratings else report.calibration, word)))
    if any(one.items for one in report.judge):
        print_rich(terminal_table(_judge_table(report, word)))
    for control in report.controls:
        for line in _next_lines(control, word, language):
            print_text(line)
    for why, figures in _undefined([one for controls in tables.values() for one in controls]).items():
        print_text(word("undefined", figures=", ".join(figures), why=translate(why, language)))
    for rater, why in sorted(report.set_aside.items()):
        print_text(word("set_aside", rater=rater, why=translate(why, language)))
    return 0


def _tables(report: "AgreementReport", word: Word) -> "dict[str, Sequence[ControlAgreement]]":
    """Map table titles to agreement on rated and calibration items, where there are answers."""
    tables: dict[str, Sequence[ControlAgreement]] = {}
    if report.ratings:
        tables[word("agreement_of", task=report.task, ratings=report.ratings, people=report.people)] = report.controls
    if any(figure.raters for one in report.calibration for figure in one.figures.values()):
        tables[word("agreement_calibration", task=report.task)] = report.calibration
    return tables


def _headlines(title: str, controls: "Sequence[ControlAgreement]", word: Word) -> ResultTable:
    texts = (Column(word(name), number=False) for name in ("control", "agreement_word"))
    columns = (
        *texts,
        Column(word("alpha"), roomy=True),
        Column(word("figure"), number=False),
        Column(word("items")),
        Column(word("raters")),
    )
    return ResultTable(
        title,
        columns,
        tuple(
            _row(
                one.control,
                _named(one.word, word),
                one.figures[one.main].estimate,
                one.main,
                one.figures[one.main].estimate.count,
                one.figures[one.main].raters,
            )
            for one in controls
            if one.main
        ),
    )


def _named(name: str, word: Word) -> str:
    """Name of a word for agreement, in the language of the reader."""
    return word(f"word_{name.replace('-', '_') or 'undefined'}")


def _limits(report: "AgreementReport", word: Word) -> str:
    """State what the words mean."""
    limits = [f"{_named(name, word)} > {limit:g}" for name, limit in report.words.items()]
    return word("word_limits", limits=", ".join(limits))


def _other_figures(controls: "Sequence[ControlAgreement]", word: Word) -> ResultTable:
    """All figures besides the headlines, each with its direction and whether random answers give 0."""
    texts = (Column(word(name), number=False) for name in ("control", "figure"))
    columns = (
        *texts,
        Column(word("value"), roomy=True),
        Column(word("direction"), number=False),
        Column(word("chance"), number=False),
        Column(word("items")),
    )
    return ResultTable(
        word("other_figures"),
        columns,
        tuple(
            _row(
                one.control,
                name,
                figure.estimate,
                word(f"direction_{figure.direction or 'none'}"),
                "0" if figure.corrected else word("chance_not_zero"),
                figure.estimate.count,
            )
            for one in controls
            for name, figure in one.figures.items()
            if name != one.main
        ),
    )


def _next_lines(control: "ControlAgreement", word: Word, language: Language) -> list[str]:
    """Say what to do about the agreement on a question."""
    steps = control.next_steps
    if steps is None or not control.figures[control.main].estimate.is_defined:
        return []
    lines = []
    if steps.items:
        named = ", ".join(f"{one.item} ({one.disagreement:.1f})" for one in steps.items[:MOST_NAMED])
        lines.append(word("next_items", control=control.control, items=named))
    if gains := [one for one in steps.raters if one.gain > MATTERS]:
        named = ", ".join(f"{one.rater} (+{one.gain:.2f})" for one in gains[:MOST_NAMED])
        lines.append(word("next_raters", control=control.control, raters=named))
    return [*lines, *_needed_lines(control.control, steps, word, language)]


def _needed_lines(name: str, steps: "NextSteps", word: Word, language: Language) -> list[str]:
    needed = steps.needed
    if math.isnan(needed.more_items):
        return []
    if not needed.more_items:
        return [word("next_enough", control=name, now=f"{needed.now:.2f}", wanted=f"{needed.wanted:g}")]
    values = {"control": name, "wanted": f"{needed.wanted:g}", "now": f"{needed.now:.2f}"}
    items = int(needed.more_items)
    if math.isnan(needed.more_raters_per_item):
        return [word("next_more_items", items=items, why=translate(needed.reason, language), **values)]
    return [word("next_more", items=items, raters=int(needed.more_raters_per_item), **values)]


def _row(*values: object) -> tuple[TableCell, ...]:
    return tuple(estimate_cell(one) if isinstance(one, Estimate) else TableCell(str(one)) for one in values)


def _undefined(controls: "Sequence[ControlAgreement]") -> dict[str, list[str]]:
    """Map the reason for missing values to question and name of each figure."""
    found: dict[str, dict[str, None]] = {}
    for one in controls:
        for name, figure in one.figures.items():
            if not figure.estimate.is_defined:
                found.setdefault(figure.estimate.reason, {})[f"{one.control} {name}"] = None
    return {why: list(names) for why, names in found.items()}


def _judge_table(report: "AgreementReport", word: Word) -> ResultTable:
    texts = (Column(word(name), number=False) for name in ("control", "statistic"))
    columns = (*texts, *(Column(word(name), roomy=True) for name in ("judge", "people")), Column(word("items")))
    rows = tuple(
        _row(one.control, name, estimate, one.people[name], one.items)
        for one in report.judge
        if one.items
        for name, estimate in one.judge.items()
    )
    return ResultTable(word("judge_beside"), columns, rows)
