"""``aptone bench ceaeval`` as it is typed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Aptone
from tests.models.mock_server import MockServer, completion

pytestmark = pytest.mark.slow

SCORES = {"apt": 4.5, "flat": 2.0, "wrong": 1.0}
SMALL = ("--context-size", 0, "--context-size", 5)


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as started:
        yield started


@pytest.fixture
def rated(manifest: Path, tmp_path: Path) -> Path:
    """Three readings of a line of the example story, rated."""
    records = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()[:3]]
    for record in records:
        record["audio"] = str(manifest.parent / record["audio"])
        record["human_score"] = SCORES[record["ids"]["reading"]]
        record["plan"] = {"emotion": "terrified, shouting", "rhythm": "high-energy", "intonation": "falling"}
    path = tmp_path / "rated.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_the_built_in_judge_is_benchmarked_and_nothing_is_done_twice(aptone: Aptone, rated: Path) -> None:
    shown = aptone("bench", "ceaeval", rated, *SMALL)
    assert shown.code == 0, shown.err
    assert "LCC and ACC by context size" in shown.out
    assert "Story, plan and given plan, at CTS 5" in shown.out
    assert "ever compared with listeners" in shown.out
    assert "3/3 built-in given: ended at 3/3" in shown.err
    folder = Path("rated-ceaeval")
    assert {path.name for path in folder.iterdir()} == {"cells", "report.html", "results.csv", "results.json"}
    again = aptone("bench", "ceaeval", rated, *SMALL, "--json")
    assert "0 to do" in again.err
    rows = again.json["rows"]
    assert [(row["guide"], row["context_size"]) for row in rows] == [("plan", 0), ("plan", 5), ("given", None)]
    assert rows[0]["scored"] == 3
    assert again.json["report"] == str(folder / "report.html")


def test_limits_hold_for_all_cells_together_and_the_same_command_goes_on(aptone: Aptone, rated: Path) -> None:
    shown = aptone("bench", "ceaeval", rated, *SMALL, "--max-items", 4)
    assert "The benchmark ended early: --max-items 4 reached." in shown.out
    assert "Type the same command to go on." in shown.out
    rest = aptone("bench", "ceaeval", rated, *SMALL, "--json")
    assert (rest.code, rest.json["stopped"]) == (0, "")
    assert "3 done before, 0 to do" in rest.err  # the first cell
    assert "1 done before, 2 to do" in rest.err  # the second


def test_a_served_judge_has_every_condition_and_unreadable_replies_are_no_scores(
    aptone: Aptone, rated: Path, server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server.answers(*[completion("no idea")] * 3, *[completion("<score>2.5</score>")] * 200)
    judge = f"api:model=mock,base_url={server.base_url},name=served,parameters=7B,prompt_language=en"
    options = ("--judge", judge, "--context-size", 5, "--reasoning", "without", "--workers", 1, "--no-cache", "--json")
    shown = aptone("bench", "ceaeval", rated, "-o", "out", *options)
    assert shown.code == 0, shown.err
    rows = shown.json["rows"]
    assert [row["guide"] for row in rows] == ["story", "plan", "given"]
    assert [(row["scored"], row["unscored"]) for row in rows] == [(2, 1), (3, 0), (3, 0)]
    assert {row["lcc"] for row in rows} == {None}  # the same score for everything
    assert rows[0]["parse_failures"] == 3
    assert (rows[0]["parameters"], rows[1]["prompt_language"]) == (7_000_000_000, "en")


def test_a_judge_elsewhere_needs_consent(aptone: Aptone, rated: Path) -> None:
    judge = "api:model=m,base_url=https://models.example/v1"
    shown = aptone("bench", "ceaeval", rated, "--judge", judge)
    assert shown.code == 2
    assert "sends 3 recordings to models.example" in shown.err


def test_statistics_need_no_judge(aptone: Aptone, rated: Path) -> None:
    shown = aptone("bench", "ceaeval", rated, "--statistics", "-o", "set", "--language", "zh")
    assert shown.code == 0, shown.err
    assert "已评分台词: 3 条中的 3 条" in shown.out
    assert "报告：set/statistics.html" in shown.out
    assert "Report" not in shown.out
    assert Path("set/statistics.html").is_file()
    counted: Any = aptone("bench", "ceaeval", rated, "--statistics", "-o", "set", "--json").json
    assert counted["statistics"]["bands"] == {"0–1": 0, "1–2": 1, "2–3": 1, "3–4": 0, "4–5": 1}


def test_who_stopped_is_told_in_mandarin_how_to_go_on(aptone: Aptone, rated: Path) -> None:
    shown = aptone("bench", "ceaeval", rated, "-o", "part", "--guide", "given", "--max-items", 1, "--lang", "zh")
    assert "再次输入同一命令即可继续。" in shown.out
    assert "报告：part/report.html" in shown.out
    assert "Type" not in shown.out


def test_judges_from_a_file_are_compared(aptone: Aptone, rated: Path, tmp_path: Path) -> None:
    judges = [{"use": "built-in"}, {"use": "built-in", "name": "free", "settings": {"ear": "permissive"}}]
    (tmp_path / "judges.json").write_text(json.dumps(judges), encoding="utf-8")
    rated.write_text(rated.read_text(encoding="utf-8").replace("human_score", "proxy_score"), encoding="utf-8")
    shown = aptone("bench", "ceaeval", rated, "--judges", "judges.json", "--guide", "given", "--json")
    assert shown.code == 0, shown.err
    assert [row["judge"] for row in shown.json["rows"]] == ["built-in", "free"]
    assert [test["family"] for test in shown.json["tests"]] == ["judges"]
    assert "Agreement with people" not in Path("rated-ceaeval/report.html").read_text(encoding="utf-8")


def test_what_cannot_be_done_is_said_in_one_line(aptone: Aptone, rated: Path) -> None:
    shown = aptone("bench", "ceaeval", rated, "--guide", "story")
    assert shown.code == 2
    assert "judge 'built-in' can do nothing of this grid" in shown.err
    shown = aptone("bench", "ceaeva", rated)
    assert shown.code == 2
    assert "did you mean ceaeval?" in shown.err
