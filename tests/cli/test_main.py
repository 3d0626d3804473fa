import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

import aptone.cli.main as main_module
from aptone.cli.bench.group import bench
from aptone.cli.build.group import build
from aptone.cli.commands import RegisteredCommands
from aptone.cli.main import VERBS
from aptone.errors import RegistryError
from aptone.registry import Registry


def test_the_help_lists_every_verb_with_its_question(aptone: Callable[..., Any]) -> None:
    shown = aptone("--help")
    assert shown.code == 0
    for verb in ["compare", "completion", "doctor", "hear", "report", "score"]:
        assert f"\n  {verb}" in shown.out


@pytest.mark.parametrize("group", [main_module.aptone, bench, build])
def test_the_short_help_of_each_command_is_the_first_line_of_its_own_help(group: RegisteredCommands) -> None:
    context = click.Context(group)
    for name in group.own_commands():
        line = group.own_help_line(name)
        command = group.get_command(context, name)
        assert command is not None
        assert command.help is not None
        assert command.help.splitlines()[0] == line


def test_every_verb_takes_json() -> None:
    context = click.Context(main_module.aptone)
    for name in main_module.aptone.list_commands(context):
        command = main_module.aptone.get_command(context, name)
        assert command is not None
        for leaf in leaves(command):
            assert any("--json" in parameter.opts for parameter in leaf.params), f"{name} {leaf.name}"


def leaves(command: click.Command) -> Iterator[click.Command]:
    if not isinstance(command, click.Group):
        yield command
        return
    for inner in command.commands.values():
        yield from leaves(inner)


def test_the_version_is_printed(aptone: Callable[..., Any]) -> None:
    assert aptone("--version").out.startswith("aptone, version ")


def test_an_unknown_verb_is_a_user_error_that_names_its_neighbour(aptone: Callable[..., Any]) -> None:
    shown = aptone("scroe")
    assert shown.code == 2
    assert "scroe" in shown.err
    assert "score" in shown.err
    assert "Traceback" not in shown.err


def test_an_unknown_option_is_a_user_error_with_the_usage(aptone: Callable[..., Any]) -> None:
    shown = aptone("doctor", "--nonsense")
    assert shown.code == 2
    assert shown.err.startswith("Usage: aptone doctor")


def test_an_error_is_also_json_when_json_is_asked_for(aptone: Callable[..., Any]) -> None:
    shown = aptone("compare", "nowhere", "neither", "--json")
    assert shown.code == 2
    assert "nowhere: not a run folder" in shown.json["error"]


def test_an_error_is_said_in_the_language_that_was_asked_for(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "nothing.wav：没有这个文件；请检查路径，以及它所相对的文件夹。"
    assert said in aptone("score", "nothing.wav", "--line", "Go.", "--lang", "zh").err
    assert said in aptone("score", "nothing.wav", "--line", "Go.", "--lang=zh").err
    assert "no such file" in aptone("score", "nothing.wav", "--line", "Go.").err
    monkeypatch.setenv("APTONE_LANG", "zh")
    assert said in aptone("score", "nothing.wav", "--line", "Go.").err
    assert "no such file" in aptone("score", "nothing.wav", "--line", "Go.", "--lang", "en").err
    for_programs = aptone("score", "nothing.wav", "--line", "Go.", "--json")
    assert "no such file" in for_programs.out
    assert said in for_programs.err


def test_ctrl_c_exits_with_130(aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module.aptone, "main", interrupted)
    shown = aptone("doctor")
    assert shown.code == 130
    assert shown.err == "aptone: interrupted.\n"


def test_a_broken_verb_of_a_plugin_does_not_take_the_help_of_the_others_with_it(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Registry[Any], name: str) -> Any:
        raise RegistryError(f"verbs {name!r} of some package cannot be loaded")

    monkeypatch.setattr(Registry, "load", broken)
    monkeypatch.delitem(VERBS, "report")
    shown = aptone("--help")
    assert shown.code == 0
    assert "(broken: verbs 'report' of some package cannot be loaded)" in " ".join(shown.out.split())
    assert "doctor" in shown.out


def test_a_bare_command_shows_the_help_and_no_error(aptone: Callable[..., Any]) -> None:
    shown = aptone()
    assert shown.code == 2
    assert shown.err.count("Usage") == 1
    assert "error" not in shown.err


def test_what_the_system_refuses_is_said_without_a_traceback(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "run/config.json")

    monkeypatch.setattr(main_module.aptone, "main", full)
    shown = aptone("doctor")
    assert (shown.code, "No space left on device: 'run/config.json'" in shown.err) == (2, True)


def test_a_reader_that_goes_away_is_not_shouted_at() -> None:
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-m", "aptone", "doctor"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", "检查项"), ("latin-1", "\\u68c0\\u67e5\\u9879"), ("utf-8", "检查项")]
)
def test_what_an_encoding_lacks_is_escaped_and_ends_no_command(encoding: str, shown: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "aptone", "doctor", "--lang", "zh"],
        env={**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "200"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert shown in ended.stdout.decode("utf-8")


def test_a_verb_like_no_other_is_a_user_error_too(aptone: Callable[..., Any]) -> None:
    shown = aptone("xyzzy")
    assert shown.code == 2
    assert "No such command 'xyzzy'" in shown.err
