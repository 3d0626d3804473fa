"""What the routes work with: the project, and what the server knows besides."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

import anyio.to_thread

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.agreement.items import Disagreement
from aptone.studio.project import Project
from aptone.studio.server.rate_limit import RateLimit
from aptone.studio.server.security import Addresses
from aptone.studio.server.sessions import Sessions
from aptone.types import Json

Figures = TypeVar("Figures")


class Recent(Generic[Figures]):
    """What was worked out a moment ago, by key.

    Those who ask while it is being worked out wait for the same result. What takes long is shown for longer, so that
    pages which ask again and again never keep the server from its work.

    Args:
        seconds: for which a result is shown at least.
        share: of the time that may be spent on working it out.
    """

    def __init__(self, seconds: float, *, share: float = 0.1) -> None:
        self._seconds = seconds
        self._share = share
        self._found: dict[str, tuple[float, Figures]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def of(self, key: str, work_out: Callable[[], Figures]) -> Figures:
        """The figures of a key, at most so many seconds old."""
        async with self._locks.setdefault(key, asyncio.Lock()):
            until, found = self._found.get(key, (0.0, None))
            if found is not None and time.monotonic() < until:
                return found
            began = time.monotonic()
            fresh = await anyio.to_thread.run_sync(work_out)
            ended = time.monotonic()
            self._found[key] = (ended + max(self._seconds, (ended - began) / self._share), fresh)
            return fresh

    def forget(self, key: str) -> None:
        """Work it out anew next time: something has changed that whoever changed it wants to see."""
        self._found.pop(key, None)


Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Studio:
    """One running studio.

    Args:
        project: what is rated, by whom.
        addresses: where it is reached.
        sessions: who is signed in.
        entries: how often people may try to come in.
        reports: agreement of tasks, worked out a moment ago.
        progress: of tasks, the same.
        disagreements: items by how far their raters lie apart, worked out a moment ago.
        lexicon: of feelings, for agreement; ``None`` for the built-in one.
        version: of Aptone.
    """

    project: Project
    addresses: Addresses
    sessions: Sessions
    entries: RateLimit
    reports: Recent[dict[str, Json]]
    progress: Recent[dict[str, Json]]
    disagreements: Recent[tuple[Disagreement, ...]]
    lexicon: FeelingLexicon | None
    version: str


async def asked(question: Callable[Given, Result], /, *given: Given.args, **options: Given.kwargs) -> Result:
    """What a function that reads the database gives, without holding up the others meanwhile."""
    return await anyio.to_thread.run_sync(lambda: question(*given, **options))


async def written(future: Future[Result]) -> Result:
    """What a write gives, after its commit."""
    return await asyncio.wrap_future(future)
