"""The work on one item, wherever it runs: tries, waits between them, and an entry at the end, whatever happens."""

import asyncio
import inspect
import time
import traceback
import zlib
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from aptone.errors import AptoneError, RunError, TransientError, UnusableReplyError
from aptone.run.cache import Reply, ReplyStore
from aptone.run.step import AnyStep, BatchStep, Call
from aptone.types import Entry, Item, Outcome, from_json, to_json

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a step is tried again.

    Args:
        attempts: tries on an item in one session, the first included.
        first_wait: seconds before the second try; it doubles from try to try.
        longest_wait: seconds that no wait exceeds, a wait that the other side asks for included.
        replies_per_request: how many replies are asked for before a request is given up as unreadable.
    """

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 60.0
    replies_per_request: int = 3

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.replies_per_request < 1 or self.first_wait < 0 or self.longest_wait < 0:
            raise ValueError("a retry policy needs at least one attempt, one reply, and waits that are not negative.")

    def wait(self, attempt: int, *, asked: float | None, jitter: float) -> float:
        """Seconds before the next try: doubling, spread by up to a quarter so that workers do not come in step.

        >>> RetryPolicy().wait(2, asked=None, jitter=0.0)
        4.0
        """
        planned = self.first_wait * 2.0 ** min(attempt, 100) * (1.0 + 0.25 * jitter)  # no float holds 2 to the 1024
        return min(self.longest_wait, max(planned, asked or 0.0))


@dataclass(frozen=True, slots=True)
class Work:
    """One item to be worked on.

    Args:
        item: the item.
        repeat: 0 for the run itself, 1 and up for repeat probes.
        before: its entry of an earlier session, when it failed there.
    """

    item: Item
    repeat: int = 0
    before: Entry | None = None


@dataclass(frozen=True, slots=True)
class Performer:
    """A step with everything it takes to run it on a batch of items; it never raises for what an item does.

    It raises `RunError` when the reply cache cannot be used: every further reply would be paid for and lost.

    Args:
        step: what is done.
        retry: how often.
        seed: of the run.
        store: the reply cache.
        threads: where plain functions run; ``None`` to run them in place.
    """

    step: AnyStep
    retry: RetryPolicy = RetryPolicy()
    seed: int = 0
    store: ReplyStore | None = None
    threads: Executor | None = None

    async def __call__(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        if isinstance(self.step, BatchStep) and len(works) > 1:
            return await self._together(works, self.step)
        return [await self._single(work, []) for work in works]

    async def _together(self, works: Sequence[Work], step: BatchStep) -> list[Entry]:
        """One try on all items at once. If it raises, each is tried alone: a bad file must not fail its neighbours."""
        calls = [self._call(work, {}) for work in works]
        start = time.perf_counter()
        try:
            outcomes = list(await self._in_place_or_thread(lambda: step.batch([work.item for work in works], calls)))
        except RunError:
            raise
        except Exception as error:
            outcomes = []
            for call in calls:
                call.cost += error.cost / len(calls) if isinstance(error, TransientError) else 0.0
        if len(outcomes) != len(works):
            return [await self._single(work, [call]) for work, call in zip(works, calls, strict=True)]
        seconds = (time.perf_counter() - start) / len(works)
        return [
            _entry(work, outcome, seconds=seconds, calls=[call])
            for work, outcome, call in zip(works, outcomes, calls, strict=True)
        ]

    async def _single(self, work: Work, calls: list[Call]) -> Entry:
        """Try one item until it is done, hopeless, or out of tries. `calls` holds those of a failed batch, if any."""
        memory = calls[0].memory if calls else {}
        seconds = 0.0
        outcome = Outcome.failed("it was never tried.")
        for attempt in range(self.retry.attempts):
            call = self._call(work, memory)
            calls.append(call)
            start = time.perf_counter()
            wait: float | None = None
            try:
                outcome = await self._outcome(work.item, call)
            except TransientError as error:
                call.cost += error.cost
                # Spread by the item's id: no two items wait alike, yet a run can be repeated.
                jitter = zlib.crc32(work.item.id.encode("utf-8", "surrogatepass")) / 0xFFFFFFFF
                wait = self.retry.wait(attempt, asked=error.retry_after, jitter=jitter)
                outcome = Outcome.failed(f"{error} (tried {attempt + 1} times)")
            except UnusableReplyError as error:
                call.cost += error.cost
                outcome = Outcome.unscored(error.reason or "the reply could not be read.", raw_reply=error.raw_reply)
            except RunError:
                raise
            except AptoneError as error:
                outcome = Outcome.failed(str(error) or type(error).__name__)
            except Exception as error:
                trace = "".join(traceback.format_exception(error))
                outcome = Outcome.failed(_words(error), evidence={"traceback": trace})
            seconds += time.perf_counter() - start
            if wait is None or attempt + 1 == self.retry.attempts:
                break
            await asyncio.sleep(wait)
        return _entry(work, outcome, seconds=seconds, calls=calls)

    async def _outcome(self, item: Item, call: Call) -> Outcome:
        step = self.step
        if isinstance(step, BatchStep):
            outcomes = await self._in_place_or_thread(lambda: step.batch([item], [call]))
            if len(outcomes) != 1:
                raise AptoneError(f"the step gave {len(outcomes)} outcomes for one item.")
            return outcomes[0]
        return await self._in_place_or_thread(lambda: step(item, call))

    async def _in_place_or_thread(self, work: Callable[[], Result | Awaitable[Result]]) -> Result:
        try:
            if self.threads is None or self._is_coroutine_function:
                result = work()
            else:
                result = await asyncio.get_running_loop().run_in_executor(self.threads, _without_stop_iteration, work)
            return await result if inspect.isawaitable(result) else result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise RuntimeError("the step cancelled itself.") from error  # or it would end the whole run

    @property
    def _is_coroutine_function(self) -> bool:
        function = self.step.batch if isinstance(self.step, BatchStep) else self.step
        # An object may have a coroutine function as its call.
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)

    def _call(self, work: Work, memory: dict[str, Reply]) -> Call:
        return Call(
            seed=self.seed,
            repeat=work.repeat,
            store=self.store,
            replies_per_request=self.retry.replies_per_request,
            memory=memory,
            resumed=work.before is not None,
        )


def lost(work: Work, reason: str) -> Entry:
    """The entry of an item whose worker did not come back."""
    return _entry(work, Outcome.failed(reason), seconds=0.0, calls=[Call()])


def _without_stop_iteration(work: Callable[[], Result]) -> Result:
    """The result of a function in a thread: asyncio cannot carry a `StopIteration` out of it and would wait forever."""
    try:
        return work()
    except StopIteration as error:
        raise RuntimeError("the step raised StopIteration.") from error


def _words(error: Exception) -> str:
    """What an exception is and says. Its `__str__` is not ours: it may say nothing, or raise."""
    try:
        said = str(error)
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _entry(work: Work, outcome: Outcome, *, seconds: float, calls: Sequence[Call]) -> Entry:
    before = work.before
    entry = Entry(
        item=work.item,
        outcome=outcome,
        repeat=work.repeat,
        attempts=len(calls) + (before.attempts if before else 0),
        parse_failures=sum(call.parse_failures for call in calls) + (before.parse_failures if before else 0),
        seconds=seconds + (before.seconds if before else 0.0),
        cost=sum(call.cost for call in calls) + (before.cost if before else 0.0),
        finished=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
    try:
        # What comes back is what a reader of the journal will see. A line that cannot be read back would spoil it all.
        return from_json(Entry, to_json(entry))
    except Exception as error:
        problem = f"the step did not give an outcome that can be written down: {error}"
        return replace(entry, outcome=Outcome.failed(problem))
