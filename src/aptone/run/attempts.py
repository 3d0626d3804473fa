"""The work on one item, wherever it runs: tries, waits between them, and an entry at the end, whatever happens.

`run_to_the_end` runs it from code that is not asynchronous, `perform_once` for one item without a run folder.
"""

import asyncio
import inspect
import math
import time
import traceback
import typing
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from aptone.errors import AptoneError, RunError, StepError, TransientError, UnusableReplyError, checked_cost
from aptone.messages import collect, message, restore
from aptone.run.cache import ReplyStore
from aptone.run.progress import countable
from aptone.run.step import TRANSIENT, AnyStep, BatchStep, Call, Step, now
from aptone.run.usage import EVIDENCE, Usage
from aptone.types import Entry, Item, Outcome, State, from_json
from aptone.types.codec import encode

Result = TypeVar("Result")


def run_to_the_end(coroutine: Coroutine[Any, Any, Result], *, wind_up: Callable[[], None] | None = None) -> Result:
    """Run a coroutine and give its result, in a thread of its own if this one has a running loop.

    In a notebook Ctrl-C reaches this thread, not that of the coroutine. So the first one calls `wind_up`, which should
    make the coroutine end soon, and the second one, or without it the first, cancels the coroutine.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        return _in_a_thread(coroutine, wind_up)
    return asyncio.run(coroutine)


def _in_a_thread(coroutine: Coroutine[Any, Any, Result], wind_up: Callable[[], None] | None) -> Result:
    cancel: Future[Callable[[], object]] = Future()

    async def cancellable() -> Result:
        task = asyncio.ensure_future(coroutine)
        loop = asyncio.get_running_loop()
        cancel.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await task

    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(asyncio.run, cancellable())
        try:
            wait([future])
        except KeyboardInterrupt:
            if wind_up is None:
                cancel.result()()
                raise
            wind_up()
        try:
            wait([future])
        except KeyboardInterrupt:
            cancel.result()()
            raise
        return future.result()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry policy of a step: number of tries and waiting times.

    Args:
        attempts: tries on an item in one session, the first included.
        first_wait: seconds before the second try; it doubles from try to try.
        longest_wait: seconds that no wait exceeds, a wait that the other side asks for included.
        replies_per_request: number of replies that are requested before a request is given up as unreadable.
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
        repeat: 0 for the run itself, 1 and up for repeat probes.
        before: entry of an earlier session, when it failed there.
    """

    item: Item
    repeat: int = 0
    before: Entry | None = None


@dataclass(frozen=True, slots=True)
class Performer:
    """A step with everything it takes to run it on a batch of items; it never raises for what an item does.

    It raises `RunError` when the reply cache cannot be used: every further reply would be paid for and lost.

    Args:
        threads: pool for plain functions; ``None`` to run them in place.
        run_id: id of the run, to which replies are charged; empty for none.
    """

    step: AnyStep
    retry: RetryPolicy = RetryPolicy()
    seed: int = 0
    store: ReplyStore | None = None
    threads: Executor | None = None
    run_id: str = ""
    # Found out once: whether an object fits a protocol takes longer to say than a trivial step.
    _batch: BatchStep | None = field(init=False, repr=False, default=None)
    _is_coroutine_function: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        step = self.step
        function = step.batch if isinstance(step, BatchStep) else step
        # An object may have a coroutine function as its call.
        later = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
        object.__setattr__(self, "_batch", step if isinstance(step, BatchStep) else None)
        object.__setattr__(self, "_is_coroutine_function", later)

    async def __call__(self, works: Sequence[Work]) -> list[Entry]:
        """The entries of some items, in their order."""
        if self._batch is not None and len(works) > 1:
            return await self._together(works, self._batch)
        return [await self._single(work, []) for work in works]

    async def _together(self, works: Sequence[Work], step: BatchStep) -> list[Entry]:
        """One try on all items at once. If it raises, each is tried alone: a bad file must not fail its neighbours."""
        calls = [self._call(work, None) for work in works]
        start = time.perf_counter()
        try:
            outcomes = list(await self._in_place_or_thread(lambda: step.batch([work.item for work in works], calls)))
        except RunError:
            raise
        except Exception as error:
            outcomes = []
            for call in calls:
                if isinstance(error, TransientError):
                    _charge(call, error.cost, shares=len(calls))
        if len(outcomes) != len(works):
            return [await self._single(work, [call]) for work, call in zip(works, calls, strict=True)]
        seconds = (time.perf_counter() - start) / len(works)
        return [
            _entry(work, outcome, seconds=seconds, calls=[call])
            for work, outcome, call in zip(works, outcomes, calls, strict=True)
        ]

    async def _single(self, work: Work, calls: list[Call]) -> Entry:
        """Try one item until it is done, hopeless, or out of tries. `calls` holds those of a failed batch, if any."""
        seconds = 0.0
        outcome = Outcome.failed(message("run.never-tried"))
        for attempt in range(self.retry.attempts):
            call = self._call(work, calls[0] if calls else None)
            calls.append(call)
            start = time.perf_counter()
            wait: float | None = None
            try:
                outcome = await self._outcome(work.item, call)
            except TransientError as error:
                _charge(call, error.cost)
                wait = self._wait(work, attempt, asked=error.retry_after)
                outcome = Outcome.failed(message("run.tried", why=error, count=attempt + 1))
            except TRANSIENT as error:
                wait = self._wait(work, attempt, asked=None)
                outcome = Outcome.failed(
                    message("run.tried", why=_words(error), count=attempt + 1), evidence={"traceback": _trace(error)}
                )
            except UnusableReplyError as error:
                _charge(call, error.cost)
                outcome = Outcome.unscored(error.reason or message("run.reply-unreadable"), raw_reply=error.raw_reply)
            except RunError:
                raise
            except AptoneError as error:
                outcome = Outcome.failed(str(error) or type(error).__name__)
            except Exception as error:
                outcome = Outcome.failed(_words(error), evidence={"traceback": _trace(error)})
            seconds += time.perf_counter() - start
            if wait is None or attempt + 1 == self.retry.attempts:
                break
            await asyncio.sleep(wait)
        return _entry(work, outcome, seconds=seconds, calls=calls)

    def _wait(self, work: Work, attempt: int, *, asked: float | None) -> float:
        # Spread by the item's id: no two items wait alike, yet a run can be repeated.
        jitter = zlib.crc32(work.item.id.encode("utf-8", "surrogatepass")) / 0xFFFFFFFF
        return self.retry.wait(attempt, asked=asked, jitter=jitter)

    async def _outcome(self, item: Item, call: Call) -> Outcome:
        batched = self._batch
        if batched is not None:
            outcomes = await self._in_place_or_thread(lambda: batched.batch([item], [call]))
            if len(outcomes) != 1:
                raise AptoneError(f"the step gave {len(outcomes)} outcomes for one item.")
            return outcomes[0]
        step = typing.cast(Step, self.step)
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

    def _call(self, work: Work, first: Call | None) -> Call:
        """Return the call for one try; `first` is the call of the first try, which knows what came since."""
        owner = f"{self.run_id}/{work.repeat}/{work.item.id}" if self.run_id else ""
        return Call(
            seed=self.seed,
            repeat=work.repeat,
            store=self.store,
            replies_per_request=self.retry.replies_per_request,
            memory=first.memory if first else {},
            in_flight=first.in_flight if first else {},
            owner=owner.encode("utf-8", "backslashreplace").decode(),  # no database takes lone surrogates
            counted_until=(work.before.finished or None) if work.before else None,
        )


def perform_once(
    work: Callable[[Call], Outcome | Awaitable[Outcome]], *, id: str, seed: int = 0, store: ReplyStore | None = None
) -> Entry:
    """Do one piece of work with the runner's care for retries and unreadable replies, but without a run folder.

    Raises:
        AptoneError: if it failed; a reply that could not be read is an unscored outcome instead.
        StepError: if it failed by an exception that is none of ours.
    """
    performer = Performer(lambda item, call: work(call), seed=seed, store=store)
    (entry,) = run_to_the_end(performer([Work(Item.make(id, {}))]))
    if (outcome := entry.outcome).state is State.FAILED:
        if trace := outcome.evidence.get("traceback"):
            raise StepError(outcome.reason, trace=str(trace))
        raise AptoneError(outcome.reason)
    return entry


def lost_entry(work: Work, reason: str) -> Entry:
    """The entry of an item whose worker did not come back.

    It was not finished, so it keeps the time of the entry before it, if there is one: what the worker has paid for is
    not counted in it, and is charged when the item is done again.
    """
    finished = work.before.finished if work.before else ""
    return _entry(work, Outcome.failed(reason), seconds=0.0, calls=[Call()], finished=finished)


def _without_stop_iteration(work: Callable[[], Result]) -> Result:
    """The result of a function in a thread: asyncio cannot carry a `StopIteration` out of it and would wait forever."""
    try:
        return work()
    except StopIteration as error:
        raise RuntimeError("the step raised StopIteration.") from error


def _words(error: Exception) -> str:
    """Return class and text of an exception. Its `__str__` is not ours: it may say nothing, or raise."""
    try:
        said = str(error)
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(error))


def _entry(work: Work, outcome: Outcome, *, seconds: float, calls: list[Call], finished: str | None = None) -> Entry:
    """The entry as a reader of the journal will see it. One that cannot be read back would spoil the whole journal.

    Items were made so before the work began; outcomes are made so here.
    """
    before = work.before
    usage = sum((call.usage for call in calls), Usage.of(before))
    cost, problem = _cost(calls, countable(before.cost) if before else 0.0)

    def entry(outcome: Outcome, *, parse_failures: int) -> Entry:
        if usage.calls:
            outcome = replace(outcome, evidence={**outcome.evidence, EVIDENCE: usage.json()})
        return Entry(
            item=work.item,
            outcome=_readable(_bounded(outcome)),
            repeat=work.repeat,
            attempts=len(calls) + (before.attempts if before else 0),
            parse_failures=parse_failures + (before.parse_failures if before else 0),
            seconds=seconds + (before.seconds if before else 0.0),
            cost=cost,
            finished=now() if finished is None else finished,
        )

    if problem:
        return entry(Outcome.failed(problem), parse_failures=0)
    try:
        return entry(outcome, parse_failures=sum(call.parse_failures for call in calls))
    except Exception as error:
        words = str(error) if isinstance(error, AptoneError) else _words(error)
        problem = message("run.unwritable-outcome", why=words)
        return entry(Outcome.failed(problem), parse_failures=0)


LONGEST_REPLY = 65_536
"""Characters of a raw reply that an entry keeps: its beginning and its end, and between them how many there were."""
LONGEST_REASON = 4096


def _bounded(outcome: Outcome) -> Outcome:
    """Return an outcome whose raw reply and reason have a limited length; a stranger wrote them."""
    if len(reply := outcome.raw_reply) > LONGEST_REPLY:
        half = LONGEST_REPLY // 2
        outcome = replace(outcome, raw_reply=f"{reply[:half]}\n[… {len(reply) - 2 * half} …]\n{reply[-half:]}")
    if len(outcome.reason) > LONGEST_REASON:
        outcome = replace(outcome, reason=f"{outcome.reason[:LONGEST_REASON]}…")
    return outcome


def _readable(outcome: Outcome) -> Outcome:
    encoded = encode(outcome, "Entry.outcome", 1)  # as deep as it lies in an entry
    return restore(from_json(Outcome, encoded), collect(outcome))


def _charge(call: Call, cost: float, *, shares: int = 1) -> None:
    """Add to the cost of a call. Steps write to it, too: nonsense is not added up, or the sum might look sound."""
    try:
        call.cost = checked_cost(call.cost, of="a call") + checked_cost(cost, of="an error") / shares
    except ValueError:
        call.cost = math.nan


def _cost(calls: Sequence[Call], earlier: float) -> tuple[float, str]:
    """Return the cost of an item so far, as far as that can be counted, and a message about what cannot."""
    total, problem = earlier, ""
    for call in calls:
        try:
            total = checked_cost(total + checked_cost(call.cost, of="a call"), of="an item")
        except ValueError as error:
            problem = message("run.broken-costs", why=error)
    return total, problem
