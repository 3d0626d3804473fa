"""Signing in by a provider, in a browser: from the sign-in page and from the account page, and back."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import anyio
import pytest
from playwright.sync_api import Browser, Page, expect

from aptone.run.http.post import HttpReply
from aptone.studio.project import Project
from benchmarks.attacks.lying_provider import FakeProvider
from tests.studio.browser.room import Room

pytestmark = pytest.mark.browser


@contextmanager
def serving(fake: FakeProvider) -> Iterator[None]:
    """The fake provider on a port of this machine; its page signs everybody in at once, or declines."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize?"):
                url = f"{fake.issuer}{self.path}"
                asked = parse_qs(urlsplit(url).query)
                back = fake.agree(url) if fake.claims else {"state": asked["state"][0], "error": "access_denied"}
                self.send_response(303)
                self.send_header("Location", f"{asked['redirect_uri'][0]}?{urlencode(back)}")
                self.end_headers()
            else:
                self._reply(anyio.run(fake.ask, f"{fake.issuer}{self.path}", dict(self.headers), None))

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(sent).items()}
            self._reply(anyio.run(fake.ask, f"{fake.issuer}{self.path}", dict(self.headers), form))

        def _reply(self, reply: HttpReply) -> None:
            self.send_response(reply.status)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        fake.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeProvider]:
    made = FakeProvider(secret="")
    with serving(made):
        yield made


@pytest.fixture(scope="module")
def sign_in_room(fake: FakeProvider, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("sign-in")
    providers = folder / "providers.toml"
    providers.write_text(
        f'[university]\nname = "Example University"\nissuer = "{fake.issuer}"\nclient_id = "aptone"\n', encoding="utf-8"
    )
    with Project.open(folder / "project"):
        pass
    room = Room(folder / "project", browser, options=("--sign-in", str(providers)), elsewhere=fake.issuer)
    try:
        room.start()
        yield room
    finally:
        room.stop()


@pytest.fixture
def room(sign_in_room: Room) -> Iterator[Room]:
    sign_in_room.problems.clear()
    yield sign_in_room
    while sign_in_room.contexts:
        sign_in_room.contexts.pop().close()
    assert sign_in_room.problems == []


def stranger(room: Room, **options: str) -> Page:
    context = room.browser.new_context(**{"locale": "en-GB", **options})  # type: ignore[arg-type]
    room.contexts.append(context)
    page = room.open(context)
    page.goto(f"{room.address}/join")
    return page


def who(subject: str, email: str = "") -> dict[str, object]:
    return {"sub": subject, "email": email, "email_verified": bool(email)}


def test_who_was_invited_by_address_comes_in_and_the_code_leaves_the_address(room: Room, fake: FakeProvider) -> None:
    with Project.open(room.folder) as project:
        project.people.invite("annotator", name="Ada", email="ada@example.org").result()
    fake.claims = who("u-ada", "ada@example.org")
    page = stranger(room)
    page.get_by_role("button", name="Sign in with Example University").click()
    expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible()
    assert page.url == f"{room.address}/"
    page.goto(f"{room.address}/account")
    expect(page.locator("tr[data-session]")).to_contain_text("sign-in service")
    expect(page.get_by_text("open your personal link")).to_be_visible()
    expect(page.locator("#new")).to_have_count(0)  # no password could be set from here


def test_who_was_not_invited_is_told_so_in_the_language_of_the_browser(room: Room, fake: FakeProvider) -> None:
    fake.claims = who("u-eve", "eve@example.org")
    page = stranger(room, locale="zh-CN")
    page.get_by_role("button", name="用 Example University 登录").click()
    expect(page.get_by_role("alert")).to_contain_text("没有受邀")
    assert page.url == f"{room.address}/signed-in/university"
    page.get_by_role("link", name="返回登录页").click()
    expect(page.get_by_role("button", name="用 Example University 登录")).to_be_visible()


def test_who_declines_there_is_told_what_to_do(room: Room, fake: FakeProvider) -> None:
    fake.claims = {}
    page = stranger(room)
    page.get_by_role("button", name="Sign in with Example University").click()
    expect(page.get_by_role("alert")).to_contain_text("You can try again, or use your personal link")


def test_an_account_is_connected_used_and_disconnected(room: Room, fake: FakeProvider) -> None:
    fake.claims = who("u-pia")
    page = room.enter("Pia", role="admin", at="/account")
    page.get_by_role("button", name="Connect with Example University").click()
    expect(page.get_by_role("heading", name="Hello, Pia")).to_be_visible()
    page.goto(f"{room.address}/account")
    expect(page.get_by_text("Connected with Example University")).to_be_visible()
    elsewhere = stranger(room)
    elsewhere.get_by_role("button", name="Sign in with Example University").click()
    expect(elsewhere.get_by_role("heading", name="Hello, Pia")).to_be_visible()
    page.get_by_role("button", name="Disconnect Example University").click()
    expect(page.get_by_role("button", name="Connect with Example University")).to_be_visible()
    elsewhere.reload()
    elsewhere.wait_for_url("**/join")


def test_an_admin_invites_by_address_on_the_page(room: Room, fake: FakeProvider) -> None:
    page = room.enter("Dora", role="admin", at="/admin")
    page.get_by_label("E-mail, for a sign-in service").fill("hal@example.org")
    page.locator("#invite-name").fill("Hal")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("input.link")).to_be_visible()
    fake.claims = who("u-hal", "hal@example.org")
    invited = stranger(room)
    invited.get_by_role("button", name="Sign in with Example University").click()
    expect(invited.get_by_role("heading", name="Hello, Hal")).to_be_visible()
