"""The documentation says what the code does."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_reference_of_verbs_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_cli", DOCS / "make_cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert written == module.reference(), "run: python docs/make_cli.py"


def test_the_step_in_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (DOCS / "runs.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code.group(1), "docs/runs.md", "exec"), names)
    ended = names["ended"]
    assert getattr(ended, "worked", None) == 2
