"""Request bodies: too long, of the wrong type, or mislabelled."""

import errno
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest

from aptone.studio.server.clips import LARGEST_CLIP, LEFT_ALONE, remove_leftovers
from aptone.studio.server.desk import LARGEST_TASK
from aptone.studio.store.answers import EDIT_LENGTH
from aptone.types import dumps, to_json
from aptone.web.bodies import BEGAN_KEY, REQUEST_SECONDS, SMALL_BODY
from aptone.web.rate_limit import RateLimit
from tests.studio.server.world import Browser, World, change, listening_task, new_world
from tests.tables import for_each

JSON = {"Content-Type": "application/json"}


def pieces(size: int, sent: list[int]) -> Iterator[bytes]:
    """A body whose length nobody states."""
    for _ in range(0, size, 1 << 16):
        sent.append(1 << 16)
        yield b" " * (1 << 16)


def changed(browser: Browser, body: object, **headers: str) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    number = browser.next()["id"]
    return browser.ask("PUT", f"/api/assignments/{number}/changes", content=content, headers={**JSON, **headers})


@for_each(
    ("path", "limit", "kind"),
    [
        ("/api/session", SMALL_BODY, "application/json"),
        ("/api/invitations", SMALL_BODY, "application/json"),
        ("/api/tasks/listening/next", SMALL_BODY, "application/json"),
        ("/api/tasks", LARGEST_TASK, "application/yaml"),
        ("/api/clips", LARGEST_CLIP, "audio/wav"),
    ],
)
def test_a_body_that_is_too_long_is_given_up_while_it_is_read(path: str, limit: int, kind: str, shared: World) -> None:
    dora = shared["dora"]
    stated = dora.ask("POST", path, content=b"", headers={"Content-Type": kind, "Content-Length": str(limit + 1)})
    assert stated.status_code == 413
    if limit < LARGEST_TASK:
        unstated = dora.ask("POST", path, content=pieces(limit + (1 << 20), []), headers={"Content-Type": kind})
        assert unstated.status_code == 413
        assert unstated.json()["error"]["message"] == f"At most {limit:,} bytes are taken here."
    assert [child.name for child in (shared.project.folder / "clips").iterdir() if "hidden" not in child.name] == []


def test_a_clip_that_is_too_long_is_given_up_while_it_is_received(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.studio.server.clips.LARGEST_CLIP", 100_000)
    before = sorted((world.project.folder / "clips").iterdir())
    reply = world["dora"].ask("POST", "/api/clips", content=pieces(200_000, []))
    assert reply.status_code == 413
    assert sorted((world.project.folder / "clips").iterdir()) == before


@for_each("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_json_must_say_that_it_is_json(kind: str, shared: World) -> None:
    reply = changed(shared["ada"], {"changes": []}, **{"Content-Type": kind})
    assert reply.status_code == 415


@for_each(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"changes": NaN}',
        b'{"changes": [], "changes": []}',
        b'{"changes": [], "more": 1}',
        b'{"changes": [{"id": "00000000-0000", "control": "note", "value": "\\ud800", "sequence": 1}]}',
        b'{"changes": [{"id": "00000000-0000", "control": "note", "value": "\\u0000", "sequence": 1}]}',
        b'{"changes": [{"id": "00000000-0000", "control": "fit", "value": 1e999, "sequence": 1}]}',
        b'{"changes": [{"id": "00000000-0000", "control": "fit", "value": 1, "sequence": 99999999999999999999}]}',
        b'{"changes": [{"id": "00000000-0000", "control": "fit", "value": 1, "sequence": true}]}',
        b'{"changes": [{"id": "00000000-0000", "control": "fit", "value": 1, "sequence": 1.5}]}',
        b'{"changes": [{"id": "short", "control": "fit", "value": 1, "sequence": 1}]}',
        b'{"changes": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_a_body_that_cannot_be_understood_is_refused_and_nothing_is_kept(body: bytes, shared: World) -> None:
    reply = changed(shared["ada"], body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "not-understood")
    assert shared["ada"].next()["answers"] == {}


@for_each(
    ("control", "value"),
    [
        ("fit", 6),
        ("fit", 2.5),
        ("fit", "3"),
        ("fit", True),
        ("mood", "angry"),
        ("better", "c7"),
        ("note", 3),
        ("none", 1),
    ],
)
def test_what_is_no_answer_is_refused_whole(control: str, value: object, shared: World) -> None:
    reply = changed(shared["ada"], {"changes": [change("mood", "glad"), change(control, value)]})
    assert reply.status_code == 422
    assert shared["ada"].next()["answers"] == {}


def test_what_is_kept_is_there_after_a_reload_and_arrives_once(world: World) -> None:
    ada, one = world["ada"], change("fit", 4, 2)
    assert changed(ada, {"changes": [one]}).json() == {"saved": [one["id"]], "superseded": []}
    assert changed(ada, {"changes": [one]}).json() == {"saved": [one["id"]], "superseded": []}
    changed(ada, {"changes": [change("fit", 1, 1)]})  # an older change that arrives late
    view = ada.next()
    assert (view["answers"], view["sequence"]) == ({"fit": 4}, 2)


def test_a_task_file_is_added_whatever_it_is_called_and_wrong_ones_say_what_is_wrong(world: World) -> None:
    dora = world["dora"]
    content = dumps(to_json(listening_task("second", items=2)))
    added = dora.ask("POST", "/api/tasks", content=content.encode(), headers=JSON)
    assert (added.status_code, added.json()["items"]) == (201, 2)
    assert {task["name"] for task in dora.get("/api/tasks").json()} == {"listening", "second"}
    yaml = "name: third\ntitle: {en: Third}\n"
    wrong = dora.ask("POST", "/api/tasks", content=yaml.encode(), headers={"Content-Type": "application/yaml"})
    assert wrong.status_code == 400
    assert "the task file" in wrong.json()["error"]["message"]
    assert dora.ask("POST", "/api/tasks", content=b"{", headers=JSON).status_code == 400
    text = {"Content-Type": "text/plain"}
    assert dora.ask("POST", "/api/tasks", content=content.encode(), headers=text).status_code == 415
    elsewhere = content.replace("clips/hidden-file-a-0.flac", "../../../etc/passwd").replace('"second"', '"fourth"')
    outside = dora.ask("POST", "/api/tasks", content=elsewhere.encode(), headers=JSON)
    assert outside.status_code == 422
    assert str(world.project.folder) not in outside.text


def test_a_sound_is_kept_under_a_name_of_our_own_and_can_be_rated(world: World, tmp_path: Path) -> None:
    dora = world["dora"]
    content = next((world.project.folder / "clips").iterdir()).read_bytes()
    path = dora.ask("POST", "/api/clips?name=../../evil.sh", content=content).json()["path"]
    assert (world.project.folder / path).read_bytes() == content
    assert path.startswith("clips/")
    assert "evil" not in path
    task = dumps(to_json(listening_task("second"))).replace("clips/hidden-file-b-1.flac", path)
    assert dora.ask("POST", "/api/tasks", content=task.encode(), headers=JSON).status_code == 201


@for_each("content", [b"", b"#!/bin/sh\n", b"<html><script>alert(1)</script>", b"RIFF\x00\x00\x00\x00WAVE"])
def test_what_is_no_sound_is_not_kept_whatever_it_says_it_is(content: bytes, shared: World) -> None:
    before = sorted((shared.project.folder / "clips").iterdir())
    reply = shared["dora"].ask("POST", "/api/clips", content=content, headers={"Content-Type": "audio/wav"})
    assert reply.status_code == 415
    assert str(shared.project.folder) not in reply.text
    assert sorted((shared.project.folder / "clips").iterdir()) == before


def test_what_a_killed_server_left_half_done_is_removed_at_the_next_start(world: World) -> None:
    cache = world.project.folder / "cache"
    (cache / "export-x").mkdir(parents=True)
    (cache / "upload-y").write_bytes(b"half a sound")
    (cache / "kept.wav").write_bytes(b"a clip")
    for child in cache.iterdir():
        os.utime(child, (time.time() - 2 * LEFT_ALONE,) * 2)
    (cache / "upload-z").write_bytes(b"what another server is receiving")
    remove_leftovers(world.project.folder)
    assert sorted(child.name for child in cache.iterdir()) == ["kept.wav", "upload-z"]


def test_a_disk_that_is_full_is_told_to_whoever_uploads_and_to_whoever_listens(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    sound = next((world.project.folder / "clips").iterdir()).read_bytes()
    monkeypatch.setattr("aptone.studio.server.clips._on_disk", full)
    reply = world["dora"].ask("POST", "/api/clips", content=sound, headers={"Content-Type": "audio/flac"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (507, "disk-full")
    assert list((world.project.folder / "cache").iterdir()) == []
    monkeypatch.setattr("os.fsync", full)
    view = world["ada"].next()
    reply = world["ada"].get(f"/api/assignments/{view['id']}/clips/c0")
    assert (reply.status_code, reply.json()["error"]["code"]) == (507, "disk-full")
    assert str(world.project.folder) not in reply.text


def test_a_full_disk_is_told_to_whoever_saves_and_nothing_acknowledged_is_lost(world: World) -> None:
    ada = world["ada"]
    view = ada.next()
    path, kept = f"/api/assignments/{view['id']}/changes", change("note", "kept", 1)
    assert ada.ask("PUT", path, json={"changes": [kept]}).json()["saved"] == [kept["id"]]

    def limit(pages: str) -> None:  # SQLite's own limit, which fails as a full disk does
        world.project.writer.call(lambda connection: connection.exec_driver_sql(pages).close()).result()

    limit("PRAGMA max_page_count = 1")  # it is raised to what there is
    refused = change("note", "x" * 9000, 2)
    reply = ada.ask("PUT", path, json={"changes": [refused]})
    assert (reply.status_code, reply.json()["error"]["code"]) == (507, "disk-full")
    assert "disk of the server is full" in reply.json()["error"]["message"]
    assert int(reply.headers["Retry-After"]) > 0
    assert ada.get(f"/api/assignments/{view['id']}").json()["answers"] == {"note": "kept"}  # reading goes on
    limit("PRAGMA max_page_count = 1000000")
    assert ada.ask("PUT", path, json={"changes": [refused]}).json()["saved"] == [refused["id"]]


@for_each(
    "value", ["9" * 5000, '"\\U00110000"', "!!int 0x", "!!timestamp 2001-99-99", '{"a\\0b": {path: clips/x.wav}}']
)
def test_a_task_in_yaml_with_what_cannot_be_is_refused_and_is_no_fault(value: str, shared: World) -> None:
    task = to_json(listening_task("odd")) | {"items": []}
    content = dumps(task).replace('"items":[]', f'"items":[{{"id": "x", "audio": {value}}}]').encode()
    reply = shared["dora"].ask("POST", "/api/tasks", content=content, headers={"Content-Type": "application/yaml"})
    assert reply.status_code in (400, 422), reply.text


def test_the_longest_answer_that_is_taken_fits_into_a_request_in_any_script(world: World) -> None:
    text = "\U00020000" * EDIT_LENGTH  # four bytes a sign
    body = {"changes": [change("note", text)]}
    reply = changed(world["ada"], json.dumps(body, ensure_ascii=False).encode())
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "not-an-answer")  # too long for a note, no more


def entering(
    world: World, receive: Callable[[], Awaitable[dict[str, object]]], path: str = "/api/session", *, age: float = 0.0
) -> list[int]:
    """Status of the reply to a sign-in whose body is what `receive` gives; none for no reply.

    Its head began to arrive `age` seconds ago.
    """
    found: list[int] = []

    async def keep(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    async def ask() -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "client": ("127.0.0.1", 1),
            BEGAN_KEY: anyio.current_time() - age,
        }
        with anyio.fail_after(120):
            await world.app(scope, receive, keep)

    world.portal.call(ask)
    return found


def test_a_body_that_does_not_arrive_is_given_up(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.web.bodies.REQUEST_SECONDS", 0.05)

    async def nothing_comes() -> dict[str, object]:
        await anyio.sleep_forever()
        raise AssertionError

    assert entering(shared, nothing_comes) == [408]


def test_the_time_for_a_body_counts_from_the_first_byte_of_its_head(shared: World) -> None:
    async def nothing_comes() -> dict[str, object]:
        await anyio.sleep_forever()
        raise AssertionError

    assert entering(shared, nothing_comes, age=REQUEST_SECONDS) == [408]


@pytest.mark.parametrize("path", ["/api/invitations", "/api/tasks", "/api/clips", "/api/tasks/listening/next"])
def test_no_body_is_read_of_somebody_who_is_not_let_in(path: str, shared: World) -> None:
    async def must_not_be_asked() -> dict[str, object]:
        raise AssertionError

    assert entering(shared, must_not_be_asked, path) == [401]


def test_no_body_is_read_of_somebody_who_tries_too_often_to_come_in(tmp_path: Path) -> None:
    entries = RateLimit(each=4, together=100, seconds=60.0, clock=lambda: 0.0)
    with new_world(tmp_path / "project", entries=entries) as world:

        async def gone() -> dict[str, object]:
            return {"type": "http.disconnect"}

        async def must_not_be_asked() -> dict[str, object]:
            raise AssertionError

        assert [entering(world, gone) for _ in range(4)] == [[]] * 4
        assert entering(world, must_not_be_asked) == [429]


def test_who_goes_away_in_the_middle_of_a_request_is_no_fault(shared: World, caplog: pytest.LogCaptureFixture) -> None:
    async def gone() -> dict[str, object]:
        return {"type": "http.disconnect"}

    assert entering(shared, gone) == []
    assert "fault" not in caplog.text


@pytest.mark.parametrize(("form", "suffix"), [("jsonl", "jsonl"), ("csv", "csv"), ("dataset", "zip")])
def test_a_task_is_exported_however_long_its_name_is(form: str, suffix: str, world: World) -> None:
    name = "听" * 100  # 300 bytes: more than the name of a file may have
    world.project.tasks.put(listening_task(name)).result()
    reply = world["dora"].get(f"/api/tasks/{name}/export?format={form}")
    assert reply.status_code == 200
    assert reply.headers["content-disposition"] == f"attachment; filename*=utf-8''{quote(name)}.{suffix}"
