"""Sources of the encoder's training data, their windows as batches, and samplers of rows."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from recipes.planner.network import POSITIONS, Batch

PAD, UNKNOWN, BEGIN, END, OPEN, CLOSE, BREAK, MASK = range(8)
LONGEST_TARGET, LONGEST_AFTER = 64, 44
UNKNOWN_SPEAKER = -2


class Source:
    """The rows of a table as windows on its stream.

    The first piece of a window stands for speakers who are known and not mentioned in it.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], name: str, *, hide: bool = False) -> None:
        self.name = name
        stream = arrays[f"{name}.stream"].astype(np.int64)
        places = arrays[f"{name}.places"]
        self.target = arrays[f"{name}.target"].astype(np.float32)
        self.others = arrays[f"{name}.others"].astype(np.int64)
        self.voice = arrays[f"{name}.voice"]
        self.dev = arrays[f"{name}.dev"]
        self.kind = arrays[f"{name}.kind"]
        self.number = arrays[f"{name}.number"]
        count = len(places)
        self.numbers = np.zeros((count, POSITIONS), dtype=np.uint16)
        self.lengths = np.zeros(count, dtype=np.int64)
        self.opened = np.zeros(count, dtype=np.int64)
        self.closed = np.zeros(count, dtype=np.int64)
        self.decides = np.zeros((count, POSITIONS), dtype=bool)
        known = self.others[:, 3] > 0
        evidence = arrays[f"{name}.evidence"].reshape(count, -1, 2)
        mentions = arrays[f"{name}.mentions"].reshape(count, -1, 2)
        self.speaks = np.zeros((count, POSITIONS), dtype=bool)
        self.speaker_known = mentions[:, 0, 0] != UNKNOWN_SPEAKER
        for row in range(count):
            first, opened, closed, last, cut_start, cut_end = (int(one) for one in places[row])
            at = positions(first, opened, closed, last, (cut_start, cut_end) if hide else (0, 0))
            laid = np.where(at >= 0, stream[at], -at)
            self.numbers[row, : len(at)] = laid
            self.lengths[row] = len(at)
            self.opened[row] = int(np.flatnonzero(at == -OPEN)[0])
            self.closed[row] = int(np.flatnonzero(at == -CLOSE)[0])
            if known[row] and not hide:
                for start, end in evidence[row]:
                    if start >= 0:
                        self.decides[row, : len(at)] |= (at >= start) & (at < end)
            if self.speaker_known[row]:
                for start, end in mentions[row]:
                    if start >= 0:
                        self.speaks[row, : len(at)] |= (at >= start) & (at < end)
                self.speaks[row, 0] = not self.speaks[row].any()
        if hide:
            self.others[:, 3] = 0
            self.voice = np.full(count, -1, dtype=np.int64)

    def answered(self, answers: npt.NDArray[np.float32], share: float) -> "Source":
        """Return the rows with a teacher's answers mixed into the labels of the training rows.

        Args:
            answers: shares of labels: [rows, labels].
            share: weight of the answers; of rows without a label they have all of it.
        """
        found = copy(self)
        known = self.target.sum(axis=1, keepdims=True) > 0
        mixed = np.zeros_like(self.target)
        mixed[:, : answers.shape[1]] = answers
        mixed = np.where(known, share * mixed + (1 - share) * self.target, mixed)
        found.target = np.where(self.dev[:, np.newaxis], self.target, mixed)
        return found

    def by_number(self, number: npt.NDArray[np.int64], shares: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return shares in the order of this source, from those of lines by number; zeros where there are none."""
        place = {int(one): row for row, one in enumerate(number)}
        found = np.zeros((len(self.number), shares.shape[1]), dtype=np.float32)
        for row, one in enumerate(self.number):
            if int(one) in place:
                found[row] = shares[place[int(one)]]
        return found

    def unlabelled(self) -> "Source":
        """Return the rows without their emotions."""
        found = copy(self)
        found.target = np.zeros_like(self.target)
        return found

    def rows(self, *, dev: bool, labelled: bool = True) -> npt.NDArray[np.int64]:
        """Return the rows of a split; labelled ones, unless stated otherwise."""
        kept = self.dev == dev
        if labelled:
            kept &= self.target.sum(axis=1) > 0
        return np.flatnonzero(kept)


def positions(first: int, opened: int, closed: int, last: int, cut: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the places in the stream of a window's pieces; a negative one is a mark."""
    target = _kept(opened, closed, cut)
    if len(target) > LONGEST_TARGET:
        target = np.concatenate([target[: LONGEST_TARGET // 2], target[-LONGEST_TARGET // 2 :]])
    hidden = cut[1] - cut[0]
    after = _kept(closed, min(last, closed + LONGEST_AFTER + hidden), cut)[:LONGEST_AFTER]
    room = POSITIONS - 4 - len(target) - len(after)
    before = _kept(max(first, opened - room - hidden), opened, cut)
    before = before[max(0, len(before) - room) :]
    return np.concatenate([[-BEGIN], before, [-OPEN], target, [-CLOSE], after, [-END]]).astype(np.int64)


def _kept(start: int, end: int, cut: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the places from start to end but for those that are cut out."""
    places = np.arange(start, end)
    return places if cut[0] >= cut[1] else places[(places < cut[0]) | (places >= cut[1])]


def on_device(source: Source, device: str) -> dict[str, Tensor]:
    """Return the rows of a source as tensors on a device, made once."""
    return {
        "numbers": torch.from_numpy(source.numbers.astype(np.int32)).to(device),
        "lengths": torch.from_numpy(source.lengths).to(device),
        "opened": torch.from_numpy(source.opened).to(device),
        "closed": torch.from_numpy(source.closed).to(device),
        "target": torch.from_numpy(source.target).to(device),
        "others": torch.from_numpy(source.others).to(device),
        "voice": torch.from_numpy(source.voice).to(device),
        "decides": torch.from_numpy(source.decides).to(device),
        "speaks": torch.from_numpy(source.speaks).to(device),
    }


def batch_of(rows: Sequence[tuple[Mapping[str, Tensor], Tensor]], device: str) -> Batch:
    """Return rows of several sources as one batch."""
    numbers, lengths, opened, closed = (
        torch.cat([held[name][chosen] for held, chosen in rows]) for name in ("numbers", "lengths", "opened", "closed")
    )
    longest = min(POSITIONS, -(-int(lengths.max()) // 16) * 16)
    at = torch.arange(longest, device=device)[None]
    return Batch(
        numbers[:, :longest].long(),
        (at > opened[:, None]) & (at < closed[:, None]),
        opened,
        at >= lengths[:, None],
    )


def dropped(batch: Batch, share: float) -> Batch:
    """Mask some pieces, so that no single word decides everything."""
    gone = (torch.rand(batch.numbers.shape, device=batch.numbers.device) < share) & (batch.numbers > MASK)
    return Batch(batch.numbers.masked_fill(gone, MASK), batch.in_target, batch.opened, batch.padding)


def masked_rows(stream: Tensor, count: int, pieces: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return random windows of the books: with 15 % of the pieces masked, unmasked, and the mask."""
    starts = torch.randint(0, len(stream) - POSITIONS, (count,), device=stream.device)
    numbers = stream[starts[:, None] + torch.arange(POSITIONS, device=stream.device)].long()
    numbers[:, 0] = BEGIN
    chosen = (torch.rand(numbers.shape, device=stream.device) < 0.15) & (numbers > MASK)
    sample = torch.rand(numbers.shape, device=stream.device)
    changed = numbers.masked_fill(chosen & (sample < 0.8), MASK)
    noise = torch.randint(MASK + 1, pieces, numbers.shape, device=stream.device)
    return torch.where(chosen & (sample > 0.9), noise, changed), numbers, chosen


class RowSampler:
    """Sampler of rows of a source by fixed weights."""

    def __init__(self, source: Source, rows: npt.NDArray[np.int64], power: float) -> None:
        self._rows = rows
        labels = source.target[rows].argmax(axis=1) + 100 * (source.target[rows].sum(axis=1) <= 0)
        _, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        weights = sizes[inverse].astype(float) ** -power
        self._edges = np.cumsum(weights / weights.sum())

    def sample(self, count: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return some rows."""
        at = np.searchsorted(self._edges, generator.random(count))
        return self._rows[np.minimum(at, len(self._rows) - 1)]
