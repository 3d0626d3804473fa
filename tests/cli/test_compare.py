import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.run.chain import without_checksum


@pytest.fixture(scope="module")
def scored(score_once: Callable[..., None], clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs over the same lines: flat readings, then apt ones."""
    folder = tmp_path_factory.mktemp("scored")
    for reading in ("flat", "apt"):
        lines = []
        for line in ("keeper", "sleep", "wall"):
            shutil.copy(clip.with_name(f"{line}-{reading}.opus"), folder / f"{line}-{reading}.opus")
            plan = {"rhythm": "heavy", "intonation": "falling"}
            lines.append(json.dumps({"id": line, "audio": f"{line}-{reading}.opus", "line": line, "plan": plan}))
        (folder / f"{reading}.jsonl").write_text("\n".join(lines))
        score_once(folder, f"{reading}.jsonl", "-o", reading)
    return folder


@pytest.fixture
def runs(scored: Path, tmp_path: Path) -> None:
    """The two runs, where the test works."""
    shutil.copytree(scored, tmp_path, dirs_exist_ok=True)


@pytest.mark.slow
@pytest.mark.usefixtures("runs")
def test_the_better_run_is_better_by_the_mean_of_the_differences(aptone: Callable[..., Any]) -> None:
    shown = aptone("compare", "flat", "apt", "--json")
    assert shown.code == 0
    changes = shown.json["changes"]
    assert {change["id"] for change in changes} == {"keeper", "sleep", "wall"}
    mean = sum(change["second"] - change["first"] for change in changes) / 3
    assert shown.json["difference"]["value"] == pytest.approx(mean)
    assert mean > 0


@pytest.mark.usefixtures("runs")
def test_the_table_names_the_items_that_changed(aptone: Callable[..., Any]) -> None:
    shown = aptone("compare", "flat", "apt")
    for line in ("keeper", "sleep", "wall"):
        assert line in shown.out


@pytest.mark.usefixtures("runs")
def test_fail_below_decides_the_exit_code(aptone: Callable[..., Any]) -> None:
    assert aptone("compare", "flat", "apt", "--fail-below", "0", "--gate", "point").code == 0
    assert aptone("compare", "flat", "apt", "--fail-below", "-4").code == 0, "no reading can lose four points"
    worse = aptone("compare", "apt", "flat", "--fail-below", "0", "--gate", "point")
    assert worse.code == 1
    assert "flat is" in worse.err
    assert "worse than apt; the gate asks for at least 0 better." in worse.err
    mandarin = aptone("compare", "apt", "flat", "--fail-below", "0", "--gate", "point", "--lang", "zh")
    assert "flat 比 apt 更差" in mandarin.err
    assert mandarin.out.startswith("得当程度 · 差值（flat – apt）")


@pytest.mark.usefixtures("runs")
def test_an_unknown_score_is_a_user_error_that_lists_the_known_ones(aptone: Callable[..., Any]) -> None:
    shown = aptone("compare", "flat", "apt", "--score", "beauty")
    assert shown.code == 2
    assert "aptness" in shown.err


@pytest.mark.usefixtures("runs")
def test_two_runs_on_the_same_recordings_are_marked_as_such(aptone: Callable[..., Any]) -> None:
    assert aptone("compare", "apt", "apt", "--json").json["warnings"] == [
        "both runs judged the very same recordings with the same judge"
    ]


@pytest.mark.usefixtures("runs")
def test_the_gate_asks_the_interval_unless_it_is_told_to_ask_the_mean(aptone: Callable[..., Any]) -> None:
    shown = aptone("compare", "flat", "apt", "--fail-below", "0", "--json")
    difference = shown.json["difference"]
    assert difference["low"] < 0 < difference["value"], "the mean is better, and that is not sure"
    assert (shown.code, shown.json["gate"]) == (1, "interval")
    assert f"the 95 % interval reaches down to {difference['low']:+.3f}" in shown.json["failures"][0]
    assert aptone("compare", "flat", "apt", "--fail-below", str(difference["low"] - 1e-9)).code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("runs")
def test_the_gate_does_not_pass_a_run_that_lost_items_or_has_another_judge(
    aptone: Callable[..., Any], tmp_path: Path
) -> None:
    lines = (tmp_path / "apt.jsonl").read_text().splitlines()
    (tmp_path / "fewer.jsonl").write_text("\n".join(lines[:2]))
    aptone("score", "fewer.jsonl", "-o", "fewer")
    lost = aptone("compare", "flat", "fewer", "--fail-below", "0", "--gate", "point", "--json")
    assert lost.code == 1
    assert lost.json["failures"] == ["1 items that flat scored have no score in fewer."]
    journal = tmp_path / "apt" / "journal.jsonl"
    records = [without_checksum(line) for line in journal.read_bytes().splitlines(keepends=True)]
    journal.write_bytes(b"\n".join([*records, b""]).replace(b"revision:", b"revision:9"))
    other = aptone("compare", "flat", "apt", "--fail-below", "0")
    assert other.code == 1
    assert "flat and apt were not scored by the same judge." in other.err


@pytest.mark.usefixtures("runs")
def test_the_lines_of_the_items_are_in_the_json_too(aptone: Callable[..., Any]) -> None:
    changes = aptone("compare", "flat", "apt", "--json").json["changes"]
    assert {change["line"] for change in changes} == {"keeper", "sleep", "wall"}


@pytest.mark.usefixtures("runs")
def test_items_that_only_one_run_scored_are_named(aptone: Callable[..., Any], tmp_path: Path) -> None:
    lines = (tmp_path / "apt.jsonl").read_text().splitlines()
    (tmp_path / "fewer.jsonl").write_text("\n".join(lines[:2]))
    assert aptone("score", "fewer.jsonl", "-o", "fewer").code == 0
    shown = aptone("compare", "apt", "fewer")
    assert "Only apt scored 1: wall" in shown.out
    assert "Note: both runs judged the very same recordings with the same judge." in shown.out
