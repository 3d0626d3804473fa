"""Errors of a server, each with a code for programs, a sentence for people, the next step and its HTTP status."""

import errno
from collections.abc import Mapping
from typing import ClassVar

from aptone.errors import AptoneError
from aptone.messages import message


class RefusedError(AptoneError):
    """Refused operation.

    Args:
        message: expected and actual value; never a token, a path of this machine or another person's data.
        code: short identifier for programs; by default that of the class.
        next: what to do about it.
        headers: extra headers of the reply, such as ``Retry-After``.
    """

    status: ClassVar[int] = 400
    """The HTTP status that says the same."""
    code: str = "refused"

    def __init_subclass__(cls, *, status: int = 0, code: str = "") -> None:
        super().__init_subclass__()
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(
        self, message: str, *, code: str = "", next: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.next = next
        self.headers = dict(headers or {})


class NotUnderstoodError(RefusedError, status=400, code="not-understood"):
    """Malformed request."""


class NotSignedInError(RefusedError, status=401, code="not-signed-in"):
    """Session is missing or has ended."""


class NotAllowedError(RefusedError, status=403, code="not-allowed"):
    """Object of another person, or action of another role."""


class ForeignRequestError(NotAllowedError, code="csrf"):
    """Request from a page of another site."""

    def __init__(self, why: str) -> None:
        super().__init__(why, next=message("web.load-page-again"))


class NotFoundError(RefusedError, status=404, code="not-found"):
    """Object does not exist, or is hidden from this person."""


class WrongMethodError(RefusedError, status=405, code="wrong-method"):
    """Method that this address does not support."""


class TooSlowError(RefusedError, status=408, code="too-slow"):
    """Request that did not arrive in time; the connection ends."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            message("web.request-did-not-arrive-within", seconds=seconds),
            next=message("web.send-again"),
            headers={"Connection": "close"},
        )


class TooLargeError(RefusedError, status=413, code="too-large"):
    """Body over the size limit; its rest is not read, so the connection ends."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            message("web.most-bytes-taken-here", limit=limit),
            next=message("web.send-less-time"),
            headers={"Connection": "close"},
        )


class NotThatTypeError(RefusedError, status=415, code="not-that-type"):
    """Body of an unsupported media type."""


class NoSuchPartError(RefusedError, status=416, code="no-such-part"):
    """Range beyond the end of the file."""


class WrongHostError(RefusedError, status=421, code="wrong-host"):
    """Host header that does not name this server."""


class TooOftenError(RefusedError, status=429, code="too-often"):
    """Too many requests or attempts; the next one may come in some seconds."""

    def __init__(self, why: str, *, seconds: int) -> None:
        super().__init__(
            why,
            next=message("web.wait-seconds-try-again", seconds=seconds),
            headers={"Retry-After": str(seconds)},
        )


class FaultError(RefusedError, status=500, code="fault"):
    """Internal error."""


class BusyError(RefusedError, status=503, code="busy"):
    """No room just now, or what is needed cannot be reached; the same request may work a little later."""

    def __init__(self, message: str, *, code: str = "", next: str = "") -> None:
        super().__init__(message, code=code, next=next, headers={"Retry-After": "1"})


class DiskFullError(RefusedError, status=507, code="disk-full"):
    """No room on the disk; the same request works as soon as somebody has made some."""

    def __init__(self) -> None:
        super().__init__(message("web.disk-full"), next=message("web.make-room"), headers={"Retry-After": "5"})


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: BaseException | None) -> bool:
    """True if an error of the system, or what caused it, says that there is no room."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _NO_SPACE:
            return True
        error = error.__cause__
    return False
