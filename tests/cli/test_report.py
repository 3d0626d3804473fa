import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def scored(score_once: Callable[..., None], manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored")
    score_once(folder, manifest, "-o", "run", "--max-items", "3", "--batch-check")
    return folder / "run"


@pytest.fixture
def run(scored: Path, tmp_path: Path) -> Path:
    """A run of its own, where the test works."""
    return shutil.copytree(scored, tmp_path / "run")


def test_the_report_is_made_anew_and_keeps_what_the_run_had_found_out(aptone: Callable[..., Any], run: Path) -> None:
    (run / "report.html").unlink()
    shown = aptone("report", "run", "--json")
    assert shown.code == 0
    assert (run / "report.html").exists()
    assert shown.json["trust"]["stopped"] == "--max-items 3 reached"
    assert shown.json["trust"]["batch"]["state"] == "not-applicable"


def test_the_report_speaks_mandarin_when_asked(aptone: Callable[..., Any], run: Path) -> None:
    assert aptone("report", "run", "--language", "zh").code == 0
    assert 'lang="zh' in (run / "report.html").read_text(encoding="utf-8")


def test_what_the_engine_was_never_compared_with_is_said_in_the_report_and_on_the_card(
    aptone: Callable[..., Any], run: Path
) -> None:
    shown = aptone("report", "run")
    assert "! Built-in judge: it compares what its ear hears with the plan." in " ".join(shown.out.split())
    assert "no score was ever compared with listeners" in (run / "report.html").read_text(encoding="utf-8")


def test_the_ear_and_its_licence_are_named_in_the_report_and_on_the_card(aptone: Callable[..., Any], run: Path) -> None:
    shown = aptone("report", run)
    assert "ear: full (CC-BY-NC-SA-4.0)" in " ".join(shown.out.split())
    assert "ear: full (CC-BY-NC-SA-4.0)" in (run / "report.html").read_text(encoding="utf-8")
    aptone("report", run, "--language", "zh")
    assert "听觉模型：full（CC-BY-NC-SA-4.0）" in (run / "report.html").read_text(encoding="utf-8")


def test_what_is_not_a_run_is_refused(aptone: Callable[..., Any], tmp_path: Path) -> None:
    shown = aptone("report", tmp_path)
    assert shown.code == 2
    assert "not a run folder" in shown.err
