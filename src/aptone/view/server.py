"""Running a view: from run folders to a port, in one process, closed cleanly."""

import contextlib
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptone.messages import Language
from aptone.view.app import LOG, View, create_app
from aptone.view.door import Tokens
from aptone.view.shelf import Shelf
from aptone.web.addresses import Addresses
from aptone.web.serving import listen, public_address, serve

PROGRAM = "view"
LINK = "link"
"""Holder of the token that a view makes for itself."""


@dataclass(frozen=True, slots=True)
class RunningView:
    """A view that answers requests.

    Args:
        link: address to open, with a token where one is needed.
        exposed: whether others on the network can reach it without encryption.
    """

    address: str
    link: str = field(repr=False)
    runs: int
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
    language: Language | None = None,
    verbose: bool = False,
) -> None:
    """Serve a view until Ctrl-C or a signal to end.

    Args:
        tokens: holder to token; without any, one is made where others than this machine can ask.
        start: path that the link leads to.

    Raises:
        UsageError: if a folder, the port or an address cannot be used.
    """
    addresses = Addresses(host=host, public_url=public_url)
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger(LOG).setLevel(logging.INFO if verbose else logging.WARNING)  # INFO: every request
    given = dict(tokens or {})
    if not given and (addresses.beyond_this_machine or public_url):
        given = {LINK: secrets.token_urlsafe(24)}
    with contextlib.ExitStack() as kept:
        listener = kept.enter_context(listen(host, port, program=PROGRAM))
        address = public_address(addresses, listener)
        shelf = kept.enter_context(Shelf(folders))
        app = create_app(View(shelf, addresses, Tokens(given), language))
        token = f"?token={next(iter(given.values()))}" if given else ""
        exposed = addresses.beyond_this_machine and not addresses.secure
        started = RunningView(address, f"{address}{start}{token}", len(shelf.runs), exposed)
        serve(app, listener, behind_proxy=bool(public_url), ready=lambda: ready(started), until=threading.Event())
