"""Running studio: the project, the sessions and the cached figures that the routes work with."""

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
from aptone.studio.server.security import Addresses
from aptone.studio.server.sessions import RateLimit, Sessions
from aptone.types import Json

Figures = TypeVar("Figures")


class FigureCache(Generic[Figures]):
    """Cache of recently computed figures, by key.

    Those who ask while it is being worked out wait for the same result. What takes long is shown for longer, so that
    pages which ask again and again never keep the server from its work.

    Args:
        seconds: shortest lifetime of a result.
        share: share of the time that may be spent on computing it.
    """

    def __init__(self, seconds: float, *, share: float = 0.1) -> None:
        self._seconds = seconds
        self._share = share
        self._found: dict[str, tuple[float, Figures]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def of(self, key: str, work_out: Callable[[], Figures]) -> Figures:
        """Return the figures of a key from the cache, or compute them."""
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
        """Drop the figures of a key, so that a change shows at once."""
        self._found.pop(key, None)


Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Studio:
    """Running studio."""

    project: Project
    addresses: Addresses
    sessions: Sessions
    entries: RateLimit
    reports: FigureCache[dict[str, Json]]
    progress: FigureCache[dict[str, Json]]
    disagreements: FigureCache[tuple[Disagreement, ...]]
    lexicon: FeelingLexicon | None
    version: str


async def in_thread(question: Callable[Given, Result], /, *given: Given.args, **options: Given.kwargs) -> Result:
    """Run a function that reads the database in a thread, and return its result."""
    return await anyio.to_thread.run_sync(lambda: question(*given, **options))


async def committed(future: Future[Result]) -> Result:
    """Return the result of a write, after its commit."""
    return await asyncio.wrap_future(future)
