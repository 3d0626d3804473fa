"""``aptone read``."""

from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import LANGUAGES, PATH, choice_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.messages import message, translate
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_summary import summarize, summary_tables
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.story_file import write_story_file
from aptone.types import Language


@click.command()
@click.argument("book", metavar="BOOK", type=PATH)
@click.option("-o", "--output", type=PATH, help="File for the lines as JSON, to correct and use in place of the book.")
@click.option("--lines", is_flag=True, help="Show every line with its kind and speaker.")
@choice_option(
    "--chapters",
    "division",
    ["headings", "blank", "none"],
    "Chapter breaks: at headings or by the table of contents, at two empty lines, or none.",
)
@click.option("--language", type=LANGUAGES, help="Language of the book; by default detected.")
@lang_option("Language of the output", otherwise="that of the book")
@json_option
def read(
    book: Path,
    output: Path | None,
    lines: bool,
    division: Division,
    language: Language | None,
    lang: Language | None,
    as_json: bool,
) -> int:
    """Read a book or script and show what was understood.

    Chapters, who speaks how often, what is narration, what was left out and why. BOOK is an EPUB, a Word document, a
    PDF with text, HTML, Markdown, a script (.fountain or plain text), subtitles (.srt, .vtt, .ass) or plain text. The
    file of -o is accepted wherever a story is: aptone score --story, plan, rank.

    \b
    aptone read book.epub
    aptone read script.fountain --lines
    aptone read manuscript.docx -o story.json
    """  # noqa: D301  (\b keeps click from joining the lines)
    found = load_book(book, language=language, division=division)
    if output is not None:
        write_story_file(output, found)
    shown = lang or found.language
    if as_json:
        print_json({**summarize(found), "output": str(output) if output is not None else None})
        return 0
    print_rich(summary_tables(found, language=shown, lines=lines))
    if output is not None:
        print_text(translate(message("books.written", name=output, count=len(found.lines)), shown))
    return 0
