"""Rate limit of requests or attempts: a token bucket for each address, and one for all of them together.

An address may spend all of its attempts at once, and then one by one as they come back.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_ADDRESSES = 10_000
"""Buckets kept; the one that was used longest ago gives way."""


@dataclass(slots=True)
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """Rate limit of attempts.

    >>> limit = RateLimit(each=2, together=100, seconds=60.0, clock=lambda: 0.0)
    >>> limit.wait("a"), limit.wait("a"), limit.wait("a"), limit.wait("b")
    (0, 0, 30, 0)
    """

    def __init__(
        self, *, each: int, together: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = each
        self._together = together
        self._seconds = seconds
        self._clock = clock
        self._addresses: OrderedDict[str, _Bucket] = OrderedDict()
        self._all = _Bucket(together, clock())

    def wait(self, address: str) -> int:
        """Count an attempt, and return 0; or the seconds that the address has to wait."""
        now = self._clock()
        bucket = self._addresses.pop(address, None) or _Bucket(self._each, now)
        self._addresses[address] = bucket
        if len(self._addresses) > MOST_ADDRESSES:
            self._addresses.popitem(last=False)
        late = max(self._refill(bucket, self._each, now), self._refill(self._all, self._together, now))
        if late == 0:
            bucket.left -= 1
            self._all.left -= 1
        return late

    def _refill(self, bucket: _Bucket, most: int, now: float) -> int:
        """Refill a bucket, and return the seconds until it holds an attempt."""
        bucket.left = min(most, bucket.left + (now - bucket.seen) * most / self._seconds)
        bucket.seen = now
        return 0 if bucket.left >= 1 else math.ceil((1 - bucket.left) * self._seconds / most)
