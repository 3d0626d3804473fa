"""Signing in by a provider, through the routes: whom it lets in, as what, and until when."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from aptone.studio.server.app import cookie_name
from aptone.studio.store.records import Role
from aptone.web.addresses import Addresses
from benchmarks.attacks.lying_provider import FakeProvider
from tests.studio.server.requests import PASSWORD
from tests.studio.server.world import Browser, World, new_world


def invited(world: World, email: str = "ada@example.org", *, role: Role = "annotator", **options: Any) -> str:
    """An invitation to an address; its id."""
    return world.project.people.invite(role, name="Eve", email=email, **options).result().invitation.id


def come_in(world: World, **claims: Any) -> tuple[Browser, Any]:
    provider = FakeProvider(claims={"sub": "u-1", "email": "ada@example.org", "email_verified": True, **claims})
    world.provider.claims = provider.claims
    browser = world.stranger()
    return browser, browser.from_provider(world.provider)


def code_of(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.json().get("error", {}).get("code", "")


def test_an_invitation_to_the_address_lets_in_and_makes_the_same_person_every_time(world: World) -> None:
    invited(world, "Ada@Example.ORG")
    first, reply = come_in(world)
    assert reply.json()["person"]["role"] == "annotator"
    second, _ = come_in(world, email="changed@example.org", email_verified=False)  # the subject is who it is
    assert first.person == second.person
    sessions = first.get("/api/me/account").json()["sessions"]
    assert [one["by"] for one in sessions] == ["provider", "provider"]
    assert first.get("/api/tasks").status_code == 200


def test_whoever_was_not_invited_stays_outside(world: World) -> None:
    revoked = invited(world, "gone@example.org")
    world.project.people.revoke(revoked).result()
    invited(world, "late@example.org", days=1e-9)
    for claims in (
        {},
        {"email": ""},
        {"email": "gone@example.org"},
        {"email": "late@example.org"},
        {"email": "%@example.org"},
    ):
        assert code_of(come_in(world, **claims)[1]) == (403, "sign-in-not-invited")
    invited(world)
    assert code_of(come_in(world, email_verified=False)[1]) == (403, "sign-in-not-invited")
    assert len(world.project.people.everyone()) == 4


def test_an_address_makes_nobody_an_admin(world: World) -> None:
    body = {"role": "admin", "name": "Eve", "email": "eve@example.org"}
    assert code_of(world["dora"].ask("POST", "/api/invitations", json=body)) == (422, "bad-email")
    # nor does another link for somebody who is one, or for an annotator who became one
    body = {"role": "annotator", "name": "Eve", "email": "eve@example.org", "person": world["dora"].person}
    assert code_of(world["dora"].ask("POST", "/api/invitations", json=body)) == (422, "bad-email")
    invited(world, person=world["bea"].person)
    world.project.people.change(world["bea"].person, role="admin").result()
    assert code_of(come_in(world)[1]) == (403, "sign-in-not-invited")


def test_an_account_is_connected_by_its_owner_and_nobody_else(world: World) -> None:
    dora = world["dora"]
    assert dora.from_provider(world.provider, at="/api/me/identities").status_code == 200
    (one,) = dora.get("/api/me/account").json()["identities"]
    assert one["issuer"] == world.provider.issuer
    elsewhere, reply = come_in(world)
    assert (elsewhere.person, reply.json()["person"]["role"]) == (dora.person, "admin")  # she has connected it herself
    assert code_of(world["ada"].from_provider(world.provider, at="/api/me/identities")) == (409, "identity-taken")
    assert dora.ask("DELETE", f"/api/me/identities/{one['id']}").json()["identities"] == []
    assert elsewhere.get("/api/me").status_code == 401  # at once
    assert code_of(come_in(world)[1]) == (403, "sign-in-not-invited")


def test_a_connection_that_one_person_began_is_not_finished_for_another(world: World) -> None:
    """Somebody else signs in on the same device while Ada is at the provider."""
    ada = world["ada"]
    url = ada.ask("POST", "/api/me/identities", json={"provider": "university"}).json()["url"]
    back = world.provider.agree(url)
    ada.enter(world.tokens["bea"])
    reply = ada.ask("POST", "/api/session/provider", json={"provider": "university", **back})
    assert code_of(reply) == (401, "sign-in-expired")
    assert world.project.identities.own(world.project.people.session(world.session_token("bea"))) == ()


def test_what_an_attacker_began_does_not_sign_a_victim_in(world: World) -> None:
    invited(world)
    attacker, victim = world.stranger(), world.stranger()
    back = world.provider.agree(attacker.ask("POST", "/api/sign-in", json={"provider": "university"}).json()["url"])
    reply = victim.ask("POST", "/api/session/provider", json={"provider": "university", **back})
    assert code_of(reply) == (401, "sign-in-expired")
    assert cookie_name(world.project, secure=False) not in victim.client.cookies
    assert attacker.ask("POST", "/api/session/provider", json={"provider": "university", **back}).status_code == 200


def test_taking_the_invitation_back_ends_the_connection_and_its_sessions(world: World) -> None:
    invitation = invited(world)
    browser, _ = come_in(world)
    assert world["dora"].ask("DELETE", f"/api/invitations/{invitation}").status_code == 200
    assert browser.get("/api/me").status_code == 401
    assert code_of(come_in(world)[1]) == (403, "sign-in-not-invited")


def test_taking_back_the_link_behind_a_connection_ends_it_too(world: World) -> None:
    assert world["ada"].from_provider(world.provider, at="/api/me/identities").status_code == 200
    browser, _ = come_in(world)
    assert browser.person == world["ada"].person
    (link,) = [one["id"] for one in world["dora"].get("/api/invitations").json() if one["name"] == "ada"]
    assert world["dora"].ask("DELETE", f"/api/invitations/{link}").status_code == 200
    assert browser.get("/api/me").status_code == 401


def test_an_inactive_person_does_not_come_in_by_a_provider(world: World) -> None:
    invited(world)
    browser, _ = come_in(world)
    world.project.people.change(browser.person, active=False).result()
    assert code_of(come_in(world)[1]) == (403, "not-allowed")


def test_withdrawal_erases_the_connection_and_the_address(world: World) -> None:
    invited(world)
    browser, _ = come_in(world)
    name = world.project.people.person(browser.person).pseudonym
    assert browser.ask("POST", "/api/me/withdrawal", json={"name": name}).status_code == 200
    world.project.database.empty_log()
    stored = (world.project.folder / "studio.sqlite").read_bytes()
    assert b"ada@example.org" not in stored
    assert b"u-1" not in stored


def test_a_session_of_a_provider_sets_no_password_over_one_that_it_does_not_know(world: World) -> None:
    ada = world["ada"]
    ada.ask("PUT", "/api/me/password", json={"password": PASSWORD})
    assert ada.from_provider(world.provider, at="/api/me/identities").status_code == 200
    browser, _ = come_in(world)
    body = {"password": "another long sentence"}
    assert code_of(browser.ask("PUT", "/api/me/password", json=body)) == (403, "bad-password")


def test_no_address_is_taken_from_a_request(world: World) -> None:
    stranger = world.stranger()
    body = {"provider": "university", "redirect_uri": "https://evil.example", "next": "//evil.example"}
    assert stranger.ask("POST", "/api/sign-in", json=body).status_code == 400
    url = stranger.ask("POST", "/api/sign-in", json={"provider": "university"}).json()["url"]
    assert parse_qs(urlsplit(url).query)["redirect_uri"] == ["http://localhost/signed-in/university"]
    reply = stranger.get("/signed-in/university?state=x&next=//evil.example", headers={"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 200
    assert "evil" not in reply.text
    wrong = {"provider": "https://evil.example"}
    assert code_of(stranger.ask("POST", "/api/sign-in", json=wrong)) == (404, "not-found")


def test_behind_a_proxy_the_public_address_is_where_people_come_back_to(tmp_path: Any) -> None:
    address = "https://studio.example.org"
    with new_world(tmp_path, addresses=Addresses(public_url=address)) as own:
        reply = own.stranger().ask("POST", "/api/sign-in", json={"provider": "university"})
        (back,) = parse_qs(urlsplit(reply.json()["url"]).query)["redirect_uri"]
        assert back == f"{address}/signed-in/university"
        cookie = reply.headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert {"Secure", "HttpOnly", "SameSite=strict"} <= {one.strip() for one in cookie.split(";")}


def test_without_providers_nothing_is_offered(world: World) -> None:
    assert [one["id"] for one in world.stranger().get("/api/sign-in").json()] == ["university"]
    from starlette.testclient import TestClient

    from aptone.studio.server.app import create_app

    with TestClient(create_app(world.project), base_url="http://localhost") as client:
        assert client.get("/api/sign-in").json() == []
