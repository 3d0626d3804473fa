"""Regions of conversations for the attention bias, and the layout of sequences in a batch; without torch.

The layout says which positions are real, which runs of keys share a region, and what the pieces of attention are. It is
read from the tensors once for all layers, since it is needed on the host. `aptone.models.omni.attention_pieces`
computes the pieces.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import Tensor


class Region(IntEnum):
    """Region of a key: the column of its gate."""

    INSTRUCTION = 0
    """Everything before the first audio token."""
    AUDIO = 1
    REST = 2
    """Suppressed keys: all that follow (the release), or the reasoning (the paper)."""
    BASE = 3
    """Keys with a factor of 1."""


@dataclass(frozen=True, slots=True)
class Markers:
    """Token ids that mark regions and active spans.

    Args:
        spans: pairs of an opening and a closing id. The positions behind an opening one are active, up to and including
            the closing one; a span that is never closed runs to the end. Spans of different pairs may overlap.
        reasoning: pair around the reasoning, which belongs to it, where only the reasoning is suppressed (the paper).
            ``None``: everything that is neither instruction nor audio is suppressed (the release).
    """

    audio: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    reasoning: tuple[int, int] | None = None

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs: the active spans, and the reasoning."""
        return self.spans if self.reasoning is None else (*self.spans, self.reasoning)


def release_markers(*, audio: int, score: tuple[int, int], focus: tuple[int, int]) -> Markers:
    """Return the form of the public release: audio tokens alone are the audio; score and focus are active."""
    return Markers(audio=(audio,), spans=(score, focus))


def paper_markers(
    *, audio: int, audio_ends: tuple[int, int], reasoning: tuple[int, int], focus: tuple[int, int]
) -> Markers:
    """Return the form of the paper: the tokens around the audio belong to it; reasoning and focus are active.

    Args:
        audio: id of the token that stands for a frame of sound.
        audio_ends, reasoning, focus: ids of the tokens around the sound, the reasoning, and what was heard.
    """
    return Markers(audio=(audio_ends[0], audio, audio_ends[1]), spans=(reasoning, focus), reasoning=reasoning)


@dataclass(frozen=True, slots=True)
class Run:
    """Run of keys of one region."""

    begin: int
    end: int
    region: Region


@dataclass(frozen=True, slots=True)
class Segment:
    """One sequence, in one row or in several neighbouring rows with the same layout.

    Args:
        rows: first row, and the one behind the last.
        begin, end: span of its positions.
        active_from: first active position; `end` where it has none.
    """

    rows: tuple[int, int]
    begin: int
    end: int
    runs: tuple[Run, ...]
    active_from: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Queries of a sequence that attend to keys of one region.

    Args:
        rows: first row, and the one behind the last.
        queries: first query, and the one behind the last, counted from the first query of the batch. They run to the
            end of their sequence.
        keys: first position, and the one behind the last.
        is_causal: true if queries and keys begin at the same position, and a query attends to no key behind it.
        first: region of the first piece of the sequence, which has all its queries.
        is_first: true for that piece.
    """

    rows: tuple[int, int]
    queries: tuple[int, int]
    keys: tuple[int, int]
    is_causal: bool
    region: Region
    first: Region
    is_first: bool

    @property
    def size(self) -> int:
        """Number of queries in all rows."""
        return (self.rows[1] - self.rows[0]) * (self.queries[1] - self.queries[0])

    def of_queries(self, states: "Tensor", dimension: int = 2) -> "Tensor":
        """Return its part of states that have a place for each query of the batch."""
        return _cut(states, self.rows, self.queries, dimension)

    def of_keys(self, states: "Tensor") -> "Tensor":
        """Return its part of states, (batch, heads, keys, width)."""
        return _cut(states, self.rows, self.keys, 2)


def _cut(states: "Tensor", rows: tuple[int, int], places: tuple[int, int], dimension: int) -> "Tensor":
    """Return part of states; whole ones unchanged, since every view takes the host's time."""
    if rows != (0, states.shape[0]):
        states = states[rows[0] : rows[1]]
    if places != (0, states.shape[dimension]):
        states = states.narrow(dimension, places[0], places[1] - places[0])
    return states


@dataclass(frozen=True)
class Layout:
    """Layout of a batch; derived properties are cached, since all layers need the same.

    Args:
        segments: sequences that do not overlap; all other positions are padding. Empty where not determined.
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

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Pieces of all sequences, one sequence after the other."""
        return tuple(piece for segment in self.segments for piece in _pieces(segment, self.offset))

    @cached_property
    def most_runs(self) -> int:
        """Largest number of runs of a sequence."""
        return max((len(segment.runs) for segment in self.segments), default=0)

    def is_whole(self, rows: int) -> bool:
        """Return true if the rows hold one sequence each, all with the same layout and no padding among the queries."""
        return len(self.segments) == 1 and self._attending == rows * self.queries

    def keys_by_piece(self, states: "Tensor") -> "Iterable[Tensor]":
        """Return the part of states, (batch, heads, keys, width), of each piece; in one step if all keys are used."""
        if len(self.segments) == 1 and self._seen == states.shape[0] * self.keys:
            return states.split_with_sizes(self._sizes, 2)
        return (piece.of_keys(states) for piece in self.pieces)

    @cached_property
    def _attending(self) -> int:
        return sum(piece.size for piece in self.pieces if piece.is_first)

    @cached_property
    def _seen(self) -> int:
        return sum((piece.rows[1] - piece.rows[0]) * (piece.keys[1] - piece.keys[0]) for piece in self.pieces)

    @cached_property
    def _sizes(self) -> list[int]:
        return [piece.keys[1] - piece.keys[0] for piece in self.pieces]


def _pieces(segment: Segment, offset: int) -> list[Piece]:
    """Return the pieces of one sequence; the first of them has all its queries."""
    first, end = max(segment.begin, offset), segment.end
    if first >= end:
        return []
    is_biased = segment.active_from < end
    runs = segment.runs if is_biased else (Run(segment.begin, end, Region.BASE),)
    parts: list[tuple[int, int, bool, Region]] = []
    for run in runs:
        if run.begin < first:
            parts.append((run.begin, min(run.end, first), False, run.region))
        if run.end > first:
            parts.append((max(run.begin, first), run.end, True, run.region))
    return [
        Piece(
            rows=segment.rows,
            queries=((begin if is_causal else first) - offset, end - offset),
            keys=(begin, behind),
            is_causal=is_causal,
            region=region,
            first=runs[0].region,
            is_first=number == 0,
        )
        for number, (begin, behind, is_causal, region) in enumerate(parts)
    ]


def not_laid_out(positions: int) -> Layout:
    """Return the layout of rows that hold one sequence each from their beginning on, without reading any tensor.

    Padding on the right needs no mask, since attention is causal. Many short rows need no more than this, and the host
    need not wait for the device.
    """
    return Layout((), positions, positions)


def lay_out(regions: "Tensor", active: "Tensor", *, padding: "Tensor | None", queries: int) -> Layout:
    """Return the layout of a batch.

    Args:
        regions: (batch, positions), `Region` of each.
        active: (batch, positions), true if a query there is biased.
        padding: (batch, positions), true where a position is real; None where all are.
        queries: number of newest positions that attend.

    Raises:
        ValueError: if the real positions of a sequence do not stand together.
    """
    kinds, biased = regions.cpu().numpy(), active.cpu().numpy()
    real = np.ones(kinds.shape, dtype=np.bool_) if padding is None else padding.bool().cpu().numpy()
    segments: list[Segment] = []
    for row in np.flatnonzero(real.any(axis=1)).tolist():
        begin, end = _stretch(real[row])
        found = _segment(row, begin, end, kinds[row], biased[row])
        if segments and replace(found, rows=segments[-1].rows) == segments[-1] and segments[-1].rows[1] == row:
            segments[-1] = replace(found, rows=(segments[-1].rows[0], row + 1))
        else:
            segments.append(found)
    return Layout(tuple(segments), queries, kinds.shape[1])


def _segment(row: int, begin: int, end: int, kinds: npt.NDArray[np.int64], biased: npt.NDArray[np.bool_]) -> Segment:
    cuts = [begin, *(begin + 1 + np.flatnonzero(np.diff(kinds[begin:end]))).tolist(), end]
    runs = tuple(Run(a, b, Region(int(kinds[a]))) for a, b in itertools.pairwise(cuts))
    first = np.flatnonzero(biased[begin:end])
    return Segment((row, row + 1), begin, end, runs, begin + int(first[0]) if first.size else end)


def _stretch(real: npt.NDArray[np.bool_]) -> tuple[int, int]:
    places = np.flatnonzero(real)
    begin, end = int(places[0]), int(places[-1]) + 1
    if end - begin != places.size:
        raise ValueError("the real positions of a sequence stand together, with padding before or behind them only.")
    return begin, end
