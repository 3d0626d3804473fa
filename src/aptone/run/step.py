"""Protocol of a step, and the call that it works with on an item."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar, runtime_checkable

from aptone.errors import RunError, TransientError, UnusableReplyError
from aptone.run.cache import KeptReply, Reply, ReplyStore, Request
from aptone.run.usage import Usage
from aptone.types import Item, Outcome

Answer = TypeVar("Answer")
Send = Callable[[int], Awaitable[Reply]]  # asks a model, with a seed
Reader = Callable[[str], object]  # reads a reply, or raises `UnusableReplyError`

TRANSIENT = (TransientError, TimeoutError, ConnectionError)
"""Errors that are worth a retry: our own, and those of Python that clients raise for the same reasons."""


def now() -> str:
    """The time in UTC (ISO 8601, milliseconds); later times are greater as text, too."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Step(Protocol):
    """Work on one item: a plain function or a coroutine function, which processes and Ray must be able to pickle.

    It raises `TransientError` for what is worth another try, `UnusableReplyError` for a reply without a verdict. A
    `TimeoutError` or `ConnectionError` that it lets through is tried again as well.
    """

    def __call__(self, item: Item, call: "Call", /) -> Outcome | Awaitable[Outcome]:
        """The outcome of an item."""


@runtime_checkable
class BatchStep(Protocol):
    """Work on several items at once. Outcomes come in the order of the items, and do not depend on the neighbours."""

    batch_size: int

    def batch(
        self, items: Sequence[Item], calls: Sequence["Call"], /
    ) -> Sequence[Outcome] | Awaitable[Sequence[Outcome]]:
        """The outcomes of the items."""


AnyStep = Step | BatchStep


@dataclass(frozen=True, slots=True)
class Ask(Generic[Answer]):
    """A request for `Call.ask_one`, or one of several that `Call.ask_all` makes at once.

    Args:
        request: request to the model; it is the key of the cache.
        send: does the asking; it gets the seed for this reply, which differs from try to try and repeat to repeat.
        read: turns the text of a reply into an answer, or raises `UnusableReplyError`.
    """

    request: Request
    send: Send
    read: Callable[[str], Answer]


@dataclass(slots=True)
class Call:
    """Resources of a step during one try on one item.

    A step that asks several things at once uses `ask_all`. Bare ``asyncio.gather`` would give up at the first error
    and leave the other calls running: what they bring is paid for, and may come too late to be counted.

    Args:
        seed: seed of the run; the same for all items.
        repeat: 0 for the run itself, 1 and up for repeat probes.
        store: the reply cache, if there is one.
        replies_per_request: number of replies that are requested before a request is given up as unreadable.
        memory: replies of earlier tries on the same item, so that a retry repeats only what failed.
        in_flight: requests that are on their way, so that none is sent twice; shared by all tries on the item.
        owner: this piece of work (run, repeat and item), to which new replies are charged; empty for nobody.
        counted_until: when the item's earlier entry was finished: what came until then is counted in it; ``None`` if
            there is no earlier entry.
        cost, parse_failures: cost of this attempt's calls so far, and replies that could not be read.
        usage: calls and tokens of this attempt that are new, as far as models count tokens.
    """

    seed: int = 0
    repeat: int = 0
    store: ReplyStore | None = None
    replies_per_request: int = 3
    memory: dict[str, Reply] = field(default_factory=dict)
    in_flight: dict[str, asyncio.Future[Reply]] = field(default_factory=dict)
    owner: str = ""
    counted_until: str | None = None
    cost: float = 0.0
    parse_failures: int = 0
    usage: Usage = field(default_factory=Usage)

    async def ask(self, request: Request, send: Send, read: Callable[[str], Answer]) -> Answer:
        """Ask a model or the cache until a reply can be read, else raise `UnusableReplyError`; arguments as `Ask`."""
        return await self._ask(request, send, read, self._send_once)

    async def ask_one(self, ask: Ask[Answer]) -> Answer:
        """The same as `ask` for a request that holds all three."""
        return await self.ask(ask.request, ask.send, ask.read)

    async def ask_all(self, asks: Sequence[Ask[Answer]]) -> list[Answer]:
        """Ask several things at once, and wait for all: what was paid for is kept. Answers are in the order of `asks`.

        Raises:
            RunError: if the reply cache cannot be used.
            TransientError: (or `TimeoutError`, `ConnectionError`) the first of them, if there are any: a retry then
                asks only what has failed.
            UnusableReplyError: if no reply to one of the requests could be read. It, or whatever else a `send` or a
                `read` has raised, comes after those above; among equals the first in the order of `asks`.
        """
        waiting = [asyncio.ensure_future(self.ask_one(ask)) for ask in asks]
        await asyncio.gather(*waiting, return_exceptions=True)
        results = (asyncio.CancelledError() if task.cancelled() else task.exception() for task in waiting)
        problems = list(dict.fromkeys(result for result in results if result is not None))
        if not problems:
            return [task.result() for task in waiting]
        raised = min(problems, key=_urgency)
        for problem in problems:  # the one that is raised brings its cost with it
            if problem is not raised and isinstance(problem, TransientError | UnusableReplyError):
                self.cost += problem.cost
        raise raised

    def ask_now(self, request: Request, send: Callable[[int], Reply], read: Callable[[str], Answer]) -> Answer:
        """The same as `ask` for steps that are plain functions."""

        async def send_at_once(seed: int) -> Reply:
            return send(seed)

        coroutine = self._ask(request, send_at_once, read, self._send)
        try:
            coroutine.send(None)
        except StopIteration as finished:
            answer: Answer = finished.value
            return answer
        raise AssertionError("a coroutine that waits for nothing cannot pause")

    async def _ask(self, request: Request, send: Send, read: Callable[[str], Answer], fetch: "Fetch") -> Answer:
        keys = [self._key(request, attempt) for attempt in range(self.replies_per_request)]
        if (known := self._recall(keys, read)) is not None:
            return read(known.text)
        unusable: UnusableReplyError | None = None
        for attempt, key in enumerate(keys):
            reply, is_new = self.memory.get(key), False
            if reply is None:
                reply, is_new = await fetch(key, send, self.seed + 1000 * self.repeat + attempt, read)
            try:
                return read(reply.text)
            except UnusableReplyError as error:
                self.parse_failures += is_new
                unusable = error
        assert unusable is not None
        raise unusable

    def _key(self, request: Request, attempt: int) -> str:
        return request.key(seed=self.seed, repeat=self.repeat, attempt=attempt)

    def _recall(self, keys: Sequence[str], read: Reader) -> Reply | None:
        """The first reply under one of the keys, which are those of all tries, that is known and can be read.

        A reply that this very work has paid for, and that no entry in the journal counts, was cut off by a kill. One
        that cannot be read is never taken from the store: the model may have been mended since.
        """
        of_others = 0
        for key in keys:
            reply = self.memory.get(key)
            kept = None if reply is not None or self.store is None else self.store.get(key)
            if kept is not None and _is_readable(kept.reply, read):
                reply = self.memory[key] = kept.reply
                self._count_if_owed(kept)
            if reply is not None and _is_readable(reply, read):
                self.parse_failures += of_others if self.counted_until is None else 0
                return reply
            place = _unreadable(key)
            if kept is None and self.store is not None:
                kept = self.store.get(place)
            if reply is None and kept is None:
                return None  # this try was never made, so no later one was
            if kept is not None and place not in self.memory and key not in self.memory:
                self.memory[place] = kept.reply
                owed = self._count_if_owed(kept)
                self.parse_failures += owed
                of_others += not owed
        return None

    def _count_if_owed(self, kept: KeptReply) -> bool:
        uncounted = self.counted_until is None or kept.created > self.counted_until
        owed = uncounted and bool(self.owner) and kept.owner == self.owner
        if owed:
            self.cost += kept.reply.cost
            self.usage.count(kept.reply.details)
        return owed

    async def _send_once(self, key: str, send: Send, seed: int, read: Reader) -> tuple[Reply, bool]:
        """Send a request unless it is on its way already: then wait for that reply, or for the error it ends in."""
        while (flight := self.in_flight.get(key)) is not None:
            await asyncio.wait([flight])
            if not flight.cancelled():
                return flight.result(), False
        flight = self.in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            reply, _ = await self._send(key, send, seed, read)
        except asyncio.CancelledError:
            flight.cancel()  # who waits for it asks again: only this one was asked to stop
            raise
        except BaseException as error:
            flight.set_exception(error)
            flight.exception()  # or asyncio would complain where nobody else waits for it
            raise
        else:
            flight.set_result(reply)
            return reply, True
        finally:
            del self.in_flight[key]

    async def _send(self, key: str, send: Send, seed: int, read: Reader) -> tuple[Reply, bool]:
        reply = await send(seed)
        self.cost += reply.cost
        self.usage.count(reply.details)
        self.memory[key] = reply
        if self.store is not None:  # an unreadable one is kept for its cost alone, where no request finds it
            place = key if _is_readable(reply, read) else _unreadable(key)
            self.store.put(place, KeptReply(reply, owner=self.owner, created=now()))
        return reply, True


Fetch = Callable[[str, Send, int, Reader], Awaitable[tuple[Reply, bool]]]
"""Gets a reply by its key, a way to send the request, a seed and a reader; and says whether it is a new one."""


def _is_readable(reply: Reply, read: Reader) -> bool:
    try:
        read(reply.text)
    except Exception:  # a reader that breaks has read nothing; what it raised is raised again where it is asked for
        return False
    return True


def _unreadable(key: str) -> str:
    return f"{key}/unreadable"


def _urgency(error: BaseException) -> int:
    """Return the rank of an error: of several, the one with the lowest number is raised."""
    if isinstance(error, RunError) or not isinstance(error, Exception):
        return 0  # a cache that loses replies, or an end to everything
    return 1 if isinstance(error, TRANSIENT) else 2
