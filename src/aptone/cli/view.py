"""``aptone view``."""

import os
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH
from aptone.cli.options.view import require_view
from aptone.cli.output import json_option, print_json, print_text
from aptone.messages import words
from aptone.types import Language

if TYPE_CHECKING:
    from aptone.view.server import RunningView

PORT = 8788


@click.command()
@click.argument("folders", metavar="[RUNS]...", nargs=-1, type=PATH)
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
    "--token-file",
    type=PATH,
    help="File with a name and a token a line, for others than this machine; by default what APTONE_VIEW_TOKEN holds, "
    "or else one is made.",
)
@click.option("--try", "try_it", is_flag=True, help="Start at the page where one tries things out.")
@click.option(
    "--serve",
    "as_service",
    is_flag=True,
    help="Load the models at once and answer requests of programs at /v1; the browser stays closed.",
)
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1, 256), help="Processes that work on requests."
)
@click.option(
    "--keep", type=PATH, metavar="FOLDER", help="Keep answers and recordings of requests as runs in a folder."
)
@click.option(
    "--ear", metavar="NAME", help="Ear that hears the recordings; by default that of APTONE_EAR, or else full."
)
@click.option(
    "--max-queue",
    default=64,
    show_default=True,
    type=click.IntRange(0, 10_000),
    help="Requests that may wait; one more is refused with 429.",
)
@click.option(
    "--max-body",
    default=64,
    show_default=True,
    type=click.IntRange(1, 1024),
    help="Size limit of a request in MiB.",
)
@click.option(
    "--rate",
    default=6_000,
    show_default=True,
    type=click.IntRange(1, 10_000_000),
    help="Requests a minute that one client may send.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option("--verbose", is_flag=True, help="Log every request, without queries or tokens.")
@lang_option("Language of the pages", otherwise="that of the browser")
@json_option
def view(
    folders: Sequence[Path],
    host: str,
    port: int,
    public_url: str,
    token_file: Path | None,
    try_it: bool,
    as_service: bool,
    workers: int,
    keep: Path | None,
    ear: str | None,
    max_queue: int,
    max_body: int,
    rate: int,
    no_browser: bool,
    verbose: bool,
    lang: Language | None,
    as_json: bool,
) -> int:
    """Look at runs in the browser, also while they go on.

    RUNS are run folders, or folders that hold some; by default those below the current folder, and with --serve none.

    \b
    aptone view run/
    aptone view before/ after/
    aptone view --try
    aptone view --serve --workers 4
    """  # noqa: D301  (\b keeps click from joining the lines)
    require_view()
    from aptone.view.door import VARIABLE, read_tokens
    from aptone.view.server import LINK, Serving, run_view
    from aptone.view.service.admission import ServiceLimits

    kept = os.environ.get(VARIABLE, "")
    tokens = read_tokens(token_file) if token_file else {LINK: kept} if kept else {}

    def ready(started: "RunningView") -> None:
        _print_started(started, language=lang or "en", as_json=as_json, as_service=as_service)
        if not no_browser and not as_service:
            threading.Thread(target=lambda: webbrowser.open(started.link), daemon=True).start()

    run_view(
        folders or ([] if as_service else [Path()]),
        ready=ready,
        host=host,
        port=port,
        public_url=public_url,
        tokens=tokens,
        start="/try" if try_it else "/v1" if as_service else "/",
        serving=Serving(
            warm=as_service,
            workers=workers,
            keep=keep,
            ear=ear,
            limits=ServiceLimits(queue=max_queue, rate=rate, body=max_body << 20),
        ),
        language=lang,
        verbose=verbose,
    )
    if not as_json:
        print_text(words(lang or "en", "view")("stopped"))
    return 0


def _print_started(started: "RunningView", *, language: Language, as_json: bool, as_service: bool) -> None:
    word = words(language, "view")
    if as_json:
        print_json(address=started.address, link=started.link, runs=started.runs, workers=started.workers)
    else:
        count = started.workers if as_service else started.runs
        print_text(word("serving_api" if as_service else "serving", count=count))
        print_text(f"  {started.link}")
        print_text(word("stop"))
    if started.exposed:
        click.echo(word("not_private"), err=True)
    sys.stdout.flush()  # whoever reads it through a pipe waits for the link
