"""Checks and headers of an application's own policy."""

import logging
import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from aptone.web.addresses import Addresses
from aptone.web.security import NONCE_KEY, Guard, Policy, same_secret

WITH_NONCE = Policy("default-src 'none'; style-src 'nonce-{nonce}'")
WITHOUT = Policy(
    "default-src 'none'; script-src 'self'",
    permissions="microphone=(self), camera=(), geolocation=()",
    no_store=("/v1", "/runs"),
)


async def nonce(request: Request) -> Response:
    return PlainTextResponse(request.scope[NONCE_KEY])


async def kept(request: Request) -> Response:
    return PlainTextResponse("", headers={"Cache-Control": "private, max-age=60"})


async def fail(request: Request) -> Response:
    raise RuntimeError("a secret")


def client(policy: Policy) -> TestClient:
    routes = [Route("/v1/kept", kept), Route("/fail", fail), Route("/{path:path}", nonce)]
    guard = Middleware(Guard, addresses=Addresses(), policy=policy, log="aptone.test")
    return TestClient(
        Starlette(routes=routes, middleware=[guard]), base_url="http://localhost", raise_server_exceptions=False
    )


def test_a_policy_with_a_nonce_has_another_one_in_every_reply() -> None:
    replies = [client(WITH_NONCE).get("/") for _ in range(2)]
    assert len({reply.text for reply in replies}) == 2
    for reply in replies:
        assert re.fullmatch(r"[\w-]{20,}", reply.text)
        assert reply.headers["content-security-policy"] == f"default-src 'none'; style-src 'nonce-{reply.text}'"
        assert reply.headers["permissions-policy"] == "camera=(), geolocation=(), microphone=()"


def test_a_policy_without_a_nonce_is_sent_as_it_is() -> None:
    reply = client(WITHOUT).get("/")
    assert reply.text == ""
    assert reply.headers["content-security-policy"] == WITHOUT.content
    assert reply.headers["permissions-policy"] == "microphone=(self), camera=(), geolocation=()"


def test_caches_keep_nothing_below_the_named_paths_unless_a_reply_says_otherwise() -> None:
    caching = {
        path: client(WITHOUT).get(path).headers["cache-control"] for path in ("/v1/x", "/runs/1", "/", "/v1/kept")
    }
    assert caching == {"/v1/x": "no-store", "/runs/1": "no-store", "/": "no-cache", "/v1/kept": "private, max-age=60"}


def test_requests_and_faults_go_to_the_logs_of_the_application(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="aptone.test"):
        assert client(WITHOUT).get("/fail?token=hidden").status_code == 500
    names = {record.name for record in caplog.records if record.name.startswith("aptone")}
    assert names == {"aptone.test.access", "aptone.test.faults"}
    told = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("aptone"))
    assert "GET /fail 500" in told
    assert "RuntimeError" in told
    assert "secret" not in told
    assert "hidden" not in told


def test_another_host_is_refused_with_the_headers_of_the_policy() -> None:
    reply = client(WITHOUT).get("/", headers={"Host": "evil.example"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (421, "wrong-host")
    assert reply.headers["content-security-policy"] == WITHOUT.content


def test_secrets_are_compared_whatever_they_are_made_of() -> None:
    assert same_secret("a", "a")
    assert not same_secret("\udc80", "a")
    assert not same_secret("", "a")
