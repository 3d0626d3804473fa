import re
import shutil
from collections.abc import Callable
from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scored(score_once: Callable[..., None], manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored")
    score_once(folder, manifest, "-o", "run", "--max-items", "3", "--batch-check", code=3)
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


SAID = {
    "Built-in judge: it compares what its ear hears": "内置评审：它把听觉模型听到的与计划作比较",
    "the judge hears one clip at a time": "评审一次只听一段录音",
    "--max-items 3 reached": "已达到 --max-items 3",
}
"""What the report of this run says in English, and in Mandarin."""


def test_every_sentence_of_a_run_is_mandarin_in_a_mandarin_report(aptone: Callable[..., Any], run: Path) -> None:
    for language in ("en", "zh"):
        aptone("report", "run", "--language", language)
        whole = (run / "report.html").read_text(encoding="utf-8")
        page = re.sub("<pre.*?</pre>", "", whole, flags=re.DOTALL)  # files are shown as they are
        for english, mandarin in SAID.items():
            assert (english in page, mandarin in page) == (language == "en", language == "zh")


NEW = ("messages", "checksum")
"""Fields that the first edition did not write."""


def test_a_run_of_the_first_edition_keeps_its_english_sentences(aptone: Callable[..., Any], run: Path) -> None:
    for name in ("config.json", "trust.json", "journal.jsonl"):
        lines = (run / name).read_text(encoding="utf-8")
        records = [loads(line) for line in (lines.splitlines() if name.endswith("l") else [lines])]
        assert any("messages" in record for record in records)
        bare = [{key: value for key, value in record.items() if key not in NEW} for record in records]
        (run / name).write_text("".join(f"{dumps(record)}\n" for record in bare), encoding="utf-8")
    assert aptone("report", "run", "--language", "zh").code == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "the judge hears one clip at a time" in page
    assert "得当程度评分" in page


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


@pytest.fixture
def project(aptone: Callable[..., Any], manifest: Path, tmp_path: Path) -> Path:
    """A manifest that names its clips relative to itself, and a run over three of them, in one folder."""
    shutil.copytree(manifest.parent, tmp_path / "project")
    given = ("project/manifest.jsonl", "-o", "project/runs/first", "--max-items", "3")
    assert aptone("score", *given).code == 3  # stopped by the limit
    return tmp_path / "project"


def _players(folder: Path) -> int:
    return (folder / "report.html").read_text(encoding="utf-8").count("<audio")


def test_a_run_that_was_moved_with_its_clips_has_them_in_its_report(aptone: Callable[..., Any], project: Path) -> None:
    assert _players(project / "runs" / "first") == 3
    moved = project.rename(project.parent / "moved")
    journal = (moved / "runs" / "first" / "journal.jsonl").read_bytes()
    assert aptone("report", "moved/runs/first").code == 0
    assert _players(moved / "runs" / "first") == 3
    assert (moved / "runs" / "first" / "journal.jsonl").read_bytes() == journal


def test_a_run_that_was_moved_alone_has_the_clips_where_they_were(aptone: Callable[..., Any], project: Path) -> None:
    moved = (project / "runs" / "first").rename(project.parent / "moved")
    assert aptone("report", moved).code == 0
    assert _players(moved) == 3


def test_a_copied_run_plays_its_own_clips_when_the_original_ones_were_recorded_anew(
    aptone: Callable[..., Any], project: Path
) -> None:
    copied = project.parent / "copied"
    shutil.copytree(project, copied)
    for clip in (project / "clips").iterdir():
        shutil.copyfile(project / "clips" / "sleep-zh-apt.opus", clip.with_suffix(".new"))
        clip.with_suffix(".new").replace(clip)
    assert aptone("report", "copied/runs/first").code == 0
    assert _players(copied / "runs" / "first") == 3


@pytest.mark.parametrize(("language", "said"), [("en", "Not there any more: {path}"), ("zh", "录音已不在原处：{path}")])
def test_a_clip_that_is_gone_is_told_of_and_the_others_are_played(
    aptone: Callable[..., Any], project: Path, language: str, said: str
) -> None:
    gone = project / "clips" / "wall-flat.opus"
    gone.unlink()
    assert aptone("report", "project/runs/first", "--lang", language).code == 0
    assert _players(project / "runs" / "first") == 2
    assert said.format(path=gone) in (project / "runs" / "first" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("is_gone", [False, True])
def test_takes_that_were_moved_with_their_ranking_are_played_and_lost_ones_are_told_of(
    aptone: Callable[..., Any], manifest: Path, tmp_path: Path, is_gone: bool
) -> None:
    shutil.copytree(manifest.parent, tmp_path / "project")
    takes = [f"project/clips/wall-{reading}.opus" for reading in ("apt", "flat")]
    given = ("rank", "project/story.en.txt", "--line", "Get out!", *takes, "-o", "project/run")
    assert aptone(*given).code == 0
    assert _players(tmp_path / "project" / "run") == 4  # twice in the ranking, twice among the items
    moved = (tmp_path / "project").rename(tmp_path / "moved")
    if is_gone:
        (moved / "clips" / "wall-flat.opus").unlink()
    assert aptone("report", "moved/run").code == 0
    assert _players(moved / "run") == (2 if is_gone else 4)
    assert ("recording not found" in (moved / "run" / "report.html").read_text(encoding="utf-8")) == is_gone
