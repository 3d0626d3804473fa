"""Options by what they take: paths, numbers, choices, languages, folders to write, ears, and options of parts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from aptone.cli.commands import Command
from aptone.errors import UsageError
from aptone.types import Json, json_or_text

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING = click.Path(path_type=Path, exists=True)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
LANGUAGES = click.Choice(["en", "zh"])
PART = "NAME[:OPTION=VALUE,…]"
"""Metavar of a part with its options."""
EAR = "full|permissive|NAME[:MODEL]"
"""Metavar of an ear."""

shown_option = partial(click.option, show_default=True)


def several_option(
    *names: str, help: str, default: Sequence[str | int] = (), **given: Any
) -> Callable[[Command], Command]:
    """Add an option that may be given several times, which its help says at the end."""
    shown: dict[str, Any] = {"default": default, "show_default": True} if default else {}
    return click.option(*names, multiple=True, help=f"{help} May be given several times.", **shown, **given)


def number_option(flag: str, usual: int, text: str, *, least: int = 1) -> Callable[[Command], Command]:
    """Add an option with a whole number from `least` on."""
    return shown_option(flag, type=click.IntRange(least), default=usual, help=text)


def choice_option(flag: str, argument: str, kinds: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Add an option with kinds to choose from, the first by default."""
    return shown_option(flag, argument, type=click.Choice(kinds), default=kinds[0], help=text)


def folder_option(what: str = "Folder") -> Callable[[Command], Command]:
    """Add ``--output``: the folder of what is made, in which the same command goes on."""
    return click.option("-o", "--output", type=FOLDER, required=True, help=f"{what}; the same command resumes it.")


def output_option(
    what: str, otherwise: str, *, when: str = "", type: click.Path = PATH
) -> Callable[[Command], Command]:
    """Add ``--output``: a folder in which the same command goes on, by default `otherwise`, if that holds `when`."""
    default = f"By default, {when}, {otherwise}." if when else f"By default {otherwise}."
    return click.option("-o", "--output", type=type, help=f"{what}; the same command resumes it. {default}")


def language_option(of: str) -> Callable[[Command], Command]:
    """Add ``--language``: that of what is made."""
    return shown_option("--language", type=LANGUAGES, default="en", help=f"Language of {of}.")


def languages_option(usual: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Add ``--language``, which may be given several times."""
    return shown_option("--language", "languages", type=LANGUAGES, multiple=True, default=usual, help=text)


def ear_option(does: str) -> Callable[[Command], Command]:
    """Add ``--ear``; `does` is its part in the verb, such as "checks"."""
    return click.option("--ear", metavar=EAR, help=f"Ear that {does}; by default what APTONE_EAR names, or full.")


def weights_option(argument: str) -> Callable[[Command], Command]:
    """Add ``--ear`` to a verb that does nothing but hear."""
    text = "Ear that listens, one that aptone doctor lists; by default what APTONE_EAR names, or else full."
    return click.option("--ear", argument, metavar=EAR, help=text)


def settings_option(of: str, *, part: str = "PART") -> Callable[[Command], Command]:
    """Add ``--set``, whose texts the verb receives as ``settings``; `of` names the parts that have options."""
    text = f"An option of {of}; the value is JSON or text."
    return several_option("--set", "settings", metavar=f"{part}.OPTION=VALUE", help=text)


def setting(text: str) -> tuple[str, Json]:
    """Name and value of an option: ``judge.factor=2``. The value is JSON, or else meant as text.

    >>> setting("planner.thrifty=true"), setting("judge.model=large")
    (('planner.thrifty', True), ('judge.model', 'large'))

    Raises:
        UsageError: if there is no equals sign.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text}: expected PART.OPTION=VALUE, for instance judge.model=large.")
    return name, json_or_text(value)


@dataclass(frozen=True, slots=True)
class PartSettings:
    """The options of parts, which are typed as ``--set PART.OPTION=VALUE``; `example` is one of them, for errors."""

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
        return settings_option(self.named)(command)

    def read(self, settings: Sequence[str]) -> dict[str, Json]:
        """The options that were typed, by name.

        Raises:
            UsageError: if one is not written like that, or belongs to another part.
        """
        options = dict(map(setting, settings))
        if wrong := [name for name in options if name.partition(".")[0] not in self.parts]:
            raise UsageError(f"--set {wrong[0]}: expected an option of {self.named}, as {self.example}.")
        return options
