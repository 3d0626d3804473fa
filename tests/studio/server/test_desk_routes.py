"""Routes of admins and adjudicators."""

import csv
import io
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.results.report import result_report
from aptone.types import HeadphoneCheck, Rating, Vad, from_json
from tests.studio.server.world import World, listening_task, new_world

TASK = "/api/tasks/listening"


@pytest.fixture
def rated(world: World) -> World:
    """Ada gives every item 1 point and Bea 4; both like what they hear first."""
    for who, fit in (("ada", 1), ("bea", 4)):
        while view := world[who].next():
            assert world[who].answer(view, fit=fit).status_code == 200
    return world


def test_a_refusal_is_told_in_both_languages(world: World) -> None:
    dora = world["dora"]
    wrong = dora.ask("POST", "/api/tasks", content=b'{"name": 7}', headers={"Content-Type": "application/json"}).json()
    assert wrong["error"]["message"] == "the task file: RatingTask.name: expected str, got 7."
    assert wrong["error"]["mandarin"] == {
        "message": "任务文件：RatingTask.name：应为文本，得到 7。",
        "next": "请修正任务文件后重新上传。",
    }
    me = dora.get("/api/me").json()["person"]["id"]
    shut_out = dora.ask("PATCH", f"/api/people/{me}", json={"active": False}).json()
    assert shut_out["error"]["mandarin"]["message"] == "这是您自己：管理员不能停用自己的账号。"
    noise = dora.ask("POST", "/api/clips", content=b"RIFF", headers={"Content-Type": "audio/wav"}).json()
    assert noise["error"]["mandarin"]["message"].startswith("这不是可以保存的录音：该文件：")


def test_items_are_listed_by_how_far_their_raters_lie_apart_page_by_page(rated: World) -> None:
    cleo = rated["cleo"]
    rows = cleo.get(f"{TASK}/disagreements").json()
    assert rows["total"] == 3
    assert {row["distance"] for row in rows["items"]} == {0.6}  # 1 and 4 on a scale from 0 to 5: 3 / 5
    assert all(row["controls"][0] == "fit" for row in rows["items"])
    second = cleo.get(f"{TASK}/disagreements?offset=1&limit=1").json()
    assert second == {"total": 3, "offset": 1, "items": rows["items"][1:2]}
    for wrong in ("offset=-1", "limit=0", "limit=501", "limit=x", "state=lost"):
        assert cleo.get(f"{TASK}/disagreements?{wrong}").status_code == 400


def test_what_is_settled_leaves_the_open_list_at_once_and_stands_in_the_item(rated: World) -> None:
    cleo = rated["cleo"]
    address = f"{TASK}/items/item%2F1"
    item = cleo.get(address).json()
    assert item["adjudication"] is None
    assert {row["answers"]["fit"] for row in item["ratings"]} == {1, 4}
    assert {row["answers"]["better"] for row in item["ratings"]} <= {"c0", "c1"}
    assert {row["rater"][:2] for row in item["ratings"]} == {"R-"}
    assert cleo.get(f"{TASK}/disagreements?state=open").json()["total"] == 3
    settled = cleo.ask("PUT", f"{address}/adjudication", json={"answers": {"fit": 2, "better": "c1"}, "note": "both"})
    assert settled.json()["answers"] == {"fit": 2, "better": "c1"}
    assert cleo.get(address).json()["adjudication"] == settled.json()
    assert cleo.get(f"{TASK}/disagreements?state=open").json()["total"] == 2
    assert cleo.get(f"{TASK}/disagreements?state=settled").json()["items"][0]["item"] == "item/1"
    wrong = cleo.ask("PUT", f"{address}/adjudication", json={"answers": {"fit": 7}, "note": ""})
    assert wrong.status_code == 422


def test_admins_see_who_agreed_to_which_consent_and_who_wears_headphones(world: World) -> None:
    task = replace(listening_task("checked"), headphones=HeadphoneCheck(trials=1, needed=1, attempts=1))
    world.project.tasks.put(task).result()
    gates, ada = world.project.gates, world["ada"].person
    gates.set_consent({"en": "Agree."}).result()
    gates.agree(ada, version=1, language="en").result()
    test = gates.begin_headphones("checked", ada).result()
    passed = gates.answer_headphones(test.id, ada, [0]).result().passed
    dora = world["dora"]
    assert {one["id"]: one["consent"] for one in dora.get("/api/people").json()}[ada] == 1
    assert dora.ask("PATCH", f"/api/people/{ada}", json={"active": True}).json()["consent"] == 1
    rows = dora.get("/api/tasks/checked/progress").json()["people"]
    found = {one["person"]: one["headphones"] for one in rows}
    assert found[ada] == ("passed" if passed else "failed")
    assert found[world["bea"].person] == ""


def test_progress_counts_items_answers_and_people(rated: World) -> None:
    told = rated["cleo"].get(f"{TASK}/progress").json()
    assert {name: told[name] for name in ("items", "complete", "answers", "needed")} == {
        "items": 3,
        "complete": 3,
        "answers": 6,
        "needed": 6,
    }
    assert [(row["stage"], row["done"], row["total"], row["flags"]) for row in told["people"]] == [
        ("rating", 3, 3, [])
    ] * 2


def test_agreement_is_that_of_the_same_rows(rated: World) -> None:
    told = rated["cleo"].get(f"{TASK}/agreement").json()
    rows = [row.rating for row in rated.project.results.ratings("listening")]
    report = agreement_report(rated.project.tasks.get("listening").task, rows)
    assert (told["items"], told["ratings"], told["people"]) == (3, 6, 2)
    for one, control in zip(told["controls"], report.controls, strict=True):
        for name, figure in control.figures.items():
            value = one["figures"][name]["estimate"]["value"]
            assert value is None or value == figure.estimate.value


def test_feelings_are_compared_by_the_lexicon_that_the_studio_was_started_with(tmp_path: Path) -> None:
    task = listening_task()
    note = replace(task.controls[-1], agreement="vad")
    lexicon = FeelingLexicon.of({"blim": Vad(-1.0, 0.0, 0.0), "blum": Vad(1.0, 0.5, 0.5)})
    for given, known in ((lexicon, True), (None, False)):
        whole = replace(task, controls=(*task.controls[:-1], note))
        with new_world(tmp_path / str(known), task=whole, lexicon=given) as world:
            for who in ("ada", "bea"):
                for word in ("blim", "blum", "blim", "blum"):
                    view = world[who].next()
                    assert world[who].answer(view, note=word).status_code == 200
            found = world["cleo"].get(f"{TASK}/agreement").json()["controls"][-1]["figures"]
        # both say the same of every item, so that the ICC is 1 where the words have places
        assert found["valence"]["estimate"]["value"] == (pytest.approx(1.0) if known else None)


def test_an_export_holds_every_rating_by_pseudonym_in_each_format(rated: World) -> None:
    dora = rated["dora"]
    lines = dora.get(f"{TASK}/export?format=jsonl")
    assert 'filename="listening.jsonl"' in lines.headers["content-disposition"]
    ratings = [from_json(Rating, json.loads(line)) for line in lines.text.splitlines()]
    assert len(ratings) == 8  # two raters, three items and a calibration item each
    assert {rating.rater[:2] for rating in ratings} == {"P-"}
    assert len(list(csv.DictReader(io.StringIO(dora.get(f"{TASK}/export?format=csv").text)))) == 8
    assert len(list(csv.DictReader(io.StringIO(dora.get(f"{TASK}/export?format=csv&rows=items").text)))) >= 3
    assert dora.get(f"{TASK}/export?format=parquet").content[:4] == b"PAR1"
    with zipfile.ZipFile(io.BytesIO(dora.get(f"{TASK}/export?format=dataset").content)) as archive:
        assert "README.md" in archive.namelist()
    assert [
        child.name for child in (rated.project.folder / "cache").iterdir() if child.name.startswith("export-")
    ] == []
    for reply in (lines, dora.get(f"{TASK}/export?format=csv")):
        assert "ada" not in reply.text


def test_an_export_that_lacks_a_clip_is_refused_by_its_name_and_leaves_nothing_behind(rated: World) -> None:
    folder = rated.project.folder
    (folder / "clips" / "hidden-file-a-0.flac").unlink()
    reply = rated["dora"].get(f"{TASK}/export?format=dataset")
    assert reply.status_code == 409
    assert "clips/hidden-file-a-0.flac" in reply.json()["error"]["message"]
    assert str(folder) not in reply.text
    assert [child for child in (folder / "cache").iterdir() if child.name.startswith("export-")] == []


def test_a_task_file_in_yaml_says_what_is_missing_where_yaml_cannot_be_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    reply = world["dora"].ask("POST", "/api/tasks", content=b"name: x", headers={"Content-Type": "application/yaml"})
    assert reply.status_code == 415
    assert "pip install" in reply.json()["error"]["message"]


def test_an_invitation_shows_its_token_once_and_lets_its_person_in_until_it_is_taken_back(world: World) -> None:
    dora = world["dora"]
    made = dora.ask("POST", "/api/invitations", json={"role": "adjudicator", "name": "<b>Gil</b>", "days": 7}).json()
    listed = dora.get("/api/invitations")
    assert made["token"] not in listed.text
    assert "token" not in listed.json()[0]
    again = dora.ask(
        "POST", "/api/invitations", json={"role": "annotator", "name": "Ada", "days": 7, "person": world["ada"].person}
    )
    ada = world.stranger()
    ada.enter(again.json()["token"])  # who has lost the link gets another, and is the same person
    assert ada.person == world["ada"].person
    lost = {"role": "annotator", "name": "Ada", "days": 7, "person": "nobody"}
    assert dora.ask("POST", "/api/invitations", json=lost).status_code == 404
    gil = world.stranger()
    assert gil.enter(made["token"]).json()["person"]["name"] == "<b>Gil</b>"
    assert next(one for one in listed.json() if one["id"] == made["id"])["role"] == "adjudicator"
    assert dora.ask("DELETE", f"/api/invitations/{made['id']}").json()["revoked"] is True
    assert gil.get("/api/me").status_code == 401
    assert world.stranger().enter(made["token"]).status_code == 401
    for wrong in ({"role": "owner"}, {"days": 0}, {"days": 1e9}, {"name": ""}):
        body = {"role": "annotator", "name": "Hal", "days": 7, **wrong}
        assert dora.ask("POST", "/api/invitations", json=body).status_code == 400


def test_results_are_those_of_the_same_rows_as_json_and_as_files(rated: World) -> None:
    told = rated["cleo"].get(f"{TASK}/results").json()
    rows = [row.rating for row in rated.project.results.ratings("listening")]
    report = result_report(rated.project.tasks.get("listening").task, rows)
    assert report is not None
    assert [one["system"] for one in told["systems"]] == [one.system for one in report.systems]
    assert set(told["methods"]) == {"en", "zh"}
    for part in ("systems", "pairs", "ratings"):
        file = rated["cleo"].get(f"{TASK}/results/file?part={part}")
        assert file.headers["content-disposition"] == f'attachment; filename="{part}.csv"'
        assert file.text.splitlines()[0].split(",")[0] in ("system", "first", "rater")
    assert rated["cleo"].get(f"{TASK}/results/file?format=json").json()["test"] == "ab"
    assert rated["cleo"].get(f"{TASK}/results/file?format=xls").status_code == 400


def test_a_task_that_compares_no_systems_has_no_results(world: World) -> None:
    task = world.project.tasks.get("listening").task
    plain = replace(task, name="plain", items=tuple(replace(item, hidden={}) for item in task.items))
    world.project.tasks.put(plain).result()
    refused = world["cleo"].get("/api/tasks/plain/results")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "no-results")
    listed = {row["name"]: row["results"] for row in world["cleo"].get("/api/tasks").json()}
    assert listed == {"listening": True, "plain": False}
