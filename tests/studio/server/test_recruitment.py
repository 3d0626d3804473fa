"""Participants of a platform: the same id is the same person, exports hold pseudonyms, codes come at the end."""

import pytest

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.recruitment import Recruitment
from tests.studio.server.world import Browser, World

SETTINGS = Recruitment(
    "prolific", "C0DE", screened_out="N0PE", url="https://app.prolific.com/submissions/complete?cc=", study="s1"
)
ID = "5f0c1d2e9a"


def take_part(world: World, secret: str, **changes: str) -> tuple[Browser, int]:
    browser = world.stranger()
    body = {"secret": secret, "participant": ID, "study": "s1", **changes}
    reply = browser.ask("POST", "/api/session/participant", json=body)
    if reply.status_code == 200:
        browser.csrf, browser.person = reply.json()["csrf"], reply.json()["person"]["id"]
    return browser, int(reply.status_code)


def test_a_participant_comes_twice_is_one_person_and_leaves_with_the_code(world: World) -> None:
    secret = world.project.recruitments.set(SETTINGS).result()
    browser, _ = take_part(world, secret)
    again, _ = take_part(world, secret)
    assert browser.person == again.person
    while (view := browser.next()) is not None:
        assert browser.answer(view).status_code == 200
    reply = browser.ask("POST", "/api/tasks/listening/next", json={}).json()
    assert reply["reason"] == "done"
    assert reply["completion"] == {"code": "C0DE", "url": f"{SETTINGS.url}C0DE"}
    exported = world["dora"].get("/api/tasks/listening/export?format=csv").text
    assert ID not in exported
    assert len(exported.splitlines()) == 5  # the heading and four items


def test_others_get_no_code(world: World) -> None:
    world.project.recruitments.set(SETTINGS).result()
    ada = world["ada"]
    while (view := ada.next()) is not None:
        ada.answer(view)
    assert ada.ask("POST", "/api/tasks/listening/next", json={}).json()["completion"] == {"code": "", "url": ""}


def test_who_did_not_pass_the_test_gets_the_other_code(world: World) -> None:
    world.project.recruitments.set(SETTINGS).result()
    assert world.project.recruitments.completion(f"prolific: {ID}", "not-qualified").code == "N0PE"
    assert world.project.recruitments.completion(f"prolific: {ID}", "waiting").code == ""


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"secret": "wrong"}, 401),
        ({"study": "s2"}, 401),
        ({"participant": "<script>"}, 422),
        ({"participant": ""}, 422),
    ],
)
def test_a_link_of_another_study_and_an_id_that_is_none_are_refused(
    world: World, changes: dict[str, str], status: int
) -> None:
    secret = world.project.recruitments.set(SETTINGS).result()
    assert take_part(world, **{"secret": secret, **changes})[1] == status


def test_a_new_link_ends_the_one_before(world: World) -> None:
    before = world.project.recruitments.set(SETTINGS).result()
    world.project.recruitments.set(SETTINGS).result()
    assert take_part(world, before)[1] == 401


@pytest.mark.parametrize("wrong", [Recruitment("mturk", ""), Recruitment("mturk", "C", url="http://example.com/")])
def test_codes_and_addresses_are_checked(world: World, wrong: Recruitment) -> None:
    with pytest.raises(NotAnAnswerError):
        world.project.recruitments.set(wrong)
