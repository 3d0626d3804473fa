"""Many machines: the same steps on Ray. Needs the extra ``ray``."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import MissingExtraError, RunError, UsageError
from aptone.messages import message
from aptone.run.attempts import Performer, Work, lost_entry
from aptone.run.cache import KeptReply, ReplyCache
from aptone.types import Entry


def checked_workers(width: int) -> int:
    """Return a number of workers on Ray.

    Raises:
        MissingExtraError: if Ray is not installed.
        ValueError: if it is less than 1.
    """
    if find_spec("ray") is None:
        raise MissingExtraError(message("run.running-on-ray"), extra="ray")
    if width < 1:
        raise ValueError(f"at least one worker, got {width}.")
    return width


def connect(width: int, *, address: str | None, cache: Path | None) -> tuple[bool, Any]:
    """Connect to a cluster, unless this process is; the reply cache stays on this machine, in an actor.

    Args:
        address: address of a running cluster; ``None`` starts one on this machine with `width` processors.
        cache: file of the reply cache; ``None`` for none.

    Returns:
        Whether the connection was made here, so that it is ended here too, and the actor, or ``None``.

    Raises:
        RunError: if the cache cannot be used.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    if cache is not None:
        ReplyCache(cache).close()  # a cache that cannot be used is reported here, not by an actor that dies of it
    is_new = not ray.is_initialized()
    if is_new:
        local: dict[str, Any] = {} if address else {"num_cpus": width, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **local)
    if cache is None:
        return is_new, None
    here: Any = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return is_new, ray.remote(num_cpus=0, scheduling_strategy=here)(ReplyCache).remote(cache.absolute())


class OnRay:
    """Workers on a Ray cluster, or on this machine when there is none.

    The reply cache stays on the machine that runs the command: workers reach it through an actor, since SQLite must not
    be shared over a network file system.

    Args:
        address: address of a running cluster; ``None`` starts one on this machine and ends it afterwards.

    Raises:
        MissingExtraError: if Ray is not installed.
    """

    def __init__(self, width: int, *, address: str | None = None) -> None:
        self.width = checked_workers(width)
        self._address = address

    def start(self, performer: Performer, *, cache: Path | None) -> None:
        """Connect, and start one actor a worker.

        Raises:
            RunError: if the cache cannot be used.
            UsageError: if a worker cannot start, for instance because the step's module is not on its machine.
        """
        import ray

        self._ray: Any = ray
        self._owns_cluster, self._cache = connect(self.width, address=self._address, cache=cache)
        store = RemoteStore(self._cache) if self._cache is not None else None
        self._prepared = ray.put(replace(performer, store=store))
        self._workers: list[Any] = [self._new_worker() for _ in range(self.width)]
        self._idle = list(self._workers)
        try:
            ray.get(self._workers[0].ready.remote())  # else every item would be blamed for a step that nobody has
        except ray.exceptions.RayError as error:
            self.close()
            raise UsageError(
                f"a Ray worker cannot start ({str(error).strip().splitlines()[-1]}). The step's module must be "
                "installed, or on PYTHONPATH, where the workers run."
            ) from error

    async def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        worker = self._idle.pop()
        try:
            entries: list[Entry] = await worker.perform.remote(list(works))
            return entries
        except RunError:  # Ray's copies of our errors are RayErrors as well
            raise
        except self._ray.exceptions.RayError as error:
            worker = self._in_place_of(worker)
            reason = message("run.ray-worker-lost", error=type(error).__name__)
            return [lost_entry(work, reason) for work in works]
        finally:
            self._idle.append(worker)

    def close(self) -> None:
        """End the workers, and the cluster if it was started here."""
        if self._owns_cluster:
            self._ray.shutdown()
            return
        for actor in [*self._workers, *([self._cache] if self._cache is not None else [])]:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)

    def _new_worker(self) -> Any:
        return self._ray.remote(num_cpus=1)(Worker).remote(self._prepared)

    def _in_place_of(self, lost_worker: Any) -> Any:
        """Another actor: Ray refuses what is sent to one that it is still restarting, which would cost the next item.

        What is sent to a new actor waits until it has started.
        """
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(lost_worker)  # it may be out of reach and not dead: its place must be free
        self._workers.remove(lost_worker)
        self._workers.append(self._new_worker())
        return self._workers[-1]


class Worker:
    """Ray actor: a performer that stays on its machine, so that a model is loaded once."""

    def __init__(self, performer: Performer) -> None:
        self._performer = performer
        self._runner = asyncio.Runner()  # one loop for all items: clients of a step may be bound to it

    def ready(self) -> bool:
        """Answers once the performer has arrived."""
        return True

    def perform(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        return self._runner.run(self._performer(works))


class RemoteStore:
    """The reply cache, reached through its actor."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def get(self, key: str) -> KeptReply | None:
        """The reply under a key, or ``None``."""
        import ray

        kept: KeptReply | None = ray.get(self._actor.get.remote(key))
        return kept

    def put(self, key: str, kept: KeptReply) -> None:
        """Keep a reply; on return it is on the disk."""
        import ray

        ray.get(self._actor.put.remote(key, kept))
