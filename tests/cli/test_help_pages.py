"""Help that is printed without loading a verb says what the verb itself says, at any width."""

from collections.abc import Callable
from typing import Any

import click
import pytest

from aptone.cli.help_pages import format_page, make_pages, read_pages, stored_help
from aptone.cli.main import aptone as group
from tests.tables import for_each

PAGES = make_pages(group)


def test_what_is_kept_is_what_the_commands_say() -> None:
    assert read_pages() == PAGES, "run: python docs/make_cli.py"


def test_every_command_of_ours_is_kept_but_groups_that_plugins_add_to() -> None:
    assert {"score", "bench ceaeval", "build paras2s", "studio invite", "train", "train clap"} < set(PAGES)
    assert not {"", "bench", "build"} & set(PAGES)


@pytest.mark.slow
@for_each("name", PAGES)
@for_each("width", [50, 78, 120])
def test_a_page_is_laid_out_as_click_does(name: str, width: int) -> None:
    context = click.Context(group, info_name="aptone", terminal_width=width, **group.context_settings)
    command: click.Command = group
    for part in name.split():
        assert isinstance(command, click.Group)
        inner = command.get_command(context, part)
        assert inner is not None
        command, context = inner, click.Context(inner, info_name=part, parent=context)
    assert format_page(read_pages()[name], width=width) == command.get_help(context)


@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_help_is_printed_without_loading_the_verb(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    def loaded(*_: object) -> None:
        raise AssertionError("the verb was loaded")

    monkeypatch.setattr(type(group), "get_command", loaded)
    shown = aptone("train", "sft", asked)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Usage: aptone train sft [OPTIONS]")
    assert shown.out.endswith("-h, --help                      Show this message and exit.\n")


@for_each(
    "arguments", [["--help"], ["-h"], [], ["score"], ["bench", "--help"], ["score", "a.wav", "--help"], ["xyzzy", "-h"]]
)
def test_anything_else_is_left_to_the_verbs(arguments: list[str]) -> None:
    assert stored_help(arguments) is None


def test_help_among_arguments_is_still_answered(aptone: Callable[..., Any]) -> None:
    shown = aptone("doctor", "--json", "--help")
    assert (shown.code, shown.out.split("\n")[0]) == (0, "Usage: aptone doctor [OPTIONS]")
