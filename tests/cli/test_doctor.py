from collections.abc import Callable
from typing import Any

import pytest

import aptone.cli.doctor as doctor_module
from aptone.errors import RegistryError
from aptone.models import Engine
from aptone.registry import Registry


def test_the_doctor_says_that_the_built_in_engine_can_run_and_that_it_is_a_placeholder(
    aptone: Callable[..., Any],
) -> None:
    shown = aptone("doctor", "--json")
    assert shown.code == 0
    engine = {engine["name"]: engine for engine in shown.json["engines"]}["built-in"]
    assert engine["ready"] is True
    assert engine["package"] == "aptone"
    assert "placeholder" in engine["summary"]
    assert shown.json["registered"]["rooms"] == {"aptness": "aptone"}


def test_the_table_names_every_engine_and_extra(aptone: Callable[..., Any]) -> None:
    shown = aptone("doctor")
    assert shown.code == 0
    for name in ["built-in", "formats", "frames", "ray"]:
        assert name in shown.out


def test_a_missing_extra_comes_with_its_pip_command(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_module, "find_spec", lambda name: None)
    shown = aptone("doctor")
    assert 'pip install "aptone[ray]"' in " ".join(shown.out.split())
    assert {part["ready"] for part in aptone("doctor", "--json").json["extras"]} == {False}


def test_an_engine_that_lacks_modules_or_sends_audio_away_is_described(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    away = Engine(
        "away", "asks a server", "by-hand", "prosody", ("no_such_module",), "llm", "api.example", licence="MIT"
    )
    monkeypatch.setattr(Registry, "load", lambda self, name: away)
    (engine,) = aptone("doctor", "--json").json["engines"]
    assert (engine["ready"], engine["install"]) == (False, 'pip install "aptone[llm]"')
    monkeypatch.setenv("COLUMNS", "240")
    assert "Sends audio to api.example. Weights under MIT." in aptone("doctor").out


def test_a_broken_engine_is_reported_not_raised(aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Registry[Any], name: str) -> Any:
        raise RegistryError("engines 'x' cannot be loaded")

    monkeypatch.setattr(Registry, "load", broken)
    (engine,) = aptone("doctor", "--json").json["engines"]
    assert engine["ready"] is False
    assert engine["summary"] == "engines 'x' cannot be loaded"
