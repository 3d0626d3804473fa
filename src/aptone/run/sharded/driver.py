"""Runs over shards by Ray Data: shards flow through a pool of actors that keep the step warm. Needs the extra ``ray``.

The driver holds no items: it knows the shards, hands out their names, and enters those that are done into the ledger.
A worker that dies is replaced, and its shard done again by another, up to `TRIES` times; the other shards go on. Those
that are lost all the same, for instance with their node, go through a new pool, as long as one of them gets done.
"""

import logging
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aptone.errors import AptoneError, RunError
from aptone.messages import message
from aptone.run.executors.ray import RemoteStore, checked_workers, connect
from aptone.run.progress import Display, Silent, progress
from aptone.run.runner import INTERRUPTED
from aptone.run.sharded.results import DoneShard, ShardedFolder, count_result, located, read_ledger, result_file
from aptone.run.sharded.shards import SourceShard
from aptone.run.sharded.work import ShardWork
from aptone.types import dumps, from_json, loads, to_json

TRIES = 3
"""Workers that may die of a shard in one pool."""
_NOT_BEGUN = ""


@dataclass(frozen=True, slots=True)
class EndedShards:
    """Result of a session of a run over shards.

    Args:
        done: ledger of the run, by the names of the shards.
        worked: names of the shards that this session did.
        problems: reasons of the shards that it could not do, by name.
        left: number of shards that are left to do and have no problem.
        stopped: reason why it ended before the last shard; empty when it did not.
    """

    folder: Path
    done: Mapping[str, DoneShard]
    worked: Sequence[str] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    left: int = 0
    stopped: str = ""


def run_shards(
    shards: Sequence[SourceShard],
    work: ShardWork,
    *,
    folder: Path,
    workers: int,
    address: str | None = None,
    cache: Path | None = None,
    results: str = "",
    max_seconds: float = math.inf,
    display: Display | None = None,
) -> EndedShards:
    """Do every shard that is not done yet, and every item that failed in one that is.

    Args:
        folder: folder of the run; every worker must reach it, unless `results` is given.
        workers: number of actors.
        address: address of a running cluster; ``None`` starts one on this machine and ends it afterwards.
        cache: file of the reply cache on this machine; ``None`` for none.
        results: address of the folder for results; empty for one in `folder`.
        max_seconds: time after which no shard is begun.

    Raises:
        MissingExtraError: if Ray is not installed.
        RunError: if the folder or the cache cannot be used, a shard has changed since it was done, or Ray gives up.
    """
    checked_workers(workers)
    deadline = time.time() + max_seconds
    with ShardedFolder(folder, work.config) as opened:
        done = read_ledger(folder)
        todo = [shard for shard in shards if _is_to_do(shard, done.get(shard.name))]
        session = _Session(opened, done, [shard.name for shard in todo])
        if todo:
            owns, actor = connect(workers, address=address, cache=cache)
            try:
                store = RemoteStore(actor) if actor is not None else None
                prepared = replace(work, config=opened.config, store=store)
                jobs = {shard.name: _job(shard, folder, results, done.get(shard.name)) for shard in todo}
                shown = progress(display or Silent(), total=len(shards), before=len(shards) - len(todo))
                with shown as advance:
                    for lost in session.rounds():
                        some = [jobs[name] for name in lost]
                        for row in _stream(some, prepared, workers=workers, deadline=deadline):
                            session.take(row)
                            advance()
            except KeyboardInterrupt:
                session.stopped = INTERRUPTED
            finally:
                _disconnect(owns, actor)
    if session.not_begun and not session.stopped:
        session.stopped = message("run.max-seconds-reached", limit=max_seconds)
    return session.ended()


def _is_to_do(shard: SourceShard, done: DoneShard | None) -> bool:
    if done is None:
        return True
    if -1 not in (shard.size, done.size) and shard.size != done.size:
        raise RunError(message("run.shard-changed", name=shard.place, then=done.size, now=shard.size))
    return done.failed > 0


def _job(shard: SourceShard, folder: Path, results: str, earlier: DoneShard | None) -> str:
    result = result_file(shard.name, results)
    return dumps(
        {
            "shard": to_json(shard),
            "result": result,
            "target": located(result, folder),
            "earlier": located(earlier.result, folder) if earlier is not None else "",
        }
    )


class _Session:
    """What came back from the workers."""

    def __init__(self, folder: ShardedFolder, done: dict[str, DoneShard], todo: Sequence[str]) -> None:
        self.stopped = ""
        self.not_begun: set[str] = set()
        self._folder = folder
        self._done = done
        self._todo = todo
        self._worked: list[str] = []
        self._problems: dict[str, str] = {}

    @property
    def silent(self) -> list[str]:
        """Names of the shards that nothing was heard of."""
        heard = {*self._worked, *self._problems, *self.not_begun}
        return [name for name in self._todo if name not in heard]

    def rounds(self) -> Iterator[list[str]]:
        """Yield the shards for a pool of workers: all, then those that it lost, until a further pool gets none done."""
        yield self.silent
        worked = -1
        while self.silent and worked < len(self._worked):
            worked = len(self._worked)
            yield self.silent

    def take(self, row: Mapping[str, str]) -> None:
        """Enter what a worker says of a shard into the ledger."""
        if row["problem"]:
            self._problems[row["name"]] = row["problem"]
        elif row["done"] == _NOT_BEGUN:
            self.not_begun.add(row["name"])
        else:
            done = from_json(DoneShard, loads(row["done"], what="shard"))
            self._check_result(done)
            self._folder.write(done)
            self._done[done.name] = done
            self._worked.append(done.name)

    def ended(self) -> EndedShards:
        """Return the end of the session; shards whose workers were lost are problems, unless the user ended it."""
        left = len(self.not_begun)
        if self.stopped == INTERRUPTED:
            left += len(self.silent)
        else:
            self._problems |= {name: message("run.shard-lost") for name in self.silent}
        return EndedShards(self._folder.path, self._done, self._worked, self._problems, left, self.stopped)

    def _check_result(self, done: DoneShard) -> None:
        where = located(done.result, self._folder.path)
        try:
            rows = count_result(where)
        except AptoneError as error:
            raise RunError(message("run.result-unseen", name=where, worker=done.worker, why=error)) from error
        if rows != done.rows:
            raise RunError(message("run.result-unseen", name=where, worker=done.worker, why=f"{rows} != {done.rows}"))


def _stream(jobs: Sequence[str], work: ShardWork, *, workers: int, deadline: float) -> Iterator[Mapping[str, str]]:
    """Yield what workers say of shards, as they are done."""
    import ray
    from ray.data import ActorPoolStrategy, DataContext, from_items

    with _quiet_data(DataContext.get_current):
        shards = from_items([{"job": job} for job in jobs], override_num_blocks=len(jobs))
        said = shards.map_batches(
            ShardWorker,
            fn_constructor_args=(work, deadline),
            batch_size=1,
            num_cpus=1,
            compute=ActorPoolStrategy(size=min(workers, len(jobs)), max_tasks_in_flight_per_actor=1),
            ray_remote_args_fn=_retries,
        )
        try:
            yield from said.iter_rows()
        except ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1]
            raise RunError(message("run.ray-gave-up", why=why)) from error


def _retries() -> dict[str, Any]:
    return {"max_restarts": -1, "max_task_retries": TRIES - 1}


@contextmanager
def _quiet_data(current: Any) -> Iterator[None]:
    """Let a shard that kills its workers cost that shard only, and Ray Data speak of errors alone."""
    logger = logging.getLogger("ray.data")
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ray Data's own
        context = current()
        before = context.enable_progress_bars, context.max_errored_blocks
        context.enable_progress_bars, context.max_errored_blocks = False, -1
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            context.enable_progress_bars, context.max_errored_blocks = before
            logger.setLevel(level)


def _disconnect(owns: bool, actor: Any) -> None:
    import ray

    if owns:
        ray.shutdown()
    elif actor is not None:
        ray.kill(actor)


class ShardWorker:
    """Actor of Ray Data: a step that stays on its machine, so that a model is loaded once."""

    def __init__(self, work: ShardWork, deadline: float) -> None:
        self._work = work
        self._deadline = deadline

    def __call__(self, batch: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """Do the shards of a batch; what is wrong with one is said and not raised, so that the others go on."""
        rows = [self._row(str(job)) for job in batch["job"]]
        return {name: [row[name] for row in rows] for name in ("name", "done", "problem")}

    def _row(self, text: str) -> dict[str, str]:
        job: Any = loads(text, what="shard")
        shard = from_json(SourceShard, job["shard"])
        if time.time() >= self._deadline:
            return {"name": shard.name, "done": _NOT_BEGUN, "problem": ""}
        try:
            done = self._work(shard, job["result"], job["target"], earlier=job["earlier"])
        except Exception as error:
            words = str(error) if isinstance(error, AptoneError) else f"{type(error).__name__}: {error}"
            return {"name": shard.name, "done": "", "problem": words or type(error).__name__}
        return {"name": shard.name, "done": dumps(to_json(done)), "problem": ""}
