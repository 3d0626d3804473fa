"""``python -m recipes.judge``: fit the parameters of the built-in judge."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import EXISTING_FOLDER, FILE
from aptone.messages import words as phrases_of
from aptone.types import Language


@click.command()
@click.option(
    "--proxy",
    "proxies",
    type=EXISTING_FOLDER,
    multiple=True,
    required=True,
    help="Made by: aptone build aptness-proxy --part dev --speakers train --speakers dev. May be given again.",
)
@click.option(
    "--answers",
    type=FILE,
    multiple=True,
    required=True,
    help="judge-foldN-seedM.npz of: python -m recipes.ear run --recipe judge-foldN. May be given again.",
)
@click.option("--out", type=FILE, required=True, help="New file with the numbers of the judge.")
@lang_option("Of what is printed", default="en")
@json_option
def judge(proxies: Sequence[Path], answers: Sequence[Path], out: Path, lang: Language, as_json: bool) -> None:
    """Fit the numbers of the built-in judge to proxy benchmarks.

    Nobody listened: what comes out fits the formula of the proxy, with ears that never heard the actors.
    """
    from aptone.judge.parameters import load_parameters
    from recipes.judge.fit import fit, prepare, read_answers, write_parameters

    known = read_answers(answers)
    benchmarks = [prepare(folder, known) for folder in proxies]
    fitted = fit(benchmarks, start=load_parameters(), log=log_to_people(lang))
    write_parameters(fitted.parameters, out)
    if as_json:
        print_json({"parameters": str(out), "before": dict(fitted.before), "after": dict(fitted.after)})
        return
    word = phrases_of(lang, "cli.training")
    for name, value in fitted.after.items():
        print_text(word("fitted", name=name, value=value, before=fitted.before[name]))
    print_text(word("parameters", path=out))


if __name__ == "__main__":
    sys.exit(exit_code(judge, sys.argv[1:], name="python -m recipes.judge"))
