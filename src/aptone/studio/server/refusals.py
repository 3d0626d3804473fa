"""Errors of HTTP requests, and the reply for every error.

No refusal carries a traceback or a path of this machine.
"""

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response

from aptone.messages import message, replaced, translate
from aptone.studio.refusals import BusyError, NotAllowedError, RefusedError
from aptone.types import Json, dumps

JSON_TYPE = "application/json"


class RequestRefusedError(RefusedError):
    """Refused request, with extra headers.

    Args:
        headers: extra headers, such as ``Retry-After``.
    """

    def __init__(self, message: str, *, next: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, next=next)
        self.headers = dict(headers or {})


class NotUnderstoodError(RequestRefusedError, status=400, code="not-understood"):
    """Malformed request."""


class ForeignRequestError(NotAllowedError, code="csrf"):
    """Request from a page of another site."""

    def __init__(self, why: str) -> None:
        super().__init__(why, next=message("studio.load-page-again"))


class WrongMethodError(RequestRefusedError, status=405, code="wrong-method"):
    """Method that this address does not support."""


class TooSlowError(RequestRefusedError, status=408, code="too-slow"):
    """Body that did not arrive in time; the connection ends."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            message("studio.body-did-not-arrive-within", seconds=seconds),
            next=message("studio.send-again"),
            headers={"Connection": "close"},
        )


class TooLargeError(RequestRefusedError, status=413, code="too-large"):
    """Body over the size limit; its rest is not read, so the connection ends."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            message("studio.most-bytes-taken-here", limit=limit),
            next=message("studio.send-less-time"),
            headers={"Connection": "close"},
        )


class NotThatTypeError(RequestRefusedError, status=415, code="not-that-type"):
    """Body of an unsupported media type."""


class NoSuchPartError(RequestRefusedError, status=416, code="no-such-part"):
    """Range beyond the end of the file."""


class WrongHostError(RequestRefusedError, status=421, code="wrong-host"):
    """Host header that does not name this studio."""


class TooOftenError(RequestRefusedError, status=429, code="too-often"):
    """Too many sign-in attempts."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            message("studio.too-many-attempts-come"),
            next=message("studio.wait-seconds-try-again", seconds=seconds),
            headers={"Retry-After": str(seconds)},
        )


class FaultError(RequestRefusedError, status=500, code="fault"):
    """Internal error."""


def refusal_response(refusal: RefusedError) -> Response:
    """Reply for an error of the studio."""
    mandarin: Json = {"message": translate(refusal.message, "zh"), "next": translate(refusal.next, "zh")}
    error: Json = {"code": refusal.code, "message": refusal.message, "next": refusal.next, "mandarin": mandarin}
    body = dumps({"error": error})
    headers = refusal.headers if isinstance(refusal, RequestRefusedError) else {}
    if isinstance(refusal, BusyError):
        headers = {"Retry-After": "1"}
    return Response(body, status_code=refusal.status, media_type=JSON_TYPE, headers=headers)


def without_folder(error: Exception, folder: Path) -> str:
    """Text of an error with paths relative to a folder, so that the reply does not reveal where it lies.

    >>> told_outside(ValueError("/srv/study/clips/a.wav: the file is empty."), Path("/srv/study"))
    'clips/a.wav: the file is empty.'
    """
    return replaced(replaced(str(error), f"{folder}/", ""), str(folder), message("studio.the-project"))
