"""``aptone studio from-run`` and ``apply``: from a run to raters, and what they said back to the run."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import (
    database_option,
    folder_argument,
    language_option,
    open_project,
    require_task,
    task_option,
)
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import translate, words
from aptone.report.listeners import ORDER
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, terminal_table
from aptone.types import Estimate, Json, Language, to_json

if TYPE_CHECKING:
    from aptone.studio.runs import AppliedRun


@click.command("from-run")
@click.argument("runs", metavar="RUN [RUN]", nargs=-1, required=True, type=PATH)
@click.option("--project", "folder", type=PATH, required=True, help="Project folder; made if there is none.")
@click.option("--takes", is_flag=True, help="Compare the takes of each line instead of asking about single items.")
@click.option("--task", "template", default="", help="Built-in task or task file; by default one that fits the run.")
@click.option("--name", default="", help="Name of the new task; by default that of the template.")
@click.option("--count", type=click.IntRange(0), default=0, help="Most items, the closest calls; 0 for all.")
@click.option("--raters", type=click.IntRange(1), help="Raters per item; by default as in the template.")
@click.option("--system", "systems", multiple=True, help="Names of two runs in the results; give it twice.")
@click.option("--link", is_flag=True, help="Hard-link clips into the project instead of copying them.")
@click.option("--closed", is_flag=True, help="Keep the task closed until an admin opens it.")
@database_option
@language_option
@json_option
def from_run(
    runs: Sequence[Path],
    folder: Path,
    takes: bool,
    template: str,
    name: str,
    count: int,
    raters: int | None,
    systems: Sequence[str],
    link: bool,
    closed: bool,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Ask people about a run: the judge's closest calls first, its scores hidden from them.

    Takes of a line come by how likely the judge has them in the wrong order: a small lead, wide intervals. Single items
    come by the width of their intervals. Two runs over the same lines are compared line by line.

    \b
    aptone studio from-run ranked/ --takes --project listening/
    aptone studio from-run run-a/ run-b/ --system old --system new --project listening/
    """  # noqa: D301
    with open_project(folder, database_url, new=True) as project:
        from aptone.studio.decoded_clips import DecodedClips
        from aptone.studio.exchange.from_run import UNSURE, task_from_run
        from aptone.studio.runs import note_runs

        decoded = DecodedClips()
        task = task_from_run(
            runs,
            folder=project.folder,
            takes=takes,
            template=template,
            name=name,
            count=count,
            raters=raters,
            systems=systems,
            link=link,
            decoded=decoded,
        )
        project.tasks.put(task, open=not closed, decoded=decoded).result()
        note_runs(project.folder, runs)
    unsure = [item.hidden[UNSURE] for item in task.items]
    if as_json:
        rows: list[Json] = [{"id": item.id, "unsure": value} for item, value in zip(task.items, unsure, strict=True)]
        print_json({"task": task.name, "raters": task.raters_per_item, "items": rows})
        return 0
    word = words(language, "studio")
    print_text(word("imported", task=task.name, items=len(task.items), raters=task.raters_per_item))
    print_text(word("closest_first", first=task.items[0].id, last=task.items[-1].id))
    print_text(word("next_studio", folder=folder))
    return 0


@click.command("apply")
@folder_argument
@task_option
@click.option("--run", "runs", multiple=True, type=PATH, help="Run folder that was moved since; give it once for each.")
@click.option("--question", default="", help="Question of the task whose answers count; by default the judged one.")
@database_option
@language_option
@json_option
def apply(
    folder: Path,
    task_name: str,
    runs: Sequence[Path],
    question: str,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Bring what people said back to the runs: trust card, report and calibration. No score changes.

    The task was made by from-run. Agreement of the judge with people stands beside that of people with each other.

    \b
    aptone studio apply listening/ --task preference
    aptone score new.jsonl -o new-run/ --calibration ranked/calibration.json
    """  # noqa: D301
    with open_project(folder, database_url) as project:
        from aptone.studio.runs import apply_ratings, runs_of

        require_task(project, task_name)
        task = project.tasks.get(task_name).task
        applied = apply_ratings(
            task,
            [row.rating for row in project.results.ratings(task_name)],
            runs_of(project.folder, task, runs),
            control=question,
            language=language,
            version=version("aptone"),
        )
    if as_json:
        print_json({"task": task_name, "runs": [_json(one) for one in applied]})
        return 0
    word = words(language, "studio")
    for one in applied:
        print_rich(terminal_table(_table(one, word)))
        if one.calibration is None:
            print_text(word("no_calibration", why=translate(one.why, language)))
        else:
            print_text(translate(one.calibration.note, language))
            print_text(word("calibration_at", path=one.folder / "calibration.json"))
    return 0


def _json(one: "AppliedRun") -> dict[str, Json]:
    return {
        "run": str(one.folder),
        "ratings": one.ratings,
        "people": one.people,
        "agreement": {name: to_json(estimate) for name, estimate in one.card.agreement.items()},
        "ceiling": {name: to_json(estimate) for name, estimate in one.card.ceiling.items()},
        "calibration": None if one.calibration is None else to_json(one.calibration),
        "why": one.why,
    }


def _table(one: "AppliedRun", word: Callable[..., str]) -> ResultTable:
    columns = (
        Column(word("statistic"), number=False),
        Column(word("judge_with_people"), roomy=True),
        Column(word("people_with_people"), roomy=True),
    )
    card = one.card
    names = dict.fromkeys([*card.agreement, *card.ceiling])
    rows = tuple(
        (
            TableCell(word("order_share") if name == ORDER else name),
            _cell(card.agreement.get(name)),
            _cell(card.ceiling.get(name)),
        )
        for name in names
    )
    return ResultTable(word("applied", run=one.folder, ratings=one.ratings, people=one.people), columns, rows)


def _cell(estimate: Estimate | None) -> TableCell:
    return TableCell("–") if estimate is None else estimate_cell(estimate)
