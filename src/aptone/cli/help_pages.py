"""Stored help pages of our verbs, so that ``--help`` answers without loading them.

A verb brings with it the room that it opens, numpy, and what reads and draws recordings: the better part of a second
for a question that needs none of it. So what each page of help is made of lies in ``help.json``, as the calls by which
click lays it out; it is laid out again at the width of the terminal. ``docs/make_cli.py`` writes the file, and a test
compares it with what the verbs say themselves.

Groups that plugins add to (``aptone``, ``bench``, ``build``) are not kept; they list what is there without loading it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.commands import RegisteredCommands

FILE = Path(__file__).with_name("help.json")
ASKED = ("-h", "--help")

Calls = list[list[Any]]
"""Names of methods of `click.HelpFormatter`, each with what it is given."""


def stored_help(arguments: Sequence[str]) -> str | None:
    """Return the stored help if the arguments ask for that of a verb of ours and nothing else; else ``None``."""
    if len(arguments) < 2 or arguments[-1] not in ASKED:
        return None
    calls = read_pages().get(" ".join(arguments[:-1]))
    return None if calls is None else format_page(calls)


def format_page(calls: Calls, *, width: int | None = None) -> str:
    """Format a page as click prints it, `width` characters wide; by default as the terminal has it."""
    formatter = click.HelpFormatter(width=width)
    for name, *given in calls:
        if name == "write_dl":
            given = [[tuple(row) for row in given[0]]]
        getattr(formatter, name)(*given)
    return formatter.getvalue().rstrip("\n")


def read_pages() -> dict[str, Calls]:
    """Read the stored pages, by command."""
    pages: dict[str, Calls] = json.loads(FILE.read_bytes())
    return pages


def make_pages(group: RegisteredCommands) -> dict[str, Calls]:
    """Make the pages of all commands of ours below a group, from the commands themselves."""
    context = click.Context(group, info_name="aptone", **group.context_settings)
    return {" ".join(path): _recorded(command, inner) for path, command, inner in _commands(group, context, ())}


def write_pages(group: RegisteredCommands) -> None:
    """Store the pages of all commands of ours below a group."""
    pages = []
    for name, calls in make_pages(group).items():
        lines = ",\n".join(f" {json.dumps(call, ensure_ascii=False)}" for call in calls)
        pages.append(f"{json.dumps(name)}: [\n{lines}\n]")
    FILE.write_text("{\n" + ",\n".join(pages) + "\n}\n", encoding="utf-8")


def _commands(
    group: click.Group, context: click.Context, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    names = group.own_commands() if isinstance(group, RegisteredCommands) else group.list_commands(context)
    for name in names:
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if not isinstance(command, RegisteredCommands):
            yield (*path, name), command, inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner, (*path, name))


def _recorded(command: click.Command, context: click.Context) -> Calls:
    recorder = _Recorder()
    command.format_help(context, recorder)
    return recorder.calls


class _Recorder(click.HelpFormatter):
    """Formatter that records the calls made to it."""

    def __init__(self) -> None:
        super().__init__(width=80)
        self.calls: Calls = []

    def indent(self) -> None:
        self.calls.append(["indent"])

    def dedent(self) -> None:
        self.calls.append(["dedent"])

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        self.calls.append(["write_usage", prog, args])

    def write_heading(self, heading: str) -> None:
        self.calls.append(["write_heading", heading])

    def write_paragraph(self) -> None:
        self.calls.append(["write_paragraph"])

    def write_text(self, text: str) -> None:
        self.calls.append(["write_text", text])

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        self.calls.append(["write_dl", [list(row) for row in rows]])
