"""``aptone studio --demo`` without a project folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aptone = Callable[..., Any]


@pytest.mark.slow
def test_a_demo_without_a_folder_says_that_it_is_deleted(
    aptone: Aptone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.studio.server.serve.serve", lambda *given, ready, **options: ready())
    demo = ("studio", "--demo", "--port", "0", "--no-browser")
    assert "deletes this demonstration; --project FOLDER keeps it" in aptone(*demo).out
    assert "nothing is lost" in aptone(*demo, "--project", str(tmp_path / "p")).out
