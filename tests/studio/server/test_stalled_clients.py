"""Clients that stall, over real sockets: the studio goes on answering others."""

import contextlib
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from aptone.studio.project import Project
from aptone.studio.server.app import create_app
from aptone.web.connections import ConnectionLimits
from aptone.web.rate_limit import RateLimit
from aptone.web.serving import listen, serve

PATIENCE = 120.0
"""Seconds after which something that should happen does not, on a machine however crowded."""
BODY = json.dumps({"token": "x" * 150}).encode()
SIGN_IN = (
    b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)
STALLED = {
    "large bodies": SIGN_IN % 1_000_000 + b" " * 200_000,
    "small bodies": SIGN_IN % len(BODY) + BODY[:-1],
    "heads": SIGN_IN[:-20],
    "silence": b"",
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Address of a studio with room for 60 connections, none of which it ends for its silence in the time of a test."""
    limits = ConnectionLimits(
        most=80, most_each=60, head_seconds=PATIENCE, idle_seconds=PATIENCE, linger_seconds=PATIENCE
    )
    with Project.open(tmp_path / "project") as project, listen("127.0.0.1", 0, program="studio") as listener:
        entries = RateLimit(each=30, together=300, seconds=1e6)  # no attempt comes back in the time of a test
        app, where = create_app(project, entries=entries), listener.getsockname()
        ready, until = threading.Event(), threading.Event()
        thread = threading.Thread(
            target=lambda: serve(app, listener, behind_proxy=False, ready=ready.set, until=until, limits=limits)
        )
        thread.start()
        assert ready.wait(PATIENCE)
        yield where
        until.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def status(address: tuple[str, int], request: bytes) -> bytes:
    """Status of a reply; empty if the connection was cut."""
    with socket.create_connection(address, timeout=PATIENCE) as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(request)
            return client.recv(12)[9:]
        return b""


@pytest.mark.parametrize("kind", STALLED)
def test_the_studio_answers_while_some_hundred_connections_stall_and_afterwards(
    kind: str, address: tuple[str, int]
) -> None:
    health = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    begun = time.monotonic()

    def answered() -> None:
        while status(address, health) != b"200":
            assert time.monotonic() - begun < PATIENCE
            time.sleep(0.02)

    with ExitStack() as kept:
        for _ in range(300):
            client = kept.enter_context(socket.create_connection(address, timeout=PATIENCE))
            with contextlib.suppress(ConnectionError):  # refused while we are sending
                client.sendall(STALLED[kind])
        for _ in range(5):
            answered()
    answered()


def test_sign_ins_that_stall_are_counted_before_their_bodies_are_read(address: tuple[str, int]) -> None:
    with ExitStack() as kept:
        clients = [kept.enter_context(socket.create_connection(address, timeout=PATIENCE)) for _ in range(40)]
        for client in clients:
            client.sendall(STALLED["small bodies"])
        refused: set[socket.socket] = set()
        while len(refused) < 10:  # an address has thirty attempts
            replied, _, _ = select.select([client for client in clients if client not in refused], [], [], PATIENCE)
            assert replied
            assert all(client.recv(12) == b"HTTP/1.1 429" for client in replied)
            refused.update(replied)
        assert len(refused) == 10
        assert status(address, SIGN_IN % len(BODY) + BODY) == b"429"
