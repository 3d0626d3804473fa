"""``python -m recipes.judge``: fit the parameters of the built-in judge."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.training import EXISTING_FOLDER, FILE
from aptone.cli.output import json_option, print_json, print_text


@click.command()
@click.option(
    "--proxy",
    "proxies",
    type=EXISTING_FOLDER,
    multiple=True,
    required=True,
    help="Made by: aptone build aptness-proxy --part dev --speakers train --speakers dev. May be given several times.",
)
@click.option(
    "--answers",
    type=FILE,
    multiple=True,
    required=True,
    help="judge-foldN-seedM.npz of: python -m recipes.ear run --recipe judge-foldN. May be given several times.",
)
@click.option("--out", type=FILE, required=True, help="File for the parameters.")
@json_option
def judge(proxies: Sequence[Path], answers: Sequence[Path], out: Path, as_json: bool) -> None:
    """Fit the parameters of the built-in judge to proxy benchmarks.

    No listeners are involved: the target is the formula of the proxy, with ears that never heard the actors.
    """
    from aptone.judge.parameters import load_parameters
    from recipes.judge.fit import fit, prepare, read_answers, write_parameters

    known = read_answers(answers)
    benchmarks = [prepare(folder, known) for folder in proxies]
    fitted = fit(benchmarks, start=load_parameters(), log=partial(click.echo, err=True))
    write_parameters(fitted.parameters, out)
    if as_json:
        print_json({"parameters": str(out), "before": dict(fitted.before), "after": dict(fitted.after)})
        return
    for name, value in fitted.after.items():
        print_text(f"{name}: {value:.3f} (before {fitted.before[name]:.3f})")
    print_text(f"Parameters: {out}")


if __name__ == "__main__":
    sys.exit(exit_code(judge, sys.argv[1:], name="python -m recipes.judge"))
