"""Write ``docs/cli.md`` from the help of every verb, and what ``--help`` says without loading it. Tests check both.

python docs/make_cli.py
"""

from pathlib import Path

import click

from aptone.cli.help_pages import write_pages
from aptone.cli.main import aptone

FILE = Path(__file__).parent / "cli.md"


def reference() -> str:
    """The whole page."""
    parts = ["# Verbs and options\n\nMade by `docs/make_cli.py`; do not edit.\n", _section("aptone", aptone, None)]
    context = click.Context(aptone, info_name="aptone", **aptone.context_settings)
    for name in aptone.list_commands(context):
        command = aptone.get_command(context, name)
        assert command is not None
        parts += _sections(f"aptone {name}", command, context)
    return "\n".join(parts)


def _sections(title: str, command: click.Command, parent: click.Context) -> list[str]:
    """A command, and behind it the commands within it."""
    parts = [_section(title, command, parent)]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=title.rpartition(" ")[2], parent=parent)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            parts += _sections(f"{title} {name}", inner, context)
    return parts


def _section(title: str, command: click.Command, parent: click.Context | None) -> str:
    name = title.rpartition(" ")[2]
    settings = {"max_content_width": 100, "terminal_width": 100, **command.context_settings}
    with click.Context(command, info_name=name, parent=parent, **settings) as context:
        help_text = command.get_help(context)
    return f"## {title}\n\n```text\n{help_text}\n```\n"


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
    write_pages(aptone)
