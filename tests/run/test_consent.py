"""Recordings are sent to another machine only if the user agrees."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from aptone.errors import UsageError
from aptone.run import Call, RunConfig, RunFolder, run_items
from aptone.run.consent import ask_consent
from aptone.types import Item, Outcome

AWAY = ("api.example",)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were asked; the answer is no, unless the test sets another."""
    questions: list[str] = []

    def confirm(question: str, **_: Any) -> bool:
        questions.append(question)
        return False

    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    return questions


def test_an_engine_that_keeps_audio_here_asks_nothing(asked: list[str]) -> None:
    assert ask_consent((), clips=5, folder=None, agreed=False) == ()
    assert not asked


def test_the_question_says_what_goes_where_and_no_means_that_nothing_is_sent(asked: list[str]) -> None:
    with pytest.raises(UsageError, match="nothing was sent"):
        ask_consent(AWAY, clips=5, folder=None, agreed=False)
    assert asked == ["This sends 5 recordings to api.example. Go on?"]


def test_yes_means_yes(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click, "confirm", lambda *_, **__: True)
    assert ask_consent(AWAY, clips=1, folder=None, agreed=False) == ("api.example",)


def test_scripts_agree_with_an_option_and_are_told_so_otherwise(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask_consent(AWAY, clips=1, folder=None, agreed=True) == ("api.example",)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    with pytest.raises(UsageError, match=r"sends 1 recording to api\.example\. .*add --yes"):
        ask_consent(AWAY, clips=1, folder=None, agreed=False)
    assert not asked


def test_a_run_that_is_resumed_does_not_ask_again(asked: list[str], tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", RunConfig("score", "away", consent=("api.example",))):
        pass
    assert ask_consent(AWAY, clips=5, folder=tmp_path / "run", agreed=False) == ("api.example",)
    assert not asked


def test_consent_for_one_machine_is_not_consent_for_another(asked: list[str], tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", RunConfig("score", "away", consent=("other.example",))):
        pass
    with pytest.raises(UsageError):
        ask_consent(AWAY, clips=5, folder=tmp_path / "run", agreed=False)
    assert len(asked) == 1


def test_a_new_folder_holds_no_consent(asked: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        ask_consent(AWAY, clips=5, folder=tmp_path / "new", agreed=False)


class Away:
    """A step that says where recordings go."""

    about = SimpleNamespace(sends_audio_to=AWAY)

    def __call__(self, item: Item, call: Call) -> Outcome:
        return Outcome.unscored("it was asked")


def test_a_run_from_python_needs_consent_as_well(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig("score", "away")
    one = [Item.make("a", {})]
    with pytest.raises(UsageError, match="nothing was sent"):
        run_items(one, Away(), folder=tmp_path / "run", config=config)
    assert asked == ["This sends 1 recording to api.example. Go on?"]
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    with pytest.raises(UsageError, match=r"This sends recordings to api\.example\..*add allow_remote=True"):
        run_items(iter(one), Away(), folder=tmp_path / "run", config=config)
    ended = run_items(one, Away(), folder=tmp_path / "run", config=config, allow_remote=True)
    assert (ended.worked, ended.run.config.consent) == (1, AWAY)
    again = run_items([*one, Item.make("b", {}, position=1)], Away(), folder=tmp_path / "run", config=config)
    assert again.worked == 1, "a run that goes on is not asked about again"


def test_several_machines_are_named_together(asked: list[str]) -> None:
    with pytest.raises(UsageError):
        ask_consent(("b.example", "a.example", "c.example"), clips=2, folder=None, agreed=False)
    assert asked == ["This sends 2 recordings to a.example and b.example and c.example. Go on?"]
