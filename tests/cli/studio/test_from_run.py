"""``aptone studio from-run`` and ``apply``: two commands between a run and people."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aptone.report.listeners import ORDER
from aptone.run import read_trust
from aptone.studio.project import Project
from aptone.studio.store.records import Change
from tests.studio.exchange.test_from_run import TAKES, run_of
from tests.studio.exchange.test_imports import clips

__all__ = ["clips"]


Aptone = Callable[..., Any]


def answer_everything(folder: Path) -> None:
    """Somebody prefers the recording that is shown first, item by item."""
    moment = [1_700_000_000.0]
    with Project.open(folder, clock=lambda: moment[0]) as project:
        person = project.people.enter(project.people.invite("annotator", name="Ada").result().token).result()
        control = project.tasks.get("preference").task.controls[0].name
        while (view := project.assignments.next("preference", person.session.person.id).result().view) is not None:
            moment[0] += 60
            for clip in view.clips:
                project.assignments.played(view.id, person.session.person.id, clip.clip).result()
            better = Change(f"{view.id}-0", control, view.pairs["takes"][0], 1)
            project.assignments.submit(view.id, person.session.person.id, [better]).result()


def test_a_run_is_asked_about_and_gets_the_answers_back(aptone: Aptone, tmp_path: Path, clips: Path) -> None:
    run = run_of(tmp_path / "ranked", TAKES, clips)
    made = aptone("studio", "from-run", run, "--takes", "--project", "study", "--json").json
    assert [row["id"] for row in made["items"]] == ["b-2", "d-2", "a-1"]
    answer_everything(Path("study"))
    applied = aptone("studio", "apply", "study", "--task", "preference", "--json").json
    assert (applied["runs"][0]["ratings"], applied["runs"][0]["people"]) == (3, 1)
    card = read_trust(run)
    assert applied["runs"][0]["agreement"][ORDER]["value"] == card.agreement[ORDER].value
    shown = aptone("studio", "apply", "study", "--task", "preference")
    assert "same take preferred" in shown.out
    assert "No calibration: people chose between clips" in shown.out
    assert "偏好相同的比例" in aptone("studio", "apply", "study", "--task", "preference", "--lang", "zh").out


def test_a_run_that_was_moved_is_named(aptone: Aptone, tmp_path: Path, clips: Path) -> None:
    run = run_of(tmp_path / "ranked", TAKES, clips)
    shown = aptone("studio", "from-run", run, "--takes", "--project", "study", "--count", "1")
    assert "Closest calls first: b-2; last: b-2." in shown.out
    answer_everything(Path("study"))
    (tmp_path / "elsewhere").mkdir()
    moved = run.rename(tmp_path / "elsewhere" / "ranked")
    assert aptone("studio", "apply", "study", "--task", "preference").code == 2
    assert aptone("studio", "apply", "study", "--task", "preference", "--run", moved).code == 0
    assert ORDER in read_trust(moved).agreement
