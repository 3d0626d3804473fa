"""Limits on cost, usage that servers report, and replies that cannot be read, from the command line."""

import json
import shutil
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from typing import Any

import pytest

from aptone import load_run
from tests.models.mock_server import Answer, MockServer, completion
from tests.tables import for_each

GOOD = completion("As asked. <score>3.5</score>", tokens=(1000, 100))
PRICED = ("--set", "judge.input_price=1", "--set", "judge.output_price=10")


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as made:
        yield made


@pytest.fixture
def score(aptone: Callable[..., Any], clip: Path, tmp_path: Path, server: MockServer) -> Callable[..., Any]:
    """Scores four lines by a judge behind the server."""
    shutil.copy(clip, tmp_path / clip.name)
    plan = {"emotion": "hope", "rhythm": "heavy", "intonation": "falling"}
    lines = [{"id": f"i{number}", "audio": clip.name, "line": f"Line {number}.", "plan": plan} for number in range(4)]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    judge = ("--engine", "api", "--planner", "by-hand", "--workers", "1", "--yes", "--json")
    where = ("--set", "judge.model=mock", "--set", f"judge.base_url={server.base_url}")
    return lambda *more: aptone("score", "lines.jsonl", *judge, *where, *more)


def test_a_limit_on_cost_without_prices_is_refused_before_anything_is_sent(
    score: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    server.answers(GOOD)
    shown = score("-o", "run", "--max-cost", "0.001")
    assert (shown.code, len(server.received)) == (2, 0)
    assert "the prices of mock are unknown" in shown.err
    assert "--set judge.input_price=" in shown.err
    assert not (tmp_path / "run").exists()


def test_a_run_that_the_limit_on_cost_stops_ends_with_3_and_says_so(
    score: Callable[..., Any], server: MockServer
) -> None:
    server.answers(GOOD)
    shown = score("-o", "run", "--max-cost", "0.005", *PRICED)  # 1000 at 1 and 100 at 10: 0.002 a line
    assert (shown.code, shown.json["worked"], len(server.received)) == (3, 2, 2)
    assert (shown.json["limit"], shown.json["stopped"]) == ("max-cost", "--max-cost 0.005 reached")
    assert "--max-cost 0.005 reached: the run is not complete." in shown.err
    assert shown.json["cost"] == pytest.approx(0.004)
    rest = score("-o", "run")
    assert (rest.code, rest.json["worked"]) == (0, 2), "prices change no score, so a run goes on without them"


def test_usage_is_what_the_server_reports_and_estimated_where_it_reports_none(
    score: Callable[..., Any], server: MockServer
) -> None:
    body = GOOD.body
    assert isinstance(body, dict)
    server.answers(GOOD, GOOD, GOOD, Answer({**body, "usage": None}))
    usage = score("-o", "run", *PRICED).json["usage"]
    assert (usage["calls"], usage["estimated_calls"]) == (4, 1)
    assert usage["output_tokens"] == 300 + 7  # 28 characters of the reply, four a token
    assert 3000 < usage["input_tokens"] < 9000


def test_prices_come_from_a_file_of_the_user(
    score: Callable[..., Any], server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers(GOOD)
    models = {"mock": {"input": 2, "output": 20}}
    (tmp_path / "prices.json").write_text(json.dumps({"date": "2026-11-01", "currency": "USD", "models": models}))
    monkeypatch.setenv("APTONE_PRICES", "prices.json")
    shown = score("-o", "run", "--max-cost", "1").json
    assert shown["cost"] == pytest.approx(0.016)
    assert "The cost of mock is computed from prices of 2026-11-01." in shown["trust"]["notes"]
    (tmp_path / "prices.json").write_text(json.dumps({"date": "last week", "models": models}))
    assert "no file of prices: date is wrong" in score("-o", "undated", "--max-cost", "1").err
    (tmp_path / "prices.json").write_text(json.dumps({"models": {"mock": {"input": "much"}}}))
    wrong = score("-o", "other", "--max-cost", "1")
    assert (wrong.code, "no file of prices: mock is wrong" in wrong.err) == (2, True)


def test_a_server_that_was_mended_is_asked_again_without_clearing_the_cache(
    score: Callable[..., Any], server: MockServer
) -> None:
    server.answers(completion("I would rather talk about [the weather]."))
    first = score("-o", "first")
    assert {item["state"] for item in first.json["items"]} == {"unscored"}
    asked = len(server.received)
    server.answers(GOOD)
    second = score("-o", "second")
    assert {item["state"] for item in second.json["items"]} == {"done"}
    assert len(server.received) == asked + 4
    third = score("-o", "third")
    assert {item["state"] for item in third.json["items"]} == {"done"}
    assert len(server.received) == asked + 4, "replies that could be read are taken from the cache"


def test_an_unreadable_reply_is_shown_beside_what_was_expected(score: Callable[..., Any], server: MockServer) -> None:
    server.answers(completion("I would rather talk about [the weather]. " + "No. " * 100))
    reason = score("-o", "run").json["items"][0]["reason"]
    assert "expected <score>" in reason
    assert "I would rather talk about (the weather)." in reason
    assert len(reason) < 300


def test_a_dry_run_says_what_a_run_takes_at_most_and_sends_nothing(
    score: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    server.answers(GOOD)
    found = score("--dry-run", "--repeat", "2", *PRICED).json
    assert (found["items"], found["calls"], found["unreadable"]) == (4, 8, 0)
    assert found["output_tokens"] == 8 * 1500  # the longest reply with reasons
    assert found["cost"] == pytest.approx((found["input_tokens"] + 10 * 12_000) / 1e6)
    assert found["seconds"] > 4
    assert found["input_tokens"] >= 25 * 2 * found["seconds"], (
        "sound is 25 tokens a second, and each clip is heard twice"
    )
    assert score("--dry-run").json["cost"] is None, "without prices the cost is unknown, not 0"
    assert server.received == []
    assert not list(tmp_path.glob("*-run"))


def test_the_score_is_expected_over_the_tokens_where_the_server_has_their_probabilities(
    score: Callable[..., Any], server: MockServer
) -> None:
    chosen = [("<score>", {}), ("3", {"3": 0.75, "4": 0.25}), (".", {".": 1.0}), ("0", {"0": 0.5, "4": 0.5})]
    told = [
        {
            "token": text,
            "logprob": -0.1,
            "top_logprobs": [{"token": one, "logprob": log(p)} for one, p in likely.items()],
        }
        for text, likely in [*chosen, ("</score>", {})]
    ]
    body = completion("As asked. <score>3.0</score>").body
    assert isinstance(body, dict)
    (choice,) = body["choices"]
    server.answers(Answer({**body, "choices": [{**choice, "logprobs": {"content": told}}]}))
    for folder in ("run", "again"):  # from the server, then from the cache
        shown = score("-o", folder, "--set", "judge.logprobs=true")
        # 3.0 + 0.25 · 1 + 0.5 · 0.4
        assert [item["scores"]["aptness"] for item in shown.json["items"]] == pytest.approx([3.45] * 4)
        assert not [note for note in shown.json["trust"]["notes"] if "probabilities" in note]
    assert len(server.received) == 4
    assert (server.received[0].json["logprobs"], server.received[0].json["top_logprobs"]) == (True, 20)
    entries = load_run("run").entries
    kept = [entry.outcome.evidence["logprobs"] for entry in entries]
    assert kept[0] == pytest.approx({"written": 3.0, "expected": 3.45, "share": 1.0})
    assert "logprobs:true" in entries[0].outcome.signature
    assert entries[0].outcome.raw_reply == "As asked. <score>3.0</score>"


def test_a_server_without_probabilities_is_named_in_a_note_and_the_written_score_counts(
    score: Callable[..., Any], server: MockServer
) -> None:
    server.answers(GOOD)
    shown = score("-o", "run", "--set", "judge.logprobs=true")
    assert {item["scores"]["aptness"] for item in shown.json["items"]} == {3.5}
    (note,) = [note for note in shown.json["trust"]["notes"] if "probabilities" in note]
    assert "4 of 4 replies" in note
    plain = score("-o", "plain")
    assert "logprobs" not in server.received[-1].json, "they are not asked for by default"
    assert not [note for note in plain.json["trust"]["notes"] if "probabilities" in note]
    wrong = score("-o", "wrong", "--set", "judge.logprobs=maybe")
    assert (wrong.code, "true or false" in wrong.err) == (2, True)


@pytest.fixture
def priced(server: MockServer) -> Callable[..., list[str]]:
    """Options of parts behind the server, 1 for a million tokens read and 10 for a million written."""

    def options(*parts: str) -> list[str]:
        given = {"model": "mock", "base_url": server.base_url, "input_price": 1, "output_price": 10}
        return [one for part in parts for name, value in given.items() for one in ("--set", f"{part}.{name}={value}")]

    return options


@pytest.fixture
def lists(clip: Path, tmp_path: Path) -> None:
    """Two answers of a contrast pair with the words of one, and two captions."""
    shutil.copy(clip, tmp_path / "a.opus")
    asked = {"content": "Where is it?", "audio": "a.opus", "answer": "a.opus", "pair": "p", "answer_text": "Here."}
    answers = [{**asked, "id": name, "prompt": name, "category": name} for name in ("happy", "sad")]
    captions = [
        {"audio": "a.opus", "caption": "A deep, slow voice.", "reference": "A deep voice."},
        {"audio": "a.opus", "caption": "A deep, slow voice."},
    ]
    for name, rows in (("answers", answers), ("captions", captions), ("pairs", [captions[1]] * 2)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))


@for_each(
    ("typed", "parts", "calls", "written"),
    [
        # each answer is judged as it was asked, and as its twin was
        (("answer", "answers.jsonl", "--engine", "api"), ["judge"], 4, 4 * 1024),
        (("answer", "answers.jsonl", "--engine", "api", "--no-swap"), ["judge"], 2, 2 * 1024),
        (("answer", "answers.jsonl", "--engine", "api", "--listener", "api"), ["judge", "listener"], 6, 5120),
        # three texts are taken apart, each of two captions makes two claims, and one is matched with its reference
        (("caption", "captions.jsonl", "--engine", "api"), ["reader", "verifier"], 3 + 4 + 1, None),
        (("caption", "captions.jsonl"), [], 0, 0),
        (("answer", "answers.jsonl"), [], 0, 0),
        (("rank", "captions.jsonl", "--map", "line=caption"), [], 0, 0),
        (("style", "pairs.jsonl"), [], 0, 0),
    ],
)
def test_other_verbs_forecast_their_calls_and_send_nothing(
    aptone: Callable[..., Any],
    server: MockServer,
    priced: Callable[..., list[str]],
    lists: None,
    typed: tuple[str, ...],
    parts: list[str],
    calls: int,
    written: int | None,
) -> None:
    shown = aptone(*typed, *priced(*parts), "--dry-run", "--json")
    assert shown.code == 0, shown.err
    found = shown.json
    assert (found["items"], found["calls"], found["unreadable"]) == (2, calls, 0)
    assert found["output_tokens"] == (found["output_tokens"] if written is None else written)
    assert found["cost"] == pytest.approx((found["input_tokens"] + 10 * found["output_tokens"]) / 1e6)
    assert (found["input_tokens"] > 0) == (calls > 0)
    assert server.received == []
    assert not list(Path.cwd().glob("*-run")) + list(Path.cwd().glob("*-rank"))
