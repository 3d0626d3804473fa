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

On a GPU the host is hardly faster than the kernels. So attention comes first and merges last: while the kernels of all
pieces run, the host prepares the merges. As many pieces wait for that as memory is allowed for (`MOST_WAITING`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from aptone.models.omni.attention_kernels import kernel_for
from aptone.models.omni.attention_layout import Layout, Piece
from aptone.models.omni.attention_merging import Gates, ways_for

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
MOST_WAITING = 1.46
"""What pieces that wait to be merged may hold, in outputs: 2.5 with the result and all logarithms of sums, which are a
64th of a state in 16 bits with heads 128 wide."""


def is_worth_pieces(query: Tensor, layout: Layout, *, is_biased: bool) -> bool:
    """Whether there is a kernel for these states, and sequences do not fall into crumbs."""
    kind = query.device.type
    if kind == "cuda":
        if is_biased and layout.keys < LONG_ENOUGH:
            return False
        has_kernel = query.dtype in (torch.bfloat16, torch.float16) and query.shape[3] <= 128
    else:
        has_kernel = kind == "cpu"
    is_large = len(layout.segments) <= MOST_SEGMENTS or layout.keys >= WORTH_IT or layout.is_packed
    return has_kernel and is_large and 0 < layout.most_runs <= MOST_RUNS


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
    learns = query.requires_grad or key.requires_grad or value.requires_grad
    if torch.is_grad_enabled() and (learns or (gates is not None and gates.requires_grad)):
        attended: Tensor = _Pieces.apply(query, key, value, gates, active, layout, scaling)  # type: ignore[no-untyped-call]
        return attended
    return _forward(query, key, value, _gates(gates, active), layout, scaling, keeps=False).out


class _Attended(NamedTuple):
    """What comes of the forward pass: the result, its logarithms of sums, and the pieces behind the first ones."""

    out: Tensor
    sums: Tensor
    kept: list[Tensor]


def _forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gates: Gates | None,
    layout: Layout,
    scaling: float,
    *,
    keeps: bool,
) -> _Attended:
    rows, heads, queries, width = query.shape
    kernel, ways = kernel_for(query), ways_for(query)
    out = sums = None
    if not layout.is_whole(rows):
        out = query.new_zeros((rows, queries, heads, width)).transpose(1, 2)  # as what follows wants it
        sums = query.new_zeros((rows, heads, queries), dtype=_wide(query.dtype))
    kept: list[Tensor] = []
    waiting: list[tuple[Piece, Tensor, Tensor]] = []
    held, most = 0, MOST_WAITING * rows * queries

    def merge() -> None:
        assert out is not None
        assert sums is not None
        for piece, own, own_sums in waiting:
            ways.merge(out, sums, own, own_sums, gates, piece)
        waiting.clear()

    for piece, keys, values in zip(layout.pieces, layout.keys_by_piece(key), layout.keys_by_piece(value), strict=True):
        if held + piece.size > most:
            merge()
            held = 0
        own, own_sums = kernel.forward(
            piece.of_queries(query), keys, values, is_causal=piece.is_causal, scaling=scaling
        )
        if out is None or sums is None:
            out, sums = own, own_sums
        elif piece.is_first:
            piece.of_queries(out).copy_(own)
            piece.of_queries(sums).copy_(own_sums)
        else:
            waiting.append((piece, own, own_sums))
            held += piece.size
            if keeps:
                kept += [own, own_sums]
        del own, own_sums  # else they would outlive their merge
    merge()
    assert out is not None
    assert sums is not None
    return _Attended(out, sums, kept)


class _Pieces(torch.autograd.Function):
    """`_forward` with its gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        logs: Tensor | None,
        active: Tensor | None,
        layout: Layout,
        scaling: float,
    ) -> Tensor:
        keeps = logs is not None and logs.requires_grad
        made = _forward(query, key, value, _gates(logs, active), layout, scaling, keeps=keeps)
        ctx.layout, ctx.scaling = layout, scaling
        ctx.save_for_backward(query, key, value, logs, active, made.out, made.sums, *made.kept)
        return made.out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, logs, active, out, sums, *kept = ctx.saved_tensors
        layout: Layout = ctx.layout
        kernel, ways, gates = kernel_for(query), ways_for(query), _gates(logs, active)
        (grad,) = grads
        if grad.stride(3) != 1:
            grad = grad.contiguous()
        found: list[tuple[Tensor, Tensor, Tensor]] = []
        # The long kernels first: while they run, the host prepares what follows.
        for piece, keys, values in zip(
            layout.pieces, layout.keys_by_piece(key), layout.keys_by_piece(value), strict=True
        ):
            found.append(
                kernel.backward(
                    piece.of_queries(grad), piece.of_queries(query), keys, values, piece.of_queries(out),
                    ways.shifted(sums, gates, piece), is_causal=piece.is_causal, scaling=ctx.scaling,
                )
            )  # fmt: skip
        taught = None
        if gates is not None and ctx.needs_input_grad[3]:
            taught = torch.zeros_like(gates.logs)
            later = [piece for piece in layout.pieces if not piece.is_first]
            for piece, own, own_sums in zip(later, kept[0::2], kept[1::2], strict=True):
                ways.teach(taught, grad, own, own_sums, out, sums, gates, piece)
        is_whole = layout.is_whole(query.shape[0])
        of_query = found[0][0] if is_whole else torch.zeros_like(query)
        for piece, (part, _, _) in list(zip(layout.pieces, found, strict=True))[1 if is_whole else 0 :]:
            ways.add(of_query, part, piece)
        of_key = _together(key, layout.pieces, [part for _, part, _ in found])
        of_value = _together(value, layout.pieces, [part for _, _, part in found])
        return of_query, of_key, of_value, taught, None, None, None


def _gates(logs: Tensor | None, active: Tensor | None) -> Gates | None:
    return None if logs is None or active is None else Gates(logs.contiguous(), active)


def _together(states: Tensor, pieces: Sequence[Piece], parts: Sequence[Tensor]) -> Tensor:
    """Gradients of parts of keys or values as one; no key is in two pieces, and those of a sequence are in order."""
    if sum(part.shape[0] * part.shape[2] for part in parts) == states.shape[0] * states.shape[2] and all(
        part.shape[0] == states.shape[0] for part in parts
    ):
        # Positions before heads, as they lie in memory: long stretches are copied at once.
        return torch.cat([part.transpose(1, 2) for part in parts], dim=1).transpose(1, 2)
    whole = torch.zeros_like(states)
    for piece, part in zip(pieces, parts, strict=True):
        piece.of_keys(whole).copy_(part)
    return whole


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32
