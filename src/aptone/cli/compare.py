"""``aptone compare``."""

from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.report.showing import line_of
from aptone.report.terminal import comparison_table
from aptone.report.visible import visible
from aptone.run import load_run
from aptone.run.compare import Comparison
from aptone.run.compare import compare as compare_runs
from aptone.types import to_json

SHOWN_CHANGES = 10


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--score", help="Name of the score to compare; by default the main one.")
@click.option(
    "--fail-below",
    type=float,
    help="Exit with 1 if B is not better than A by at least this, or lost items, or another judge scored it.",
)
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap and the permutation test.")
@json_option
def compare(run_a: Path, run_b: Path, score: str | None, fail_below: float | None, seed: int, as_json: bool) -> int:
    """Compare two runs item by item: did it get better?

    Items are matched by id. The difference is B minus A, with a bootstrap interval and a permutation test. With
    --fail-below it is a gate for your CI: it also fails if B scored fewer of A's items, or if the judges differ.
    """
    first = load_run(run_a)
    comparison = compare_runs(first, load_run(run_b), score=score, seed=seed)
    lines = {entry.item.id: line_of(entry.item.payload) for entry in first.entries}
    comparison = replace(comparison, changes=tuple(replace(c, line=lines[c.id]) for c in comparison.changes))
    failures = () if fail_below is None else _failures(comparison, fail_below)
    if as_json:
        print_json({**to_json(comparison), "failures": failures})
    else:
        print_rich(
            comparison_table(
                comparison.changes,
                difference=comparison.difference,
                p_value=comparison.p_value,
                names=(str(run_a), str(run_b)),
                higher_is_better=comparison.higher_is_better,
                limit=SHOWN_CHANGES,
            )
        )
        for warning in comparison.warnings:
            print_text(f"Note: {warning}.")
        for name, ids in ((run_a, comparison.only_first), (run_b, comparison.only_second)):
            if ids:
                more = " …" if len(ids) > SHOWN_CHANGES else ""
                print_text(f"Only {name} scored {len(ids)}: {', '.join(ids[:SHOWN_CHANGES])}{more}")
    for failure in failures:
        click.echo(f"aptone: {visible(failure)}", err=True)
    return int(bool(failures))


def _failures(comparison: Comparison, fail_below: float) -> tuple[str, ...]:
    sign = -1.0 if comparison.higher_is_better is False else 1.0
    gained = sign * comparison.difference.value
    found = [] if gained >= fail_below else [f"B is better than A by {gained:.3f}, which is below {fail_below:g}."]
    if comparison.only_first:
        found.append(f"{len(comparison.only_first)} items that A scored have no score in B.")
    if comparison.judges > 1:
        found.append("A and B were not scored by the same judge.")
    return tuple(found)
