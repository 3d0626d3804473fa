"""Clients that never come to the point lose their connection, and nobody else notices."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from aptone.web import connections
from aptone.web.serving import listen, serve

PATIENCE = 300.0
"""Seconds after which something that should happen does not, on a machine however crowded."""


async def length(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Address of a server that gives a head a fifth of a second."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    listener = listen("127.0.0.1", 0, program="server")
    where = listener.getsockname()
    ready, until = threading.Event(), threading.Event()
    app = Starlette(routes=[Route("/", length, methods=["POST"])])
    thread = threading.Thread(target=lambda: serve(app, listener, behind_proxy=False, ready=ready.set, until=until))
    thread.start()
    assert ready.wait(PATIENCE)
    yield where
    until.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def everything(client: socket.socket) -> bytes:
    """Everything that arrives until the server closes the connection."""
    client.settimeout(5)
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("head", [b"", b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_a_head_that_does_not_arrive_ends_the_connection(
    head: bytes, address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with socket.create_connection(address) as client:
        client.sendall(head)
        assert everything(client) == b""


def test_a_head_without_an_end_is_refused(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", PATIENCE)
    with socket.create_connection(address) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        with contextlib.suppress(ConnectionError):  # closed while we are sending
            for _ in range(16):  # 1 MiB
                client.sendall(b"x" * (1 << 16))
        assert everything(client)[:12] in (b"HTTP/1.1 400", b"")  # and closed; a reset may swallow the reply


def test_a_request_with_a_long_body_and_another_one_after_it_are_answered(address: tuple[str, int]) -> None:
    body = b"x" * 500_000
    with socket.create_connection(address) as client:
        for last in (False, True):
            close = b"Connection: close\r\n" if last else b""
            head = b"POST / HTTP/1.1\r\nHost: localhost\r\n" + close
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert everything(client).count(b"500000") == 2
