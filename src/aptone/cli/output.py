"""Output of the verbs on the terminal."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from rich.console import Console, RenderableType

from aptone.report.notation import visible
from aptone.types import Json, dumps

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add ``--json`` to a verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")(command)


def print_json(value: Mapping[str, Json]) -> None:
    """Print one JSON object."""
    click.echo(dumps(value, indent=2))


def print_text(text: str) -> None:
    """Print a line that may hold words of a file or a model: control characters are shown, not obeyed."""
    click.echo(visible(text))


def print_rich(*things: RenderableType) -> None:
    """Print tables and panels, in colour on a terminal."""
    console = Console()
    for thing in things:
        console.print(thing)
