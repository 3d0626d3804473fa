"""Items, and steps at the top level of a module, so that worker processes can import them."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from aptone.errors import RunError, TransientError, UnusableReplyError
from aptone.run import Call, Reply, Request, RunConfig
from aptone.types import Item, Outcome, Score, State

CONFIG = RunConfig(verb="score", engine="test", settings={"judge": "j1", "threshold": 0.5}, seed=7, version="0.1.0")


def items(count: int) -> list[Item]:
    """Items i0, i1, … that carry their number."""
    return [Item.make(f"i{number}", {"number": number}, position=number) for number in range(count)]


def number_of(item: Item) -> int:
    """The number that an item carries."""
    number = item.payload["number"]
    assert isinstance(number, int)
    return number


def done(value: float = 1.0) -> Outcome:
    """An outcome with one score."""
    return Outcome(State.DONE, scores={"aptness": Score(value)}, signature="test|1")


def score_number(item: Item, call: Call) -> Outcome:
    """Scores an item with its own number."""
    return done(float(number_of(item)))


async def score_number_later(item: Item, call: Call) -> Outcome:
    """The same as a coroutine, which pauses once."""
    await asyncio.sleep(0)
    return done(float(number_of(item)))


def fail_on_odd(item: Item, call: Call) -> Outcome:
    """Scores items with an even number; a bug strikes on the others."""
    if number_of(item) % 2:
        raise KeyError(f"number {number_of(item)}")
    return done(float(number_of(item)))


def die_on_two(item: Item, call: Call) -> Outcome:
    """Number 2 takes its process with it, without a word."""
    if number_of(item) == 2:
        os._exit(3)
    return done(float(number_of(item)))


def kill_on_two(item: Item, call: Call) -> Outcome:
    """Number 2 kills its process, as the system does when memory runs out."""
    if number_of(item) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return done(float(number_of(item)))


_ROOT = Path(__file__).resolve().parents[2]
PATHS = os.pathsep.join([str(_ROOT), str(_ROOT / "src")])
"""Where other processes find these steps, and the package as it is tested."""
PATIENCE = 300.0
"""Seconds after which something that should happen does not: bounds a hang, on a machine however crowded."""


def wait_until(met: Callable[[], bool]) -> None:
    """Wait for what another thread or process does."""
    end = time.monotonic() + PATIENCE
    while not met():
        if time.monotonic() > end:
            raise TimeoutError("it did not happen")
        time.sleep(0.005)


class MeetAnotherProcess:
    """Says in its rationale which process did it, and is not done before another process has come as well."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def __call__(self, item: Item, call: Call) -> Outcome:
        """Waits for company."""
        (self._folder / str(os.getpid())).touch()
        wait_until(lambda: len(list(self._folder.iterdir())) > 1)
        return Outcome(State.DONE, scores={"aptness": Score(1.0)}, rationale=str(os.getpid()))


def give_a_local_mapping(item: Item, call: Call) -> Outcome:
    """Evidence that JSON can hold, in a class that cannot be pickled."""

    class Local(dict[str, int]):
        pass

    return Outcome(State.DONE, scores={"aptness": Score(1.0)}, evidence=Local(a=1))


class NeverDone:
    """Leaves a mark when it begins, and does not end by itself while anybody looks."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __call__(self, item: Item, call: Call) -> Outcome:
        """Takes longer than anybody waits."""
        self._mark.touch()
        time.sleep(2 * PATIENCE)
        return done()


def break_the_cache(item: Item, call: Call) -> Outcome:
    """Finds that its replies cannot be kept."""
    raise RunError("cache.sqlite: the disk is full.")


class LoopBound:
    """A coroutine step that, like many clients, works with the event loop of its first use only."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, item: Item, call: Call) -> Outcome:
        """Fails when the loop is another one."""
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        if self._loop is not loop:
            raise RuntimeError("attached to a different loop")
        return done()


class AskAndCount:
    """Asks a model that answers with a number, and notes each call with one line in a file."""

    def __init__(self, log: Path, *, replies: Sequence[str] = ("3",)) -> None:
        self._log = log
        self._replies = replies

    def __call__(self, item: Item, call: Call) -> Outcome:
        """The answer is the score."""
        request = Request(model="m", prompt=f"how apt is {item.id}?", parameters={"temperature": 0.7})
        return done(call.ask_now(request, self._send, read_number))

    def _send(self, seed: int) -> Reply:
        asked = len(self._log.read_text().splitlines()) if self._log.exists() else 0
        with self._log.open("a") as file:
            file.write(f"{seed}\n")
        return Reply(self._replies[asked % len(self._replies)], cost=0.25)


def read_number(text: str) -> float:
    """A number, or an error that keeps the reply."""
    try:
        return float(text)
    except ValueError:
        raise UnusableReplyError("no number in the reply", raw_reply=text) from None


class Flaky:
    """Raises a transient error on the first tries of each item, then succeeds."""

    def __init__(self, failures: int, *, retry_after: float | None = None, cost: float = 0.0) -> None:
        self.tries: dict[str, int] = {}
        self._failures = failures
        self._retry_after = retry_after
        self._cost = cost
        self._lock = threading.Lock()

    def __call__(self, item: Item, call: Call) -> Outcome:
        """One try."""
        with self._lock:
            self.tries[item.id] = self.tries.get(item.id, 0) + 1
        if self.tries[item.id] <= self._failures:
            raise TransientError("rate limit", retry_after=self._retry_after, cost=self._cost)
        return done()


class Doubling:
    """A batch step whose scores do not depend on the neighbours; it can be told to fail on batches."""

    def __init__(self, batch_size: int = 3, *, bad: str = "") -> None:
        self.batch_size = batch_size
        self.batches: list[list[str]] = []
        self._bad = bad

    def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
        """Twice the number."""
        self.batches.append([item.id for item in items])
        if self._bad and any(item.id == self._bad for item in items):
            raise OSError(f"{self._bad}: unreadable")
        return [done(2.0 * number_of(item)) for item in items]


class Meter:
    """A step that notes which items it was begun on and how many were under way at most.

    Args:
        seconds: that an item takes.
        together: how many must have been under way at once before the first is done.
        cost: of an item.
    """

    def __init__(self, *, seconds: float = 0.005, together: int = 1, cost: float = 0.0) -> None:
        self.begun: list[str] = []
        self.most = 0
        self._inside = 0
        self._seconds = seconds
        self._together = together
        self._cost = cost
        self._lock = threading.Lock()

    def plain(self, item: Item, call: Call) -> Outcome:
        """As a plain function."""
        self._enter(item)
        wait_until(lambda: self.most >= self._together)
        time.sleep(self._seconds)
        return self._leave(call)

    async def later(self, item: Item, call: Call) -> Outcome:
        """As a coroutine."""
        self._enter(item)
        while self.most < self._together:
            await asyncio.sleep(0.001)
        await asyncio.sleep(self._seconds)
        return self._leave(call)

    def _enter(self, item: Item) -> None:
        with self._lock:
            self.begun.append(item.id)
            self._inside += 1
            self.most = max(self.most, self._inside)

    def _leave(self, call: Call) -> Outcome:
        with self._lock:
            self._inside -= 1
        call.cost += self._cost
        return done()
