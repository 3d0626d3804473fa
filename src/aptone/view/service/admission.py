"""Who is worked for, decided before a body is read: rate, size, and a bounded number of requests and of their bytes."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request

from aptone.messages import message
from aptone.view.door import CLIENT
from aptone.web.connections import network_of
from aptone.web.rate_limit import RateLimit
from aptone.web.refusals import TooLargeError, TooOftenError

LONGEST_WAIT = 60
"""Seconds that a client is told to wait at most."""
EVERYBODY = 1 << 30
"""Requests a minute of all clients together: no limit, for the queue has one."""
RECENT = 0.1
"""Weight of the last request in the mean time of requests."""


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Bounds of a service.

    Args:
        queue: requests that may wait beyond those that workers are busy with.
        rate: requests a minute of one client, which may also come all at once; each request of a batch counts.
        body: bytes of a request.
        bodies: bytes of all requests that are read, waiting or worked on; at least one always fits.
        batch: requests of a batch.
    """

    queue: int = 64
    rate: int = 6_000
    body: int = 64 << 20
    bodies: int = 256 << 20
    batch: int = 64


class Admission:
    """Places for requests; a request keeps its place from its head to the end of its reply.

    Args:
        workers: requests that are worked on at a time.
    """

    def __init__(self, limits: ServiceLimits, *, workers: int) -> None:
        self.limits = limits
        self.places = workers + limits.queue
        self.held = 0
        self.held_bytes = 0
        self._workers = workers
        self._mean_seconds = 1.0
        self._rate = RateLimit(each=limits.rate, together=EVERYBODY, seconds=60.0)

    @contextlib.contextmanager
    def place(self, request: Request) -> Iterator[int]:
        """Hold a place for a request, and give the bytes that its body may have.

        Raises:
            TooLargeError: if it says that its body is over the limit.
            TooOftenError: if the client has asked too often, or too much is waiting.
        """
        size = self._size(request)
        self.count(request)
        is_full = self.held_bytes > 0 and self.held_bytes + size > self.limits.bodies
        if is_full or self.held >= self.places:
            raise TooOftenError(message("view.queue-full", count=self.held), seconds=self._wait())
        self.held += 1
        self.held_bytes += size
        try:
            yield size
        finally:
            self.held -= 1
            self.held_bytes -= size

    def count(self, request: Request) -> None:
        """Count a request of a client.

        Raises:
            TooOftenError: if there were too many.
        """
        if seconds := self._rate.wait(network_of(request.scope.get(CLIENT, ""))):
            raise TooOftenError(message("view.too-many-requests", count=self.limits.rate), seconds=seconds)

    def note(self, seconds: float) -> None:
        """Note how long a request took, so that those who are refused know how long to wait."""
        self._mean_seconds += RECENT * (seconds - self._mean_seconds)

    def _size(self, request: Request) -> int:
        """Bytes that the body says it has; the limit where it does not say."""
        stated = request.headers.get("content-length", "")
        if not (stated.isascii() and stated.isdigit()):
            return self.limits.body
        if int(stated[:18]) > self.limits.body:
            raise TooLargeError(self.limits.body)
        return int(stated)

    def _wait(self) -> int:
        """Seconds until a place is free: those that a worker takes for one request, since all hold their places."""
        return max(1, min(LONGEST_WAIT, math.ceil(self._mean_seconds / self._workers)))
