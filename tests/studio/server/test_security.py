"""Security checks of every request, and security headers of every reply."""

import logging
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import anyio
import pytest
from starlette.requests import Request

from aptone.studio.server.app import LOG, all_routes, create_app
from aptone.studio.server.studio import Sessions
from aptone.studio.store.records import Person, Session
from aptone.web.addresses import Addresses
from aptone.web.rate_limit import RateLimit
from tests.studio.server.requests import SENT
from tests.studio.server.world import World, change, new_world
from tests.tables import for_each


@for_each("path", ["/join", "/api/health", "/api/me", "/nowhere", "/static/base.css"])
def test_every_reply_carries_the_headers_that_protect_it(path: str, shared: World) -> None:
    headers = shared.stranger().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-store" if path.startswith("/api") else "no-cache")
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert re.fullmatch(r"'self' 'nonce-[\w-]{20,}'", policy["style-src"])
    assert "unsafe" not in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]


def test_the_nonce_of_a_page_is_that_of_its_policy_and_never_used_twice(world: World) -> None:
    ada = world["ada"]
    replies = [ada.get("/rate/listening") for _ in range(2)]
    nonces = [re.search(r"'nonce-([\w-]+)'", reply.headers["content-security-policy"]) for reply in replies]
    for reply, nonce in zip(replies, nonces, strict=True):
        assert nonce is not None
        assert f'<meta name="csp-nonce" content="{nonce[1]}">' in reply.text
    assert len({nonce[1] for nonce in nonces if nonce}) == 2


@for_each(
    ("host", "known"),
    [
        ("localhost", True),
        ("LOCALHOST:8765", True),
        ("127.0.0.1:8765", True),
        ("[::1]:8765", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("192.168.0.7:8765", False),
        ("", False),
        ("[::1", False),
        ("evil.example@localhost", False),
    ],
)
def test_a_studio_of_this_machine_answers_to_its_own_names_only(host: str, known: bool, shared: World) -> None:
    reply = shared.stranger().get("/api/health", headers={"Host": host})
    assert reply.status_code == (200 if known else 421)


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_is_for_the_server_alone(secure: bool, tmp_path: Path) -> None:
    addresses = Addresses(public_url="https://localhost" if secure else "")
    with new_world(tmp_path / "project") as world:
        world.app = create_app(world.project, addresses=addresses)
        token = world.project.people.invite("annotator", name="Gil").result().token
        (cookie,) = world.stranger().enter(token).headers.get_list("set-cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert ("Secure" in cookie) is secure
    assert cookie.startswith("__Host-") is secure


def test_two_studios_on_one_machine_do_not_share_a_cookie(tmp_path: Path) -> None:
    with new_world(tmp_path / "a") as first, new_world(tmp_path / "b") as second:
        names = {next(iter(world["ada"].client.cookies.keys())) for world in (first, second)}
    assert len(names) == 2


def test_whoever_tries_too_often_has_to_wait(tmp_path: Path) -> None:
    now = [0.0]
    entries = RateLimit(each=6, together=100, seconds=60.0, clock=lambda: now[0])
    with new_world(tmp_path / "project", entries=entries) as world:  # four people have come in: two attempts are left
        stranger = world.stranger()
        replies = [stranger.enter("wrong") for _ in range(3)]
        assert [reply.status_code for reply in replies] == [401, 401, 429]
        assert replies[2].headers["retry-after"] == "10"  # six attempts in 60 s: one comes back every ten
        assert world.stranger().enter(world.tokens["ada"]).status_code == 429
        now[0] = 10.0
        assert world.stranger().enter(world.tokens["ada"]).status_code == 200


ESCAPES = [
    "/static/../app.py",
    "/static/%2e%2e/%2e%2e/project.py",
    "/static/..%2f..%2fproject.py",
    "/static//etc/passwd",
    "/static/vendor/../../project.py",
    "/static/%00",
    "/static/page.html",
    "/api/assignments/{assignment}/clips/..%2f..%2fstudio.sqlite",
    "/api/assignments/{assignment}/clips/%2e%2e",
    "/api/assignments/{assignment}/clips/hidden-system-a",
    "/api/tasks/..%2f..%2fetc",
    "/api/tasks/%00",
    "/studio.sqlite",
    "/clips/hidden-file-a-0.flac",
]


@for_each("path", ESCAPES)
def test_no_path_leads_out_of_what_is_served(path: str, shared: World) -> None:
    dora, ada = shared["dora"], shared["ada"]
    assignment = ada.next()["id"]
    for browser in (dora, ada):
        assert browser.get(path.format(assignment=assignment)).status_code in (403, 404)


def test_a_clip_outside_of_the_project_is_refused_when_its_task_is_added_and_when_it_is_asked_for(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "outside.flac").write_bytes((world.project.folder / "clips" / "hidden-file-a-0.flac").read_bytes())
    inside = world.project.folder / "clips" / "hidden-file-a-0.flac"
    assert world["cleo"].get("/api/tasks/listening/items/item%2F2/clips/c0").status_code == 200
    inside.unlink()
    inside.symlink_to(tmp_path / "outside.flac")
    assert world["cleo"].get("/api/tasks/listening/items/item%2F2/clips/c0").status_code == 404


def test_an_address_that_takes_other_methods_says_which(shared: World) -> None:
    reply = shared["ada"].ask("POST", "/join", json={})
    assert (reply.status_code, reply.json()["error"]["code"]) == (405, "wrong-method")
    assert "GET" in reply.headers["allow"]
    # each of them stands in a route of its own
    assert shared["ada"].get("/api/session").headers["allow"] == "DELETE, POST"
    assignment = shared["ada"].next()["id"]
    assert shared["ada"].ask("POST", f"/api/assignments/{assignment}/clips/c0").headers["allow"] == "GET, HEAD"


def test_nothing_is_traced_where_a_program_around_the_studio_traces_its_requests(
    shared: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    for kind, module in (("tracer", "trace"), ("meter", "metrics"), ("logger", "_logs")):
        provider = SimpleNamespace(**{f"get_{kind}": lambda *given, **options: asked.append(given)})
        monkeypatch.setattr(f"opentelemetry.{module}.get_{kind}_provider", lambda found=provider: found)
    assert shared["ada"].get("/api/me?token=secret").status_code == 200
    assert asked == []


def test_a_session_that_ends_while_the_database_is_asked_is_not_kept() -> None:
    asked = []

    def find(token: str) -> Session:
        asked.append(token)
        if len(asked) == 1:
            sessions.forget()  # somebody signs out at this very moment
        return Session(cast("Person", None), csrf="", expires=time.time() + 60)

    sessions = Sessions(find, cookie="c", secure=False)
    request = Request({"type": "http", "headers": [(b"cookie", b"c=token")]})
    for _ in range(3):
        assert anyio.run(sessions.of, request) is not None
    assert len(asked) == 2  # the first answer was not kept, the second was


def test_a_fault_is_told_without_its_text_and_logged_without_it(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*given: object) -> None:
        raise RuntimeError(f"the secret answer in {world.project.folder}")

    monkeypatch.setattr(world.project.assignments, "mine", fail)
    with caplog.at_level(logging.DEBUG):
        reply = world["ada"].get("/api/tasks/listening/mine")
    assert reply.status_code == 500
    for told in (reply.text, caplog.text):
        assert "secret answer" not in told
        assert str(world.project.folder) not in told
    number = re.search(r"number (\w+)", reply.json()["error"]["message"])
    assert number is not None
    assert f"fault {number[1]}: RuntimeError" in caplog.text


def test_no_log_line_of_a_whole_session_holds_a_token_an_answer_or_a_query(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger=LOG), new_world(tmp_path / "project") as world:
        last = ("/api/me/withdrawal", "/api/people/{person}/withdrawal", "/api/consent")  # after them nobody goes on
        for route in sorted(all_routes(), key=lambda one: one.path_format in last):
            sent = SENT[route.method, route.path_format](world)
            signs_in = route.path_format == "/api/session/participant"  # as somebody else
            for browser in [world.stranger()] if signs_in else [world[who] for who in ("ada", "cleo", "dora")]:
                browser.ask(route.method, sent.path, **sent.options)
        ada = world.join("ada", "annotator")  # again, for she has withdrawn
        stands = ada.get("/api/consent").json()
        ada.ask("POST", "/api/consent", json={"version": stands["version"]})
        view = ada.next()
        ada.ask("PUT", f"/api/assignments/{view['id']}/changes", json={"changes": [change("note", "my-secret-note")]})
        ada.ask("PUT", f"/api/assignments/{view['id']}/changes", json={"changes": [change("fit", "my-secret-note")]})
        ada.get("/api/me?token=secret-in-a-query")
        ada.get("/api/tasks/listening/export?format=secret-in-a-query")
        world.stranger().enter("my-secret-guess")
        secrets = [*world.tokens.values(), *(browser.csrf for browser in world.people.values())]
        secrets += [value for browser in world.people.values() for value in browser.client.cookies.values()]
    ours = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    )
    assert "POST /api/session 200" in ours
    for secret in [*secrets, "my-secret-note", "my-secret-guess", "secret-in-a-query"]:
        assert secret
        assert secret not in ours
