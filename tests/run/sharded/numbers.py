"""Shards of numbers, one a line, with a reader and steps that worker processes can import."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import RecordError
from aptone.run import Call
from aptone.run.sharded.shards import SourceShard, find_shards
from aptone.run.sharded.work import ShardWork
from aptone.run.step import AnyStep
from aptone.types import Item, Outcome
from tests.run.run_steps import CONFIG, done, number_of


def write_shards(folder: Path, counts: Sequence[int]) -> list[SourceShard]:
    """Shards a, b, … of so many numbers each, counted from 0 over all of them."""
    folder.mkdir(parents=True)
    first = 0
    for name, count in zip("abcdefghijklmnop", counts, strict=False):
        lines = "".join(f"{number}\n" for number in range(first, first + count))
        (folder / f"{name}.jsonl").write_text(lines)
        first += count
    return find_shards([folder])


def read_numbers(shard: SourceShard) -> list[Item]:
    """The items i0, i1, … of a shard, as `tests.run.run_steps.items` makes them."""
    try:
        numbers = [int(line) for line in shard.path.read_text().splitlines()]
    except ValueError as error:
        raise RecordError(f"{shard.place}: no numbers.") from error
    return [Item.make(f"i{number}", {"number": number}) for number in numbers]


def work(step: AnyStep) -> ShardWork:
    """The work of a step on shards of numbers."""
    return ShardWork(read_numbers, step, CONFIG)


@dataclass(frozen=True)
class Noted:
    """Scores an item with its number, and notes item and process in a file."""

    file: Path
    seconds: float = 0.0

    def __call__(self, item: Item, call: Call, /) -> Outcome:
        """See `AnyStep`."""
        with self.file.open("a") as file:
            file.write(f"{item.id} {os.getpid()}\n")
        time.sleep(self.seconds)
        return done(float(number_of(item)))


@dataclass(frozen=True)
class Killed:
    """The same, but an item gets its process a signal, the first time it comes."""

    file: Path
    id: str
    number: int = signal.SIGKILL

    def __call__(self, item: Item, call: Call, /) -> Outcome:
        """See `AnyStep`."""
        if item.id == self.id and not self.file.exists():
            self.file.touch()
            os.kill(os.getpid(), self.number)
        return done(float(number_of(item)))
