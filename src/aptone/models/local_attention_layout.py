"""Where sequences lie in a batch: which positions are real, and in which stretches the keys of a region stand.

It is read from the tensors once for all layers, since they ask for it on the host.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import Tensor

from aptone.models.attention_regions import Region


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
        is_packed: whether a row holds several sequences.
    """

    segments: tuple[Segment, ...]
    queries: int
    keys: int
    is_packed: bool

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
    return Layout((), positions, positions, is_packed=False)


def lay_out(
    regions: Tensor, active: Tensor, *, padding: Tensor | None, documents: Tensor | None, queries: int
) -> Layout:
    """The layout of a batch.

    Args:
        regions: (batch, positions), `Region` of each.
        active: (batch, positions), whether a query there is biased.
        padding: (batch, positions), true where a position is real; None where all are.
        documents: (batch, positions), which sequence of a row it belongs to, -1 for none; None where a row is one.
        queries: number of newest positions that attend.

    Raises:
        ValueError: if the real positions of a sequence do not stand together.
    """
    kinds, biased = regions.cpu().numpy(), active.cpu().numpy()
    if documents is not None:
        numbers = documents.cpu().numpy()
    else:
        real = np.ones(kinds.shape, dtype=np.bool_) if padding is None else padding.bool().cpu().numpy()
        numbers = np.where(real, 0, -1)
    segments: list[Segment] = []
    for row in range(kinds.shape[0]):
        for begin, end in _stretches(numbers[row]):
            found = _segment(row, begin, end, kinds[row], biased[row])
            before = segments[-1] if segments else None
            if before is not None and documents is None and _alike(before, found):
                segments[-1] = Segment((before.rows[0], row + 1), begin, end, found.runs, found.active_from)
            else:
                segments.append(found)
    return Layout(tuple(segments), queries, kinds.shape[1], is_packed=documents is not None)


def _segment(row: int, begin: int, end: int, kinds: npt.NDArray[np.int64], biased: npt.NDArray[np.bool_]) -> Segment:
    cuts = [begin, *(begin + 1 + np.flatnonzero(np.diff(kinds[begin:end]))).tolist(), end]
    runs = tuple(Run(a, b, Region(int(kinds[a]))) for a, b in itertools.pairwise(cuts))
    first = np.flatnonzero(biased[begin:end])
    return Segment((row, row + 1), begin, end, runs, begin + int(first[0]) if first.size else end)


def _stretches(numbers: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    cuts = [0, *(1 + np.flatnonzero(np.diff(numbers))).tolist(), numbers.size]
    found = [(a, b) for a, b in itertools.pairwise(cuts) if a < b and numbers[a] >= 0]
    if len({int(numbers[a]) for a, _ in found}) != len(found):
        raise ValueError("the real positions of a sequence stand together, with padding before or behind them only.")
    return found


def _alike(one: Segment, other: Segment) -> bool:
    return (one.begin, one.end, one.runs, one.active_from, one.rows[1]) == (
        other.begin, other.end, other.runs, other.active_from, other.rows[0],
    )  # fmt: skip
