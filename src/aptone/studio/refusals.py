"""What the studio refuses, each with a code that machines read, a sentence for people, and what to do next."""

from typing import ClassVar

from aptone.errors import AptoneError


class RefusedError(AptoneError):
    """Something that cannot be done as asked.

    Args:
        message: what was expected and what came; never a token, a path of this machine or another person's answer.
        code: short, for programs; by default that of the kind of refusal.
        next: what to do about it.
    """

    status: ClassVar[int] = 400
    """The HTTP status that says the same."""
    code: str = "refused"

    def __init__(self, message: str, *, code: str = "", next: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.next = next


class NotSignedInError(RefusedError):
    """There is no such session, or it ended."""

    status = 401
    code = "not-signed-in"


class NotAllowedError(RefusedError):
    """Not yours, or not your role."""

    status = 403
    code = "not-allowed"


class NotFoundError(RefusedError):
    """There is no such thing, or none that you may know of."""

    status = 404
    code = "not-found"


class NotNowError(RefusedError):
    """It cannot be done in the present state: the clip was not heard, an answer is missing, the task is closed."""

    status = 409
    code = "not-now"


class NotAnAnswerError(RefusedError):
    """The value is none that this control or field takes."""

    status = 422
    code = "not-an-answer"


class BusyError(RefusedError):
    """Too much waits to be written, or the database cannot be reached; the same request may work a little later."""

    status = 503
    code = "busy"
