"""``aptone build rating-task`` as it is typed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.ratings.tasks import read_task

Aptone = Callable[..., Any]


@pytest.fixture
def lines(tmp_path: Path, clip: Path) -> Path:
    """Two spoken lines in a manifest."""
    shutil.copyfile(clip, tmp_path / "a.opus")
    rows = [{"id": name, "audio": "a.opus", "line": "Go!", "ids": {"story": "s"}} for name in ("one", "two")]
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_a_manifest_becomes_a_folder_with_a_task_and_its_clips(aptone: Aptone, lines: Path) -> None:
    made = aptone("build", "rating-task", "ceaeval-d", lines, "-o", "raters", "--calibration", 1, "--json")
    assert made.json == {"task": "raters/task.json", "name": "ceaeval-d", "items": 2, "raters": 1}
    task = read_task(Path("raters/task.json"))
    assert [item.id for item in task.items] == ["one", "two"]
    assert task.calibration == ("one",)
    (clip,) = Path("raters/clips").iterdir()
    assert task.items[0].audio["audio"].path == f"clips/{clip.name}"
    again = aptone("build", "rating-task", "ceaeval-d", lines, "-o", "raters")
    assert (again.code, "holds something" in again.err) == (2, True)


def test_what_is_next_is_said_in_both_languages(aptone: Aptone, lines: Path) -> None:
    english = aptone("build", "rating-task", "ceaeval-d", lines, "-o", "en", "--name", "mine").out
    assert "2 items, 1 people each: en/task.json" in english
    assert "aptone studio import PROJECT en/task.json" in english
    assert "2 个条目" in aptone("build", "rating-task", "ceaeval-d", lines, "-o", "zh", "--lang", "zh").out
    assert read_task(Path("en/task.json")).name == "mine"


def test_a_task_of_ones_own_is_a_file(aptone: Aptone, lines: Path, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "name: own\ntitle: {en: T}\nguide: {en: G}\nitems: []\n"
        "shown: [{name: audio, kind: audio}, {name: line, kind: text}]\n"
        "controls: [{name: fit, kind: scale, label: {en: Fit}, low: 0, high: 5, step: 1}]\n"
    )
    assert aptone("build", "rating-task", "own.yaml", lines, "-o", "raters").code == 0
    task = read_task(Path("raters/task.json"))
    assert task.items[0].hidden == {"ids": {"story": "s"}}


def test_a_task_that_is_not_there_and_sides_that_are_not_two_are_refused(aptone: Aptone, lines: Path) -> None:
    told = aptone("build", "rating-task", "nothing", lines, "-o", "raters").err
    assert "those that ship are ab, abx, aptness" in told
    assert "ceaeval-d" in told
    assert "between two" in aptone("build", "rating-task", "preference", lines, "-o", "raters").err
