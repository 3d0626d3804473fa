"""Pairs for tiny dual encoders: tones and the words for them, in chunks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from aptone.models.clap.folder import Clap
from aptone.models.clap.model import padded
from aptone.train.clap.loss import MicroBatch
from aptone.train.distributed import process_rank, world_size
from tests.models.local_claps import RATE

WORDS = ("low", "warm", "mild", "dark", "calm", "soft", "dull", "deep", "high", "thin", "keen", "loud", "wild", "bold")


def tone(number: int, *, seconds: float = 0.25) -> Tensor:
    """Every number has a pitch of its own, 200 to 3,000 Hz."""
    times = torch.arange(round(seconds * RATE)) / RATE
    return 0.3 * torch.sin(2 * torch.pi * 200 * 1.2**number * times)


def text(number: int) -> str:
    return f"a {WORDS[number % len(WORDS)]} voice {number}"


def micro_batch_size(clap: Clap, numbers: Sequence[int]) -> MicroBatch:
    rows = [tone(number, seconds=0.2 + 0.02 * (number % 3)) for number in numbers]
    tokens = clap.tokens([text(number) for number in numbers])
    mask = padded([torch.ones_like(row) for row in tokens])
    audio = {"samples": padded(rows), "lengths": torch.tensor([len(row) for row in rows])}
    return MicroBatch(audio, {"tokens": padded(tokens), "mask": mask})


def micro_batches(clap: Clap, numbers: Sequence[int], size: int) -> list[MicroBatch]:
    return [micro_batch_size(clap, numbers[first : first + size]) for first in range(0, len(numbers), size)]


@dataclass(frozen=True)
class Tones:
    """The same pairs in every batch, in an order that the step draws."""

    clap: Clap
    count: int
    size: int

    @property
    def identity(self) -> str:
        return f"{self.count} tones"

    def micro_batches(self, first: int, last: int) -> Iterator[list[MicroBatch]]:
        for step in range(first, last):
            order = torch.randperm(self.count, generator=torch.Generator().manual_seed(step)).tolist()
            yield micro_batches(self.clap, order[process_rank() :: world_size()], self.size)
