"""Where a request goes: this machine, another one, or another one through a proxy."""

import socket

import pytest

from aptone.messages import translate
from aptone.run.http.route import Route, is_this_machine, route_of
from tests.tables import for_each

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@for_each(
    ("host", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("", False),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("localhost.example.org", False),
        ("127.0.0.1.nip.io", False),
        ("2130706433", False),
    ],
)
def test_this_machine_is_known_by_its_loopback_addresses(host: str, is_here: bool) -> None:
    assert is_this_machine(host) is is_here


def test_a_localhost_that_leads_elsewhere_is_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert route_of("http://localhost:8000/v1").receivers == ("localhost:8000",)


def test_a_proxy_of_the_environment_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://anna:geheim@proxy.example:3128")
    route = route_of("https://api.example.org/v1")
    assert route.proxy == "http://anna:geheim@proxy.example:3128"
    assert route.receivers == ("api.example.org through the proxy proxy.example:3128",)
    assert translate(route.receivers[0], "zh") == "api.example.org（经代理 proxy.example:3128）"
    assert route_of("http://api.example.org/v1") == Route("api.example.org", is_local=False)


def test_a_proxy_for_everything_and_exceptions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "proxy.example:1080")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert route_of("http://a.example").proxy == "http://proxy.example:1080"
    assert route_of("http://a.inside.example:81").receivers == ("a.inside.example:81",)


@for_each("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_no_proxy_is_used_for_this_machine(host: str) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
        monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
        assert route_of(f"http://{host}/v1") == Route(host, is_local=True)
