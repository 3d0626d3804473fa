"""Groups of commands that are loaded when they are used, and options that a command receives as one record.

Former names of options are refused with the new name in the message.
"""

import difflib
import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import click

from aptone.errors import AptoneError, UsageError
from aptone.registry import Registry

Command = TypeVar("Command", bound=Callable[..., Any])

LONGEST_HELP = 120
"""Characters of a line about a command; it is wrapped, not cut."""


class DescribedCommands(click.Group):
    """A group whose help has the whole first sentence of every command, where click would cut it."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.commands[name].get_short_help_str(limit=LONGEST_HELP)) for name in sorted(self.commands)]
            )


class RegisteredCommands(click.Group):
    """Commands of one group of entry points, our own and those of plugins.

    Args:
        registered: the group of entry points that they are found under.
        what: name of one of them, in errors.
        help_lines: first lines of help of our own commands, so that the help need not load them.
    """

    def __init__(
        self, *, registered: str, heading: str, what: str, help_lines: Mapping[str, str], **options: object
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # click's own options, as it passes them
        self._registered = registered
        self._heading = heading
        self._what = what
        self._help_lines = help_lines

    def _registry(self) -> Registry[click.Command]:
        return Registry(self._registered, click.Command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in order."""
        return list(self._registry())

    def own_commands(self) -> list[str]:
        """Return the names of the commands that come with Aptone, in order."""
        return [name for name, entry in self._registry().items() if entry.package == "aptone"]

    def own_help_line(self, name: str) -> str:
        """Return the first line of help of a command that comes with Aptone, empty where it has to be loaded for it."""
        return self._help_lines.get(name, "")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command behind a name, or ``None``."""
        registry = self._registry()
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
            message = f"no {self._what} is named {args[0]!r}; did you mean {' or '.join(neighbours)}?"
            raise click.UsageError(message, ctx=ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help; ours are not loaded for it."""
        registry = self._registry()
        with formatter.section(self._heading):
            formatter.write_dl([(name, self._help_line(name, registry)) for name in registry] or [("(none)", "")])

    def _help_line(self, name: str, registry: Registry[click.Command]) -> str:
        if registry[name].package == "aptone" and (own := self.own_help_line(name)):
            return own
        try:
            return registry.load(name).get_short_help_str(limit=LONGEST_HELP)
        except AptoneError as error:  # one broken plugin must not take the help of the others with it
            return f"(broken: {error})"


def gather_options(
    kind: Any, *, argument: str, options: Sequence[Callable[[Any], Any]]
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a verb, which receives their values as one record.

    Args:
        kind: a dataclass whose fields are named as the options.
        options: made by ``click.option``, in the order of the help.
    """

    def decorate(command: Any) -> Any:
        @functools.wraps(command)
        def gathered(*args: Any, **kwargs: Any) -> Any:
            fields = {name: kwargs.pop(name) for name in kind.__dataclass_fields__}
            return command(*args, **{argument: kind(**fields)}, **kwargs)

        return add_options(*options)(gathered)

    return decorate


def add_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a verb, in the order of the help."""

    def decorate(command: Command) -> Command:
        return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)

    return decorate


class CommandWithRenames(click.Command):
    """Command that refuses the former names of its options, and names the new ones (`renamed`: former to new)."""

    def __init__(self, *args: Any, renamed: Mapping[str, str] = MappingProxyType({}), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.renamed = renamed

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises:
            UsageError: if a former option is given.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if (new := self.renamed.get(error.option_name)) is None:
                raise
            raise UsageError(f"{error.option_name} is now {new}.") from error
