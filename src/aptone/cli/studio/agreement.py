"""``aptone studio agreement``."""

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
    opened,
    require_task,
    task_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import translate, words
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, terminal_table
from aptone.types import Language, to_json

if TYPE_CHECKING:
    from aptone.studio.agreement.controls import ControlAgreement
    from aptone.studio.agreement.overview import AgreementReport


@click.command("agreement")
@folder_argument
@task_option
@lexicon_options
@database_option
@language_option
@json_option
def agreement(
    folder: Path,
    task_name: str,
    lexicon_file: Path | None,
    lexicon_scale: tuple[float, float] | None,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """How well people agree on a task, question by question, and the automatic judge with them.

    \b
    aptone studio agreement listening/ --task s3bench
    aptone studio agreement listening/ --task ceaeval-d --lexicon NRC-VAD-Lexicon.txt
    """  # noqa: D301
    with opened(folder, database_url) as project:
        from aptone.studio.agreement.overview import agreement_report

        require_task(project, task_name)
        lexicon = chosen_lexicon(lexicon_file, lexicon_scale)
        task = project.tasks.get(task_name).task
        report = agreement_report(task, [row.rating for row in project.results.ratings(task_name)], lexicon=lexicon)
    if as_json:
        print_json(to_json(report))
        return 0
    word = words(language, "studio")
    tables = _tables(report, word)
    if not tables:
        print_text(word("nobody_yet", task=report.task))
    for title, controls in tables.items():
        print_rich(terminal_table(_people_table(title, controls, word)))
    if any(one.items for one in report.judge):
        print_rich(terminal_table(_judge_table(report, word)))
    for why, figures in _undefined([one for controls in tables.values() for one in controls]).items():
        print_text(word("undefined", figures=", ".join(figures), why=translate(why, language)))
    for rater, why in sorted(report.set_aside.items()):
        print_text(word("set_aside", rater=rater, why=translate(why, language)))
    return 0


def _tables(report: "AgreementReport", word: Callable[..., str]) -> "dict[str, Sequence[ControlAgreement]]":
    """Rated items and calibration items, by their titles, where somebody has answered."""
    tables: dict[str, Sequence[ControlAgreement]] = {}
    if report.ratings:
        tables[word("agreement_of", task=report.task, ratings=report.ratings, people=report.people)] = report.controls
    if any(figure.raters for one in report.calibration for figure in one.figures.values()):
        tables[word("agreement_calibration", task=report.task)] = report.calibration
    return tables


def _people_table(title: str, controls: "Sequence[ControlAgreement]", word: Callable[..., str]) -> ResultTable:
    columns = (
        Column(word("control"), number=False),
        Column(word("figure"), number=False),
        Column(word("value"), roomy=True),
        Column(word("items")),
        Column(word("raters")),
    )
    rows = tuple(
        (
            TableCell(one.control),
            TableCell(name),
            estimate_cell(figure.estimate),
            TableCell(str(figure.estimate.count)),
            TableCell(str(figure.raters)),
        )
        for one in controls
        for name, figure in one.figures.items()
    )
    return ResultTable(title, columns, rows)


def _undefined(controls: "Sequence[ControlAgreement]") -> dict[str, list[str]]:
    """Why figures have no value, to the question and name of each of them."""
    found: dict[str, list[str]] = {}
    for one in controls:
        for name, figure in one.figures.items():
            if not figure.estimate.is_defined:
                found.setdefault(figure.estimate.reason, []).append(f"{one.control} {name}")
    return found


def _judge_table(report: "AgreementReport", word: Callable[..., str]) -> ResultTable:
    columns = (
        Column(word("control"), number=False),
        Column(word("statistic"), number=False),
        Column(word("judge"), roomy=True),
        Column(word("people"), roomy=True),
        Column(word("items")),
    )
    rows = tuple(
        (
            TableCell(one.control),
            TableCell(name),
            estimate_cell(estimate),
            estimate_cell(one.people[name]),
            TableCell(str(one.items)),
        )
        for one in report.judge
        if one.items
        for name, estimate in one.judge.items()
    )
    return ResultTable(word("judge_beside"), columns, rows)
