"""From the parts of an address to a run, and to an entry of it."""

from starlette.requests import Request

from aptone.errors import RunError
from aptone.messages import message
from aptone.types import Entry
from aptone.view.shelf import ShelvedRun
from aptone.web.refusals import NotFoundError

LARGEST = 2**62
"""Numbers of entries lie below; SQLite takes no larger ones."""


def run_of(request: Request, key: str = "") -> ShelvedRun:
    """The run of that key, or else the one that the path names.

    Raises:
        NotFoundError: if there is none.
    """
    try:
        run: ShelvedRun = request.app.state.view.shelf.run(key or request.path_params["key"])
    except KeyError:
        raise NotFoundError(message("view.no-such-run"), next=message("view.go-back-runs")) from None
    return run


def entry_of(request: Request) -> tuple[ShelvedRun, int, Entry]:
    """The run, the number and the entry that the path names.

    Raises:
        NotFoundError: if there is none, or its line of the journal cannot be read.
    """
    run, number = run_of(request), int(request.path_params["number"])
    try:
        return run, number, run.index.entry(min(number, LARGEST))
    except (KeyError, RunError):
        raise NotFoundError(message("view.no-such-item"), next=message("view.go-back-runs")) from None
