"""``aptone studio new`` and ``results`` as they are typed."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.studio.project import Project
from aptone.studio.store.records import Change
from aptone.types import Audio, Json

Aptone = Callable[..., Any]
RATE = 24_000


def noise(seed: int) -> Audio:
    return Audio((0.1 * np.random.default_rng(seed).standard_normal(RATE // 2)).astype(np.float32), rate=RATE)


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    """Folders of three systems and a reference, with four clips of the same names each."""
    for place, system in enumerate(("old", "new", "best", "recorded")):
        for number in range(4):
            path = tmp_path / system / f"line-{number}.wav"
            path.parent.mkdir(exist_ok=True)
            write(path, noise(10 * place + number))
    (tmp_path / "old" / "line-0.txt").write_text("Stay where you are.", encoding="utf-8")
    return tmp_path


def answer_all(folder: Path, task: str, given: Callable[[dict[str, str], str], Json], *, people: int) -> None:
    """Some people rate everything; `given` gets blind name to own name of the clips, and the assignment."""
    with Project.open(folder) as project:
        stored = project.tasks.get(task)
        control = stored.task.controls[0].name
        for number in range(people):
            token = project.people.invite("annotator", name=f"p{number}").result().token
            person = project.people.enter(token).result().session.person.id
            while (view := project.assignments.next(task, person).result().view) is not None:
                paths = {clip.clip: project.assignments.clip(view.id, person, clip.clip).path for clip in view.clips}
                own = {clip.path: name for item in stored.task.items for name, clip in item.audio.items()}
                change = Change(
                    view.id, control, given({blind: own[path] for blind, path in paths.items()}, view.id), 1
                )
                project.assignments.submit(view.id, person, [change]).result()


def test_mushra_is_made_of_folders_with_anchors_and_reported_by_the_command(systems: Path, aptone: Aptone) -> None:
    project = systems / "listening"
    made = aptone(
        "studio", "new", project, systems / "old", systems / "new", "--test", "mushra",
        "--reference", systems / "recorded", "--json",
    )  # fmt: skip
    assert made.code == 0
    assert json.loads(made.out) == {
        "name": "mushra", "test": "mushra", "items": 4, "texts": 4, "raters": 20, "left_out": [],
    }  # fmt: skip
    with Project.open(project) as opened:
        task = opened.tasks.get("mushra").task
    item = next(item for item in task.items if item.id == "line-0")
    assert item.fields["line"] == "Stay where you are."
    anchor = read(project / item.audio["anchor 3.5 kHz"].path, rate=None)
    power = np.abs(np.fft.rfft(anchor.samples * np.hanning(anchor.samples.size))) ** 2
    hertz = np.fft.rfftfreq(anchor.samples.size, 1 / RATE)
    assert power[hertz > 4000].sum() < 1e-5 * power[hertz < 3500].sum()
    scores = {"hidden reference": 100, "new": 80, "old": 60, "anchor 7 kHz": 40, "anchor 3.5 kHz": 20}

    def given(own: dict[str, str], assignment: str) -> Json:
        jitter = int(assignment[:6], 16) % 5  # so that ratings vary, and stay on the scale
        return {
            blind: scores.get(name, 100) + (jitter if name == "old" else 0)
            for blind, name in own.items()
            if blind != "c0"  # the open reference comes first
        }

    answer_all(project, "mushra", given, people=4)
    shown = aptone("studio", "results", project, "--task", "mushra")
    assert shown.code == 0
    assert "hidden reference" in shown.out
    assert "The test followed MUSHRA" in shown.out.replace("\n", " ")
    told = json.loads(aptone("studio", "results", project, "--task", "mushra", "--json").out)
    assert [one["system"] for one in told["systems"]] == [
        "hidden reference", "new", "old", "anchor 7 kHz", "anchor 3.5 kHz",
    ]  # fmt: skip
    assert told["pairs"][0]["significant"] is True
    written = aptone("studio", "results", project, "--task", "mushra", "-o", systems / "leaders.csv")
    assert written.code == 0
    with (systems / "leaders.csv").open(encoding="utf-8") as file:
        assert [row["system"] for row in csv.DictReader(file)][:2] == ["hidden reference", "new"]
    aptone("studio", "results", project, "--task", "mushra", "-o", systems / "methods.md", "--lang", "zh")
    assert "MUSHRA（ITU-R BS.1534-3）" in (systems / "methods.md").read_text(encoding="utf-8")
    refused = aptone("studio", "results", project, "--task", "mushra", "-o", systems / "leaders.xls")
    assert refused.code == 2
    assert ".csv, .json or .md" in refused.err


@pytest.mark.parametrize("test", ["mos", "cmos", "ab", "abx", "best-worst"])
def test_other_tests_are_made_of_folders_and_have_results_before_anybody_came(
    test: str, systems: Path, aptone: Aptone
) -> None:
    folders = [systems / "old", systems / "new", *([] if test == "abx" else [systems / "best"])]
    made = aptone("studio", "new", systems / "listening", *folders, "--test", test)
    assert made.code == 0
    assert "Next: aptone studio --project" in made.out
    assert ("a power of 80 %" in made.out.replace("\n", " ")) == (test == "mos")
    shown = aptone("studio", "results", systems / "listening", "--task", test)
    assert shown.code == 0
    assert "nobody has submitted" in shown.out.replace("\n", " ")


def test_texts_that_not_all_systems_have_are_left_out_and_named(systems: Path, aptone: Aptone) -> None:
    (systems / "new" / "line-3.wav").unlink()
    made = aptone("studio", "new", systems / "listening", systems / "old", systems / "new", "--test", "ab")
    assert made.code == 0
    assert "line-3" in made.err


def test_aptness_takes_its_stories_from_a_manifest(systems: Path, aptone: Aptone) -> None:
    lines = [
        {
            "id": f"line-{number}",
            "audio": f"old/line-{number}.wav",
            "line": "Stay.",
            "context": ["It was dark."],
        }
        for number in range(4)
    ]
    manifest = systems / "lines.jsonl"
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    made = aptone(
        "studio", "new", systems / "p", systems / "old", systems / "new", "--test", "aptness", "--stories", manifest
    )
    assert made.code == 0, made.err
    with Project.open(systems / "p") as project:
        item = project.tasks.get("aptness").task.items[0]
    story = item.fields["story"]
    assert isinstance(story, dict)
    assert story["target"] == 1
    assert item.fields["takes"] == ["old", "new"]
    refused = aptone("studio", "new", systems / "q", systems / "old", systems / "new", "--test", "aptness")
    assert refused.code == 2
    assert "--stories" in refused.err


def test_folders_of_one_name_need_names(systems: Path, aptone: Aptone) -> None:
    (systems / "again").mkdir()
    (systems / "old").rename(systems / "again" / "new")
    arguments = ["studio", "new", systems / "p", systems / "again" / "new", systems / "new", "--test", "ab"]
    refused = aptone(*arguments)
    assert refused.code == 2
    assert "--system" in refused.err
    assert aptone(*arguments, "--system", "before", "--system", "after").code == 0
    assert aptone(*arguments, "--system", "before").code == 2


def test_a_task_that_compares_no_systems_has_no_results(tmp_path: Path, systems: Path, aptone: Aptone) -> None:
    aptone("studio", "import", tmp_path / "p", tmp_path / "clips.csv", "--task", "s3bench")
    (tmp_path / "pairs.jsonl").write_text(
        json.dumps({"id": "a", "audio": str(systems / "old" / "line-0.wav"), "text": "A low voice."}) + "\n",
        encoding="utf-8",
    )
    assert aptone("studio", "import", tmp_path / "p", tmp_path / "pairs.jsonl", "--task", "s3bench").code == 0
    refused = aptone("studio", "results", tmp_path / "p", "--task", "s3bench")
    assert refused.code == 2
    assert "compares no systems" in refused.err
