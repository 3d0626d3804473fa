"""``aptone compare``."""

from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.output import json_option, print_json, print_rich
from aptone.report.showing import line_of
from aptone.report.terminal import comparison_table
from aptone.run import load_run
from aptone.run.compare import compare as compare_runs
from aptone.types import to_json

SHOWN_CHANGES = 10


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--score", help="Name of the score to compare; by default the main one.")
@click.option("--fail-below", type=float, help="Exit with 1 if the mean of B minus A is below this.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap and the permutation test.")
@json_option
def compare(run_a: Path, run_b: Path, score: str | None, fail_below: float | None, seed: int, as_json: bool) -> int:
    """Compare two runs item by item: did it get better?

    Items are matched by id. The difference is B minus A, with a bootstrap interval and a permutation test.
    """
    first = load_run(run_a)
    comparison = compare_runs(first, load_run(run_b), score=score, seed=seed)
    failed = fail_below is not None and not comparison.difference.value >= fail_below
    if as_json:
        print_json({**to_json(comparison), "failed": failed})
    else:
        lines = {entry.item.id: line_of(entry.item.payload) for entry in first.entries}
        rows = [replace(change, line=lines[change.id]) for change in comparison.changes]
        print_rich(
            comparison_table(
                rows,
                difference=comparison.difference,
                p_value=comparison.p_value,
                names=(str(run_a), str(run_b)),
                higher_is_better=comparison.higher_is_better,
                limit=SHOWN_CHANGES,
            )
        )
        for warning in comparison.warnings:
            click.echo(f"Note: {warning}.")
        for name, ids in ((run_a, comparison.only_first), (run_b, comparison.only_second)):
            if ids:
                more = " …" if len(ids) > SHOWN_CHANGES else ""
                click.echo(f"Only {name} scored {len(ids)}: {', '.join(ids[:SHOWN_CHANGES])}{more}")
    if failed:
        click.echo(
            f"aptone: the mean difference {comparison.difference.value:+.3f} is below {fail_below:+g}.", err=True
        )
    return int(failed)
