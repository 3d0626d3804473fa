"""What a run leaves behind when a judge echoes the key, and where recordings go when the environment names a proxy."""

import csv
import json
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import aptone
from aptone.errors import UsageError
from tests.models.mock_server import MockServer, completion

KEY = "sk-secret-0123456789"
PLAN = {"emotion": "hope", "rhythm": "heavy", "intonation": "falling"}
LINE = "Is anybody there?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockServer]:
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with MockServer() as made:
        yield made


@pytest.fixture
def score(aptone: Callable[..., Any], clip: Path, tmp_path: Path) -> Callable[..., Any]:
    """Scores one line by a judge behind an address."""
    shutil.copy(clip, tmp_path / "clip.wav")
    (tmp_path / "lines.jsonl").write_text(json.dumps({"id": "a", "audio": "clip.wav", "line": LINE, "plan": PLAN}))
    judge = ("--engine", "api", "--planner", "by-hand", "--set", "judge.model=mock", "--json", "-o", "run")
    return lambda url, *more: aptone("score", "lines.jsonl", *judge, "--set", f"judge.base_url={url}", *more)


def echoing(key: str) -> Any:
    return completion(f"Your key is {key}.\nemotion: 4/5, as {key} shows\n<score>3.5</score>")


@pytest.mark.parametrize("is_scored", [True, False])
def test_a_key_that_the_judge_echoes_is_in_nothing_that_is_stored_or_printed(
    score: Callable[..., Any], server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_scored: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answers(echoing(KEY) if is_scored else completion(f"{KEY} is your key, and I say no more."))
    shown = score(server.base_url, "--export", "scores.csv")
    assert shown.json["items"][0]["state"] == ("done" if is_scored else "unscored")
    assert server.received[0].headers["Authorization"] == f"Bearer {KEY}"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"journal.jsonl", "report.html", "replies.sqlite", "scores.csv"} <= {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in shown.out + shown.err
    assert "(key)" in (tmp_path / "run" / "journal.jsonl").read_text(encoding="utf-8")
    assert len(list(csv.DictReader((tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()))) == 1
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
    written = [path for path in (tmp_path / "run").iterdir() if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}


def test_a_reply_beyond_what_was_asked_for_is_cut_and_no_verdict(
    score: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    server.answers(completion("x" * 5_000_000 + "\n<score>3.5</score>"))
    shown = score(server.base_url)
    assert shown.json["items"][0]["state"] == "unscored"
    sizes = {path.name: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    assert sizes["journal.jsonl"] < 200_000
    assert sizes["replies.sqlite"] < 3 * 200_000


def test_a_judge_on_this_machine_is_asked_without_the_proxy_and_without_a_question(
    score: Callable[..., Any], server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MockServer() as proxy:
        proxy.answers(echoing("nothing"))
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
        server.answers(echoing("nothing"))
        assert score(server.base_url).code == 0
        assert (len(server.received), proxy.received) == (1, [])
    assert json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))["consent"] == []


def test_a_judge_elsewhere_is_named_with_the_proxy_in_the_question_and_in_the_run(
    score: Callable[..., Any], server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = server.base_url.removesuffix("/v1")
    monkeypatch.setenv("http_proxy", proxy.replace("//", "//anna:geheim@"))
    server.answers(echoing("nothing"))
    named = f"judge.example through the proxy {proxy.removeprefix('http://')}"
    refused = score("http://judge.example/v1")
    assert refused.code == 2
    assert f"This sends 1 recording to {named}. Nobody is there to ask; add --yes to agree." in refused.err
    assert server.received == []
    assert score("http://judge.example/v1", "--yes").code == 0
    assert server.received[0].path == "http://judge.example/v1/chat/completions"
    config = (tmp_path / "run" / "config.json").read_text(encoding="utf-8")
    assert json.loads(config)["consent"] == [named]
    assert "geheim" not in config


def test_python_asks_before_recordings_leave_this_machine(
    clip: Path, server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.base_url.removesuffix("/v1"))
    server.answers(echoing("nothing"))
    asked: dict[str, Any] = {
        "line": LINE,
        "plan": PLAN,
        "engine": "api",
        "planner": "by-hand",
        "settings": {"judge.model": "mock", "judge.base_url": "http://judge.example/v1"},
    }
    with pytest.raises(UsageError, match=r"sends 1 recording to judge\.example .*add allow_remote=True to agree"):
        aptone.score(clip, **asked)
    assert server.received == []
    assert aptone.score(clip, **asked, allow_remote=True).scores["aptness"].value == 3.5
