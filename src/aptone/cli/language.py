"""The option that says in which language Aptone writes, alike in every verb.

``--language`` is about what is given: the language of a story, a caption, a recording. ``--lang`` is about what comes
out, and never changes a score. A reader sets it once and for all with an environment variable.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from aptone.types import Language

VARIABLE = "APTONE_LANG"
"""The environment variable that stands in for ``--lang``."""

Command = TypeVar("Command", bound=Callable[..., Any])


def lang_option(
    what: str, *, default: Language | None = None, otherwise: str = "", also: str | None = None, name: str = "lang"
) -> Callable[[Command], Command]:
    """Add ``--lang`` to a verb.

    Args:
        what: what it is the language of, as a sentence without its full stop.
        default: that is taken unless told; ``None`` where the verb finds one.
        otherwise: how the verb finds it, for the help.
        also: an older name of the option that is still understood.
        name: of the verb's argument.
    """
    fallback = default or otherwise
    return click.option(
        "--lang",
        *(() if also is None else (also,)),
        name,
        type=click.Choice(["en", "zh"]),
        default=default,
        envvar=VARIABLE,
        help=f"{what}; by default what {VARIABLE} names, or else {fallback}.",
    )
