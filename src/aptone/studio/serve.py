"""A studio from the project's folder to the port that it listens at, and closed again."""

import contextlib
import functools
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.project import Project, join_link
from aptone.studio.project_lock import held
from aptone.studio.server.app import create_app
from aptone.studio.server.clips import remove_leftovers
from aptone.studio.server.http_server import listen, log_to_stderr, serve
from aptone.studio.server.security import LOOPBACK, Addresses

OWNER = "Admin"
LINK_DAYS = 1
"""How long the link works that a start prints; the next start prints another one for the same person."""

BRIEF_DAYS = 5 / (24 * 60)
"""The same of a link that a browser is started with: five minutes."""


@dataclass(frozen=True, slots=True)
class Started:
    """A studio that answers requests.

    Args:
        folder: of the project.
        database: where its answers are kept, without a password.
        address: where it is reached.
        link: for its admin; it holds a token.
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
    ready: Callable[[Started], None],
    database_url: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
    public_url: str = "",
    lexicon: FeelingLexicon | None = None,
    verbose: bool = False,
) -> None:
    """Serve a project until Ctrl-C or a signal to end.

    Args:
        folder: of the project; ``None`` for a demo in a folder of its own, which is removed at the end.
        demo: whether a new project gets the example clips and tasks.
        ready: called once requests are answered.
        database_url: of PostgreSQL; empty for SQLite in the folder.
        host: address to listen at.
        port: to listen at; 0 for any free one.
        public_url: address that people type, where a proxy stands before the studio.
        lexicon: of feelings, for agreement; ``None`` for the built-in one.
        verbose: a line for every request.

    Raises:
        UsageError: if the folder, database, port or public address cannot be used, or another studio has the project
            or has got it meanwhile.
    """
    addresses = Addresses(host=host, public_url=public_url)
    log_to_stderr(verbose=verbose)
    with contextlib.ExitStack() as kept:
        listener = kept.enter_context(listen(host, port))
        address = reached_at(addresses, listener)
        project = kept.enter_context(_opened(folder, database_url, demo=demo))
        hold = kept.enter_context(held(project.database, address=address))
        remove_leftovers(project.folder)

        def owner_link(days: float) -> str:
            return join_link(address, project.people.invite_owner(name=OWNER, days=days).result().token)

        exposed = addresses.beyond_this_machine and not addresses.secure
        brief = functools.partial(owner_link, BRIEF_DAYS)
        started = Started(project.folder, project.database.name, address, owner_link(LINK_DAYS), exposed, brief)
        app = create_app(project, addresses=addresses, lexicon=lexicon)
        serve(app, listener, behind_proxy=bool(public_url), ready=lambda: ready(started), until=hold.lost)
        hold.check()


def reached_at(addresses: Addresses, listener: socket.socket) -> str:
    """The address that people type."""
    if addresses.public_url:
        return addresses.public_url.rstrip("/")
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::") or host in LOOPBACK:  # noqa: S104  (compared, not listened at)
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextlib.contextmanager
def _opened(folder: Path | None, database_url: str, *, demo: bool) -> Iterator[Project]:
    if folder is None or demo:
        from aptone.studio.demo.project import (
            open_demo,  # only here: it takes a second to load, for it judges its examples
        )

        with open_demo(folder, database_url=database_url) as project:
            yield project
        return
    with Project.open(folder, database_url=database_url) as project:
        yield project
