"""Pages over runs: what the journal says, escaped, in both languages, and recordings only where it names them."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from starlette.testclient import TestClient

from aptone.audio import write
from aptone.types import Audio, AudioRef, Entry, Item, Outcome, to_json
from aptone.view.app import View, create_app
from aptone.view.on_demand import OnDemandPool
from aptone.view.shelf import Shelf
from tests.run.index.test_journal_index import entry
from tests.view.test_shelf import make_run, shelf

HOSTILE = "<script>alert(1)</script>\u202eevil\x07"


def with_recording(one: Entry, path: Path) -> Entry:
    payload = {**one.item.payload, "audio": to_json(AudioRef(str(path)))}
    return Entry(Item.make(one.item.id, payload, position=one.item.position), one.outcome, finished=one.finished)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tone = (0.3 * np.sin(2 * np.pi * 220 * np.arange(8000) / 16000)).astype(np.float32)
    write(tmp_path / "tone.wav", Audio(tone, 16000))
    first = [entry(number, number / 50, ids={"chapter": str(number // 100)}, role="Mara") for number in range(240)]
    first[0] = with_recording(first[0], tmp_path / "tone.wav")
    first[1] = with_recording(first[1], tmp_path / "gone.wav")
    first.append(entry(240, line=HOSTILE, outcome=Outcome.failed(HOSTILE)))
    make_run(tmp_path / "runs" / "first", first)
    make_run(
        tmp_path / "runs" / "second", [entry(number, min(5.0, number / 50 + 1), role="Mara") for number in range(240)]
    )
    found: Shelf = shelf(tmp_path / "runs", indexes=tmp_path / "indexes")
    with TestClient(create_app(View(found, OnDemandPool({}))), base_url="http://127.0.0.1") as made:
        yield made


def test_the_list_has_runs_and_the_leaderboard_their_paired_difference(client: TestClient) -> None:
    shown = client.get("/").text
    assert 'href="/runs/first"' in shown
    assert 'href="/runs/second"' in shown
    assert "1 failed" in shown
    # items up to 4 lose 1 (201 of them), those beyond 5 - n / 50: (201 + 23.4) / 240 = 0.935
    assert "-0.9" in client.get("/?part=boards").text


def test_items_come_in_pages_filtered_and_sorted(client: TestClient) -> None:
    assert client.get("/runs/first?part=items").text.count("data-number=") == 100
    assert client.get("/runs/first?part=items&page=3").text.count("data-number=") == 41
    assert "200 items" not in client.get("/runs/first?part=items&label.chapter=1").text
    assert "<output>100 items</output>" in client.get("/runs/first?part=items&label.chapter=1").text
    assert "<output>11 items</output>" in client.get("/runs/first?part=items&score=aptness&low=1&high=1.2").text
    highest = client.get("/runs/first?part=items&sort=-aptness").text
    assert highest.index("item-239") < highest.index("item-238")


def test_hostile_texts_are_escaped_everywhere(client: TestClient) -> None:
    number = 241
    for address in ("/runs/first?state=failed", f"/runs/first/items/{number}", f"/runs/first?text={quote(HOSTILE)}"):
        reply = client.get(address)
        assert reply.status_code == 200
        assert "<script>alert" not in reply.text
        assert "\u202e" not in reply.text
        assert "\x07" not in reply.text
        assert "'unsafe-inline'" not in reply.headers["content-security-policy"]
        assert " style=" not in reply.text


def test_an_item_names_its_neighbours_within_the_list_it_was_opened_from(client: TestClient) -> None:
    shown = client.get("/runs/first/items/3?sort=-aptness").text
    assert 'rel="prev" href="/runs/first/items/4?sort=-aptness"' in shown
    assert 'rel="next" href="/runs/first/items/2?sort=-aptness"' in shown
    assert 'data-address="/try/runs/first/3"' in shown


def test_a_recording_is_sent_in_parts_and_only_where_the_journal_names_it(client: TestClient) -> None:
    part = client.get("/runs/first/items/1/clips/0", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")
    assert client.get("/runs/first/items/1/clips/1").status_code == 404
    assert client.get("/runs/first/items/2/clips/0").status_code == 404
    assert "gone.wav" in client.get("/runs/first/items/2").text
    assert client.get("/runs/first/items/1/clips/..%2f..%2fetc%2fpasswd").status_code == 404


def test_a_recording_is_drawn_with_pitch_and_loudness(client: TestClient) -> None:
    drawn = client.get("/runs/first/items/1/clips/0/timeline").text
    assert drawn.count("<svg") == 2
    assert "Pitch" in drawn
    assert "Loudness" in drawn


def test_two_runs_are_compared_with_the_largest_change_first(client: TestClient) -> None:
    shown = client.get("/compare?a=first&b=second").text
    assert shown.count("<article") == 20
    assert "+1.00" in shown
    assert "<output>240 items</output>" in shown
    assert "<output>100 items</output>" in client.get("/compare?a=first&b=second&label.chapter=1").text
    assert client.get("/compare?a=first").status_code == 400
    assert client.get("/compare?a=first&b=none").status_code == 404


def test_pages_speak_mandarin_where_the_reader_does(client: TestClient) -> None:
    shown = client.get("/", headers={"Accept-Language": "zh-CN"}).text
    assert '<html lang="zh-Hans">' in shown
    assert "没有得分" in shown


def test_a_person_who_is_lost_gets_a_page_and_a_program_gets_json(client: TestClient) -> None:
    shown = client.get("/runs/<script>", headers={"Accept": "text/html,*/*", "Accept-Language": "zh"})
    assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "这里没有这个运行" in shown.text
    assert "<script>" not in shown.text.replace('<script src="/static/theme.js">', "")
    assert 'href="/"' in shown.text
    assert client.get("/runs/none").json()["error"]["code"] == "not-found"
    assert client.get("/nowhere", headers={"Accept": "text/html"}).status_code == 404
