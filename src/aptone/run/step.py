"""What a step is, and what it may use while it works on an item."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from aptone.errors import UnusableReplyError
from aptone.run.cache import Reply, ReplyStore, Request
from aptone.types import Item, Outcome

Answer = TypeVar("Answer")


class Step(Protocol):
    """Work on one item: a plain function or a coroutine function, which processes and Ray must be able to pickle.

    It raises `TransientError` for what is worth another try, `UnusableReplyError` for a reply without a verdict.
    """

    def __call__(self, item: Item, call: "Call", /) -> Outcome | Awaitable[Outcome]:
        """The outcome of an item."""
        ...


@runtime_checkable
class BatchStep(Protocol):
    """Work on several items at once. Outcomes come in the order of the items, and do not depend on the neighbours."""

    batch_size: int

    def batch(
        self, items: Sequence[Item], calls: Sequence["Call"], /
    ) -> Sequence[Outcome] | Awaitable[Sequence[Outcome]]:
        """The outcomes of the items."""
        ...


AnyStep = Step | BatchStep


@dataclass(slots=True)
class Call:
    """What a step may use during one try on one item.

    Args:
        seed: of the run; the same for all items.
        repeat: 0 for the run itself, 1 and up for repeat probes.
        store: the reply cache, if there is one.
        replies_per_request: how many replies are asked for before a request is given up as unreadable.
        memory: replies of earlier tries on the same item, so that a retry repeats only what failed.
        resumed: whether an earlier session worked on this item; unreadable replies that it left in the store are
            counted already.
        cost: what the calls of this try have cost so far.
        parse_failures: replies of this try that could not be read.
    """

    seed: int = 0
    repeat: int = 0
    store: ReplyStore | None = None
    replies_per_request: int = 3
    memory: dict[str, Reply] = field(default_factory=dict)
    resumed: bool = False
    cost: float = 0.0
    parse_failures: int = 0

    async def ask(
        self, request: Request, send: Callable[[int], Awaitable[Reply]], read: Callable[[str], Answer]
    ) -> Answer:
        """Ask a model until its reply can be read, from the cache where it has answered before.

        Args:
            request: what is asked; it is the key of the cache.
            send: does the asking; it gets the seed for this reply, which differs from try to try and repeat to repeat.
            read: turns the text of a reply into an answer, or raises `UnusableReplyError`.

        Raises:
            UnusableReplyError: if no reply could be read.
        """
        unusable: UnusableReplyError | None = None
        for attempt in range(self.replies_per_request):
            key = request.key(seed=self.seed, repeat=self.repeat, attempt=attempt)
            counted = key in self.memory
            reply = self._recall(key)
            if reply is None:
                reply = self._keep(key, await send(self._seed(attempt)))
            else:
                counted = counted or self.resumed
            try:
                return read(reply.text)
            except UnusableReplyError as error:
                self.parse_failures += not counted
                unusable = error
        assert unusable is not None
        raise unusable

    def ask_now(self, request: Request, send: Callable[[int], Reply], read: Callable[[str], Answer]) -> Answer:
        """The same as `ask` for steps that are plain functions."""

        async def send_at_once(seed: int) -> Reply:
            return send(seed)

        coroutine = self.ask(request, send_at_once, read)
        try:
            coroutine.send(None)
        except StopIteration as finished:
            answer: Answer = finished.value
            return answer
        raise AssertionError("a coroutine that waits for nothing cannot pause")

    def _seed(self, attempt: int) -> int:
        return self.seed + 1000 * self.repeat + attempt

    def _recall(self, key: str) -> Reply | None:
        reply = self.memory.get(key)
        if reply is None and self.store is not None:
            reply = self.store.get(key)
            if reply is not None:
                self.memory[key] = reply
        return reply

    def _keep(self, key: str, reply: Reply) -> Reply:
        self.cost += reply.cost
        self.memory[key] = reply
        if self.store is not None:
            self.store.put(key, reply)
        return reply
