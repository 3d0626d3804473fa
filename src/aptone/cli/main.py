"""``aptone``: finds the verb, and turns errors into one line and an exit code.

Exit codes: 0 all went well; 1 it ran, but some items failed or a check did not hold; 2 the request was wrong;
130 interrupted.
"""

import difflib
import importlib
import json
import sys
from collections.abc import Sequence
from typing import cast

import click

from aptone.errors import AptoneError, RegistryError
from aptone.registry import Registry
from aptone.rooms.room import Room

VERBS = {
    "compare": ("aptone.cli.compare:compare", "Compare two runs item by item: did it get better?"),
    "completion": (
        "aptone.cli.completion:completion",
        "Print the script that completes verbs and options in your shell.",
    ),
    "doctor": ("aptone.cli.doctor:doctor", "Say which engines can run here, and what to install for the others."),
    "report": ("aptone.cli.report:report", "Make the trust card and the HTML report of a run anew."),
}
"""Verbs that belong to no room: where the command is, and its first line of help, so that --help loads none of them."""


class Verbs(click.Group):
    """All verbs, each loaded only when it is used; those of rooms come from the registry."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in order."""
        return sorted({*VERBS, *_room_verbs()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or ``None``."""
        target = VERBS[cmd_name][0] if cmd_name in VERBS else _room_verbs().get(cmd_name, ("", ""))[0]
        if not target:
            return None
        module, _, attribute = target.partition(":")
        return cast(click.Command, getattr(importlib.import_module(module), attribute))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; an unknown one is answered with its neighbours."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            neighbours = difflib.get_close_matches(args[0], self.list_commands(ctx), n=3, cutoff=0.5)
            if not neighbours:
                raise
            message = f"no verb is named {args[0]!r}; did you mean {' or '.join(neighbours)}?"
            raise click.UsageError(message, ctx=ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs in the help, without loading them."""
        lines = {name: help_line for name, (_, help_line) in {**_room_verbs(), **VERBS}.items()}
        with formatter.section("Verbs"):
            formatter.write_dl([(name, lines[name]) for name in self.list_commands(ctx)])


def _room_verbs() -> dict[str, tuple[str, str]]:
    registry = Registry("rooms", Room)
    found: dict[str, tuple[str, str]] = {}
    for name in registry:
        try:
            room = registry.load(name)
        except RegistryError as error:
            click.echo(f"aptone: warning: {error}", err=True)  # one broken plugin must not take the others with it
            continue
        found[room.verb] = (room.command, room.question)
    return found


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aptone", prog_name="aptone")
def aptone() -> None:
    """Is it said the way its context asks for?

    Aptone scores expressive speech, explains each score, and says how far to trust it.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        result = aptone.main(args=arguments, prog_name="aptone", standalone_mode=False)
    except click.ClickException as error:
        hint = error.ctx.get_usage() + "\n" if isinstance(error, click.UsageError) and error.ctx else ""
        return _complain(error.format_message(), as_json=as_json, hint=hint)
    except AptoneError as error:
        return _complain(str(error), as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        click.echo("aptone: interrupted.", err=True)
        return 130
    return result if isinstance(result, int) else 0


def _complain(message: str, *, as_json: bool, hint: str = "") -> int:
    if as_json:
        click.echo(json.dumps({"error": message}, ensure_ascii=False))
    click.echo(f"{hint}aptone: error: {message}", err=True)
    return 2
