"""Errors of the studio, each with a code for programs, a sentence for people, and the next step."""

from typing import ClassVar

from aptone.errors import AptoneError


class RefusedError(AptoneError):
    """Refused operation.

    Args:
        message: expected and actual value; never a token, a path of this machine or another person's answer.
        code: short identifier for programs; by default that of the class.
    """

    status: ClassVar[int] = 400
    """The HTTP status that says the same."""
    code: str = "refused"

    def __init_subclass__(cls, *, status: int = 0, code: str = "") -> None:
        super().__init_subclass__()
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(self, message: str, *, code: str = "", next: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.next = next


class NotSignedInError(RefusedError, status=401, code="not-signed-in"):
    """Session is missing or has ended."""


class NotAllowedError(RefusedError, status=403, code="not-allowed"):
    """Object of another person, or action of another role."""


class NotFoundError(RefusedError, status=404, code="not-found"):
    """Object does not exist, or is hidden from this person."""


class NotNowError(RefusedError, status=409, code="not-now"):
    """Action is impossible in the present state: the clip was not heard, an answer is missing, the task is closed."""


class NotAnAnswerError(RefusedError, status=422, code="not-an-answer"):
    """Value is invalid for this control or field."""


class BusyError(RefusedError, status=503, code="busy"):
    """Write queue is full, or the database cannot be reached; the same request may work a little later."""
