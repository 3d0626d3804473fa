"""Errors that only the studio raises; those that every server can raise are in `aptone.web.refusals`."""

from aptone.web.refusals import RefusedError


class NotNowError(RefusedError, status=409, code="not-now"):
    """Action is impossible in the present state: the clip was not heard, an answer is missing, the task is closed."""


class NotAnAnswerError(RefusedError, status=422, code="not-an-answer"):
    """Value is invalid for this control or field."""
