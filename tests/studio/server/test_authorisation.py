"""Authorisation: every route, requested by every role."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter
from sqlalchemy import text

from aptone.studio.server.app import all_routes
from aptone.studio.server.routing import EVERYONE, StudioRoute
from tests.studio.server.requests import SENT
from tests.studio.server.world import Browser, World

pytestmark = pytest.mark.usefixtures("quick_hashes")

PEOPLE = ("nobody", "ada", "bea", "cleo", "dora", "inactive", "expired")
"""Nobody signed in; the annotator who has the item; another one; an adjudicator; an admin; and two who were admins."""

ALL = "200 200 200 200 200 200 200"
IN = "401 200 200 200 200 401 401"
NOBODY = "401 401 401 401 401 401 401"
OWNER = "401 200 403 403 403 401 401"
DESK = "401 403 403 200 200 401 401"
ADMIN = "401 403 403 403 200 401 401"
MAKES = "401 403 403 403 201 401 401"

TABLE = {
    ("GET", "/api/health"): ALL,
    ("POST", "/api/session"): ALL,
    ("DELETE", "/api/session"): IN,
    ("GET", "/api/me"): IN,
    ("PATCH", "/api/me"): IN,
    ("POST", "/api/session/password"): ALL,
    ("POST", "/api/session/participant"): ALL,
    ("POST", "/api/session/provider"): NOBODY,
    ("GET", "/api/sign-in"): ALL,
    ("POST", "/api/sign-in"): ALL,
    ("POST", "/api/me/identities"): IN,
    ("DELETE", "/api/me/identities/{identity}"): "401 200 404 404 404 401 401",
    ("GET", "/api/me/account"): IN,
    ("PUT", "/api/me/password"): IN,
    ("DELETE", "/api/me/sessions"): IN,
    ("DELETE", "/api/me/sessions/{session}"): "401 200 404 404 404 401 401",
    ("GET", "/api/tasks"): IN,
    ("GET", "/api/tasks/{task}"): IN,
    ("POST", "/api/tasks/{task}/next"): IN,
    ("GET", "/api/tasks/{task}/mine"): IN,
    ("GET", "/api/assignments/{assignment}"): OWNER,
    ("PUT", "/api/assignments/{assignment}/changes"): OWNER,
    ("POST", "/api/assignments/{assignment}/played"): OWNER,
    ("POST", "/api/assignments/{assignment}/submit"): OWNER,
    ("GET", "/api/assignments/{assignment}/clips/{clip}"): OWNER,
    ("GET", "/api/tasks/{task}/disagreements"): DESK,
    ("GET", "/api/tasks/{task}/items/{item}"): DESK,
    ("GET", "/api/tasks/{task}/items/{item}/clips/{clip}"): DESK,
    ("PUT", "/api/tasks/{task}/items/{item}/adjudication"): DESK,
    ("GET", "/api/tasks/{task}/agreement"): DESK,
    ("GET", "/api/tasks/{task}/results"): DESK,
    ("GET", "/api/tasks/{task}/results/file"): DESK,
    ("GET", "/api/tasks/{task}/progress"): DESK,
    ("GET", "/api/people"): ADMIN,
    ("PATCH", "/api/people/{person}"): ADMIN,
    ("GET", "/api/invitations"): ADMIN,
    ("POST", "/api/invitations"): MAKES,
    ("DELETE", "/api/invitations/{invitation}"): ADMIN,
    ("POST", "/api/tasks"): MAKES,
    ("PATCH", "/api/tasks/{task}"): ADMIN,
    ("POST", "/api/clips"): MAKES,
    ("GET", "/api/tasks/{task}/export"): ADMIN,
    ("GET", "/api/templates"): ADMIN,
    ("GET", "/api/templates/{template}"): ADMIN,
    ("GET", "/api/tasks/{task}/draft"): ADMIN,
    ("GET", "/api/tasks/{task}/file"): ADMIN,
    ("GET", "/api/clips/{clip}"): ADMIN,
    ("POST", "/api/drafts"): MAKES,
    ("POST", "/api/drafts/check"): ADMIN,
    ("POST", "/api/drafts/file"): ADMIN,
    ("POST", "/api/drafts/items"): ADMIN,
    ("POST", "/api/drafts/preview"): ADMIN,
    ("GET", "/api/consent"): IN,
    ("POST", "/api/consent"): IN,
    ("PUT", "/api/consent"): ADMIN,
    ("POST", "/api/tasks/{task}/headphones"): IN,
    ("GET", "/api/headphones/{check}/{trial}"): "401 200 404 404 404 401 401",
    ("POST", "/api/headphones/{check}"): "401 200 404 404 404 401 401",
    ("POST", "/api/assignments/{assignment}/active"): OWNER,
    ("POST", "/api/me/withdrawal"): "401 200 409 409 409 401 401",
    ("POST", "/api/people/{person}/withdrawal"): ADMIN,
    ("GET", "/api/openapi.json"): ADMIN,
}


def key(route: StudioRoute) -> tuple[str, str]:
    return route.method, route.path_format


def named(route: StudioRoute) -> str:
    return " ".join(key(route))


def somebody(world: World, who: str) -> Browser:
    if who == "nobody":
        return world.stranger()
    if who == "inactive":
        browser = world.join("inactive", "admin")
        world.project.people.change(browser.person, active=False).result()
        return browser
    if who == "expired":
        browser = world.join("expired", "admin")
        ended = text("UPDATE sessions SET expires = 1 WHERE person = :person")
        world.project.writer.call(
            lambda connection: connection.execute(ended, {"person": browser.person}).close()
        ).result()
        return browser
    return world[who]


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    routes = [key(route) for route in all_routes()]
    assert len(set(routes)) == len(routes)
    assert set(TABLE) == set(routes)
    assert set(SENT) == set(routes)


@pytest.mark.slow
@pytest.mark.parametrize("route", all_routes(), ids=named)
def test_a_route_answers_those_who_may_ask_and_nobody_else(route: StudioRoute, world: World) -> None:
    expected = dict(zip(PEOPLE, map(int, TABLE[key(route)].split()), strict=True))
    sent = SENT[key(route)](world)
    found = {}
    for who in (*PEOPLE[:1], *PEOPLE[2:], PEOPLE[1]):  # the owner last, who may hand the item in
        reply = somebody(world, who).ask(route.method, sent.path, **sent.options)
        found[who] = reply.status_code
        if reply.status_code == (route.status_code or 200) and route.response_model is not None:
            TypeAdapter(route.response_model).validate_python(reply.json())  # what is promised is what comes
    assert found == expected


@pytest.mark.parametrize("route", [route for route in all_routes() if route.changes], ids=named)
def test_what_changes_something_must_come_from_our_own_pages(route: StudioRoute, world: World) -> None:
    right = next(
        (who for who in ("ada", "cleo", "dora") if not route.roles or _role(world, who) in route.roles), "dora"
    )
    sent = SENT[key(route)](world)
    browser = world[right]
    headers = sent.options.get("headers", {})
    wrong: list[dict[str, str]] = [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ]
    wrong += [{"Origin": "http://localhost:1234"}, {"Origin": "http://localhost.evil.example"}]
    if route.roles is not EVERYONE:
        wrong += [{"X-Aptone-CSRF": ""}, {"X-Aptone-CSRF": "wrong"}, {"X-Aptone-CSRF": browser.csrf + "x"}]
        wrong += [{"X-Aptone-CSRF": world["bea"].csrf}]
    for foreign in wrong:
        options = {**sent.options, "headers": {**headers, **foreign}}
        reply = browser.ask(route.method, sent.path, **options)
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "csrf"), foreign
    own = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    options = {**sent.options, "headers": {**headers, **own}}
    expected = int(TABLE[key(route)].split()[PEOPLE.index(right)])
    assert browser.ask(route.method, sent.path, **options).status_code == expected


def _role(world: World, who: str) -> str:
    return world.project.people.person(world[who].person).role


def test_reading_needs_no_csrf_value(world: World) -> None:
    browser = world["dora"]
    browser.csrf = ""
    assert browser.get("/api/people").status_code == 200


def test_an_admin_cannot_shut_the_own_account_out(world: World) -> None:
    dora = world["dora"]
    assert dora.ask("PATCH", f"/api/people/{dora.person}", json={"active": False}).status_code == 409


@pytest.mark.parametrize("how", ["set inactive", "another role", "link taken back", "left"])
def test_what_ends_a_session_acts_at_once(how: str, world: World) -> None:
    dora, cleo = world["dora"], world["cleo"]
    assert cleo.get("/api/tasks/listening/progress").status_code == 200  # and the session is remembered
    if how == "left":
        again = world.stranger()
        again.client.cookies, again.csrf = cleo.client.cookies, cleo.csrf
        cleo.client.cookies = type(cleo.client.cookies)(cleo.client.cookies)
        assert again.ask("DELETE", "/api/session").status_code == 200
    elif how == "link taken back":
        (link,) = [one["id"] for one in dora.get("/api/invitations").json() if one["name"] == "cleo"]
        assert dora.ask("DELETE", f"/api/invitations/{link}").status_code == 200
    else:
        change = {"active": False} if how == "set inactive" else {"role": "annotator"}
        assert dora.ask("PATCH", f"/api/people/{cleo.person}", json=change).status_code == 200
    expected = 403 if how == "another role" else 401
    assert cleo.get("/api/tasks/listening/progress").status_code == expected


def test_a_personal_link_lets_the_same_person_in_again(world: World) -> None:
    again = world.stranger()
    assert again.enter(world.tokens["ada"]).status_code == 200
    assert again.person == world["ada"].person


def test_signed_out_people_are_sent_to_the_page_about_links(world: World, tmp_path: Path) -> None:
    for page in (
        "/",
        "/account",
        "/rate/listening",
        "/adjudicate/listening",
        "/agreement/listening",
        "/results/listening",
        "/admin",
        "/edit",
        "/edit/listening",
    ):
        reply = world.stranger().get(page)
        assert (reply.status_code, reply.headers["location"]) == (303, "/join")
        # A link on another site brings no cookie, whoever follows it: the page finds out by itself.
        assert world.stranger().get(page, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
