"""Who sends a request: the session behind the cookie, remembered for seconds so that saving asks no database.

Whatever ends a session in this process (leaving, a person set inactive or given another role, a link taken back) clears
what is remembered, so it acts at once.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from aptone.studio.refusals import NotSignedInError
from aptone.studio.store.records import NewSession, Session

KEPT_SECONDS = 5.0
MOST_KEPT = 1_000
LONGEST_TOKEN = 200


@dataclass(frozen=True, slots=True)
class _Kept:
    session: Session
    until: float


class Sessions:
    """The sessions of one studio.

    Args:
        find: gives the session of a token, or refuses; it may block.
        cookie: name of the cookie.
        secure: whether the cookie is for https only.
    """

    def __init__(self, find: Callable[[str], Session], *, cookie: str, secure: bool) -> None:
        self._find = find
        self.cookie = cookie
        self._secure = secure
        self._kept: dict[bytes, _Kept] = {}
        self._generation = 0

    async def of(self, request: Request) -> Session | None:
        """The session of a request, or ``None``."""
        token = request.cookies.get(self.cookie, "")
        if not token or len(token) > LONGEST_TOKEN:
            return None
        key = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        kept = self._kept.get(key)
        if kept is not None and time.monotonic() < kept.until and time.time() < kept.session.expires:
            return kept.session
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
        self._kept[key] = _Kept(session, time.monotonic() + KEPT_SECONDS)
        return session

    def token(self, request: Request) -> str:
        """What the cookie of a request holds."""
        return request.cookies.get(self.cookie, "")

    def forget(self) -> None:
        """Ask the database again from now on."""
        self._kept.clear()
        self._generation += 1

    def give(self, response: Response, new: NewSession) -> None:
        """Put the cookie of a new session into a reply."""
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
        """Take the cookie away."""
        response.delete_cookie(self.cookie, path="/", secure=self._secure, httponly=True, samesite="strict")
