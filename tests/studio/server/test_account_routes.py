"""Routes of the own account."""

from pathlib import Path

import pytest

from aptone.web.rate_limit import RateLimit
from tests.studio.server.requests import PASSWORD
from tests.studio.server.world import Browser, World, new_world

pytestmark = pytest.mark.usefixtures("quick_hashes")


def sign_in(browser: Browser, name: str, password: str = PASSWORD) -> tuple[int, str]:
    reply = browser.ask("POST", "/api/session/password", json={"name": name, "password": password})
    if reply.status_code == 200:
        browser.csrf = reply.json()["csrf"]
    return reply.status_code, reply.json().get("error", {}).get("code", "")


def test_a_password_is_set_used_changed_and_needed(world: World) -> None:
    ada, elsewhere = world["ada"], world.stranger()
    account = ada.ask("PUT", "/api/me/password", json={"password": PASSWORD}).json()
    assert account["password_set"] is not None
    assert sign_in(elsewhere, account["name"]) == (200, "")
    assert elsewhere.get("/api/me").json()["person"]["id"] == ada.person
    reply = elsewhere.ask("PUT", "/api/me/password", json={"password": "another long sentence"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "bad-password")
    body = {"password": "another long sentence", "current": PASSWORD}
    assert elsewhere.ask("PUT", "/api/me/password", json=body).status_code == 200
    assert ada.get("/api/me").status_code == 401  # all other sessions have ended, at once
    assert sign_in(world.stranger(), account["name"]) == (401, "bad-password")


def test_a_weak_password_is_refused_in_both_languages(world: World) -> None:
    error = world["ada"].ask("PUT", "/api/me/password", json={"password": "short"}).json()["error"]
    assert error["code"] == "weak-password"
    assert "12" in error["mandarin"]["message"]


def test_sessions_are_listed_with_their_device_and_ended_at_once(world: World) -> None:
    ada, phone = world["ada"], world.stranger()
    phone.client.headers["User-Agent"] = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604"
    assert phone.enter(world.tokens["ada"]).status_code == 200
    sessions = ada.get("/api/me/account").json()["sessions"]
    (other,) = [one for one in sessions if not one["current"]]
    assert (other["device"], other["by"]) == ("Safari, iOS", "link")
    assert not any(world.session_token("ada") in str(one) for one in sessions)
    assert phone.get("/api/me").status_code == 200  # it is in the cache of sessions
    assert ada.ask("DELETE", f"/api/me/sessions/{other['id']}").json() == {"ended": 1}
    assert (phone.get("/api/me").status_code, ada.get("/api/me").status_code) == (401, 200)


def test_passwords_are_limited_by_name_whether_it_exists_or_not(tmp_path: Path) -> None:
    with new_world(tmp_path, passwords=RateLimit(each=2, together=99, seconds=1e6)) as own:
        name = own["ada"].ask("PUT", "/api/me/password", json={"password": PASSWORD}).json()["name"]
        for tried in (name, "R-0000"):
            found = [sign_in(own.stranger(), one, "wrong password") for one in (tried, tried.lower(), tried)]
            assert found == [(401, "bad-password"), (401, "bad-password"), (429, "too-often")]
        assert sign_in(own.stranger(), name) == (429, "too-often")  # a right one, too, or it would tell
        assert own.stranger().enter(own.tokens["ada"]).status_code == 200  # the link goes on


def test_the_current_password_cannot_be_guessed_by_changing_it(tmp_path: Path) -> None:
    with new_world(tmp_path, passwords=RateLimit(each=2, together=99, seconds=1e6)) as own:
        name = own["ada"].ask("PUT", "/api/me/password", json={"password": PASSWORD}).json()["name"]
        browser = own.stranger()
        assert sign_in(browser, name)[0] == 200
        body = {"password": "another long sentence", "current": "wrong password"}
        statuses = [browser.ask("PUT", "/api/me/password", json=body).status_code for _ in range(2)]
        assert statuses == [403, 429]


def test_attempts_are_counted_by_address_before_a_body_is_read(tmp_path: Path) -> None:
    with new_world(tmp_path, entries=RateLimit(each=6, together=99, seconds=1e6)) as own:
        stranger = own.stranger()
        found = [sign_in(stranger, f"R-000{number}")[0] for number in range(3)]
        assert found == [401, 401, 429]  # four people have come in before
        reply = stranger.ask("POST", "/api/session/password", content=b"no JSON")
        assert reply.status_code == 429
