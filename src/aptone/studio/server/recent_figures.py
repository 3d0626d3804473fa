"""Figures that many pages ask for at once: worked out once, and shown for some seconds."""

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

import anyio.to_thread

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
