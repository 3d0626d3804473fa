"""Limits on the cost, items and time of a run, and how far it is: a bar on a terminal, plain lines in a log."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from aptone.messages import Message, message
from aptone.types import Entry, State

_ROUNDING = 1e-9  # ten items at 0.1 each fit into 1.0, although the floats do not add up to it
_MANY = 1e15  # no division by a tiny mean may give what no whole number holds


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits after which no new work is begun. What is under way is finished and journalled.

    Args:
        max_cost: highest cost of the whole run, earlier sessions included: money that is spent stays spent.
        max_items, max_seconds: most items, and longest time, of this session.

    Raises:
        ValueError: if a limit is negative or NaN.
    """

    max_cost: float = math.inf
    max_items: int | None = None
    max_seconds: float = math.inf

    def __post_init__(self) -> None:
        if not self.max_cost >= 0 or not self.max_seconds >= 0 or (self.max_items is not None and self.max_items < 0):
            raise ValueError("the limits of a budget are not negative.")


LIMITS = ("max-cost", "max-items", "max-seconds")
"""Names of the limits of a budget, as options have them."""


def reached_limit(stopped: str) -> str:
    """Return the name of the limit that ended a run early; empty where something else did, or nothing.

    >>> reached_limit(message("run.max-items-reached", limit=2))
    'max-items'
    """
    known = {f"run.{name}-reached": name for name in LIMITS}
    return known.get(stopped.id, "") if isinstance(stopped, Message) else ""


def countable(cost: float) -> float:
    """A cost as far as it can be added up: one that is undefined, infinite or negative does not count."""
    return cost if 0.0 <= cost < math.inf else 0.0


@dataclass(slots=True)
class Spending:
    """Consumption of a session so far.

    Args:
        paid_before, paid: items of earlier sessions, and finished in this one, that cost anything.
        begun, finished: items of this session.
    """

    budget: Budget
    cost_before: float = 0.0
    paid_before: int = 0
    cost: float = 0.0
    paid: int = 0
    begun: int = 0
    finished: int = 0

    def allowed(self, wanted: int, *, seconds: float) -> tuple[int, str]:
        """Return how many of the wanted items may begin now, and the limit that stops the rest.

        With a limit on cost, an item under way is expected to cost as much as those did on average that cost anything
        (replies from the cache do not); until one has, items are begun one by one. So the limit is overrun by no more
        than the spread of the costs.
        """
        budget = self.budget
        if seconds >= budget.max_seconds:
            return 0, message("run.max-seconds-reached", limit=budget.max_seconds)
        limits = [(wanted, "")]
        if budget.max_items is not None:
            limits.append((budget.max_items - self.begun, message("run.max-items-reached", limit=budget.max_items)))
        if not math.isinf(budget.max_cost):
            limits.append((self._affordable(), message("run.max-cost-reached", limit=budget.max_cost)))
        return min(limits, key=lambda limit: limit[0])

    def _affordable(self) -> int:
        left = self.budget.max_cost - self.cost_before - self.cost
        if left <= 0:
            return 0
        under_way = self.begun - self.finished
        paid = self.paid_before + self.paid
        if not paid:
            return 0 if under_way else 1
        mean = (self.cost_before + self.cost) / paid
        affordable = min(left / mean, _MANY) if mean > 0 else _MANY
        return max(0, math.floor(affordable + _ROUNDING) - under_way)


@dataclass(slots=True)
class Tally:
    """Progress counts of a session.

    Args:
        total: items of the run; ``None`` when the input does not know its length.
        before: items that earlier sessions had done.
    """

    total: int | None
    before: int
    now: int = 0
    unscored: int = 0
    failed: int = 0
    cost: float = 0.0

    def count(self, entries: Sequence[Entry], cost: float) -> None:
        """Add finished entries and what they cost in this session."""
        self.now += len(entries)
        self.unscored += sum(entry.outcome.state is State.UNSCORED for entry in entries)
        self.failed += sum(entry.outcome.state is State.FAILED for entry in entries)
        self.cost += cost

    def remarks(self) -> str:
        """Failures and cost, as far as there are any."""
        parts = [
            f"{self.failed} failed" if self.failed else "",
            f"{self.unscored} unscored" if self.unscored else "",
            f"cost {self.cost:.4g}" if self.cost else "",
        ]
        return ", ".join(part for part in parts if part)


class Display(Protocol):
    """Shows a tally while a run goes on."""

    def start(self, tally: Tally) -> None:
        """The run begins."""

    def update(self, tally: Tally) -> None:
        """Some items have finished."""

    def stop(self, tally: Tally) -> None:
        """The run has ended."""


@contextlib.contextmanager
def progress(display: Display, *, total: int, before: int = 0) -> Iterator[Callable[[], None]]:
    """Show progress while the context lasts, however it ends; what it yields is called after each piece of work."""
    tally = Tally(total=total, before=before)

    def advance() -> None:
        tally.now += 1
        display.update(tally)

    display.start(tally)
    try:
        yield advance
    finally:
        display.stop(tally)


class Bar:
    """A progress bar with rate, remaining time, failures and cost, for terminals."""

    def __init__(self, stream: TextIO, *, label: str) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),  # a label may hold brackets: it is often a path
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[remarks]}"),
            console=Console(file=stream),
        )
        self._label = label
        self._task = TaskID(0)

    def start(self, tally: Tally) -> None:
        """Draw the bar."""
        self._begun = time.monotonic()
        self._task = self._progress.add_task(
            self._label, total=tally.total, completed=tally.before, rate="", remarks=tally.remarks()
        )
        self._progress.start()

    def update(self, tally: Tally) -> None:
        """Redraw the bar."""
        elapsed = time.monotonic() - self._begun
        rate = f"{tally.now / elapsed:.1f}/s" if elapsed > 0 else ""
        self._progress.update(self._task, completed=tally.before + tally.now, rate=rate, remarks=tally.remarks())

    def stop(self, tally: Tally) -> None:
        """Leave the bar as it is."""
        self.update(tally)
        self._progress.stop()


class Lines:
    """A plain line every few seconds (`every`), for logs and pipes."""

    def __init__(
        self, stream: TextIO, *, label: str, every: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._label = label
        self._every = every
        self._clock = clock

    def start(self, tally: Tally) -> None:
        """Say what lies ahead."""
        self._begun = self._spoken = self._clock()
        ahead = "" if tally.total is None else f", {tally.total - tally.before} to do"
        self._say(f"{tally.before} done before{ahead}")

    def update(self, tally: Tally) -> None:
        """Speak, unless it is too soon."""
        if self._clock() - self._spoken >= self._every:
            self._spoken = self._clock()
            self._say(self._position(tally))

    def stop(self, tally: Tally) -> None:
        """Say where it ended."""
        self._say(f"ended at {self._position(tally)}")

    def _position(self, tally: Tally) -> str:
        elapsed = self._clock() - self._begun
        rate = tally.now / elapsed if elapsed > 0 else 0.0
        done = tally.before + tally.now
        parts = [f"{done}" if tally.total is None else f"{done}/{tally.total}"]
        parts += [f"{rate:.1f}/s"] if rate > 0 else []
        if tally.total is not None and rate > 0 and done < tally.total:
            parts.append(f"{(tally.total - done) / rate:.0f} s left")
        return ", ".join([*parts, *filter(None, [tally.remarks()])])

    def _say(self, words: str) -> None:
        self._stream.write(f"{self._label}: {words}\n")
        self._stream.flush()


class Silent:
    """Shows nothing."""

    def start(self, tally: Tally) -> None:
        """Show nothing."""

    def update(self, tally: Tally) -> None:
        """Show nothing."""

    def stop(self, tally: Tally) -> None:
        """Show nothing."""


def display_for(stream: TextIO | None = None, *, label: str) -> Display:
    """A bar if the stream (by default standard error) is a terminal, else plain lines."""
    stream = stream or sys.stderr
    return Bar(stream, label=label) if stream.isatty() else Lines(stream, label=label)
