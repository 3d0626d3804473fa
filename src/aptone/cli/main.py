"""``aptone``: finds the verb, and turns errors into one line and an exit code.

Exit codes: 0 all went well; 1 it ran, but some items failed, none was scored, or a check did not hold; 2 the request
was wrong or could not be carried out; 3 a limit on cost, items or time ended it early; 130 interrupted.
"""

import codecs
import contextlib
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from aptone.cli.commands import RegisteredCommands
from aptone.cli.help_pages import stored_help
from aptone.cli.options.language import VARIABLE
from aptone.errors import AptoneError
from aptone.messages import Language, translate
from aptone.registry import Registry
from aptone.rooms.room import Room

VERBS = {
    "bench": "Run a benchmark: judges, or systems, against what people said.",
    "build": "Make a benchmark, or what one needs, from data that you have.",
    "calibrate": "Fit a judge's scores to your own ratings.",
    "compare": "Compare two runs item by item: did it get better?",
    "completion": "Print the script that completes verbs and options in your shell.",
    "doctor": "Say which engines, ears and models can run here, and what to install for the others.",
    "hear": "Describe what a recording sounds like.",
    "merge": "Join runs of one configuration: shards of several machines, or a run and its additions.",
    "plan": "Plan how a line of a story should sound, or all lines of a book or script.",
    "rank": "Find the best of several takes of a line.",
    "read": "Read a book or script and show what was understood.",
    "report": "Rebuild the trust card and the HTML report of a run.",
    "search": "Find the clips of a folder that sound like a description.",
    "studio": "Run listening tests and annotation in the browser, with rater agreement.",
    "train": "Train judges and encoders on data of your own.",
    "view": "Look at runs in the browser, also while they go on.",
}
"""First line of help of our own verbs, so that --help need not load them. Those of plugins are loaded."""


class Verbs(RegisteredCommands):
    """All verbs; the main verb of a room asks the room's question."""

    def own_help_line(self, name: str) -> str:
        """Return the line of a verb, or the question of the room whose main verb it is."""
        if name in VERBS:
            return VERBS[name]
        rooms = Registry("rooms", Room)
        for room in rooms:
            with contextlib.suppress(AptoneError):  # a broken room is reported when it is used
                if rooms.load(room).verb == name:
                    return rooms.load(room).question
        return ""


@click.group(
    cls=Verbs,
    registered="verbs",
    heading="Verbs",
    what="verb",
    help_lines=VERBS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="aptone", prog_name="aptone")
def aptone() -> None:
    """Is it said the way its context asks for?

    Aptone scores expressive speech, explains each score, and says how far to trust it.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        print_any_character(stream)
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def print_any_character(stream: TextIO) -> None:
    """Let a stream escape what its encoding lacks: tables and Mandarin end no command, whatever the locale.

    ASCII, the encoding of a locale that is not set, becomes UTF-8.
    """
    if isinstance(stream, io.TextIOWrapper):
        name = codecs.lookup(stream.encoding).name
        if name == "ascii":
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        elif name != "utf-8":
            stream.reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """Run ``aptone`` and return its exit code; pages of help are printed without loading the verb."""
    if (page := stored_help(arguments)) is not None:
        click.echo(page)
        return 0
    return exit_code(aptone, arguments, name="aptone")


def exit_code(command: click.Command, arguments: list[str], *, name: str) -> int:
    """Run a command and return its exit code; errors of ours are printed without a traceback."""
    try:
        result = command.main(args=arguments, prog_name=name, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        hint = error.ctx.get_usage() + "\n" if isinstance(error, click.UsageError) and error.ctx else ""
        return _complain(error.format_message(), arguments, hint=hint)
    except (AptoneError, OSError) as error:
        return _complain(str(error), arguments)
    except (click.Abort, KeyboardInterrupt):
        click.echo("aptone: interrupted.", err=True)
        return 130
    return result if isinstance(result, int) else 0


def _complain(problem: str, arguments: Sequence[str], *, hint: str = "") -> int:
    """Say what was wrong: English for programs, and the language that was asked for to people."""
    if "--json" in arguments:
        click.echo(json.dumps({"error": problem}, ensure_ascii=False))
    click.echo(f"{hint}aptone: error: {translate(problem, _language(arguments))}", err=True)
    return 2


def _language(arguments: Sequence[str]) -> Language:
    """The language of ``--lang``, or else of the environment; verbs are not asked, since one may not have loaded."""
    given = os.environ.get(VARIABLE, "")
    for place, argument in enumerate(arguments):
        if argument == "--lang" and place + 1 < len(arguments):
            given = arguments[place + 1]
        elif argument.startswith("--lang="):
            given = argument.removeprefix("--lang=")
    return "zh" if given == "zh" else "en"
