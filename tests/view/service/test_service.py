"""Operations over HTTP: fields and recordings come in, answers or errors that say what to do go out."""

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from aptone.view.app import View, create_app
from aptone.view.door import Tokens
from aptone.view.kept_run import KeptRuns
from aptone.view.on_demand import OnDemandPool
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.service import Service
from aptone.view.shelf import Shelf
from tests.tables import for_each
from tests.view.odd_operations import operation

pytestmark = pytest.mark.slow
TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def pool() -> Iterator[OnDemandPool]:
    found = OnDemandPool(operation())
    asyncio.run(found.start())
    yield found
    asyncio.run(found.close())


def client(pool: OnDemandPool, *, kept: KeptRuns | None = None, token: str = "", **limits: int) -> TestClient:
    service = Service(pool, limits=ServiceLimits(**limits), kept=kept)
    tokens = Tokens({"ci": token} if token else {})
    return TestClient(create_app(View(Shelf([]), pool, tokens=tokens, service=service)), base_url="http://127.0.0.1")


def recording(data: bytes) -> dict[str, str]:
    return {"name": "a.wav", "base64": base64.b64encode(data).decode()}


def refused(answer: Any) -> tuple[int, str]:
    """Status and code of a reply that has all parts of an error."""
    error = answer.json()["error"]
    assert error["message"]
    assert error["mandarin"]["message"] != error["message"]
    return answer.status_code, error["code"]


def test_a_form_and_json_with_the_same_values_are_answered_alike(pool: OnDemandPool) -> None:
    asking = client(pool)
    form = asking.post("/v1/odd", data={"what": "threads", "path": ""}, files={"audio": ("a.wav", b"12345")})
    plain = asking.post("/v1/odd", json={"what": "threads", "audio": recording(b"12345")})
    assert (form.status_code, plain.status_code) == (200, 200)
    assert form.json()["found"] == plain.json()["found"]
    assert "request" not in form.json()
    text = asking.get("/metrics").text
    assert 'aptone_requests_total{operation="odd",status="200"} 2.0' in text
    assert 'aptone_audio_seconds_total{operation="odd"} 10.0' in text  # a byte counts as a second there
    assert 'aptone_request_seconds_count{operation="odd"} 2.0' in text
    assert "aptone_workers_ready 1.0" in text
    assert "aptone_requests_held 0.0" in text


@for_each(
    "body",
    [
        {"what": 1},
        {"unknown": "x"},
        {"audio": "a.wav"},
        {"audio": {"base64": "not base64!"}},
        {"audio": {"base64": "", "path": "/etc/passwd"}},
        {"audio": {"base64": "", "name": 1}},
        {"audio": {"part": "a"}},
        [],
        "text",
    ],
)
def test_a_request_with_wrong_fields_is_refused_with_the_next_step(pool: OnDemandPool, body: object) -> None:
    answer = client(pool).post("/v1/odd", json=body)
    assert refused(answer) == (400, "not-understood")
    assert "/v1" in answer.json()["error"]["next"]


@for_each(
    "content, kind",
    [
        (b"{", "application/json"),
        (b'{"what": "a", "what": "b"}', "application/json"),
        (b"nothing of the kind", "multipart/form-data; boundary=x"),
        (b"--x\r\n\r\nno name\r\n--x--", "multipart/form-data; boundary=x"),
        (b"", "multipart/form-data"),
        (b'--x\r\nContent-Disposition: form-data; name="what"\r\n\r\na\0b\r\n--x--', "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="what"\r\n\r\nxn--\r\n--x--',
            "multipart/form-data; boundary=x; charset=idna",
        ),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(pool: OnDemandPool, content: bytes, kind: str) -> None:
    answer = client(pool).post("/v1/odd", content=content, headers={"Content-Type": kind})
    assert refused(answer) == (400, "not-understood")


def test_a_form_with_a_field_twice_or_a_file_for_a_text_is_refused(pool: OnDemandPool) -> None:
    asking = client(pool)
    assert refused(asking.post("/v1/odd", files=[("audio", ("a", b"1")), ("audio", ("b", b"2"))]))[0] == 400
    assert refused(asking.post("/v1/odd", files={"what": ("a.txt", b"die")}))[0] == 400
    assert refused(asking.post("/v1/odd", content=b"x", headers={"Content-Type": "text/plain"}))[0] == 415
    assert refused(asking.post("/v1/nothing", json={})) == (404, "not-found")
    assert asking.get("/v1/odd").status_code == 405


def test_what_goes_wrong_in_a_worker_is_told_by_its_status(pool: OnDemandPool) -> None:
    asking = client(pool)
    assert refused(asking.post("/v1/odd", json={"what": "refuse", "path": "a.wav"})) == (422, "unusable")
    assert refused(asking.post("/v1/odd", json={"what": "fail"})) == (500, "fault")
    assert refused(asking.post("/v1/odd", json={"what": "die"})) == (422, "worker-died")
    assert asking.post("/v1/odd", json={}).status_code == 200
    assert "oops" not in asking.post("/v1/odd", json={"what": "fail"}).text


def test_a_batch_is_answered_in_order_and_one_that_fails_fails_alone(pool: OnDemandPool) -> None:
    requests = [{"what": "threads"}, {"what": "refuse"}, {"nothing": 1}, {"audio": recording(b"1")}]
    answer = client(pool).post("/v1/batch/odd", json={"requests": requests})
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [one["status"] for one in results] == [200, 422, 400, 200]
    assert results[0]["reply"]["found"]
    assert results[1]["error"]["code"] == "unusable"
    assert results[3]["reply"]["found"] is None


def test_the_recordings_of_a_batch_may_be_parts_of_a_form(pool: OnDemandPool) -> None:
    asking = client(pool)
    requests = json.dumps([{"audio": {"part": "first"}}, {"audio": {"part": "none"}}])
    answer = asking.post("/v1/batch/odd", data={"requests": requests}, files={"first": ("a.wav", b"123")})
    assert [one["status"] for one in answer.json()["results"]] == [200, 400]
    assert 'aptone_audio_seconds_total{operation="odd"} 3.0' in asking.get("/metrics").text


@for_each("body", [{}, {"requests": []}, {"requests": {}}, {"requests": [{}] * 4}, {"requests": [{}], "more": 1}])
def test_a_batch_has_one_list_of_bounded_length(pool: OnDemandPool, body: object) -> None:
    assert refused(client(pool, batch=3).post("/v1/batch/odd", json=body)) == (400, "not-understood")


def test_a_client_that_asks_too_often_is_told_when_to_come_back(pool: OnDemandPool) -> None:
    asking = client(pool, rate=3)
    answer = asking.post("/v1/batch/odd", json={"requests": [{}, {}, {}, {}]})  # each request of a batch counts
    assert [one["status"] for one in answer.json()["results"]] == [200, 200, 200, 429]
    late = asking.post("/v1/odd", json={})
    assert refused(late) == (429, "too-often")
    assert 1 <= int(late.headers["retry-after"]) <= 20  # three a minute


def test_a_body_over_the_limit_is_refused_before_it_is_read_and_while_it_comes(pool: OnDemandPool) -> None:
    asking = client(pool, body=1000)
    assert refused(asking.post("/v1/odd", json={"what": "x" * 1000})) == (413, "too-large")
    pieces = (b"x" * 100 for _ in range(20))  # says nothing of its size
    answer = asking.post("/v1/odd", content=pieces, headers={"Content-Type": "application/json"})
    assert refused(answer) == (413, "too-large")


def test_answers_are_kept_under_the_id_that_is_replied(pool: OnDemandPool, tmp_path: Path) -> None:
    with KeptRuns(tmp_path / "kept", pool.pool.configs) as kept:
        answer = client(pool, kept=kept).post("/v1/odd", json={"audio": recording(b"12345")})
        assert answer.json()["request"]
        assert [path.read_bytes() for path in (tmp_path / "kept" / "odd" / "clips").glob("*/*")] == [b"12345"]


def test_a_token_is_asked_for_everywhere_but_at_the_health_check(pool: OnDemandPool) -> None:
    asking = client(pool, token=TOKEN)
    assert asking.get("/healthz").json()["workers"] == {"ready": 1, "wanted": 1}
    for path in ("/metrics", "/v1", "/v1/openapi.json"):
        assert asking.get(path).status_code == 401
    assert asking.post("/v1/odd", json={}).status_code == 401
    allowed = {"Authorization": f"Bearer {TOKEN}"}
    assert asking.post("/v1/odd", json={}, headers=allowed).status_code == 200
    assert asking.get("/v1/openapi.json", headers=allowed).json()["security"] == [{"token": []}]


def test_the_page_lists_every_field_in_both_languages(pool: OnDemandPool) -> None:
    asking = client(pool)
    for language, heading in (("en", "Service"), ("zh", "服务")):
        page = asking.get("/v1", headers={"Accept-Language": language}).text
        assert f"<h1>{heading}</h1>" in page
        assert "POST /v1/odd" in page
        assert all(f"<code>{name}</code>" in page for name in ("what", "path", "audio"))
        assert "<script>" not in page
        assert all(part.startswith(' src="/static/') for part in page.split("<script")[1:])
