"""Running the studio: from the project folder to the port, in one process, closed cleanly."""

import contextlib
import functools
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.project import Project, join_link, lock_project
from aptone.studio.server.app import LOG, create_app
from aptone.studio.server.clips import remove_leftovers
from aptone.studio.sign_in.flow import SignIns
from aptone.studio.sign_in.providers import Provider
from aptone.web.addresses import Addresses
from aptone.web.serving import listen, network_address, public_address, serve

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
    providers: Sequence[Provider] = (),
    verbose: bool = False,
) -> None:
    """Serve a project, or a demo in a temporary folder, until Ctrl-C or a signal to end.

    Raises:
        UsageError: if the folder, database, port or public address cannot be used, or another studio has the project
            or has got it meanwhile.
    """
    addresses = Addresses(host=host, public_url=public_url)
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.WARNING)
    logging.getLogger(LOG).setLevel(logging.INFO if verbose else logging.WARNING)  # INFO: every request
    with contextlib.ExitStack() as kept:
        listener = kept.enter_context(listen(host, port, program="studio"))
        address = public_address(addresses, listener)
        project = kept.enter_context(_open_project(folder, database_url, demo=demo))
        lock = kept.enter_context(lock_project(project.database, address=network_address(addresses, listener)))
        remove_leftovers(project.folder)

        def owner_link(days: float) -> str:
            return join_link(address, project.people.invite_owner(name=OWNER, days=days).result().token)

        exposed = addresses.beyond_this_machine and not addresses.secure
        brief = functools.partial(owner_link, BRIEF_DAYS)
        started = RunningStudio(project.folder, project.database.name, address, owner_link(LINK_DAYS), exposed, brief)
        app = create_app(project, addresses=addresses, lexicon=lexicon, sign_ins=SignIns(providers))
        serve(app, listener, behind_proxy=bool(public_url), ready=lambda: ready(started), until=lock.lost)
        lock.check()


def _open_project(folder: Path | None, database_url: str, *, demo: bool) -> AbstractContextManager[Project]:
    if folder is not None and not demo:
        return Project.open(folder, database_url=database_url)
    from aptone.studio.demo.project import open_demo  # only here: it takes a second to load, for it judges its examples

    return open_demo(folder, database_url=database_url)
