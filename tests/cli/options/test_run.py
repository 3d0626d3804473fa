from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aptone.cli.options.run as running_module
from aptone.cli.options.run import Running, default_cache
from aptone.run import InProcess, Processes


def running(**changes: Any) -> Running:
    options: dict[str, Any] = {
        "repeat": 1,
        "batch_check": False,
        "max_cost": 1.0,
        "max_items": None,
        "max_seconds": 1.0,
    }
    options |= {"workers": None, "executor": "local", "cache": None, "no_cache": False, "seed": 0, "yes": False}
    return Running(**{**options, **changes})


def test_the_executor_is_the_one_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, str | None]] = []
    monkeypatch.setattr(running_module, "OnRay", lambda width, address: asked.append((width, address)))
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    assert isinstance(running()._executor(3), InProcess)
    assert isinstance(running(executor="processes")._executor(3), Processes)
    running(executor="ray")._executor(3)
    assert asked == [(3, "ray://head:10001")]


def test_the_cache_is_where_the_environment_says_or_in_the_cache_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("APTONE_CACHE", "/elsewhere/replies.sqlite")
    assert default_cache() == Path("/elsewhere/replies.sqlite")
    monkeypatch.delenv("APTONE_CACHE")
    assert default_cache().name == "replies.sqlite"
    assert "aptone" in default_cache().parts


def test_a_limit_below_zero_is_a_user_error(aptone: Callable[..., Any]) -> None:
    shown = aptone("score", "m.jsonl", "--max-cost", "-1")
    assert shown.code == 2
    assert "--max-cost" in shown.err
