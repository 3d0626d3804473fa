"""``aptone studio import``, ``invite``, ``export``, ``agreement`` and ``tasks``: a project without its server."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.cli.studio_options import (
    database_option,
    folder_argument,
    language_option,
    opened,
    task_option,
)
from aptone.errors import UsageError
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, terminal_table
from aptone.report.words import words
from aptone.run.rating_tasks import task_template, templates
from aptone.studio.words import PHRASES
from aptone.types import Json, Language, to_json

if TYPE_CHECKING:
    from aptone.studio.agreement import AgreementReport
    from aptone.studio.agreement_controls import ControlAgreement
    from aptone.studio.exports import Rows
    from aptone.studio.project import Project
    from aptone.studio.records import Role

FORMATS = ("jsonl", "csv", "parquet", "dataset")
ADDRESS = "http://127.0.0.1:8765"


@click.command("import")
@folder_argument
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--task",
    "template",
    metavar="TASK",
    help="Task that ships, or a task file without items; it is filled from manifests or runs.",
)
@click.option("--name", default="", help="Of the new task, with --task; by default its own.")
@click.option(
    "--calibration",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="With --task: first items that all rate.",
)
@click.option(
    "--raters",
    type=click.IntRange(1),
    help="With --task: hHow many people rate each item; by default as TASK says.",
)
@click.option("--link", is_flag=True, help="Give clips a second name in the project instead of a copy.")
@click.option("--closed", is_flag=True, help="Nobody may work on it before an admin opens it.")
@database_option
@language_option
@json_option
def import_(
    folder: Path,
    files: Sequence[Path],
    template: str | None,
    name: str,
    calibration: int,
    raters: int | None,
    link: bool,
    closed: bool,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Put tasks into a project: task files (YAML or JSON), or with --task manifests and run folders.

    \b
    aptone studio import listening/ task.yaml
    aptone studio import listening/ run/ --task ceaeval-d
    aptone studio import listening/ clips.jsonl --task task.yaml
    """  # noqa: D301
    if (name or calibration or raters) and template is None:
        raise UsageError("--name, --calibration and --raters go with --task; a task file holds its own.")
    with opened(folder, database_url, new=True) as project:
        from aptone.studio.imports import import_task, import_task_file

        if template is None:
            made = [import_task_file(file, folder=project.folder, link=link) for file in files]
        else:
            task = import_task(
                template,
                files,
                folder=project.folder,
                name=name,
                link=link,
                calibration=calibration,
                raters=raters,
            )
            made = [task]
        for task in made:
            project.tasks.put(task, open=not closed).result()
    if as_json:
        rows: list[Json] = [
            {"name": task.name, "items": len(task.items), "raters": task.raters_per_item} for task in made
        ]
        print_json({"tasks": rows})
        return 0
    word = words(language, PHRASES)
    for task in made:
        print_text(word("imported", task=task.name, items=len(task.items), raters=task.raters_per_item))
        known = {item.id: item for item in task.items}
        if silent := sum(not known[name].gold for name in task.calibration):
            print_text(word("no_gold", count=silent))
    print_text(word("next_studio", folder=folder))
    return 0


@click.command("invite")
@folder_argument
@click.option(
    "--role",
    type=click.Choice(["annotator", "adjudicator", "admin"]),
    default="annotator",
    show_default=True,
    help="What the person may do.",
)
@click.option("--name", required=True, help="Whom the link is for.")
@click.option("--days", default=30.0, show_default=True, help="How long the link works.")
@click.option("--public-url", default=ADDRESS, show_default=True, metavar="URL", help="Where people reach the studio.")
@database_option
@language_option
@json_option
def invite(
    folder: Path,
    role: "Role",
    name: str,
    days: float,
    public_url: str,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Make a personal link. It is printed here, and nowhere else.

    \b
    aptone studio invite listening/ --role annotator --name "Ada"
    """  # noqa: D301
    with opened(folder, database_url) as project:
        from aptone.studio.running import join_link
        from aptone.studio.server.security import Addresses

        Addresses(public_url=public_url)
        link = join_link(public_url, project.people.invite(role, name=name, days=days).result().token)
    if as_json:
        print_json({"name": name, "role": role, "days": days, "link": link})
        return 0
    word = words(language, PHRASES)
    print_text(word("invited", name=name, role=word(role), days=f"{days:g}"))
    print_text(f"  {link}")
    return 0


@click.command("export")
@folder_argument
@task_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True, help="Of the file.")
@click.option(
    "--rows",
    type=click.Choice(["ratings", "items"]),
    default="ratings",
    show_default=True,
    help="One a rating, or one an item with what its raters say together; a dataset has both.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="File, or folder of a dataset.")
@database_option
@language_option
@json_option
def export(
    folder: Path,
    task_name: str,
    form: str,
    rows: "Rows",
    output: Path,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Write what was answered, people by pseudonym.

    \b
    aptone studio export listening/ --task s3bench --format csv -o ratings.csv
    """  # noqa: D301
    with opened(folder, database_url) as project:
        from aptone.studio.exporting import export_to

        _require_task(project, task_name)
        count = len(project.results.ratings(task_name))
        export_to(project, task_name, form, output, rows=rows)
    if as_json:
        print_json({"task": task_name, "format": form, "path": str(output), "ratings": count})
    else:
        print_text(words(language, PHRASES)("exported", ratings=count, path=output))
    return 0


@click.command("agreement")
@folder_argument
@task_option
@database_option
@language_option
@json_option
def agreement(folder: Path, task_name: str, database_url: str, language: Language, as_json: bool) -> int:
    """How well people agree on a task, question by question.

    \b
    aptone studio agreement listening/ --task s3bench
    """  # noqa: D301
    with opened(folder, database_url) as project:
        from aptone.studio.agreement import agreement_report

        _require_task(project, task_name)
        task = project.tasks.get(task_name).task
        report = agreement_report(task, [row.rating for row in project.results.ratings(task_name)])
    if as_json:
        print_json(to_json(report))
    else:
        _print_agreement(report, language=language)
        for rater, why in sorted(report.set_aside.items()):
            print_text(words(language, PHRASES)("set_aside", rater=rater, why=why))
    return 0


@click.command("tasks")
@language_option
@json_option
def tasks(language: Language, as_json: bool) -> int:
    """List the tasks that ship."""
    found = [task_template(name) for name in templates()]
    if as_json:
        asked = {one.name: [control.name for control in one.controls] for one in found}
        rows: list[Json] = [{"name": one.name, "title": one.title, "controls": asked[one.name]} for one in found]
        print_json({"tasks": rows})
        return 0
    word = words(language, PHRASES)
    columns = tuple(Column(word(name), number=False) for name in ("task", "title", "asks"))
    cells = tuple(
        tuple(TableCell(text) for text in (one.name, _in(language, one.title), ", ".join(c.name for c in one.controls)))
        for one in found
    )
    print_rich(terminal_table(ResultTable(word("tasks_that_ship"), columns, cells)))
    return 0


def _require_task(project: "Project", name: str) -> None:
    if name not in (names := project.tasks.names()):
        there = f"it has {', '.join(names)}" if names else "it has none yet; add one with: aptone studio import"
        raise UsageError(f"{project.folder}: there is no task {name!r}; {there}.")


def _in(language: Language, texts: object) -> str:
    assert isinstance(texts, dict)
    return str(texts.get(language) or next(iter(texts.values()), ""))


def _print_agreement(report: "AgreementReport", *, language: Language) -> None:
    """A table of the rated items and one of the calibration items, where there is something in them."""
    word = words(language, PHRASES)
    calibrated = any(figure.raters for one in report.calibration for figure in one.figures.values())
    if not report.ratings and not calibrated:
        print_text(word("nobody_yet", task=report.task))
    tables = {
        word("agreement_of", task=report.task, ratings=report.ratings, people=report.people): (
            report.controls if report.ratings else ()
        ),
        word("agreement_calibration", task=report.task): report.calibration if calibrated else (),
    }
    for title, controls in tables.items():
        if controls:
            print_rich(terminal_table(_agreement_table(title, controls, language=language)))
    estimates = (figure.estimate for controls in tables.values() for one in controls for figure in one.figures.values())
    for reason in sorted({estimate.reason for estimate in estimates if math.isnan(estimate.value)}):
        print_text(f"– {reason}")


def _agreement_table(title: str, controls: "Sequence[ControlAgreement]", *, language: Language) -> ResultTable:
    word = words(language, PHRASES)
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
