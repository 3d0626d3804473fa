"""``aptone train miniature export``: a trained miniature becomes a judge that the next command uses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")

from recipes.miniature.engine_network import FILES, LICENCE, load_miniature
from tests.judge.miniatures import save_miniature


def test_the_export_says_how_large_it_is_and_what_comes_next(aptone: Callable[..., Any], tmp_path: Path) -> None:
    model, out = save_miniature(tmp_path), tmp_path / "judge"
    shown = aptone("train", "miniature", "export", "--model", str(model), "--out", str(out), "--json")
    assert shown.json["bytes"] == sum((out / name).stat().st_size for name in FILES)
    assert (shown.json["revision"], shown.json["licence"]) == (load_miniature(out).settings.revision, LICENCE)
    said = aptone("train", "miniature", "export", "--model", str(model), "--licence", "MIT", "--out", str(out))
    assert "MIT. Next: aptone score" in said.out
    assert f"judge.model={out}" in said.out.replace("\n", "")
    said = aptone("train", "miniature", "export", "--model", str(model), "--out", str(out), "--lang", "zh")
    assert f"{LICENCE}。下一步：aptone score" in said.out


def test_a_model_without_its_scale_is_refused(aptone: Callable[..., Any], tmp_path: Path) -> None:
    model = save_miniature(tmp_path)
    (model / "scale.npy").unlink()
    shown = aptone("train", "miniature", "export", "--model", str(model), "--out", str(tmp_path / "judge"))
    assert shown.code == 2
    assert "sounds/scale.npy" in shown.err
