"""``aptone merge``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_text
from aptone.messages import message, translate
from aptone.run.merge import merge_runs
from aptone.types import Language


@click.command()
@click.argument("runs", metavar="RUNS...", nargs=-1, required=True, type=PATH)
@click.option("-o", "--output", type=PATH, required=True, help="Folder of the new run.")
@click.option(
    "--skip-damaged",
    is_flag=True,
    help="Leave out lines that are damaged or were changed by hand; their items are done again on resuming.",
)
@lang_option("Language of the output", default="en")
@json_option
def merge(runs: Sequence[Path], output: Path, skip_damaged: bool, lang: Language, as_json: bool) -> int:
    """Join runs of one configuration: shards of several machines, or a run and its additions.

    A run over shards (aptone score --executor ray) becomes a run with a journal.

    Runs must agree in everything that can change a score. An item that several of them hold is taken once: one that was
    scored goes before one that failed, and else the newest. Two different items with one id are an error.

    \b
    aptone merge shard-0/ shard-1/ shard-2/ -o all/
    aptone merge sharded-run/ -o all/
    aptone report all/
    """  # noqa: D301  (\b keeps click from joining the lines)
    made = merge_runs(runs, output, skip_damaged=skip_damaged)
    if as_json:
        print_json(
            folder=str(made.folder),
            runs=made.runs,
            entries=made.entries,
            doubled=made.doubled,
            failed=made.failed,
            missing=made.missing,
            skipped=made.skipped,
        )
    else:
        found = message("run.merged", runs=made.runs, folder=made.folder, entries=made.entries, doubled=made.doubled)
        told = message("run.merged-missing", said=found, count=made.missing) if made.missing else found
        print_text(translate(told, lang))
        if made.skipped:
            print_text(translate(message("run.merged-skipped", count=made.skipped, folder=made.folder), lang))
    return 0
