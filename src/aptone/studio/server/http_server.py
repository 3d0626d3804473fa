"""Running the studio: one process, one port, closed cleanly."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from aptone.errors import UsageError

LONGEST_HEAD = 64 * 1024
"""Bytes of a request before its body, beyond the first piece that arrives; browsers send some hundreds."""

HEAD_SECONDS = 30.0
"""In which the head of a request has to arrive."""


class BoundedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with an end to what it waits for."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._in_head = False
        self._received = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes more."""
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head:
            self._received += len(data)
            if self._received > LONGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._in_head, self._received = True, 0
        if self._deadline is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


GRACE_SECONDS = 3
"""For requests that are being answered when the server is told to stop; what was acknowledged is kept in any case."""


def listen(host: str, port: int) -> socket.socket:
    """A socket on a port that nobody else has; 0 takes any free one.

    Raises:
        UsageError: if the port is in use, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or str(error)
        if getattr(error, "errno", None) == errno.EADDRNOTAVAIL:
            raise UsageError(
                f"--host {host}: the studio cannot listen there ({why}). Name an address of this machine, 127.0.0.1 "
                "for this machine alone, or 0.0.0.0 for all networks."
            ) from error
        raise UsageError(
            f"{host}:{port}: the studio cannot listen there ({why}). If it runs already, open it in the browser; "
            f"otherwise take another port, for instance --port {port + 1 if port < 65535 else 8765}, or --port 0 for "
            "any free one."
        ) from error
    listener.set_inheritable(True)
    return listener


def serve(
    app: Starlette,
    listener: socket.socket,
    *,
    behind_proxy: bool,
    ready: Callable[[], None],
    until: threading.Event,
) -> None:
    """Answer requests until somebody presses Ctrl-C or ends the process, or an event is set.

    Args:
        app: the studio.
        listener: from `listen`; it is closed at the end.
        behind_proxy: whether a proxy on this machine says who is asking.
        ready: called when requests are answered.
        until: ends the server as Ctrl-C does.
    """
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        access_log=False,  # the guard writes its own, without queries
        log_config=None,
        proxy_headers=behind_proxy,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    server = _Server(config, ready, until)
    with listener, _stopped_by_signals(), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Uvicorn repeats the signal that ended it; both of them then end the caller's block, not the process."""
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
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], until: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready
        self._until = until

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        return self._until.is_set() or await super().on_tick(counter)


def log_to_stderr(*, verbose: bool) -> None:
    """Faults and warnings, and with ``verbose`` a line for every request; none of them holds a token or an answer."""
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger("aptone.studio").setLevel(logging.INFO if verbose else logging.WARNING)
