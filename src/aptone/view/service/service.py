"""One service: its limits, its figures and, where answers are kept, their runs."""

import asyncio

from aptone.errors import AptoneError, RunError
from aptone.rooms.operation import Answer
from aptone.rooms.operation import Request as Checked
from aptone.types import Json
from aptone.view.kept_run import KeptRuns
from aptone.view.on_demand import OnDemandPool
from aptone.view.service.admission import Admission, ServiceLimits
from aptone.view.service.metrics import Metrics
from aptone.view.service.refusals import not_kept, refusal_of

REQUEST = "request"
"""Key of a reply that holds the id of its request, where answers are kept."""


class Service:
    """What the routes of the service work with.

    Args:
        kept: runs that keep the answers; without any, nothing is kept.
    """

    def __init__(
        self, pool: OnDemandPool, *, limits: ServiceLimits | None = None, kept: KeptRuns | None = None
    ) -> None:
        self.pool = pool
        self.kept = kept
        self.limits = limits or ServiceLimits()
        self.admission = Admission(self.limits, workers=pool.pool.size)
        self.metrics = Metrics(pool.pool, self.admission)

    async def answer(self, operation: str, request: Checked) -> dict[str, Json]:
        """Answer a request whose fields are checked; the answer is on the disk before it is given out.

        Raises:
            RefusedError: if it cannot be answered or kept.
        """
        try:
            answer = await self.pool.perform(operation, request)
        except AptoneError as error:
            raise refusal_of(error) from error
        self.metrics.note_audio(operation, answer.audio_seconds)
        return {**answer.reply, **await self._keep(operation, request, answer)}

    async def _keep(self, operation: str, request: Checked, answer: Answer) -> dict[str, Json]:
        if self.kept is None:
            return {}
        try:
            kept = await asyncio.to_thread(self.kept.keep, operation, request, answer)
        except RunError as error:
            raise not_kept(error) from error
        return {REQUEST: kept.id}
