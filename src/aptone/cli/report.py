"""``aptone report``."""

from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.run import export_option
from aptone.cli.options.values import PATH, shown_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import words
from aptone.report.run_report import MOST_LISTED, finish_run
from aptone.report.terminal import trust_panel
from aptone.run import load_run
from aptone.run.export import export_run
from aptone.types import Json, Language, to_json


@click.command()
@click.argument("run", type=PATH)
@lang_option("Language of the report", default="en", also="--language", name="language")
@shown_option(
    "--max-rows", type=click.IntRange(0), default=MOST_LISTED, help="Largest number of items in the table of the page."
)
@export_option
@json_option
def report(run: Path, language: str, max_rows: int, export: Path | None, as_json: bool) -> None:
    """Rebuild the trust card and the HTML report of a run.

    Its results are exported where --export is given.
    """
    chosen: Language = "zh" if language == "zh" else "en"
    loaded = load_run(run)
    finished = finish_run(loaded, language=chosen, most_rows=max_rows)
    exported: dict[str, Json] = {} if export is None else {"export": str(export), "rows": export_run(loaded, export)}
    if as_json:
        print_json({"report": str(finished.report), "trust": to_json(finished.card), **exported})
    else:
        print_rich(trust_panel(finished.card, language=chosen))
        print_text(words(chosen, "report")("report_is_at", path=finished.report))
        if exported:
            print_text(words(chosen, "report")("exported_to", count=exported["rows"], path=export))
