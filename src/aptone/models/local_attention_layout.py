"""Where sequences lie in a batch: which positions are real, and in which stretches the keys of a region stand.

It is read from the tensors once for all layers, since they ask for it on the host.
"""

import itertools
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from torch import Tensor


class Region(IntEnum):
    """What a key belongs to: the column of its gate."""

    INSTRUCTION = 0
    """Everything before the first audio token."""
    AUDIO = 1
    REST = 2
    """What is suppressed: all that follows (the release), or the reasoning (the paper)."""
    BASE = 3
    """What keeps its factor of 1."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of keys of one region."""

    begin: int
    end: int
    region: Region


@dataclass(frozen=True, slots=True)
class Segment:
    """One sequence, in one row or in several neighbouring rows that are laid out alike.

    Args:
        rows: the first row, and the one behind the last.
        begin, end: of its positions.
        runs: its keys by region.
        active_from: its first active position; `end` where it has none.
    """

    rows: tuple[int, int]
    begin: int
    end: int
    runs: tuple[Run, ...]
    active_from: int


@dataclass(frozen=True, slots=True)
class Layout:
    """All sequences of a batch.

    Args:
        segments: that do not overlap; what lies in none of them is padding. None at all where nobody has looked.
        queries: number of newest positions that attend.
        keys: number of positions.
    """

    segments: tuple[Segment, ...]
    queries: int
    keys: int

    @property
    def offset(self) -> int:
        """Position of the first query."""
        return self.keys - self.queries

    def is_full(self, rows: int) -> bool:
        """Whether there is no padding among the queries of so many rows."""
        first = self.offset
        covered = sum((one.rows[1] - one.rows[0]) * max(0, one.end - max(one.begin, first)) for one in self.segments)
        return covered == rows * self.queries


def not_laid_out(positions: int) -> Layout:
    """The layout of rows that hold one sequence each from their beginning on, without a look at any of them.

    Padding behind a sequence needs no mask, since no position of the sequence looks behind itself. Many short rows need
    no more than this, and the host need not wait for the device.
    """
    return Layout((), positions, positions)


def lay_out(regions: Tensor, active: Tensor, *, padding: Tensor | None, queries: int) -> Layout:
    """The layout of a batch.

    Args:
        regions: (batch, positions), `Region` of each.
        active: (batch, positions), whether a query there is biased.
        padding: (batch, positions), true where a position is real; None where all are.
        queries: number of newest positions that attend.

    Raises:
        ValueError: if the real positions of a row do not stand together.
    """
    kinds, biased = regions.cpu().numpy(), active.cpu().numpy()
    real = np.ones(kinds.shape, dtype=np.bool_) if padding is None else padding.bool().cpu().numpy()
    segments: list[Segment] = []
    for row in range(kinds.shape[0]):
        if (stretch := _stretch(real[row])) is None:
            continue
        found = _segment(row, *stretch, kinds[row], biased[row])
        before = segments[-1] if segments else None
        if before is not None and _alike(before, found):
            segments[-1] = replace(found, rows=(before.rows[0], row + 1))
        else:
            segments.append(found)
    return Layout(tuple(segments), queries, kinds.shape[1])


def _segment(row: int, begin: int, end: int, kinds: npt.NDArray[np.int64], biased: npt.NDArray[np.bool_]) -> Segment:
    cuts = [begin, *(begin + 1 + np.flatnonzero(np.diff(kinds[begin:end]))).tolist(), end]
    runs = tuple(Run(a, b, Region(int(kinds[a]))) for a, b in itertools.pairwise(cuts))
    first = np.flatnonzero(biased[begin:end])
    return Segment((row, row + 1), begin, end, runs, begin + int(first[0]) if first.size else end)


def _stretch(real: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """Where the sequence of a row lies; None where all of it is padding."""
    places = np.flatnonzero(real)
    if not places.size:
        return None
    begin, end = int(places[0]), int(places[-1]) + 1
    if end - begin != places.size:
        raise ValueError("the real positions of a sequence stand together, with padding before or behind them only.")
    return begin, end


def _alike(one: Segment, other: Segment) -> bool:
    return (one.begin, one.end, one.runs, one.active_from, one.rows[1]) == (
        other.begin, other.end, other.runs, other.active_from, other.rows[0],
    )  # fmt: skip
