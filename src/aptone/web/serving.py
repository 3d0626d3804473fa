"""Serving an application: a socket, an HTTP server around it, and a clean end by signals."""

import asyncio
import contextlib
import errno
import functools
import math
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import uvicorn
from starlette.applications import Starlette

from aptone.errors import UsageError
from aptone.web.acceptor import Acceptor
from aptone.web.addresses import LOOPBACK, Addresses
from aptone.web.connections import ConnectionLimits, Connections
from aptone.web.http_protocol import NO_ROOM, BoundedProtocol

GRACE_SECONDS = 3
"""Time for open requests when the server stops."""
ACCEPTED = 8
"""Connections accepted at a time, before requests have their turn: those that are refused take time, too, and are files
of the process until they are closed."""
WAITING = 2048
"""Connections that wait in the system's queue to be accepted; beyond it, clients try again after a second."""
TICKS = 3
"""Tenths of a second between two looks for connections that are overdue."""


def listen(host: str, port: int, *, program: str) -> socket.socket:
    """Open a listening socket for a program, such as the ``studio``; port 0 takes any free one.

    Raises:
        UsageError: if the port is in use, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio waits to send (Nagle)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(WAITING)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or str(error)
        if getattr(error, "errno", None) == errno.EADDRNOTAVAIL:
            raise UsageError(
                f"--host {host}: the {program} cannot listen there ({why}). Name an address of this machine, 127.0.0.1 "
                "for this machine alone, or 0.0.0.0 for all networks."
            ) from error
        other = port + 1 if port < 65535 else port - 1
        raise UsageError(
            f"{host}:{port}: the {program} cannot listen there ({why}). If it runs already, open it in the browser; "
            f"otherwise take another port, for instance --port {other}, or --port 0 for any free one."
        ) from error
    listener.set_inheritable(True)
    return listener


def most_open_files() -> int:
    """Return how many files this process may open; 1,024 where the system does not say."""
    try:
        import resource  # not on every system
    except ImportError:
        return 1024
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft > 0 else 1 << 20  # no limit is a negative number


def serve(
    app: Starlette,
    listener: socket.socket,
    *,
    behind_proxy: bool,
    ready: Callable[[], None],
    until: threading.Event,
    limits: ConnectionLimits | None = None,
    grace_seconds: int = GRACE_SECONDS,
) -> None:
    """Answer requests until Ctrl-C, a signal, or an event; then close the socket.

    Args:
        behind_proxy: whether a proxy on this machine says who is asking; all connections are the proxy's then, and not
            limited by address.
        limits: of connections; their number is at most half of the files that the process may open.
        grace_seconds: time for open requests when the server stops; new ones are refused meanwhile.
    """
    given = limits or ConnectionLimits()
    most_each = None if behind_proxy else given.most_each
    connections = Connections(replace(given, most=min(given.most, most_open_files() // 2), most_each=most_each))
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", functools.partial(BoundedProtocol, connections=connections)),
        loop="asyncio",
        ws="none",
        lifespan="off",
        access_log=False,  # the guard writes its own, without queries
        log_config=None,
        proxy_headers=behind_proxy,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=grace_seconds,
        timeout_keep_alive=math.ceil(given.idle_seconds),
        backlog=ACCEPTED,
    )
    server = _Server(config, connections, ready, until)
    with listener, _stopped_by_signals(), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Catch the signal that uvicorn repeats after it ended, so that it ends the caller's block, not the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, signal.default_int_handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, connections: Connections, ready: Callable[[], None], until: threading.Event
    ) -> None:
        super().__init__(config)
        self._connections = connections
        self._ready = ready
        self._until = until

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        acceptor = Acceptor(self._connections, self._protocol, refusal=NO_ROOM, at_a_time=ACCEPTED)
        for listener in sockets or []:
            listener.listen(WAITING)  # uvicorn has just made the queue as short as what is accepted at a time
            acceptor.take_over(listener)
        if self.started:
            self._ready()

    def _protocol(self) -> asyncio.Protocol:
        """Return the protocol of a new connection, as uvicorn makes it."""
        make = cast("Callable[..., asyncio.Protocol]", self.config.http_protocol_class)
        return make(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS == 0:
            self._connections.sweep(asyncio.get_running_loop().time())
        return self._until.is_set() or await super().on_tick(counter)


def public_address(addresses: Addresses, listener: socket.socket) -> str:
    """Address that people type into the browser on this machine."""
    host = listener.getsockname()[0]
    if host in _EVERYWHERE or host in LOOPBACK:
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    return addresses.public_url.rstrip("/") or _http(host, listener)


def network_address(addresses: Addresses, listener: socket.socket) -> str:
    """Address that people on other machines type; of a server on all networks that of the one which leads outside."""
    host = listener.getsockname()[0]
    if addresses.public_url or host not in _EVERYWHERE:
        return public_address(addresses, listener)
    try:
        with socket.socket(
            listener.family, socket.SOCK_DGRAM
        ) as outside:  # sends nothing: the system names its address
            outside.connect(("192.0.2.1" if listener.family == socket.AF_INET else "2001:db8::1", 9))
            return _http(outside.getsockname()[0], listener)
    except OSError:  # no network
        return public_address(addresses, listener)


_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  (compared, not listened at)


def _http(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
