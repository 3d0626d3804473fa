"""The task editor over HTTP: drafts are checked, shown and saved; answers stay with their version."""

import math
from typing import Any

import pytest

from aptone.ratings.tasks import parse_task
from aptone.types import HeadphoneCheck, RatingTask, from_json
from tests.studio.server.requests import COLUMNS, TABLE, draft
from tests.studio.server.world import Browser, World, listening_task


def post(browser: Browser, path: str, **body: object) -> Any:
    return browser.ask("POST", path, json=body)


def test_every_problem_of_a_draft_comes_with_its_field_in_both_languages(world: World) -> None:
    task = draft()
    task["controls"][0]["high"] = -1
    task["controls"][1]["choices"] = []
    found = post(world["dora"], "/api/drafts/check", task=task).json()["problems"]
    assert [one["path"] for one in found] == ["controls[0].low", "controls[1].choices"]
    assert all(one["message"] and one["mandarin"] and one["message"] != one["mandarin"] for one in found)


def test_what_only_the_studio_refuses_is_found_before_saving(world: World) -> None:
    task = {**draft(), "name": "two words"}
    (found,) = post(world["dora"], "/api/drafts/check", task=task).json()["problems"]
    assert found["path"] == "name"
    assert post(world["dora"], "/api/drafts", task=task).status_code == 422


def test_a_draft_may_keep_the_items_of_a_stored_task_but_for_some(world: World) -> None:
    task = {**draft("shorter"), "items": [], "calibration": []}
    body = {"task": task, "items_of": "listening", "without": ["item/0", "item/2"]}
    assert world["dora"].ask("POST", "/api/drafts/check", json=body).json() == {"problems": []}
    saved = world["dora"].ask("POST", "/api/drafts", json={**body, "open": False})
    assert saved.json() == {"name": "shorter", "title": task["title"], "open": False, "items": 2}
    assert [item.id for item in world.project.tasks.get("shorter").task.items] == ["item/1", "item/3"]


def test_answers_stay_with_their_version_when_questions_change(world: World) -> None:
    ada, dora = world["ada"], world["dora"]
    assert ada.answer(ada.next()).status_code == 200
    opened = dora.get("/api/tasks/listening/draft").json()
    assert (opened["answered"], opened["count"], opened["versions"]) == (True, 4, ["listening"])
    task = opened["task"]
    task["controls"][0]["high"] = 10
    refused = post(dora, "/api/drafts", task=task, items_of="listening", if_answered="refuse")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "answered")
    saved = post(dora, "/api/drafts", task=task, items_of="listening").json()
    assert (saved["name"], saved["open"], saved["items"]) == ("listening.v2", True, 4)
    before, after = world.project.tasks.get("listening"), world.project.tasks.get("listening.v2")
    assert (before.open, before.task.controls[0].high) == (False, 5.0)
    assert (after.open, after.task.controls[0].high) == (True, 10.0)
    assert len(world.project.results.ratings("listening")) == 1
    assert world.project.results.ratings("listening.v2") == []
    assert dora.get("/api/tasks/listening.v2/draft").json()["versions"] == ["listening", "listening.v2"]


def test_a_task_that_nobody_answered_is_replaced_and_one_that_only_grows_stays_the_same(world: World) -> None:
    dora, task = world["dora"], {**draft("listening"), "guide": {"en": "Listen twice."}}
    assert post(dora, "/api/drafts", task=task).json()["name"] == "listening"
    ada = world["ada"]
    ada.answer(ada.next())
    grown = {**task, "items": [*task["items"], {**task["items"][1], "id": "item/new"}]}
    assert post(dora, "/api/drafts", task=grown).json() == {
        "name": "listening",
        "title": task["title"],
        "open": True,
        "items": 5,
    }


def test_a_preview_is_the_view_of_a_rater_and_stores_nothing(world: World) -> None:
    dora = world["dora"]
    reply = post(dora, "/api/drafts/preview", task=draft()).json()
    assert [view["stage"] for view in reply["views"]] == ["calibration", "rating", "rating", "rating"]
    stored = world["ada"].next()
    shown = next(view for view in reply["views"] if view["fields"] == stored["fields"])
    assert shown["fields"] == stored["fields"]
    assert {clip["clip"] for clip in shown["clips"]} == {clip["clip"] for clip in stored["clips"]}
    assert reply["task"]["controls"] == dora.get("/api/tasks/listening").json()["controls"]
    for clip in shown["clips"]:
        sound = dora.get(clip["url"])
        assert (sound.status_code, sound.headers["content-type"]) == (200, "audio/wav")
        assert clip["seconds"] == pytest.approx(0.2)
    assert "drafted" not in world.project.tasks.names()
    assert "hidden-category" not in str(reply)


def test_headphones_breaks_attention_and_instructions_stay_through_check_preview_and_save(world: World) -> None:
    task, told = draft("gated"), {"en": "Answer 2 here.", "zh": "此处请选 2。"}
    headphones = {"kind": "antiphase", "trials": 6, "needed": 5, "attempts": 2, "required": False}
    breaks = {"items": 10, "minutes": 15.0, "seconds": 30.0, "forced": True}
    task |= {"headphones": headphones, "breaks": breaks, "attention_share": 0.9}
    task["items"][1]["instruction"] = told
    assert post(world["dora"], "/api/drafts/check", task=task).json() == {"problems": []}
    shown = [view["instruction"] for view in post(world["dora"], "/api/drafts/preview", task=task).json()["views"]]
    assert sorted(shown, key=len) == [{}, {}, {}, told]
    assert post(world["dora"], "/api/drafts", task=task).status_code == 201
    opened = world["dora"].get("/api/tasks/gated/draft").json()["task"]
    assert (opened["headphones"], opened["breaks"], opened["attention_share"]) == (headphones, breaks, 0.9)
    again = {**opened, "guide": {"en": "Listen twice."}, "attention_share": None, "breaks": None}
    assert post(world["dora"], "/api/drafts", task=again, items_of="gated").status_code == 201
    stored = world.project.tasks.get("gated").task
    assert stored.items[1].instruction == told
    assert (stored.headphones, stored.breaks) == (HeadphoneCheck("antiphase", 6, 5, 2, False), None)
    assert math.isnan(stored.attention_share)
    (found,) = post(world["dora"], "/api/drafts/check", task={**task, "headphones": {"needed": 9}}).json()["problems"]
    assert found["path"] == "headphones"


def test_a_draft_without_items_is_previewed_with_an_example(world: World) -> None:
    task = {**draft(), "items": [], "calibration": []}
    (view,) = post(world["dora"], "/api/drafts/preview", task=task).json()["views"]
    assert view["fields"] == {"sentence": "[sentence]"}
    assert len(view["clips"]) == 2
    assert world["dora"].get(view["clips"][0]["url"]).status_code == 200


def test_a_preview_with_a_problem_says_which(world: World) -> None:
    task = draft()
    task["items"][0]["audio"]["hidden-system-a"]["path"] = "clips/none.wav"
    reply = post(world["dora"], "/api/drafts/preview", task=task)
    assert reply.status_code == 422
    assert "clips/none.wav" in reply.json()["error"]["message"]


def test_a_table_becomes_items_by_the_mapping_and_broken_rows_are_named(world: World) -> None:
    table = TABLE + "new,again,clips/hidden-file-a-0.flac,b.flac\nlost,x,clips/none.wav,b.flac\n,y,,b.flac\n"
    clips = {"b.flac": "clips/hidden-file-b-0.flac"}
    body = {"task": draft(), "table": table, "columns": COLUMNS, "clips": clips}
    found = world["dora"].ask("POST", "/api/drafts/items", json=body).json()
    assert [item["id"] for item in found["items"]] == ["new"]
    assert found["items"][0]["fields"] == {"sentence": "Good morning.", "pair": ["one", "two"]}
    assert [problem["row"] for problem in found["problems"]] == [2, 3, 4]
    assert "clips/none.wav" in found["problems"][1]["message"]


def test_a_mapping_is_proposed_and_says_what_it_lacks(world: World) -> None:
    found = post(world["dora"], "/api/drafts/items", task=draft(), table=TABLE).json()
    assert found["mapping"] == {"id": "id", "sentence": "sentence"}
    assert found["columns"] == ["id", "sentence", "one", "two"]
    assert "pair:1" in found["problems"][0]["message"]
    wrong = post(world["dora"], "/api/drafts/items", task=draft(), table=TABLE, columns={"id": "nothing"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "bad-mapping")
    assert post(world["dora"], "/api/drafts/items", task=draft(), table="a,a\n1,2\n").status_code == 422


def test_a_task_file_comes_back_as_it_was_in_both_formats(world: World) -> None:
    for form, is_yaml in (("json", False), ("yaml", True)):
        reply = world["dora"].get(f"/api/tasks/listening/file?format={form}")
        assert parse_task(reply.content, what="file", is_yaml=is_yaml) == listening_task()
        kind = reply.headers["content-type"].partition(";")[0]
        sent = {"content": reply.content, "headers": {"Content-Type": kind}}
        read = world["dora"].ask("POST", "/api/drafts/file", **sent).json()
        assert read["problems"] == []
        assert from_json(RatingTask, read["task"]) == listening_task()


def test_a_file_that_is_no_task_says_why(world: World) -> None:
    sent = {"content": b'{"name": "x"}', "headers": {"Content-Type": "application/json"}}
    read = world["dora"].ask("POST", "/api/drafts/file", **sent).json()
    assert read["task"] is None
    assert "title" in read["problems"][0]["message"]


def test_only_clips_and_the_cache_of_the_project_are_played(world: World) -> None:
    dora = world["dora"]
    for path in ("studio.sqlite", "clips/../studio.sqlite", "clips/none.wav", "%2Fetc%2Fpasswd"):
        assert dora.get(f"/api/clips/{path}").status_code == 404
    assert dora.get("/api/clips/clips/hidden-file-a-0.flac?begin=300&end=100").status_code == 404


def test_templates_open_as_drafts_without_problems(world: World) -> None:
    dora = world["dora"]
    for one in dora.get("/api/templates").json():
        task = dora.get(f"/api/templates/{one['name']}").json()["task"]
        assert dora.ask("POST", "/api/drafts/check", json={"task": task}).json() == {"problems": []}
        assert dora.ask("POST", "/api/drafts/preview", json={"task": task}).status_code == 200
    assert dora.get("/api/templates/none").status_code == 404
