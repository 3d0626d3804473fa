"""``aptone build rating-task``."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from aptone.cli.output import json_option, print_json, print_text
from aptone.errors import UsageError
from aptone.report.words import Phrase, words
from aptone.rooms.answer.rating_items import PER_DIMENSION
from aptone.run.files import make_folder
from aptone.run.rating_tasks import write_task
from aptone.studio.imports import import_task, named_task
from aptone.types import Language

TASK_FILE = "task.json"

PHRASES: Mapping[str, Phrase] = {
    "made": Phrase("{items} items, {raters} people each: {task}", "{items} 个条目，每个由 {raters} 人评定：{task}"),
    "next": Phrase("Serve it: aptone studio import PROJECT {task}", "开始评定：aptone studio import PROJECT {task}"),
}


@click.command("rating-task")
@click.argument("template", metavar="TASK")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="A new folder.")
@click.option("--name", default="", help="Of the task; by default that of TASK.")
@click.option(
    "--per-dimension",
    type=click.IntRange(1),
    default=PER_DIMENSION,
    show_default=True,
    help="Answers that are drawn of each dimension (paras2s-answers).",
)
@click.option(
    "--calibration",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How many of the first items everyone rates before the others.",
)
@click.option(
    "--raters",
    type=click.IntRange(1),
    help="How many people rate each item; by default as TASK says.",
)
@click.option("--system", "systems", multiple=True, help="Names of the two sides (preference); give it twice.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw.")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="Of what is printed.")
@json_option
def rating_task(
    template: str,
    sources: Sequence[Path],
    output: Path,
    name: str,
    per_dimension: int,
    calibration: int,
    raters: int | None,
    systems: Sequence[str],
    seed: int,
    lang: Language,
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
        per_dimension=per_dimension,
        calibration=calibration,
        raters=raters,
        systems=systems,
        seed=seed,
    )
    path = output / TASK_FILE
    write_task(path, task)
    if as_json:
        print_json({"task": str(path), "name": task.name, "items": len(task.items), "raters": task.raters_per_item})
    else:
        word = words(lang, PHRASES)
        print_text(word("made", items=len(task.items), raters=task.raters_per_item, task=path))
        print_text(word("next", task=path))
    return 0
