"""Running studio: the project, the sessions behind the cookies of requests, and the cached figures of the routes.

Whatever ends a session in this process (leaving, a person set inactive or given another role, a link taken back) clears
the cache of sessions, so it acts at once.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.agreement.items import Disagreement
from aptone.studio.project import Project
from aptone.studio.sign_in.flow import SignIns
from aptone.studio.store.records import NewSession, Session
from aptone.types import Json
from aptone.web.addresses import Addresses
from aptone.web.rate_limit import RateLimit
from aptone.web.refusals import NotSignedInError

KEPT_SECONDS = 5.0
MOST_KEPT = 1_000
LONGEST_TOKEN = 200


class Sessions:
    """Sessions of one studio; `find` looks one up by token, may block, and raises where there is none."""

    def __init__(self, find: Callable[[str], Session], *, cookie: str, secure: bool) -> None:
        self._find = find
        self.cookie = cookie
        self._secure = secure
        self._kept: dict[bytes, tuple[Session, float]] = {}  # until when
        self._generation = 0

    async def of(self, request: Request) -> Session | None:
        """Find the session of a request; ``None`` for none."""
        token = self.token(request)
        if not token or len(token) > LONGEST_TOKEN:
            return None
        key = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        kept, until = self._kept.get(key, (None, 0.0))
        if kept is not None and time.monotonic() < until and time.time() < kept.expires:
            return kept
        generation = self._generation
        try:
            session = await anyio.to_thread.run_sync(self._find, token)
        except NotSignedInError:
            self._kept.pop(key, None)
            return None
        if generation != self._generation:  # something ended a session while the database was asked
            return session
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[key] = session, time.monotonic() + KEPT_SECONDS
        return session

    def token(self, request: Request) -> str:
        """Return the session token of a request; empty for none."""
        return request.cookies.get(self.cookie, "")

    def forget(self) -> None:
        """Clear the cache."""
        self._kept.clear()
        self._generation += 1

    def give(self, response: Response, new: NewSession) -> None:
        """Set the session cookie in a reply."""
        response.set_cookie(
            self.cookie,
            new.token,
            max_age=max(0, int(new.session.expires - time.time())),
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )

    def take_back(self, response: Response) -> None:
        """Delete the session cookie."""
        response.delete_cookie(self.cookie, path="/", secure=self._secure, httponly=True, samesite="strict")


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
    sign_ins: SignIns
    entries: RateLimit
    passwords: RateLimit
    reports: FigureCache[dict[str, Json]]
    results: FigureCache[dict[str, Json]]
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
