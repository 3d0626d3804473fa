"""Project of a study: its folder, database and stores. No path outside of the folder is ever served."""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from aptone.errors import UsageError
from aptone.studio.folder import CLIPS, path_inside
from aptone.studio.store.assignments import Assignments
from aptone.studio.store.database import Database, sqlite_url
from aptone.studio.store.handout import ABANDONED_AFTER
from aptone.studio.store.people import People
from aptone.studio.store.records import Person
from aptone.studio.store.results import Results
from aptone.studio.store.tasks import Tasks
from aptone.studio.store.writer import Writer

MOST_NAMED = 20
"""People whom a message lists."""


def join_link(address: str, token: str) -> str:
    """Personal sign-in link. The token follows ``#``, which browsers do not send, so no log holds it.

    >>> join_link("http://localhost:8765/", "TOKEN")
    'http://localhost:8765/join#TOKEN'
    """
    return f"{address.rstrip('/')}/join#{token}"


def find_person(people: Sequence[Person], who: str) -> Person:
    """Find a person by pseudonym or name, ignoring case.

    Raises:
        UsageError: if there is nobody of that name, more than one, or who it is may not enter any more.
    """
    wanted = who.strip().casefold()
    found = [one for one in people if one.pseudonym.casefold() == wanted] or [
        one for one in people if one.name.casefold() == wanted
    ]
    if not found:
        known = ", ".join(f"{one.pseudonym} ({one.name})" for one in people[:MOST_NAMED])
        raise UsageError(f"nobody is called {who!r}; there are {known or 'no people yet'}.")
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} people are called {who!r}: {', '.join(one.pseudonym for one in found)}; name one."
        )
    if not found[0].active:
        raise UsageError(f"{found[0].pseudonym} ({found[0].name}) may not enter any more; an admin can change that.")
    return found[0]


DATABASE = "studio.sqlite"


class Project:
    """Open project.

    Methods of its parts that write return a `concurrent.futures.Future`, which is resolved after the commit:
    ``.result()`` waits for it, ``await asyncio.wrap_future(…)`` does so without blocking. What reads returns at once.

    Attributes:
        folder: absolute path without symbolic links.
    """

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        abandoned_after: float = ABANDONED_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self.database = database
        self.writer = Writer(database)
        self.people = People(database, self.writer, clock=clock)
        self.tasks = Tasks(database, self.writer, folder=folder, clock=clock)
        self.assignments = Assignments(database, self.writer, self.tasks, abandoned_after=abandoned_after, clock=clock)
        self.results = Results(database, self.writer, self.tasks, self.people, clock=clock)

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        database_url: str = "",
        abandoned_after: float = ABANDONED_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a project, or make one where there is none.

        Args:
            folder: project folder; made if it does not exist.
            database_url: ``postgresql://USER:PASSWORD@HOST/NAME``; empty for SQLite inside the folder.
            abandoned_after: seconds after which an item that was left alone goes to others who wait.

        Raises:
            UsageError: if the folder or the database cannot be used.
        """
        root = Path(folder)
        try:
            (root / CLIPS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{root}: cannot hold a project ({error.strerror}). Name a folder of yours.") from error
        root = root.resolve()
        if not database_url:
            _make_private(root / DATABASE)
        database = Database(database_url or sqlite_url(root / DATABASE))
        return cls(root, database, abandoned_after=abandoned_after, clock=clock)

    def path(self, name: str) -> Path:
        """Resolve a reference to a file inside the project folder."""
        return path_inside(self.folder, name)

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make_private(database: Path) -> None:
    """Make a database file that other users cannot read; an existing one keeps its permissions."""
    with contextlib.suppress(OSError):  # it is there, or the database says what is wrong
        os.close(os.open(database, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
