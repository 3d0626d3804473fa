"""The work on one shard, wherever it runs: read its items, do the step on each, write the result whole."""

import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.errors import RunError
from aptone.run.cache import ReplyStore
from aptone.run.executors.local import InProcess
from aptone.run.folder import JOURNAL, Run, RunConfig, write_config
from aptone.run.progress import countable
from aptone.run.runner import run_items
from aptone.run.sharded.results import DoneShard, result_lines, write_result
from aptone.run.sharded.shards import SourceShard
from aptone.run.step import AnyStep, now
from aptone.types import Item

ReadItems = Callable[[SourceShard], Sequence[Item]]
"""Reads the items of a shard; raises `RecordError` if it cannot be understood."""
ITEMS_PER_SHARD = 1 << 32
"""Positions of a shard, so that a merged run has the order of the shards."""
_SYNC_INTERVAL = 60.0  # the journal of a shard under way is not kept


@dataclass(frozen=True, slots=True)
class ShardWork:
    """Everything that a worker needs for any shard of a run; it is sent to every worker once.

    Args:
        read: reader of a shard's items.
        width: number of concurrent items of a worker; more than 1 for steps that wait for a server.
        store: reply cache; ``None`` for none.
    """

    read: ReadItems
    step: AnyStep
    config: RunConfig
    repeats: int = 1
    width: int = 1
    store: ReplyStore | None = None

    def __call__(self, shard: SourceShard, result: str, target: str, *, earlier: str = "") -> DoneShard:
        """Do a shard and write its result.

        Args:
            result: result as the ledger names it.
            target: path or address of the result, as this worker reaches it.
            earlier: path or address of a result in which items failed: only those are done again. Empty for none.

        Raises:
            AptoneError: if the shard cannot be read, the result cannot be written, or the process was told to stop.
        """
        begun, busy = time.monotonic(), time.process_time()
        items = [
            replace(item, position=shard.number * ITEMS_PER_SHARD + place)
            for place, item in enumerate(self.read(shard))
        ]
        with tempfile.TemporaryDirectory(prefix="aptone-shard-") as scratch:
            run = self._perform(items, Path(scratch), earlier)
            write_result(run, target)
            return DoneShard(
                name=shard.name,
                source=shard.place,
                size=shard.size,
                result=result,
                rows=len(run.entries),
                states={state.value: count for state, count in sorted(run.states.items())},
                cost=sum(countable(entry.cost) for entry in run.entries),
                seconds=time.monotonic() - begun,
                cpu_seconds=time.process_time() - busy,
                worker=f"{platform.node()}/{os.getpid()}",
                finished=now(),
            )

    def _perform(self, items: Sequence[Item], scratch: Path, earlier: str) -> Run:
        write_config(scratch, self.config)  # with its id: replies that it paid for are its own
        if earlier:
            with (scratch / JOURNAL).open("wb") as journal:
                journal.writelines(result_lines(earlier))
        ended = run_items(
            items,
            self.step,
            folder=scratch,
            config=self.config,
            executor=InProcess(self.width, store=self.store),
            repeats=self.repeats,
            sync_interval=_SYNC_INTERVAL,
        )
        if ended.stopped:  # half a shard is none
            raise RunError(ended.stopped)
        return ended.run
