"""Options that name systems under test, for every verb that asks some."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from aptone.cli.commands import Command
from aptone.cli.options.values import shown_option
from aptone.errors import UsageError
from aptone.run.system import RECORDED, TIMEOUT, FolderSystem, System, make_system


def system_option(what: str) -> Callable[[Command], Command]:
    """Add ``--system``, which a verb receives as its argument ``systems``; `what` they answer is for the help."""
    return click.option(
        "--system",
        "systems",
        multiple=True,
        metavar="COMMAND|URL|DIR",
        help=f"Let a system answer {what}: a command with {{input}} and {{output}}, an address that wav files are "
        "posted to, or a folder of answers. NAME=… gives it a name. May be given several times.",
    )


timeout_option = shown_option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=TIMEOUT,
    help="Seconds that a system may take for an answer.",
)


def named_systems(given: Sequence[str], timeout: float) -> dict[str, System]:
    """The systems that were typed, by their names.

    Raises:
        UsageError: if one cannot be used, or two have one name.
    """
    found: dict[str, System] = {}
    for text in given:
        name, equals, rest = text.partition("=")
        is_named = bool(equals) and re.fullmatch(r"[\w.-]+", name) is not None
        system = make_system(rest if is_named else text, timeout=timeout)
        chosen = name if is_named else Path(text).name if isinstance(system, FolderSystem) else text
        if chosen in found or chosen == RECORDED:
            raise UsageError(f"--system: the name {chosen!r} is taken; give another with NAME=…")
        found[chosen] = system
    return found
