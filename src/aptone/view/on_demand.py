"""Worker processes that are started when they are first needed, so that looking at runs loads no models."""

import asyncio
from collections.abc import Mapping

from aptone.rooms.operation import Answer, Operation, OperationSettings
from aptone.view.workers import WorkerLimits, WorkerPool


class OnDemandPool:
    """A `WorkerPool` that is started by its first request, or by `start`."""

    def __init__(
        self,
        operations: Mapping[str, Operation],
        *,
        settings: OperationSettings | None = None,
        workers: int = 1,
        limits: WorkerLimits | None = None,
    ) -> None:
        self.operations = dict(operations)
        self._pool = WorkerPool(operations, settings=settings, workers=workers, limits=limits)
        self._starting: asyncio.Task[None] | None = None
        self._started = False

    @property
    def pool(self) -> WorkerPool:
        """The pool itself, for its figures."""
        return self._pool

    @property
    def is_asked_for(self) -> bool:
        """Whether the workers were started, or are about to be."""
        return self._starting is not None

    async def start(self) -> None:
        """Start the workers, unless they are; wait until all have their models loaded."""
        if self._started:
            return
        if self._starting is None:
            self._starting = asyncio.create_task(self._pool.start())
        await asyncio.shield(self._starting)
        self._started = True

    async def perform(self, operation: str, request: Mapping[str, object], *, figures: bool = False) -> Answer:
        """Answer a request in a worker; errors as those of `WorkerPool.perform`."""
        await self.start()
        return await self._pool.perform(operation, request, figures=figures)

    async def close(self) -> None:
        """Finish the requests that are there, and end the workers; in any event loop."""
        await self._pool.close()
