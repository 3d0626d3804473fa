"""Nobody is let in without a token where there are tokens, and no other site can ask in a reader's name."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from aptone.errors import UsageError
from aptone.view.app import View, create_app
from aptone.view.door import COOKIE, Tokens, read_tokens
from aptone.view.on_demand import OnDemandPool
from aptone.view.shelf import Shelf
from tests.tables import for_each

TOKEN = "a-token-of-some-length"


def client(tokens: dict[str, str] | None = None) -> TestClient:
    app = create_app(View(Shelf([]), OnDemandPool({}), tokens=Tokens(tokens or {})))
    return TestClient(app, base_url="http://127.0.0.1:8788", follow_redirects=False)


def test_without_tokens_this_machine_is_let_in_and_other_names_are_not() -> None:
    asking = client()
    assert asking.get("/static/theme.js").status_code == 200
    assert asking.get("/static/theme.js", headers={"Host": "evil.example"}).status_code == 421


def test_a_token_is_asked_for_in_a_header_or_a_cookie() -> None:
    asking = client({"ci": TOKEN})
    refused = asking.get("/static/theme.js")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["error"]["code"] == "not-signed-in"
    assert asking.get("/static/theme.js", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert asking.get("/static/theme.js", headers={"Authorization": "Bearer nothing-of-the-kind"}).status_code == 401
    assert asking.get("/static/theme.js", headers={"Cookie": f"{COOKIE}={TOKEN}"}).status_code == 200


def test_a_link_with_a_token_becomes_a_cookie_and_leaves_no_token_in_the_address() -> None:
    asking = client({"link": TOKEN})
    answer = asking.get(f"/runs/a?sort=x&token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs/a?sort=x")
    kept = answer.headers["set-cookie"]
    assert "HttpOnly" in kept
    assert "samesite=strict" in kept.lower()
    assert asking.get("/static/theme.js").status_code == 200
    assert client({"link": TOKEN}).get("/?token=wrong-but-long-enough").status_code == 401
    assert asking.get(f"//evil.example/?token={TOKEN}").headers.get("location", "/") in ("/", "/runs/a")


@for_each(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
    ],
)
def test_a_page_of_another_site_changes_nothing(headers: dict[str, str]) -> None:
    mark = "/try/runs/a/1/verdict"
    assert client().post(mark, headers=headers).status_code == 403
    assert client().post(mark, headers={"Origin": "http://127.0.0.1:8788"}).status_code == 404  # let in: no such run


def test_tokens_come_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# of the build machines\nci {TOKEN}\n\nanna {TOKEN}-2  # her laptop\n")
    file.chmod(0o600)
    assert read_tokens(file) == {"ci": TOKEN, "anna": f"{TOKEN}-2"}
    file.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        read_tokens(file)


@for_each("text", ["one\n", f"a {TOKEN} b\n", f"a {TOKEN}\na {TOKEN}\n", "# nothing\n"])
def test_a_file_that_is_not_understood_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(UsageError, match="expected a name and a token"):
        read_tokens(file)


def test_a_missing_file_and_a_weak_token_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_tokens(tmp_path / "none")
    with pytest.raises(UsageError, match="the token of ci is not usable"):
        Tokens({"ci": "short"})


def test_policies_allow_our_own_files_and_the_microphone_alone() -> None:
    headers = client().get("/static/theme.js").headers
    assert "unsafe" not in headers["content-security-policy"]
    assert "nonce" not in headers["content-security-policy"]
    assert headers["permissions-policy"] == "camera=(), geolocation=(), microphone=(self)"


def test_the_language_that_was_chosen_is_kept_and_leads_nowhere_else() -> None:
    asking = client()
    answer = asking.get("/language/zh?back=/runs/a?sort=-x")
    assert answer.headers["location"] == "/runs/a?sort=-x"
    assert "aptone_language=zh" in answer.headers["set-cookie"]
    for back in ("https://evil.example/", "//evil.example", "/\\evil.example"):
        assert asking.get("/language/en", params={"back": back}).headers["location"] == "/"
    assert "set-cookie" not in asking.get("/language/xx").headers
