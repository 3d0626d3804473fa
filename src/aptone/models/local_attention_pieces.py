"""Biased attention in pieces: plain attention to the keys of one region at a time, and a merge.

For one query, the bias adds the same number to the scores of all keys of a region. So attention to each region is
plain attention, for which there are fast kernels, and the whole is their mean with weights that follow from the sums
which such kernels give besides:

    out = Σ_r w_r · out_r,   w_r = exp(lse_r + g_r - lse),   lse = log Σ_r exp(lse_r + g_r)

with lse_r the logarithm of the sum of exponentials over region r, and g_r the logarithm of its gate. The regions share
the keys among them, so that all pieces together cost what plain attention costs. What all scores of a query have in
common does not matter, so gates are taken relative to that of the first piece, into which the others are merged.

The gradient needs no more: with lse - g_r in the place of its own sums, the kernel's gradient for a piece is that of
the whole with respect to the queries, keys and values of the piece. That of a gate is w_r · (dout · (out_r - out));
over all pieces of a query these add up to nothing, so that the first piece need not be kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from aptone.models.attention_regions import Region
from aptone.models.local_attention_kernels import kernel_for
from aptone.models.local_attention_layout import Layout, Run, Segment
from aptone.models.local_attention_merging import Gate, ways_for

MOST_RUNS = 12
"""Regions that change more often than this make more pieces than they are worth."""
MOST_SEGMENTS = 4
"""Sequences that differ in their layout, each of which has pieces of its own, from which on short ones are not worth
it."""
WORTH_IT = 2048
"""Positions from which on pieces are worth it, however many sequences there are."""
LONG_ENOUGH = 3072
"""Positions from which on the pieces of a bias are worth it on a GPU: of shorter sequences no piece is worth the
preparation of the fastest kernel, and the host takes longer than the GPU."""


def is_worth_pieces(query: Tensor, layout: Layout, *, is_biased: bool) -> bool:
    """Whether there is a kernel for these states, and sequences do not fall into crumbs."""
    if is_biased and query.device.type == "cuda" and layout.keys < LONG_ENOUGH:
        return False
    has_kernel = query.device.type == "cpu" or (
        query.device.type == "cuda" and query.dtype in (torch.bfloat16, torch.float16) and query.shape[3] <= 128
    )
    is_coarse = all(len(segment.runs) <= MOST_RUNS for segment in layout.segments)
    is_large = len(layout.segments) <= MOST_SEGMENTS or layout.keys >= WORTH_IT or layout.is_packed
    return has_kernel and is_coarse and is_large and bool(layout.segments)


@dataclass(frozen=True, slots=True)
class Piece:
    """Queries that attend to keys of one region.

    Args:
        rows: the first row, and the one behind the last.
        queries, keys: first position, and the one behind the last. The queries run to the end of their sequence.
        is_causal: whether queries and keys begin at the same position, and a query looks at no key behind it.
        region: of the keys.
        is_first: whether nothing has been computed for these queries before; else all of them were in the first piece.
    """

    rows: tuple[int, int]
    queries: tuple[int, int]
    keys: tuple[int, int]
    is_causal: bool
    region: Region
    is_first: bool


def pieces_of(segment: Segment, *, first_query: int) -> list[Piece]:
    """The pieces of one sequence; the first of them has all its queries."""
    first, end = max(segment.begin, first_query), segment.end
    if first >= end:
        return []
    is_biased = segment.active_from < end
    found: list[Piece] = []
    for run in segment.runs if is_biased else (Run(segment.begin, end, Region.BASE),):
        if run.begin < first:
            keys = (run.begin, min(run.end, first))
            found.append(Piece(segment.rows, (first, end), keys, False, run.region, not found))
        begin = max(run.begin, first)
        if begin < run.end:
            found.append(Piece(segment.rows, (begin, end), (begin, run.end), True, run.region, not found))
    return found


def attend_in_pieces(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    gates: Tensor | None,
    active: Tensor | None,
    layout: Layout,
    scaling: float,
) -> Tensor:
    """Causal attention with a bias that depends on the query and on the region of the key.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        gates: (batch, queries, 3), the logarithm of each region's factor; None for no bias.
        active: (batch, queries), whether a query is biased.
        layout: of the sequences.
        scaling: of the scores.

    Returns:
        (batch, heads, queries, width); zeros where a query is padding.
    """
    if torch.is_grad_enabled() and any(one is not None and one.requires_grad for one in (query, key, value, gates)):
        attended: Tensor = _Pieces.apply(query, key, value, gates, active, layout, scaling)  # type: ignore[no-untyped-call]
        return attended
    return _forward(query, key, value, gates, active, layout, scaling, keeps=False).out


class _Attended(NamedTuple):
    """What comes of the forward pass: the result, its logarithms of sums, and the pieces behind the first ones."""

    out: Tensor
    sums: Tensor
    pieces: list[Piece]
    kept: list[Tensor]


def _forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gates: Tensor | None,
    active: Tensor | None,
    layout: Layout,
    scaling: float,
    *,
    keeps: bool,
) -> _Attended:
    rows, heads, queries, width = query.shape
    kernel, ways = kernel_for(query), ways_for(query)
    pieces = [one for segment in layout.segments for one in pieces_of(segment, first_query=layout.offset)]
    out = sums = None
    if len(layout.segments) > 1 or not layout.is_full(rows):
        out = query.new_zeros((rows, queries, heads, width)).transpose(1, 2)  # as what follows wants it
        sums = query.new_zeros((rows, heads, queries), dtype=_wide(query.dtype))
    kept: list[Tensor] = []
    first = Region.BASE
    for piece in pieces:
        at, seen = _places(piece, layout)
        own, own_sums = kernel.forward(
            _cut(query, at), _cut(key, seen), _cut(value, seen), is_causal=piece.is_causal, scaling=scaling
        )
        if piece.is_first:
            first = piece.region
        if out is None or sums is None:
            out, sums = own, own_sums
        elif piece.is_first:
            _cut(out, at).copy_(own)
            _cut(sums, at).copy_(own_sums)
        else:
            gate = _gate(gates, active, at, piece.region, first)
            ways.merge(_cut(out, at), _cut(sums, at), own, own_sums, gate)
            if keeps:
                kept += [own, own_sums]
        del own, own_sums  # before the next one is made
    assert out is not None
    assert sums is not None
    return _Attended(out, sums, pieces, kept)


class _Backward(NamedTuple):
    """A piece on its way back: where its queries and keys are, what belongs to the queries, and the gradients."""

    at: "Place"
    seen: "Place"
    gate: Gate | None
    grad: Tensor
    out: Tensor
    sums: Tensor
    of_query: Tensor
    of_key: Tensor
    of_value: Tensor


class _Pieces(torch.autograd.Function):
    """`_forward` with its gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        gates: Tensor | None,
        active: Tensor | None,
        layout: Layout,
        scaling: float,
    ) -> Tensor:
        keeps = gates is not None and gates.requires_grad
        made = _forward(query, key, value, gates, active, layout, scaling, keeps=keeps)
        ctx.pieces, ctx.layout, ctx.scaling = made.pieces, layout, scaling
        ctx.save_for_backward(query, key, value, gates, active, made.out, made.sums, *made.kept)
        return made.out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, gates, active, out, sums, *kept = ctx.saved_tensors
        (grad,) = grads
        layout: Layout = ctx.layout
        kernel, ways = kernel_for(query), ways_for(query)
        first = Region.BASE
        parts: list[_Backward] = []
        for piece in ctx.pieces:  # the long kernels first: while they run, the host prepares what follows
            at, seen = _places(piece, layout)
            given, made, all_sums = _cut(grad, at), _cut(out, at), _cut(sums, at)
            first = piece.region if piece.is_first else first
            gate = None if piece.is_first else _gate(gates, active, at, piece.region, first)
            found = kernel.backward(
                given, _cut(query, at), _cut(key, seen), _cut(value, seen), made, ways.shifted(all_sums, gate),
                is_causal=piece.is_causal, scaling=ctx.scaling,
            )  # fmt: skip
            parts.append(_Backward(at, seen, gate, given, made, all_sums, *found))
        taught = None
        if gates is not None and ctx.needs_input_grad[3]:
            taught = torch.zeros_like(gates)
            later = [part for piece, part in zip(ctx.pieces, parts, strict=True) if not piece.is_first]
            for part, own, own_sums in zip(later, kept[0::2], kept[1::2], strict=True):
                assert part.gate is not None
                here = _cut(taught, part.at, positions=1)
                ways.teach(here, part.grad, own, own_sums, part.out, part.sums, part.gate)
        is_whole = len(layout.segments) == 1 and layout.is_full(query.shape[0])
        of_query = parts[0].of_query if is_whole else torch.zeros_like(query)
        for part in parts[1:] if is_whole else parts:
            ways.add(_cut(of_query, part.at), part.of_query)
        of_key = _together(key, [(part.seen, part.of_key) for part in parts])
        of_value = _together(value, [(part.seen, part.of_value) for part in parts])
        return of_query, of_key, of_value, taught, None, None, None


Place = tuple[tuple[int, int], tuple[int, int]]
"""First row and the one behind the last; likewise of positions."""


def _places(piece: Piece, layout: Layout) -> tuple[Place, Place]:
    """Where a piece has its queries, and where its keys."""
    queries = (piece.queries[0] - layout.offset, piece.queries[1] - layout.offset)
    return (piece.rows, queries), (piece.rows, piece.keys)


def _cut(states: Tensor, at: Place, *, positions: int = 2) -> Tensor:
    """Part of states; those of which nothing is cut off as they are, since every view takes the host's time."""
    rows, places = at
    if rows != (0, states.shape[0]):
        states = states[rows[0] : rows[1]]
    if places != (0, states.shape[positions]):
        states = states.narrow(positions, places[0], places[1] - places[0])
    return states


def _gate(gates: Tensor | None, active: Tensor | None, at: Place, region: Region, first: Region) -> Gate | None:
    if gates is None or active is None:
        return None
    return Gate(_cut(gates, at, positions=1), _cut(active, at, positions=1), region, first)


def _together(states: Tensor, parts: Sequence[tuple[Place, Tensor]]) -> Tensor:
    """Gradients of parts of keys or values as one; no key is in two pieces, and those of a sequence are in order."""
    if sum(part.shape[0] * part.shape[2] for _, part in parts) == states.shape[0] * states.shape[2] and all(
        part.shape[0] == states.shape[0] for _, part in parts
    ):
        # Positions before heads, as they lie in memory: long stretches are copied at once.
        return torch.cat([part.transpose(1, 2) for _, part in parts], dim=1).transpose(1, 2)
    whole = torch.zeros_like(states)
    for seen, part in parts:
        _cut(whole, seen).copy_(part)
    return whole


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32
