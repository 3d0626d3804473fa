"""``aptone compare``."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH, choice_option, shown_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import sentence, translate, words
from aptone.report.notation import visible
from aptone.report.terminal import comparison_table
from aptone.run import load_run
from aptone.run.compare import Comparison
from aptone.run.compare import compare as compare_runs
from aptone.run.payload import line_of
from aptone.types import Language, to_json

SHOWN_CHANGES = 10
Gate = Literal["interval", "point"]


@click.command()
@click.argument("run_a", type=PATH)
@click.argument("run_b", type=PATH)
@click.option("--score", help="Name of the score to compare; by default the main one.")
@click.option(
    "--fail-below",
    type=float,
    help="Exit with 1 if B is not better than A by at least this, or lost items, or another judge scored it.",
)
@choice_option(
    "--gate",
    "gate",
    ["interval", "point"],
    "What --fail-below looks at: the lower end of the difference's 95 % interval, or the difference itself.",
)
@shown_option("--seed", default=0, help="Random seed of the bootstrap and the permutation test.")
@lang_option("Language of the output", default="en")
@json_option
def compare(
    run_a: Path,
    run_b: Path,
    score: str | None,
    fail_below: float | None,
    gate: Gate,
    seed: int,
    lang: Language,
    as_json: bool,
) -> int:
    """Compare two runs item by item: did it get better?

    Items are matched by id. The difference is B minus A, with a bootstrap interval and a permutation test. With
    --fail-below it is a gate for your CI: it passes only if the whole interval lies at or above that value, or with
    --gate point if the mean does. It also fails if B scored fewer of A's items, or if the judges differ.
    """
    first = load_run(run_a)
    comparison = compare_runs(first, load_run(run_b), score=score, seed=seed)
    lines = {entry.item.id: line_of(entry.item.payload) for entry in first.entries}
    comparison = replace(comparison, changes=tuple(replace(c, line=lines[c.id]) for c in comparison.changes))
    names = (str(run_a), str(run_b))
    word = words(lang, "report")
    failures = () if fail_below is None else _failures(comparison, fail_below, gate, names, "en" if as_json else lang)
    if as_json:
        print_json({**to_json(comparison), "gate": gate, "failures": failures})
    else:
        print_rich(
            comparison_table(
                comparison.changes,
                difference=comparison.difference,
                p_value=comparison.p_value,
                names=names,
                higher_is_better=comparison.higher_is_better,
                score=comparison.score,
                language=lang,
                limit=SHOWN_CHANGES,
            )
        )
        for warning in comparison.warnings:
            print_text(word("note_is", note=translate(sentence(warning), lang)))
        for name, ids in zip(names, (comparison.only_first, comparison.only_second), strict=True):
            if ids:
                more = " …" if len(ids) > SHOWN_CHANGES else ""
                listed = f"{', '.join(ids[:SHOWN_CHANGES])}{more}"
                print_text(word("only_one_scored", name=name, count=len(ids), ids=listed))
    for failure in failures:
        click.echo(f"aptone: {visible(failure)}", err=True)
    return int(bool(failures))


def _failures(
    comparison: Comparison, fail_below: float, gate: Gate, names: tuple[str, str], language: Language
) -> tuple[str, ...]:
    word = words(language, "report")
    first, second = names
    difference = comparison.difference
    is_lower_better = comparison.higher_is_better is False
    gained = -difference.value if is_lower_better else difference.value
    least = -difference.high if is_lower_better else difference.low  # NaN where there is no interval: the gate fails
    found = []
    if not (least if gate == "interval" else gained) >= fail_below:
        change, size = word("better" if gained >= 0 else "worse"), f"{abs(gained):.3f}"
        values = {"first": first, "second": second, "change": change, "gained": size, "asked": f"{fail_below:g}"}
        if gate == "point":
            found.append(word("gate_difference", **values))
        elif math.isnan(least):
            found.append(word("gate_no_interval", **values, why=translate(difference.reason, language)))
        else:
            found.append(word("gate_interval", **values, least=f"{least:+.3f}"))
    if comparison.only_first:
        found.append(word("gate_lost", count=len(comparison.only_first), first=first, second=second))
    if comparison.judges > 1:
        found.append(word("gate_judges", first=first, second=second))
    return tuple(found)
