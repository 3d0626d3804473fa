"""Every error that Aptone raises on purpose, in one hierarchy.

An error of ours says what was expected, what came, and what to do next. The command line prints it without a
traceback and exits with 2; anything else that escapes is a bug.
"""

import math
from numbers import Real

from aptone.installation import install_command
from aptone.messages import message


def checked_cost(cost: object, *, of: str) -> float:
    """A cost that can be added up. One that is undefined, infinite or negative would switch a budget off.

    >>> checked_cost(2, of="a reply")
    2.0

    Raises:
        ValueError: if it is not a finite number of 0 or more.
    """
    try:
        number = float(cost) if isinstance(cost, Real) else math.nan
    except OverflowError:
        number = math.inf
    if not 0.0 <= number < math.inf:
        raise ValueError(f"the cost of {of} is a finite number of 0 or more, got {str(cost)[:60]}.")
    return number


class AptoneError(Exception):
    """The root: catch this to catch everything that Aptone raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders. Exception would rebuild them by calling the class with `args` alone, which fails
        # for those that need keyword arguments; so the instance is made bare and gets its attributes and notes back.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[AptoneError], args: tuple[object, ...]) -> AptoneError:
    return kind.__new__(kind, *args)


class UsageError(AptoneError):
    """An impossible request of the user: a wrong option, a clash of options, a missing argument."""


class AudioError(AptoneError):
    """A recording cannot be used: missing, empty, not audio, truncated, too long, or with undefined samples."""


class RecordError(AptoneError):
    """A record or manifest does not have the shape that it should have; the message names the field."""


class RegistryError(AptoneError):
    """A name is unknown, or two packages claim the same one."""


class MissingExtraError(AptoneError):
    """An optional part is not installed; the message holds the command that installs it for this copy of Aptone."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(message("errors.missing-extra", what=what, extra=extra, command=install_command(extra)))
        self.what = what
        self.extra = extra


class RunError(AptoneError):
    """A run folder cannot be used: locked by another process, made with another configuration, or damaged."""


class StepError(AptoneError):
    """A step failed by an exception that is none of ours, so the fault is in the code; `trace` says where.

    Args:
        reason: class and text of the exception.
    """

    def __init__(self, reason: str, *, trace: str) -> None:
        super().__init__(reason)
        self.trace = trace


class TransientError(AptoneError):
    """A step failed in a way that may pass: a time-out, a rate limit, a dropped connection. The runner tries again.

    Args:
        retry_after: seconds that the other side asked us to wait, if it said so.
        cost: cost of the failed call.

    Raises:
        ValueError: if the cost is not a finite number of 0 or more, or the time to wait is not a number.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, cost: float = 0.0) -> None:
        super().__init__(message)
        asked: object = retry_after  # it often comes from the header of a reply
        if not (asked is None or isinstance(asked, Real)):
            raise ValueError(f"the time to wait is a number of seconds, got {str(asked)[:60]}.")
        self.retry_after = retry_after
        self.cost = checked_cost(cost, of="a failed call")


class UnusableReplyError(AptoneError):
    """A model answered, but not in a form that holds a verdict. Tried again, then *unscored*: never a default score.

    Args:
        raw_reply: the reply as it came, kept for the reader.
        cost: cost of the failed calls, where that was not counted yet.

    Raises:
        ValueError: if the cost is not a finite number of 0 or more.
    """

    def __init__(self, reason: str, *, raw_reply: str, cost: float = 0.0) -> None:
        super().__init__(reason)
        self.cost = checked_cost(cost, of="an unusable reply")
        self.reason = reason
        self.raw_reply = raw_reply
