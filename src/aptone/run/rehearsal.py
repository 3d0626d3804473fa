"""Rehearsal of a step: which requests it would make of models, without sending any."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.run.cache import Forecast, Request
from aptone.run.step import Call, Send

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Rehearsal(Call):
    """A call that notes requests and answers none: every request ends as if its reply could not be read.

    Args:
        forecasts: expected usage of each request, by its key; the same request counts once.
    """

    forecasts: dict[str, Forecast] = field(default_factory=dict)

    async def ask(self, request: Request, send: Send, read: Callable[[str], Answer]) -> Answer:
        """Note a request; raises `UnusableReplyError` always."""
        known = Forecast() if request.forecast is None else request.forecast()
        self.forecasts[self._key(request, 0)] = known
        raise UnusableReplyError(message("run.never-tried"), raw_reply="")
