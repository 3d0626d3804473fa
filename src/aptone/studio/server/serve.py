"""Running the studio: from the project folder to the port, in one process, closed cleanly."""

import asyncio
import contextlib
import errno
import functools
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from aptone.errors import UsageError
from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.project import Project, join_link, lock_project
from aptone.studio.server.app import create_app
from aptone.studio.server.clips import remove_leftovers
from aptone.studio.server.security import LOOPBACK, Addresses

LONGEST_HEAD = 64 * 1024
"""Bytes of a request before its body, beyond the first piece that arrives; browsers send some hundreds."""
HEAD_SECONDS = 30.0
"""Time limit for the head of a request."""


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's HTTP protocol with limits on the time and size of a request's head."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._in_head = False
        self._received = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head that grows too long."""
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head:
            self._received += len(data)
            if self._received > LONGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Start counting the head of a request."""
        super().on_message_begin()
        self._in_head, self._received = True, 0
        if self._deadline is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """Cancel the time limit after the head."""
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
"""Time for open requests when the server stops; acknowledged changes are stored in any case."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes any free one.

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
    app: Starlette, listener: socket.socket, *, behind_proxy: bool, ready: Callable[[], None], until: threading.Event
) -> None:
    """Answer requests until Ctrl-C, a signal, or an event; then close the socket.

    Args:
        behind_proxy: whether a proxy on this machine says who is asking.
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


OWNER = "Admin"
LINK_DAYS = 1
"""Lifetime of the link that a start prints; the next start prints another one for the same person."""
BRIEF_DAYS = 5 / (24 * 60)
"""The same of a link that a browser is started with: five minutes."""


@dataclass(frozen=True, slots=True)
class RunningStudio:
    """Running studio that answers requests.

    Args:
        link: personal link of the admin, with a token.
        exposed: whether others on the network can reach it without encryption.
        brief_link: makes a link that works for some minutes only, for what other people on this machine can see: the
            command line of a browser.
    """

    folder: Path
    database: str
    address: str
    link: str = field(repr=False)
    exposed: bool
    brief_link: Callable[[], str] = field(repr=False)


def run_studio(
    folder: Path | None,
    *,
    demo: bool = False,
    ready: Callable[[RunningStudio], None],
    database_url: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
    public_url: str = "",
    lexicon: FeelingLexicon | None = None,
    verbose: bool = False,
) -> None:
    """Serve a project, or a demo in a temporary folder, until Ctrl-C or a signal to end.

    Raises:
        UsageError: if the folder, database, port or public address cannot be used, or another studio has the project
            or has got it meanwhile.
    """
    addresses = Addresses(host=host, public_url=public_url)
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger("aptone.studio").setLevel(logging.INFO if verbose else logging.WARNING)  # INFO: every request
    with contextlib.ExitStack() as kept:
        listener = kept.enter_context(listen(host, port))
        address = public_address(addresses, listener)
        project = kept.enter_context(_open_project(folder, database_url, demo=demo))
        lock = kept.enter_context(lock_project(project.database, address=address))
        remove_leftovers(project.folder)

        def owner_link(days: float) -> str:
            return join_link(address, project.people.invite_owner(name=OWNER, days=days).result().token)

        exposed = addresses.beyond_this_machine and not addresses.secure
        brief = functools.partial(owner_link, BRIEF_DAYS)
        started = RunningStudio(project.folder, project.database.name, address, owner_link(LINK_DAYS), exposed, brief)
        app = create_app(project, addresses=addresses, lexicon=lexicon)
        serve(app, listener, behind_proxy=bool(public_url), ready=lambda: ready(started), until=lock.lost)
        lock.check()


def public_address(addresses: Addresses, listener: socket.socket) -> str:
    """Address that people type into the browser."""
    if addresses.public_url:
        return addresses.public_url.rstrip("/")
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::") or host in LOOPBACK:  # noqa: S104  (compared, not listened at)
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _open_project(folder: Path | None, database_url: str, *, demo: bool) -> AbstractContextManager[Project]:
    if folder is not None and not demo:
        return Project.open(folder, database_url=database_url)
    from aptone.studio.demo.project import open_demo  # only here: it takes a second to load, for it judges its examples

    return open_demo(folder, database_url=database_url)
