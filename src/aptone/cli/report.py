"""``aptone report``."""

from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import words
from aptone.report.run_report import finish_run
from aptone.report.terminal import trust_panel
from aptone.run import load_run
from aptone.types import Language, to_json


@click.command()
@click.argument("run", type=PATH)
@lang_option("Language of the report", default="en", also="--language", name="language")
@json_option
def report(run: Path, language: str, as_json: bool) -> None:
    """Rebuild the trust card and the HTML report of a run."""
    chosen: Language = "zh" if language == "zh" else "en"
    finished = finish_run(load_run(run), language=chosen)
    if as_json:
        print_json({"report": str(finished.report), "trust": to_json(finished.card)})
    else:
        print_rich(trust_panel(finished.card, language=chosen))
        print_text(words(chosen, "report")("report_is_at", path=finished.report))
