"""From ``aptone score`` to people who rate the same lines: the judge's scores beside theirs, typed and on the page."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.run import load_run
from tests.studio.server.world import Browser, World, change, new_world

Aptone = Callable[..., Any]
TASK = "ceaeval-d"
PEOPLE = {"ada": (4.5, 2.0, 1.0, 3.0), "bea": (4.0, 3.0, 0.5, 3.5)}
"""What two people give the four lines, in their order."""


@pytest.fixture
def run(aptone: Aptone, manifest: Path, tmp_path: Path) -> Path:
    """What the built-in judge says of four lines of the example."""
    records = map(json.loads, manifest.read_text(encoding="utf-8").splitlines()[:4])
    placed = [{**record, "audio": str(manifest.parent / record["audio"])} for record in records]
    (tmp_path / "few.jsonl").write_text("".join(json.dumps(one) + "\n" for one in placed), encoding="utf-8")
    assert aptone("score", "few.jsonl", "-o", "run").code == 0
    return tmp_path / "run"


@pytest.fixture
def world(aptone: Aptone, run: Path) -> Iterator[World]:
    """A project with these lines, and the people of a study in it."""
    assert aptone("studio", "import", "listening", run, "--task", TASK, "--raters", len(PEOPLE)).code == 0
    with new_world(Path("listening")) as made:
        yield made


def rate(world: World, browser: Browser, score: float) -> None:
    """Hear the next line and answer all fifteen questions."""
    view, asked = browser.next(TASK), browser.get(f"/api/tasks/{TASK}").json()["controls"]
    answers: dict[str, Callable[[Any], Any]] = {
        "scale": lambda control: score,
        "choice": lambda control: control["choices"][0]["value"],
        "text": lambda control: "calm",
        "edit": lambda control: view["fields"][control["prefill"]],
        "boundaries": lambda control: view["fields"][control["prefill"]],
    }
    world.pass_time(60)
    for clip in view["clips"]:
        if clip["must_play"]:
            browser.ask("POST", f"/api/assignments/{view['id']}/played", json={"clip": clip["clip"]})
    changes = [change(control["name"], answers[control["kind"]](control)) for control in asked]
    reply = browser.ask("POST", f"/api/assignments/{view['id']}/submit", json={"changes": changes})
    assert reply.status_code == 200, reply.text


@pytest.mark.slow
def test_the_judge_of_a_run_stands_beside_the_people_who_rate_what_it_scored(
    aptone: Aptone, run: Path, world: World
) -> None:
    for name, scores in PEOPLE.items():
        for score in scores:
            rate(world, world[name], score)
    judged = [entry.outcome.scores[load_run(run).main_score].value for entry in load_run(run).entries]
    means = np.mean(list(PEOPLE.values()), axis=0)

    (shown,) = world["cleo"].get(f"/api/tasks/{TASK}/agreement").json()["judge"]
    assert (shown["control"], shown["items"]) == ("overall_score", 4)
    assert shown["judge"]["LCC"]["value"] == pytest.approx(np.corrcoef(judged, means)[0, 1])
    between = np.corrcoef(PEOPLE["ada"], PEOPLE["bea"])[0, 1]
    assert shown["people"]["LCC"]["value"] == pytest.approx(between)  # each against the rest, which is the other

    (typed,) = aptone("studio", "agreement", "listening", "--task", TASK, "--json").json["judge"]
    assert typed["judge"]["LCC"]["value"] == shown["judge"]["LCC"]["value"]
    table = aptone("studio", "agreement", "listening", "--task", TASK).out
    assert "The automatic judge with the people, beside each of them with the rest" in table
    assert f"{shown['judge']['LCC']['value']:.2f}" in table.partition("The automatic judge")[2]
    assert "自动评判与人的一致性" in aptone("studio", "agreement", "listening", "--task", TASK, "--lang", "zh").out
