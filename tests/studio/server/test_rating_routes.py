"""A rater's way through a task, over HTTP."""

from pathlib import Path

from aptone.audio import read_bytes
from tests.studio.server.world import SECONDS, World, change, listening_task, new_world


def test_items_come_one_after_another_with_feedback_on_calibration_until_none_is_left(world: World) -> None:
    ada = world["ada"]
    assert ada.get("/api/tasks").json()[0]["progress"] == {
        "stage": "calibration",
        "done": 0,
        "total": 1,
        "quota_left": None,
    }
    first = ada.next()
    assert (first["stage"], first["fields"]) == ("calibration", {"sentence": "Sentence 0."})
    assert ada.next()["id"] == first["id"]  # what is open comes first
    told = ada.answer(first, fit=5).json()
    assert told["feedback"] == {"fit": {"given": 5, "gold": 3, "within": False}}  # two points off, one is tolerated
    for number in range(1, 4):
        view = ada.next()
        assert (view["stage"], view["position"], view["total"]) == ("rating", number - 1, 3)
        assert ada.answer(view).json() == {"state": "submitted", "feedback": None}
    ended = ada.ask("POST", "/api/tasks/listening/next", json={}).json()
    completion = {"code": "", "url": ""}
    assert ended == {"assignment": None, "reason": "done", "rest": None, "completion": completion}
    states = [(row["stage"], row["state"]) for row in ada.get("/api/tasks/listening/mine").json()]
    assert states == [("calibration", "submitted")] + [("rating", "submitted")] * 3


def test_an_item_is_not_taken_before_its_clips_were_heard(tmp_path: Path) -> None:
    with new_world(tmp_path / "project", task=listening_task(must_listen=True)) as world:
        ada = world["ada"]
        view = ada.next()
        where = f"/api/assignments/{view['id']}"
        assert [clip["must_play"] for clip in view["clips"]] == [True, True]
        assert ada.answer(view).status_code == 409
        early = ada.ask("POST", f"{where}/played", json={"clip": "c0"})
        assert early.status_code in (200, 409)  # the machine may have been slow
        world.pass_time(SECONDS)
        assert ada.ask("POST", f"{where}/played", json={"clip": "c0"}).json() == {"played": ["c0"]}
        unheard = ada.answer(view)
        assert (unheard.status_code, unheard.json()["error"]["code"]) == (409, "not-heard")
        assert ada.ask("POST", f"{where}/played", json={"clip": "c1"}).json() == {"played": ["c0", "c1"]}
        assert ada.answer(view).status_code == 200
        assert ada.ask("POST", f"{where}/played", json={"clip": "c2"}).status_code == 404


def test_a_clip_is_sent_cut_and_blind_in_parts_and_again_only_if_it_changed(world: World) -> None:
    ada = world["ada"]
    address = f"/api/assignments/{ada.next()['id']}/clips/c0"
    whole = ada.get(address)
    assert (whole.status_code, whole.headers["content-type"]) == (200, "audio/wav")
    assert whole.headers["cache-control"].startswith("private")
    assert "last-modified" not in whole.headers
    assert "content-disposition" not in whole.headers
    assert read_bytes(whole.content, name="clip", rate=None).seconds == SECONDS
    part = ada.get(address, headers={"Range": "bytes=44-99"})
    assert (part.status_code, part.content) == (206, whole.content[44:100])
    head = ada.ask("HEAD", address)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(whole.content)))
    assert ada.get(address, headers={"If-None-Match": whole.headers["etag"]}).status_code == 304
    assert ada.get(address, headers={"Range": f"bytes={len(whole.content)}-"}).status_code == 416


def test_a_recording_that_is_gone_is_told_kindly(world: World) -> None:
    ada = world["ada"]
    address = f"/api/assignments/{ada.next()['id']}/clips/c0"
    for clip in (world.project.folder / "clips").iterdir():
        clip.write_bytes(b"no sound any more")
    reply = ada.get(address)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not-found")


def test_a_closed_task_takes_nothing_and_an_opened_one_goes_on(world: World) -> None:
    ada, dora = world["ada"], world["dora"]
    view = ada.next()
    assert dora.ask("PATCH", "/api/tasks/listening", json={"open": False}).json()["open"] is False
    assert ada.ask("POST", "/api/tasks/listening/next", json={}).json()["reason"] == "closed"
    changes = {"changes": [change("fit", 3)]}
    assert ada.ask("PUT", f"/api/assignments/{view['id']}/changes", json=changes).status_code == 409
    dora.ask("PATCH", "/api/tasks/listening", json={"open": True})
    assert ada.ask("PUT", f"/api/assignments/{view['id']}/changes", json=changes).status_code == 200


def test_the_language_of_a_person_is_kept(world: World) -> None:
    ada = world["ada"]
    assert ada.ask("PATCH", "/api/me", json={"language": "zh"}).json()["person"]["language"] == "zh"
    assert ada.get("/api/me").json()["person"]["language"] == "zh"
    assert ada.ask("PATCH", "/api/me", json={"language": "fr"}).status_code == 400
