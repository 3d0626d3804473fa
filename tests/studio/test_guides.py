"""The task in the guide is a task, and what it shows is what its manifest has."""

import re
import shutil
from pathlib import Path

from aptone.ratings.tasks import read_task, templates
from aptone.studio.exchange.imports import import_task

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "studio" / "tasks.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", GUIDE, flags=re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_task_in_the_guide_takes_the_record_in_the_guide(tmp_path: Path) -> None:
    (tmp_path / "clearness.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "clips.jsonl").write_text(block("json"), encoding="utf-8")
    shutil.copyfile(ROOT / "examples" / "lighthouse" / "clips" / "keeper-apt.opus", tmp_path / "a.wav")
    task = import_task(str(tmp_path / "clearness.yaml"), [tmp_path / "clips.jsonl"], folder=tmp_path / "project")
    (item,) = task.items
    assert item.fields == {"words": "Stay where you are."}
    assert item.hidden == {"clarity": 4.5, "system": "old"}
    assert task.controls[0].judged_by == "clarity"
    assert [choice.value for choice in task.controls[1].choices] == ["yes", "no"]
    assert read_task(tmp_path / "clearness.yaml").items == ()


def test_the_guide_lists_every_task_that_ships() -> None:
    assert re.findall(r"^\| `([a-z0-9-]+)` \| .* \| .* \|$", GUIDE.split("##")[0], flags=re.MULTILINE) == sorted(
        templates(), key=lambda name: GUIDE.index(f"| `{name}` |")
    )
