"""In which order what lies in shards is learned from: batches that seed and step determine, read ahead.

In every epoch, groups of shards are drawn and what lies within a group shuffled, so that reading stays within a few
files and nothing but numbers is held in memory; what is about equally long then shares a batch. All of that depends on
seed and epoch only: a training that resumes at any step goes on with the very batch that came next, and every process
takes its own share of a batch that all of them know.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Job = TypeVar("Job")
Result = TypeVar("Result")

GROUP = 16
"""Shards that are shuffled together."""
BUCKET = 32
"""Batches that are sorted by length together."""
AHEAD = 2
"""Batches that are read while another one is learned from."""


def epoch_plan(shards: Numbers, seconds: Floats, *, batch: int, seed: int, epoch: int) -> list[Numbers]:
    """Which rows make up the batches of an epoch; what does not fill a batch is left out until the next epoch.

    Args:
        shards: number of the shard in which each row lies, ascending.
        seconds: how long each is.
        batch: rows of a batch.
        seed: of the order.
        epoch: likewise.

    Raises:
        UsageError: if there are fewer rows than a batch has.
    """
    if len(shards) < batch:
        raise UsageError(
            f"{len(shards)} clips are less than a batch of {batch}; give more clips, or a smaller --batch."
        )
    drawn = np.random.default_rng([seed, epoch])
    edges = np.searchsorted(shards, np.arange(int(shards[-1]) + 2))
    members = [np.arange(first, behind) for first, behind in itertools.pairwise(edges)]
    order = drawn.permutation(len(members))
    groups = [
        np.concatenate([members[one] for one in order[first : first + GROUP]]) for first in range(0, len(order), GROUP)
    ]
    shuffled = np.concatenate([drawn.permutation(group) for group in groups])
    shuffled = shuffled[: len(shuffled) // batch * batch]
    plan: list[Numbers] = []
    for first in range(0, len(shuffled), BUCKET * batch):
        together = shuffled[first : first + BUCKET * batch]
        by_length = together[np.argsort(seconds[together], kind="stable")].reshape(-1, batch)
        plan += list(by_length[drawn.permutation(len(by_length))])
    return plan


def planned(
    plan: Callable[[int], Sequence[Numbers]], *, per_epoch: int, first: int, last: int
) -> Iterator[tuple[int, Numbers]]:
    """The epoch and the rows of each step from `first` to before `last`.

    Args:
        plan: of an epoch.
        per_epoch: batches that it has.
        first: step.
        last: step.
    """
    for epoch, steps in itertools.groupby(range(first, last), lambda step: step // per_epoch):
        batches = plan(epoch)
        for step in steps:
            yield epoch, batches[step % per_epoch]


def read_ahead(
    batches: Iterable[Sequence[Job]], read: Callable[[Job], Result], pool: Executor
) -> Iterator[list[Result]]:
    """Batches of what is read by a pool, in their order, while `AHEAD` more are on their way."""
    waiting: deque[list[Future[Result]]] = deque()
    for jobs in batches:
        waiting.append([pool.submit(read, job) for job in jobs])
        if len(waiting) > AHEAD:
            yield [one.result() for one in waiting.popleft()]
    while waiting:
        yield [one.result() for one in waiting.popleft()]
