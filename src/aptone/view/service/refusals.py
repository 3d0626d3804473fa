"""Errors of the service: what goes wrong in a worker or on the disk, as a reply that says what to do."""

from aptone.errors import AptoneError
from aptone.messages import message
from aptone.view.workers import ClosedError, TooSlowError, WorkerDiedError
from aptone.view.workers import FaultError as WorkerFaultError
from aptone.web.refusals import BusyError, FaultError, NotUnderstoodError, RefusedError


class UnusableError(RefusedError, status=422, code="unusable"):
    """A request that is understood and cannot be answered, such as one with a recording that is none.

    A request that takes too long, or takes its workers down, is refused in the same way: a client that sent it again,
    as many do on a status of 500 and more, would take down the next ones.
    """


def wrong_request(why: str) -> NotUnderstoodError:
    """Error about a request that is not what the operation takes."""
    return NotUnderstoodError(why, next=message("view.see-api"))


def refusal_of(error: AptoneError) -> RefusedError:
    """The reply to an error of an operation or of the workers."""
    if isinstance(error, RefusedError):
        return error
    why = str(error)
    if isinstance(error, TooSlowError):
        return UnusableError(why, code="took-too-long", next=message("view.send-shorter"))
    if isinstance(error, WorkerDiedError):
        return UnusableError(why, code="worker-died", next=message("view.send-shorter"))
    if isinstance(error, WorkerFaultError):
        return FaultError(why, next=message("web.look-into-server-log"))
    if isinstance(error, ClosedError):
        return BusyError(why, code="no-worker", next=message("web.try-again-moment"))
    return UnusableError(why, next=message("view.see-api"))


def not_kept(error: AptoneError) -> RefusedError:
    """The reply where an answer is there and could not be kept, so that it is not given out."""
    return BusyError(str(error), code="not-kept", next=message("view.make-room"))
