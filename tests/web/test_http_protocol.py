"""Clients that never come to the point lose their connection, and nobody else notices."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from aptone.web.bodies import BEGAN_KEY
from aptone.web.connections import ConnectionLimits, vouch
from aptone.web.http_protocol import MOST_PIPELINED
from aptone.web.serving import listen, serve

PATIENCE = 120.0
"""Seconds after which something that should happen does not, on a machine however crowded."""
NEVER = ConnectionLimits(
    most=40,
    most_each=None,
    head_seconds=PATIENCE,
    idle_seconds=PATIENCE,
    linger_seconds=PATIENCE,
    unread_seconds=PATIENCE,
    give_way_seconds=PATIENCE,
    unheard_seconds=PATIENCE,
    known_seconds=PATIENCE,
    long_reply_seconds=PATIENCE,
)
"""Limits of which none is reached, but the number of connections."""
LARGE = 16 << 20
"""Bytes of a reply that no system keeps for a client which does not read."""


async def length(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def unread_body(request: Request) -> Response:
    return PlainTextResponse("refused", status_code=403)


async def large(request: Request) -> Response:
    return Response(bytes(LARGE))


async def began(request: Request) -> Response:
    return PlainTextResponse(str(request.scope[BEGAN_KEY]))


async def known(request: Request) -> Response:
    vouch(request.scope)
    return PlainTextResponse("welcome")


@dataclass(frozen=True)
class Server:
    """A running server; ``release`` lets requests of ``/held`` go on."""

    address: tuple[str, int]
    release: threading.Event

    def connect(self, *, sent: bytes = b"", host: str = "127.0.0.1") -> socket.socket:
        client = socket.create_connection(self.address, timeout=PATIENCE, source_address=(host, 0))
        with contextlib.suppress(ConnectionError):  # it may have been refused by now
            client.sendall(sent)
        return client

    def ask(self, path: str = "/", *, host: str = "127.0.0.1") -> bytes:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        with self.connect(sent=head, host=host) as client:
            return everything(client)

    def until_answered(self, **options: str) -> None:
        """Ask until there is room."""
        until(lambda: self.ask(**options)[:12] == b"HTTP/1.1 200")


@contextmanager
def running(limits: ConnectionLimits, *, behind_proxy: bool = False) -> Iterator[Server]:
    release = threading.Event()

    def held(request: Request) -> Response:  # not async: it runs in a thread
        assert release.wait(PATIENCE)
        return PlainTextResponse("at last")

    routes = {"/": length, "/unread": unread_body, "/large": large, "/began": began, "/known": known, "/held": held}
    app = Starlette(routes=[Route(path, run, methods=["POST"]) for path, run in routes.items()])
    listener = listen("127.0.0.1", 0, program="server")
    server = Server(listener.getsockname(), release)
    ready, until = threading.Event(), threading.Event()
    options = {"behind_proxy": behind_proxy, "limits": limits}
    thread = threading.Thread(target=lambda: serve(app, listener, ready=ready.set, until=until, **options))  # type: ignore[arg-type]
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield server
    finally:
        release.set()
        until.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not met():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def everything(client: socket.socket) -> bytes:
    """Everything that arrives until the server closes the connection."""
    client.settimeout(PATIENCE)
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


def read_until(client: socket.socket, end: bytes) -> None:
    """Read what arrives up to some words."""
    client.settimeout(PATIENCE)
    found = b""
    while not found.endswith(end):
        piece = client.recv(1 << 16)
        assert piece, found
        found += piece


HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
ASKED = HEAD + b"Content-Length: 0\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", HEAD + b"X-Slow: "])
def test_a_head_that_does_not_arrive_ends_the_connection(sent: bytes) -> None:
    with running(replace(NEVER, head_seconds=0.1)) as server, server.connect(sent=sent) as client:
        assert everything(client) == b""


def test_a_head_without_an_end_is_refused() -> None:
    with running(NEVER) as server, server.connect(sent=HEAD + b"X-Long: ") as client:
        with contextlib.suppress(ConnectionError):  # closed while we are sending
            for _ in range(16):  # 1 MiB
                client.sendall(b"x" * (1 << 16))
        assert everything(client)[:12] in (b"HTTP/1.1 400", b"")  # and closed; a reset may swallow the reply


def test_a_request_with_a_long_body_and_another_one_after_it_are_answered() -> None:
    body = b"x" * 500_000
    with running(NEVER) as server, server.connect() as client:
        for last in (False, True):
            close = b"Connection: close\r\n" if last else b""
            client.sendall(HEAD + close + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert everything(client).count(b"500000") == 2


def test_requests_that_wait_behind_each_other_are_answered_up_to_a_number() -> None:
    close = HEAD + b"Connection: close\r\nContent-Length: 0\r\n\r\n"
    with running(NEVER) as server:
        with server.connect(sent=MOST_PIPELINED * ASKED + close) as client:
            assert everything(client).count(b"HTTP/1.1 200") == MOST_PIPELINED + 1
        with server.connect(sent=1000 * ASKED) as client:
            assert everything(client).count(b"HTTP/1.1 200") < MOST_PIPELINED + 2


def test_a_connection_without_another_request_ends_whatever_else_is_sent() -> None:
    with running(replace(NEVER, idle_seconds=0.2)) as server, server.connect(sent=ASKED) as client:
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        ended = threading.Event()

        def send_nothing_of_use() -> None:
            with contextlib.suppress(ConnectionError):
                while not ended.wait(0.02):
                    client.sendall(b"\r\n")  # no request begins with it, and it is no silence

        thread = threading.Thread(target=send_nothing_of_use)
        thread.start()
        everything(client)
        ended.set()
        thread.join(PATIENCE)


def test_the_rest_of_a_body_that_nobody_reads_is_waited_for_only_shortly() -> None:
    with running(replace(NEVER, linger_seconds=0.2)) as server:
        head = b"POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
        with server.connect(sent=head + b"x" * 1000) as client:
            assert everything(client).startswith(b"HTTP/1.1 403")


def test_a_reply_that_nobody_reads_ends_the_connection() -> None:
    request = b"POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    with running(replace(NEVER, most=1, unread_seconds=0.2)) as server, server.connect(sent=request):
        server.until_answered()  # which needs its place


def test_a_request_says_when_its_head_began() -> None:
    with running(NEVER) as server:
        head = b"POST /began HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        early, late = server.connect(sent=head[:10]), server.connect()
        with early, late:
            server.until_answered()  # the first half has arrived by now: the server reads in the order of arrival
            late.sendall(head)
            last = float(everything(late).rpartition(b"\r\n")[2])
            early.sendall(head[10:])
            assert float(everything(early).rpartition(b"\r\n")[2]) < last


@pytest.mark.parametrize("limit", ["most", "most_each"])
def test_one_connection_too_many_is_refused_at_once_and_told_why(limit: str) -> None:
    limits = replace(NEVER, most=3) if limit == "most" else replace(NEVER, most_each=3)
    with running(limits) as server, ExitStack() as kept:
        for _ in range(3):
            kept.enter_context(server.connect())
        reply = server.ask()
        head, _, body = reply.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        named = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        assert named[b"connection"] == b"close"
        assert named[b"retry-after"] == b"1"
        assert named[b"x-content-type-options"] == b"nosniff"
        assert int(named[b"content-length"]) == len(body)
        error = json.loads(body)["error"]
        assert (error["code"], error["mandarin"]["message"]) == ("busy", "打开的连接过多。")
        kept.close()
        server.until_answered()


def test_no_more_connections_are_kept_than_half_of_the_files_that_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.web.serving.most_open_files", lambda: 7)
    with running(NEVER) as server, ExitStack() as kept:
        for _ in range(3):
            kept.enter_context(server.connect())
        assert server.ask().startswith(b"HTTP/1.1 503")


@pytest.fixture
def other_addresses() -> None:
    """Addresses of this machine besides 127.0.0.1, which not every system has."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.2", 0))
        except OSError:
            pytest.skip("this machine has one loopback address only")


@pytest.mark.usefixtures("other_addresses")
def test_an_address_that_has_too_many_connections_does_not_keep_others_out() -> None:
    with running(replace(NEVER, most_each=5)) as server, ExitStack() as kept:
        for _ in range(5):
            kept.enter_context(server.connect(host="127.0.0.2"))
        assert server.ask(host="127.0.0.2").startswith(b"HTTP/1.1 503")
        assert server.ask(host="127.0.0.3").startswith(b"HTTP/1.1 200")


def test_behind_a_proxy_all_connections_are_its_own_and_not_limited_by_address() -> None:
    with running(replace(NEVER, most_each=3), behind_proxy=True) as server, ExitStack() as kept:
        for _ in range(5):
            kept.enter_context(server.connect())
        assert server.ask().startswith(b"HTTP/1.1 200")


STALLED = {
    "silence": b"",
    "head": HEAD + b"X-Slow: ",
    "body": HEAD + b"Content-Length: 100\r\n\r\n" + b"x" * 99,
    "body that nobody reads": b"POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
    "answered": ASKED,
    "unread reply": b"POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("kind", STALLED)
def test_connections_that_stall_give_way_and_one_that_is_answered_does_not(kind: str) -> None:
    held = b"POST /held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    few = 4 if kind == "unread reply" else 30
    with running(replace(NEVER, most=few, give_way_seconds=0.05, unheard_seconds=0.05)) as server, ExitStack() as kept:
        at_work = kept.enter_context(server.connect(sent=held))
        for _ in range(3 * few):
            kept.enter_context(server.connect(sent=STALLED[kind]))
        for _ in range(3):
            server.until_answered()
        server.release.set()
        assert everything(at_work).endswith(b"at last")


@pytest.mark.usefixtures("other_addresses")
def test_some_hundred_connections_that_stall_do_not_keep_anybody_waiting() -> None:
    limits = replace(NEVER, most=120, most_each=100, give_way_seconds=0.1, unheard_seconds=0.1)
    with running(limits) as server, ExitStack() as kept:
        clients = [kept.enter_context(server.connect(sent=STALLED["head"])) for _ in range(400)]
        for host in ("127.0.0.1", "127.0.0.2"):
            server.until_answered(host=host)
        refused = [client for client in clients if _has_ended(client)]
        assert len(refused) >= 300  # a hundred places at most, for the others of this address
        kept.close()
        server.until_answered()


def _has_ended(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) in (b"H", b"")  # 503, or dropped
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("stalled", [b"", ASKED])
def test_a_client_that_is_signed_in_keeps_its_connection_while_others_give_way(stalled: bytes) -> None:
    limits = replace(NEVER, most=2, give_way_seconds=0.01, unheard_seconds=0.01)
    asked = ASKED.replace(b"POST /", b"POST /known")
    with running(limits) as server, server.connect(sent=asked) as client:
        read_until(client, b"welcome")
        with server.connect(sent=stalled) as other:
            server.until_answered()  # which needs a place
            everything(other)  # and was given that of this one
        client.sendall(asked)
        read_until(client, b"welcome")


def test_what_was_said_about_a_client_does_not_hold_for_the_next_request_on_its_connection() -> None:
    limits = replace(NEVER, most=1, give_way_seconds=0.01)
    with running(limits) as server, server.connect(sent=ASKED.replace(b"POST /", b"POST /known")) as client:
        read_until(client, b"welcome")
        client.sendall(HEAD)
        server.until_answered()
        assert everything(client) == b""
