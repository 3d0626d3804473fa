"""Limits of a reply, checked while it arrives: the one reader of judges, systems under test, transcribers and shards.

Bytes are counted as they come over the connection. A reply that is compressed is refused: 10 kB can unpack to
gigabytes, and ``Accept-Encoding: identity`` is sent with every request, so no honest server does that.
"""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

IDENTITY = {"Accept-Encoding": "identity"}
"""Headers of every request."""


class ReplyRefusedError(Exception):
    """A reply that is not read to its end; whoever asked says so in its own words."""


class EncodedReplyError(ReplyRefusedError):
    """The reply is compressed; the text names the coding."""


class LargeReplyError(ReplyRefusedError):
    """The reply has more bytes than allowed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a whole request, from its first byte sent to the last byte of its reply.

    Args:
        size: bytes of the reply.
        seconds: duration.
        renewed_by: bytes after which the time begins again, for files that may take long; 0 for never.
    """

    size: int
    seconds: float
    renewed_by: int = 0


@dataclass(slots=True)
class Reading:
    """A reply as it arrives.

    Raises:
        EncodedReplyError: (`begin`) if it is compressed.
        LargeReplyError: (`begin`, `count`) if it has too many bytes, or says so.
        TimeoutError: (`count`) if it takes too long.
    """

    limits: Limits
    size: int = 0
    _begun: float = field(default_factory=lambda: time.monotonic())
    _size_then: int = 0

    @property
    def seconds_left(self) -> float:
        """Seconds until the request has taken too long; 0 or less if it has."""
        return self.limits.seconds - (time.monotonic() - self._begun)

    def begin(self, headers: Iterable[tuple[str, str]]) -> None:
        """Check the headers."""
        for name, value in headers:
            if name.lower() == "content-encoding" and value.strip().lower() not in ("", "identity"):
                raise EncodedReplyError(value.strip()[:40])
            if (
                name.lower() == "content-length"
                and re.fullmatch(r"[0-9]+", value)
                and _number(value) > self.limits.size
            ):
                raise LargeReplyError(value[:20])

    def count(self, block: bytes) -> None:
        """Count a block of bytes, as it came over the connection."""
        self.size += len(block)
        if self.size > self.limits.size:
            raise LargeReplyError(str(self.size))
        if self.seconds_left <= 0:
            raise TimeoutError(f"{self.size} bytes came")
        if self.limits.renewed_by and self.size - self._size_then >= self.limits.renewed_by:
            self._begun, self._size_then = time.monotonic(), self.size


def _number(digits: str) -> float:
    return float(digits[:300])  # Python refuses to read integers of thousands of digits
