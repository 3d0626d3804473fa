"""``aptone build dialogues`` as it is typed, with engines that are there."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tables import for_each

Aptone = Callable[..., Any]

SHORT = ("--arc", "anger-to-calm", "--turns", 1, "--number", 1, "--max-attempts", 1)


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_a_benchmark_is_built_resumed_and_scored(aptone: Aptone) -> None:
    built = aptone("build", "dialogues", "-o", "talks", *SHORT, "--strength", "exaggerated", "--json")
    assert built.code == 0
    assert built.json["yields"]["speech"] == {"turns": 2, "tries": 2}
    assert built.json["dialogues"] == 1
    again = aptone("build", "dialogues", "-o", "talks", *SHORT, "--strength", "exaggerated")
    assert "Check: of 2 turns with a feeling" in again.out
    assert "1 dialogues kept, 0 rejected." in again.out
    chinese = aptone("build", "dialogues", "-o", "talks", *SHORT, "--strength", "exaggerated", "--lang", "zh")
    assert "保留 1 段对话" in chinese.out
    scored = aptone("dialogue", "talks/manifest.jsonl", "-o", "run", "--json")
    assert scored.json["items"][0]["scores"]["ECS"]["value"] is not None
    assert scored.json["systems"][0]["name"] == "fitting"
    other = aptone("build", "dialogues", "-o", "talks", *SHORT)
    assert other.code == 2
    assert "another configuration" in other.err


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_mandarin_is_spoken(aptone: Aptone) -> None:
    built = aptone("build", "dialogues", "-o", "talks", "--language", "zh", *SHORT[:-2], "--json")
    assert built.json["yields"]["speech"]["turns"] == 2
    turns = [json.loads(line) for line in Path("talks/journal.jsonl").read_text(encoding="utf-8").splitlines()]
    assert "！" in turns[0]["outcome"]["evidence"]["turns"][0]["text"]


def test_an_engine_that_is_not_installed_is_named_with_its_package(
    aptone: Aptone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = aptone("build", "dialogues", "-o", "talks", *SHORT)
    assert shown.code == 2
    assert "apt install espeak-ng" in shown.err
    assert not Path("talks").exists()


@for_each(
    ("options", "problem"),
    [
        (("--number", 99), "the templates have 32 different dialogues"),
        (("--speaker", "parrot"), "parrot"),
        (("--set", "ear.name=x"), "an option of the speaker or the writer"),
        (("--set", "writer.model=x"), "have no option 'model'"),
        (("--text", "api"), "which model is the writer"),
        (("--speaker", "flite", "--language", "zh"), "flite does not speak 'zh'"),
    ],
)
def test_what_cannot_be_built_is_said_before_anything_is(
    options: tuple[object, ...], problem: str, aptone: Aptone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    shown = aptone("build", "dialogues", "-o", "talks", *options)
    assert shown.code == 2
    assert problem in shown.err
    assert not Path("talks").exists()
