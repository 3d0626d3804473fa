"""Running a view: from run folders to a port, in one process, closed cleanly."""

import asyncio
import contextlib
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptone.messages import Language
from aptone.rooms.operation import OperationSettings
from aptone.view.app import LOG, View, create_app
from aptone.view.door import Tokens
from aptone.view.kept_run import KeptRuns
from aptone.view.on_demand import OnDemandPool
from aptone.view.operations import find_operations
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.service import Service
from aptone.view.shelf import Shelf
from aptone.web.addresses import Addresses
from aptone.web.serving import GRACE_SECONDS, listen, public_address, serve

PROGRAM = "view"
LINK = "link"
"""Holder of the token that a view makes for itself."""
STOP_SECONDS = 120
"""Time for the requests of a service when it is told to stop; each may take as long in a worker."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Options of the service.

    Args:
        warm: whether workers are started at once, not by the first request.
        workers: number of worker processes.
        keep: folder of the runs that keep answers and recordings; they are among those that are shown.
        ear: name of the ear; ``None`` for the usual one.
    """

    warm: bool = False
    workers: int = 1
    keep: Path | None = None
    ear: str | None = None
    limits: ServiceLimits = field(default_factory=ServiceLimits)


@dataclass(frozen=True, slots=True)
class RunningView:
    """A view that answers requests.

    Args:
        link: address to open, with a token where one is needed.
        workers: workers that have their models loaded.
        exposed: whether others on the network can reach it without encryption.
    """

    address: str
    link: str = field(repr=False)
    runs: int
    workers: int
    exposed: bool


def run_view(
    folders: Sequence[Path],
    *,
    ready: Callable[[RunningView], None],
    host: str = "127.0.0.1",
    port: int = 0,
    public_url: str = "",
    tokens: Mapping[str, str] | None = None,
    start: str = "/",
    serving: Serving | None = None,
    language: Language | None = None,
    verbose: bool = False,
) -> None:
    """Serve a view until Ctrl-C or a signal to end; what is under way is finished.

    Args:
        tokens: holder to token; without any, one is made where others than this machine can ask.
        start: path that the link leads to.

    Raises:
        AptoneError: if a folder, the port or an address cannot be used, or a worker cannot be started.
    """
    addresses = Addresses(host=host, public_url=public_url)
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger(LOG).setLevel(logging.INFO if verbose else logging.WARNING)  # INFO: every request
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a broken form is refused, and its sender is told
    given = dict(tokens or {})
    if not given and (addresses.beyond_this_machine or public_url):
        given = {LINK: secrets.token_urlsafe(24)}
    with contextlib.ExitStack() as kept:
        listener = kept.enter_context(listen(host, port, program=PROGRAM))
        address = public_address(addresses, listener)
        asked = serving or Serving()
        settings = OperationSettings(ear=asked.ear)
        pool = OnDemandPool(find_operations(), settings=settings, workers=asked.workers)
        kept.callback(lambda: asyncio.run(pool.close()))
        if asked.warm or asked.keep:
            asyncio.run(pool.start())
        runs = kept.enter_context(KeptRuns(asked.keep, pool.pool.configs)) if asked.keep else None
        shelf = kept.enter_context(Shelf([*folders, *([asked.keep] if asked.keep else [])]))
        service = Service(pool, limits=asked.limits, kept=runs)
        app = create_app(View(shelf, pool, addresses, Tokens(given), language, service))
        is_shown = given and not (tokens and asked.warm)  # a service writes logs, and those who gave the token know it
        token = f"?token={next(iter(given.values()))}" if is_shown else ""
        exposed = addresses.beyond_this_machine and not addresses.secure
        started = RunningView(address, f"{address}{start}{token}", len(shelf.runs), pool.pool.ready, exposed)
        serve(
            app,
            listener,
            behind_proxy=bool(public_url),
            ready=lambda: ready(started),
            until=threading.Event(),
            grace_seconds=STOP_SECONDS if asked.warm else GRACE_SECONDS,
        )
