"""``aptone studio``: the server, and what can be done to a project without it."""

import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.commands import DescribedCommands
from aptone.cli.options.studio import chosen_lexicon, database_option, language_option, lexicon_options, require_studio
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.studio.agreement import agreement
from aptone.cli.studio.backup import backup, restore
from aptone.cli.studio.from_run import apply, from_run
from aptone.cli.studio.listening_test import new, results
from aptone.cli.studio.people import consent, people, withdraw
from aptone.cli.studio.project import export, import_, invite, tasks
from aptone.cli.studio.recruit import recruit
from aptone.errors import UsageError
from aptone.messages import words
from aptone.types import Language

if TYPE_CHECKING:
    from aptone.studio.server.serve import RunningStudio

PORT = 8765


@click.group(cls=DescribedCommands, invoke_without_command=True)
@click.option("--project", "folder", type=click.Path(path_type=Path), help="Project folder; made if there is none.")
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 for all networks.")
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen at; 0 for any free one.",
)
@click.option("--public-url", default="", metavar="URL", help="Public address, where a proxy stands in front.")
@click.option(
    "--sign-in", type=PATH, metavar="FILE", help="Providers that people may sign in by (OpenID Connect), TOML."
)
@lexicon_options
@click.option("--demo", is_flag=True, help="Open a ready project with example clips; with --project, keep it there.")
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option("--verbose", is_flag=True, help="Log every request, without queries or tokens.")
@language_option
@json_option
@click.pass_context
def studio(
    context: click.Context,
    folder: Path | None,
    database_url: str,
    host: str,
    port: int,
    public_url: str,
    sign_in: Path | None,
    lexicon_file: Path | None,
    lexicon_scale: tuple[float, float] | None,
    demo: bool,
    no_browser: bool,
    verbose: bool,
    language: Language,
    as_json: bool,
) -> int:
    """Run listening tests and annotation in the browser, with rater agreement.

    Starts a server for a project on this machine and prints a link for its admin. With a command, works on a project
    without a server, also while one is running.

    \b
    aptone studio --demo
    aptone studio --project listening/
    aptone studio import listening/ task.yaml
    aptone studio invite listening/ --role annotator --name "Ada"
    """  # noqa: D301  (\b keeps click from joining the lines)
    if context.invoked_subcommand is not None:
        return 0
    require_studio()
    if folder is None and not demo:
        raise UsageError("name a project: aptone studio --project FOLDER, or aptone studio --demo to look around.")
    from aptone.studio.server.serve import run_studio
    from aptone.studio.sign_in.providers import read_providers

    def ready(started: "RunningStudio") -> None:
        _print_started(started, kept=folder is not None, language=language, as_json=as_json)
        if not no_browser:
            threading.Thread(target=lambda: webbrowser.open(started.brief_link()), daemon=True).start()

    run_studio(
        folder,
        demo=demo,
        ready=ready,
        database_url=database_url,
        host=host,
        port=port,
        public_url=public_url,
        lexicon=chosen_lexicon(lexicon_file, lexicon_scale),
        providers=() if sign_in is None else read_providers(sign_in),
        verbose=verbose,
    )
    if not as_json:
        print_text(words(language, "studio")("stopped"))
    return 0


def _print_started(started: "RunningStudio", *, kept: bool, language: Language, as_json: bool) -> None:
    word = words(language, "studio")
    if as_json:
        shown = {name: str(getattr(started, name)) for name in ("database", "address", "link")}
        print_json({"project": str(started.folder), **shown})
    else:
        print_text(word("serving", folder=started.folder, database=started.database))
        print_text(word("admin_link"))
        print_text(f"  {started.link}")
        print_text(word("stop" if kept else "stop_demo"))
    if started.exposed:
        click.echo(word("not_private"), err=True)
    sys.stdout.flush()  # whoever reads it through a pipe waits for the link


COMMANDS: tuple[click.Command, ...] = (
    *(agreement, apply, backup, export, from_run, import_, invite),
    *(new, people, recruit, restore, results, tasks, consent, withdraw),
)
for one in COMMANDS:
    studio.add_command(one)
