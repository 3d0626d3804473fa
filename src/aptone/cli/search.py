"""``aptone search``."""

from pathlib import Path

import click

from aptone.audio import RECORDINGS
from aptone.cli.options.language import lang_option
from aptone.cli.options.reference import NONE, hear_shown, reference_option
from aptone.cli.options.style import load_model, model_option
from aptone.cli.options.values import FOLDER, PATH, number_option
from aptone.cli.output import json_option, print_about, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.messages import words
from aptone.report.result_table import terminal_table
from aptone.rooms.style.report import found_json, found_table, left_out_notes, runs_note, search_page
from aptone.rooms.style.search import StyleIndex
from aptone.run import display_for, write_whole
from aptone.run.consent import ask_consent
from aptone.types import Language, language_of_text

PAGES = (".html", ".htm")


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.argument("description")
@number_option("--top", 10, "Number of clips.")
@model_option
@reference_option(more=" The clips that are searched count as one voice.")
@click.option("--index", type=FOLDER, help="Folder of the index; by default .aptone in DIR.")
@click.option("--report", type=PATH, help="Write a page with players there (.html).")
@lang_option("Language of the output", otherwise="that of the description")
@click.option("--yes", is_flag=True, help="Agree that audio is sent to another machine, where the model does that.")
@json_option
def search(
    folder: Path,
    description: str,
    top: int,
    model: str,
    reference: str | None,
    index: Path | None,
    report: Path | None,
    lang: Language | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Find the clips of a folder that sound like a description.

    The folder is indexed on the first search; later ones embed only what is new. Long recordings are searched piece by
    piece.

    \b
    aptone search clips/ "a weary but firm elderly woman"
    aptone search clips/ "疲惫但坚定的老妇人" --top 5 --report found.html
    """  # noqa: D301  (\b keeps click from joining the lines)
    if report is not None and report.suffix.lower() not in PAGES:
        raise UsageError(f"{report}: a page ends in {' or '.join(PAGES)}; choose one of these.")
    shown: Language = lang or language_of_text(description)
    word = words(shown, "style")
    opened = StyleIndex(folder, load_model(model), place=index)
    opened.understand(description)  # before the clips, which take long
    ask_consent(opened.about.sends_audio_to, clips=opened.count_files(), folder=None, agreed=yes)
    if reference not in (None, NONE):
        opened = opened.against(str(reference), hear=hear_shown)
    updated = opened.update(display_for(label="index"))
    found = opened.search(description, top=top)
    reading = opened.reading(description)
    unread = () if reading is None else reading.unread
    if report is not None:
        page = search_page(
            found, updated, description=description, folder=str(folder), model=model, language=shown, unread=unread
        )
        write_whole(report, page)
    if as_json:
        print_json(
            {
                **found_json(found, updated, language=shown, unread=unread),
                "report": None if report is None else str(report),
            }
        )
        return int(not found)
    if found:
        print_rich(terminal_table(found_table(found, language=shown)))
        if unread:
            print_text(word("not_understood", words=", ".join(unread)))
    else:
        print_text(word("nothing_found", folder=folder, endings=", ".join(RECORDINGS)))
    print_text(word("indexed", clips=updated.clips, embedded=updated.embedded))
    for note in [*left_out_notes(updated.problems, folder=folder, language=shown), *runs_note(updated, language=shown)]:
        print_text(note)
    print_about(opened.about, language=shown)
    if report is not None:
        print_text(word("page", path=report))
    return int(not found)
