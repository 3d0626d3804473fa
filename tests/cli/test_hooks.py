"""Hooks by entry point, from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOOK = """
class Broken:
    def __init__(self, *, word="boom"):
        self.word = word

    def on_start(self, config, folder):
        pass

    def on_item(self, entry):
        raise RuntimeError(self.word)

    def on_end(self, stopped):
        pass
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings the hook ``broken``."""
    site = tmp_path / "site"
    about = site / "hooks_of_a_test-1.dist-info"
    about.mkdir(parents=True)
    (site / "hooks_of_a_test.py").write_text(HOOK, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hooks-of-a-test\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[aptone.hooks]\nbroken = hooks_of_a_test:Broken\n", encoding="utf-8")
    monkeypatch.syspath_prepend(site)


def test_a_hook_of_a_plugin_that_raises_is_said_and_the_run_is_complete(
    aptone: Callable[..., Any], plugin: None, clip: Path, tmp_path: Path
) -> None:
    (tmp_path / "m.jsonl").write_text(json.dumps({"audio": str(clip), "line": "Stay where you are."}))
    shown = aptone("score", "m.jsonl", "-o", "run", "--hook", "broken=word:crash", "--export", "r.csv", "--json")
    assert (shown.code, shown.json["worked"]) == (0, 1)
    assert "a hook failed and was not called again; the results are complete: Broken.on_item: RuntimeError: crash" in (
        shown.err
    )
    assert "1 row was written to r.csv" in shown.err
    wrong = aptone("score", "m.jsonl", "-o", "other", "--hook", "brokn")
    assert (wrong.code, "did you mean broken?" in wrong.err) == (2, True)
    alone = aptone("score", clip, "--line", "Stay where you are.", "--hook", "broken")
    assert (alone.code, "--hook needs a run folder" in alone.err) == (2, True)
