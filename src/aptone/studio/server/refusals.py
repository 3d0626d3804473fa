"""What a request is refused for before the store is asked, and how every refusal is told.

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
    """A refusal with headers of its own.

    Args:
        message: what was expected and what came.
        next: what to do about it.
        headers: besides, such as ``Retry-After``.
    """

    def __init__(self, message: str, *, next: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, next=next)
        self.headers = dict(headers or {})


class NotUnderstoodError(RequestRefusedError):
    """The request is none of ours."""

    status = 400
    code = "not-understood"


class ForeignRequestError(NotAllowedError):
    """The request does not come from a page of this studio."""

    code = "csrf"

    def __init__(self, why: str) -> None:
        super().__init__(why, next=message("studio.load-page-again"))


class WrongMethodError(RequestRefusedError):
    """There is something at this address, but not for this method."""

    status = 405
    code = "wrong-method"


class TooSlowError(RequestRefusedError):
    """The body did not arrive in time; the connection ends."""

    status = 408
    code = "too-slow"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            message("studio.body-did-not-arrive-within", seconds=seconds),
            next=message("studio.send-again"),
            headers={"Connection": "close"},
        )


class TooLargeError(RequestRefusedError):
    """The body is longer than is taken here; its rest is not read, so the connection ends."""

    status = 413
    code = "too-large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            message("studio.most-bytes-taken-here", limit=limit),
            next=message("studio.send-less-time"),
            headers={"Connection": "close"},
        )


class NotThatTypeError(RequestRefusedError):
    """The body is of a type that is not taken here."""

    status = 415
    code = "not-that-type"


class NoSuchPartError(RequestRefusedError):
    """A range lies beyond the end of the file."""

    status = 416
    code = "no-such-part"


class WrongHostError(RequestRefusedError):
    """The studio is not known by that name."""

    status = 421
    code = "wrong-host"


class TooOftenError(RequestRefusedError):
    """Too many attempts."""

    status = 429
    code = "too-often"

    def __init__(self, seconds: int) -> None:
        super().__init__(
            message("studio.too-many-attempts-come"),
            next=message("studio.wait-seconds-try-again", seconds=seconds),
            headers={"Retry-After": str(seconds)},
        )


class FaultError(RequestRefusedError):
    """Something failed that should not."""

    status = 500
    code = "fault"


def refusal_response(refusal: RefusedError) -> Response:
    """The reply that tells a refusal."""
    mandarin: Json = {"message": translate(refusal.message, "zh"), "next": translate(refusal.next, "zh")}
    error: Json = {"code": refusal.code, "message": refusal.message, "next": refusal.next, "mandarin": mandarin}
    body = dumps({"error": error})
    headers = refusal.headers if isinstance(refusal, RequestRefusedError) else {}
    if isinstance(refusal, BusyError):
        headers = {"Retry-After": "1"}
    return Response(body, status_code=refusal.status, media_type=JSON_TYPE, headers=headers)


def told_outside(error: Exception, folder: Path) -> str:
    """The text of an error with paths below a folder made relative to it: nobody outside learns where it lies.

    >>> told_outside(ValueError("/srv/study/clips/a.wav: the file is empty."), Path("/srv/study"))
    'clips/a.wav: the file is empty.'
    """
    return replaced(replaced(str(error), f"{folder}/", ""), str(folder), message("studio.the-project"))
