"""Running the studio: one process, one port, closed cleanly."""

import contextlib
import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn
from starlette.applications import Starlette

from aptone.errors import UsageError
from aptone.studio.server.connections import BoundedProtocol

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
