"""``aptone``: finds the verb, and turns errors into one line and an exit code.

Exit codes: 0 all went well; 1 it ran, but some items failed, none was scored, or a check did not hold; 2 the request
was wrong or could not be carried out; 130 interrupted.
"""

import difflib
import json
import sys
from collections.abc import Sequence

import click

from aptone.errors import AptoneError
from aptone.registry import Registry

VERBS = {
    "compare": "Compare two runs item by item: did it get better?",
    "completion": "Print the script that completes verbs and options in your shell.",
    "doctor": "Say which engines and ears can run here, and what to install for the others.",
    "hear": "What does a recording sound like?",
    "plan": "How should a line of a story sound?",
    "report": "Make the trust card and the HTML report of a run anew.",
    "score": "Does a spoken line sound as the story around it asks?",
    "train": "Make anew what Aptone ships, or make it from data of your own.",
}
"""First line of help of our own verbs, so that --help need not load them. Those of plugins are loaded."""


class Verbs(click.Group):
    """All verbs, found by entry points and loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in order."""
        return list(Registry("verbs", click.Command))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or ``None``."""
        registry = Registry("verbs", click.Command)
        return registry.load(cmd_name) if cmd_name in registry else None

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
        """The list of verbs in the help; ours are not loaded for it."""
        registry = Registry("verbs", click.Command)
        with formatter.section("Verbs"):
            formatter.write_dl([(name, _help_line(name, registry)) for name in registry])


def _help_line(name: str, registry: Registry[click.Command]) -> str:
    if name in VERBS and registry[name].package == "aptone":
        return VERBS[name]
    try:
        return registry.load(name).get_short_help_str(limit=80)
    except AptoneError as error:  # one broken plugin must not take the help of the others with it
        return f"(broken: {error})"


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
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        hint = error.ctx.get_usage() + "\n" if isinstance(error, click.UsageError) and error.ctx else ""
        return _complain(error.format_message(), as_json=as_json, hint=hint)
    except (AptoneError, OSError) as error:
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
