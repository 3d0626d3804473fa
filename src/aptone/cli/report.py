"""``aptone report``."""

import math
from dataclasses import dataclass
from pathlib import Path

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import export_option
from aptone.cli.options.values import PATH, several_option, shown_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.files import write_whole
from aptone.messages import message, words
from aptone.report.run_report import MOST_LISTED, finish_run
from aptone.report.terminal import trust_panel
from aptone.rooms.aptness.production.files import (
    checked_filter,
    require_production,
    retakes_csv,
    write_markers,
)
from aptone.rooms.aptness.production.markers import EDITORS, Editor
from aptone.rooms.aptness.production.retakes import RetakeFilter
from aptone.run import Run, load_run
from aptone.run.export import export_run
from aptone.types import Json, Language, to_json


@dataclass(frozen=True, slots=True)
class RetakeOptions:
    """Options for the retakes of a book.

    Args:
        editors: editors to write markers for.
        retakes: CSV file to write.
        worst: number of lines.
        below: aptness below which lines count.
        characters: names of speakers, ``narration``, or ``unknown``.
        chapters: titles of chapters.
    """

    editors: tuple[Editor, ...]
    retakes: Path | None
    worst: int | None
    below: float | None
    characters: tuple[str, ...]
    chapters: tuple[str, ...]

    @property
    def choice(self) -> RetakeFilter:
        """Filter of the retakes."""
        below = math.inf if self.below is None else self.below
        return RetakeFilter(self.worst, below, frozenset(self.characters), frozenset(self.chapters))

    def write(self, run: Run, *, language: Language) -> list[Path]:
        """Write what was asked for and return the paths; nothing where nothing was.

        Raises:
            UsageError: if the run is not over a book, a name is unknown, or a filter has nothing to filter.
        """
        if not self.editors and self.retakes is None:
            if self.choice != RetakeFilter():
                raise UsageError(message("cli.filter-without-retakes"))
            return []
        production = require_production(run)
        chosen = checked_filter(production, self.choice).apply(production.retakes.retakes)
        written: list[Path] = []
        if self.retakes is not None:
            kept = None if self.choice == RetakeFilter() else chosen
            write_whole(self.retakes, retakes_csv(production.retakes, language=language, chosen=kept))
            written.append(self.retakes)
        return [*written, *write_markers(run, production, chosen, editors=self.editors, language=language)]


retake_options = gather_options(
    RetakeOptions,
    argument="retakes",
    options=(
        several_option(
            "--markers",
            "editors",
            type=click.Choice(EDITORS),
            help="Audio editor to write markers of a book's retakes for, into production/ in the run.",
        ),
        click.option("--retakes", type=PATH, help="CSV file for the lines of a book worth recording again."),
        click.option("--worst", type=click.IntRange(1), help="Only so many retakes, those that gain most."),
        click.option("--below", type=click.FloatRange(0.0, 5.0), help="Only retakes with a lower aptness."),
        several_option(
            "--character", "characters", help="Only retakes of this character; narration and unknown are names, too."
        ),
        several_option("--chapter", "chapters", help="Only retakes of the chapter with this title."),
    ),
)


@click.command()
@click.argument("run", type=PATH)
@lang_option("Language of the report", default="en", also="--language", name="language")
@shown_option(
    "--max-rows", type=click.IntRange(0), default=MOST_LISTED, help="Largest number of items in the table of the page."
)
@retake_options
@export_option
@json_option
def report(run: Path, language: str, max_rows: int, retakes: RetakeOptions, export: Path | None, as_json: bool) -> None:
    """Rebuild the trust card and the HTML report of a run.

    Its results are exported where --export is given. Of a book, so are the lines worth recording again: as a table
    (--retakes), and as markers that audio editors read (--markers).

    \b
    aptone report run/ --markers reaper --worst 30
    aptone report run/ --retakes mara.csv --character Mara --below 2.5
    """  # noqa: D301  (\b keeps click from joining the lines)
    chosen: Language = "zh" if language == "zh" else "en"
    loaded = load_run(run)
    finished = finish_run(loaded, language=chosen, most_rows=max_rows)
    written = retakes.write(loaded, language=chosen)
    exported: dict[str, Json] = {} if export is None else {"export": str(export), "rows": export_run(loaded, export)}
    if as_json:
        listed: list[Json] = [str(path) for path in written]
        print_json({"report": str(finished.report), "trust": to_json(finished.card), "written": listed, **exported})
    else:
        print_rich(trust_panel(finished.card, language=chosen))
        print_text(words(chosen, "report")("report_is_at", path=finished.report))
        for path in written:
            print_text(words(chosen, "production")("written_to", path=path))
        if exported:
            print_text(words(chosen, "report")("exported_to", count=exported["rows"], path=export))
