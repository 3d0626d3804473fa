"""Options that the verbs which make material share: the folder, languages, who does a part, and that part's options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from aptone.cli.options.engine import setting
from aptone.errors import UsageError
from aptone.types import Json

Command = TypeVar("Command", bound=Callable[..., Any])
LANGUAGES = click.Choice(["en", "zh"])


def folder_option(what: str = "Folder") -> Callable[[Command], Command]:
    """Add ``--output``: the folder of what is made, in which the same command goes on."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help=f"{what}; the same command resumes it.",
    )


def language_option(of: str) -> Callable[[Command], Command]:
    """Add ``--language``: that of what is made."""
    return click.option("--language", type=LANGUAGES, default="en", show_default=True, help=f"Language of {of}.")


def languages_option(usual: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Add ``--language``, which may be given several times.

    Args:
        usual: default languages.
        text: help text.
    """
    return click.option(
        "--language", "languages", type=LANGUAGES, multiple=True, default=usual, show_default=True, help=text
    )


def choice_option(flag: str, argument: str, kinds: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Add an option with kinds to choose from, the first by default.

    Args:
        flag: option as it is typed.
        argument: name of the verb's argument.
        kinds: values to choose from.
        text: help text.
    """
    return click.option(flag, argument, type=click.Choice(kinds), default=kinds[0], show_default=True, help=text)


def ear_option(does: str) -> Callable[[Command], Command]:
    """Add ``--ear``; `does` is its part in the verb, such as "checks"."""
    text = f"Ear that {does}; by default what APTONE_EAR names, or full."
    return click.option("--ear", metavar="full|permissive", help=text)


@dataclass(frozen=True, slots=True)
class PartSettings:
    """The options of parts, which are typed as ``--set PART.OPTION=VALUE``.

    Args:
        parts: names of the parts that have options.
        example: an option of one of them, for errors.
    """

    parts: tuple[str, ...]
    example: str

    @property
    def named(self) -> str:
        """The parts as a sentence names them.

        >>> PartSettings(("writer", "filter", "speaker"), "writer.model").named
        'the writer, the filter or the speaker'
        """
        *others, last = (f"the {part}" for part in self.parts)
        return f"{', '.join(others)} or {last}" if others else last

    def option(self, command: Command) -> Command:
        """Add ``--set``, whose texts the verb receives as ``settings``."""
        return click.option(
            "--set",
            "settings",
            metavar="PART.OPTION=VALUE",
            multiple=True,
            help=f"An option of {self.named}; the value is JSON or text. May be given several times.",
        )(command)

    def read(self, settings: Sequence[str]) -> dict[str, Json]:
        """The options that were typed, by name.

        Raises:
            UsageError: if one is not written like that, or belongs to another part.
        """
        options = dict(map(setting, settings))
        if wrong := [name for name in options if name.partition(".")[0] not in self.parts]:
            raise UsageError(f"--set {wrong[0]}: expected an option of {self.named}, as {self.example}.")
        return options
