import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aptone as package

pytestmark = pytest.mark.slow

LINE = "Stay where you are. We will not come tonight."
PLAN = '{"emotion": "grave", "rhythm": "heavy", "intonation": "falling", "recording_condition": "phone"}'


@pytest.fixture
def story(clip: Path) -> Path:
    return clip.parents[1] / "story.en.txt"


@pytest.fixture
def takes(clip: Path) -> list[Path]:
    return [clip.with_name(f"keeper-{reading}.opus") for reading in ("wrong", "apt", "flat")]


def test_takes_are_put_in_order_and_the_winner_is_explained(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    shown = aptone("rank", story, "--line", LINE, "--plan", PLAN, *takes)
    assert shown.code == 0
    rows = [line.split()[:2] for line in shown.out.splitlines() if "keeper-" in line and ".opus" in line]
    assert rows[0] == ["1", "keeper-apt.opus"]
    assert "keeper-apt.opus is the best of 3 takes" in shown.out
    assert "Note: Built-in judge" in shown.out


def test_the_same_for_machines_with_one_plan_for_all(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    shown = aptone("rank", story, "--line", LINE, *takes, "--json").json
    assert sorted(take["take"] for take in shown["takes"]) == sorted(take.name for take in takes)
    assert shown["plan"]["source"] == "built-in planner"
    assert [lead["better"] for lead in shown["leads"]] == [shown["takes"][0]["take"]] * 2
    assert shown["too_close_to_call"] == (len(shown["best"]) > 1)
    assert all(lead["margin"] == 0.5 for lead in shown["leads"])


def test_a_reader_of_another_language_gets_the_same_order_with_reasons_of_their_own(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    given = ("rank", story, "--line", LINE, *takes, "--json")
    plain, told = aptone(*given).json, aptone(*given, "--lang", "zh").json
    assert [take["score"] for take in told["takes"]] == [take["score"] for take in plain["takes"]]
    assert told["language"] == plain["language"] == "en"  # of the story
    assert told["rationale"] != plain["rationale"]
    assert "难分高下" in told["rationale"] or "条录音" in told["rationale"]


def test_a_take_that_cannot_be_read_is_last_with_the_reason(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    shown = aptone("rank", story, "--line", LINE, "--plan", PLAN, "gone.wav", takes[1], "--json")
    assert shown.code == 1
    assert [take["rank"] for take in shown.json["takes"]] == [1, None]
    assert "no such file" in shown.json["takes"][1]["reason"]


def test_a_large_least_lead_makes_a_tie_of_everything(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    shown = aptone("rank", story, "--line", LINE, "--plan", PLAN, *takes, "--min-lead", "5", "--json").json
    assert shown["too_close_to_call"]
    assert len(shown["best"]) == 3
    assert shown["rationale"].startswith("Too close to call")


def test_a_run_has_a_report_with_the_ranking_and_can_be_made_anew_in_mandarin(
    aptone: Callable[..., Any], story: Path, takes: list[Path]
) -> None:
    given = ("rank", story, "--line", LINE, "--plan", PLAN, *takes, "-o", "run", "--repeat", "2")
    assert aptone(*given).code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert 'class="group ranking"' in page
    assert page.count("<audio") >= 3  # a player for each take
    assert "keeper-apt.opus is the best of 3 takes" in page
    assert len(package.load_run("run").entries) == 6
    assert aptone("report", "run", "--language", "zh").code == 0
    assert "名次" in Path("run/report.html").read_text(encoding="utf-8")


def test_a_manifest_ranks_every_line(aptone: Callable[..., Any], clip: Path, tmp_path: Path) -> None:
    names = ("keeper-apt", "keeper-flat", "sleep-apt")
    for name in names:
        shutil.copy(clip.with_name(f"{name}.opus"), tmp_path)
    records = [
        {"id": name, "audio": f"{name}.opus", "line": name.partition("-")[0], "plan": json.loads(PLAN),
         "ids": {"take": name.partition("-")[2]}}
        for name in names
    ]  # fmt: skip
    (tmp_path / "takes.jsonl").write_text("\n".join(map(json.dumps, records)))
    shown = aptone("rank", "takes.jsonl", "--json").json
    assert shown["folder"] == "takes-rank"
    assert [(line["line"]["text"], len(line["takes"])) for line in shown["lines"]] == [("keeper", 2), ("sleep", 1)]
    assert shown["lines"][0]["best"] == ["apt"]
    text = aptone("rank", "takes.jsonl")
    assert "the only take with a score" in text.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("rank", "story.txt", "--line", "x"), "which takes"),
        (("rank", "story.txt", "--line", "", "a.wav"), "the words of the line are missing"),
        (("rank", "empty.jsonl"), "empty.jsonl: which takes? Give the recordings behind the story, or a list"),
        (("rank", "m.jsonl", "--line", "x"), "--line describes one line"),
        (("rank", "m.jsonl", "--occurrence", "2"), "--occurrence describes one line"),
        (("rank", "story.txt", "--line", "It rained", "a.wav", "--max-items", "1"), "--max-items needs a run folder"),
        (("rank", "story.txt", "--line", "It rained", "a.wav", "--min-lead", "-1"), "min-lead"),
    ],
)
def test_what_is_not_clear_is_refused(
    aptone: Callable[..., Any], tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    (tmp_path / "story.txt").write_text("It rained.\n")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "m.jsonl").write_text('{"audio": "a.wav", "line": "x"}\n')
    shown = aptone(*given)
    assert shown.code == 2
    assert message in shown.err
