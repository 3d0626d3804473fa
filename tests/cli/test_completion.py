from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_names_the_variable_that_click_listens_to(aptone: Callable[..., Any], shell: str) -> None:
    shown = aptone("completion", shell)
    assert shown.code == 0
    assert "_APTONE_COMPLETE" in shown.out


def test_the_script_comes_as_json_too(aptone: Callable[..., Any]) -> None:
    shown = aptone("completion", "zsh", "--json")
    assert shown.json["shell"] == "zsh"
    assert "compdef" in shown.json["script"]


def test_an_unknown_shell_is_a_user_error(aptone: Callable[..., Any]) -> None:
    assert aptone("completion", "tcsh").code == 2
