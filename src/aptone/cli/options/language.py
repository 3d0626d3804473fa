"""The option that says in which language Aptone writes, alike in every verb.

``--language`` is about what is given: the language of a story, a caption, a recording. ``--lang`` is about what comes
out, and never changes a score. A reader sets it once and for all with an environment variable.
"""

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from aptone.cli.commands import Command
from aptone.messages import LANGUAGE_VARIABLE, Language
from aptone.registry import Registry


def names_of(group: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a shell completion for the names in a group of the registry."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in Registry(group, object) if name.startswith(incomplete)]

    return complete


VARIABLE = LANGUAGE_VARIABLE
"""The environment variable that stands in for ``--lang``."""


class Lang(click.Choice[str]):
    """English or Mandarin; a wrong one names the variable, where that is what brought it."""

    def __init__(self) -> None:
        super().__init__(["en", "zh"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The language of that name."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if (
                param is None
                or ctx is None
                or ctx.get_parameter_source(str(param.name)) is not ParameterSource.ENVIRONMENT
            ):
                raise
            said = f"{error.message} The environment variable {VARIABLE} says so: correct or unset it."
            raise click.BadParameter(said, ctx=ctx, param=param) from error


def lang_option(
    what: str, *, default: Language | None = None, otherwise: str = "", also: str | None = None, name: str = "lang"
) -> Callable[[Command], Command]:
    """Add ``--lang`` to a verb.

    Args:
        what: first part of the help, such as "Language of the report".
        default: default language; ``None`` where the verb finds one.
        otherwise: how the verb finds it, for the help.
        also: an older name of the option that is still understood.
    """
    fallback = default or otherwise
    return click.option(
        "--lang",
        *(() if also is None else (also,)),
        name,
        type=Lang(),
        default=default,
        envvar=VARIABLE,
        help=f"{what}; by default what {VARIABLE} names, or else {fallback}.",
    )
