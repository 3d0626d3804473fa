"""``aptone build rating-task``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.studio import item_options, language_option
from aptone.cli.options.values import EXISTING, FOLDER
from aptone.cli.output import json_option, print_json, print_text
from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import words
from aptone.ratings.tasks import write_task
from aptone.studio.exchange.imports import import_task, named_task
from aptone.types import Language

TASK_FILE = "task.json"


@click.command("rating-task")
@click.argument("template", metavar="TASK")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=EXISTING)
@click.option("-o", "--output", type=FOLDER, required=True, help="A new folder.")
@item_options
@language_option
@json_option
def rating_task(
    template: str,
    sources: Sequence[Path],
    output: Path,
    name: str,
    raters: int | None,
    calibration: int,
    per_dimension: int,
    systems: Sequence[str],
    seed: int,
    language: Language,
    as_json: bool,
) -> int:
    """A task for people to rate, from a manifest or from what a run has judged.

    TASK is one that ships (ceaeval-d, emosura-mos, paras2s, paras2s-answers, preference, s3bench), or a task file of
    your own without items. SOURCE is a manifest or run folder; a preference takes two. The folder gets task.json and
    the clips, and the judge's scores are in it, hidden from raters.

    \b
    aptone build rating-task paras2s-answers answers-run/ -o raters/
    aptone build rating-task preference run-a/ run-b/ --system old --system new -o ab/
    """  # noqa: D301  (\b keeps click from joining the lines)
    if output.exists() and any(output.iterdir()):
        raise UsageError(f"{output}: is there already and holds something; name a new folder.")
    chosen = named_task(template)
    make_folder(output)
    task = import_task(
        chosen,
        sources,
        folder=output,
        name=name,
        raters=raters,
        calibration=calibration,
        per_dimension=per_dimension,
        systems=systems,
        seed=seed,
    )
    path = output / TASK_FILE
    write_task(path, task)
    if as_json:
        print_json({"task": str(path), "name": task.name, "items": len(task.items), "raters": task.raters_per_item})
    else:
        word = words(language, "cli.rating-task")
        print_text(word("made", items=len(task.items), raters=task.raters_per_item, task=path))
        print_text(word("next", task=path))
    return 0
