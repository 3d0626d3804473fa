"""Biased attention in pieces: plain attention to the keys of one region at a time, and a merge.

For one query, the bias adds the same number to the scores of all keys of a region. So attention to each region is
plain attention, for which there are fast kernels, and the whole is their mean with weights that follow from the sums
which such kernels give besides:

    out = Σ_r w_r · out_r,   w_r = exp(lse_r + g_r - lse),   lse = log Σ_r exp(lse_r + g_r)

with lse_r the logarithm of the sum of exponentials over region r, and g_r the logarithm of its gate. The regions share
the keys among them, so that all pieces together cost what plain attention costs.

The gradient needs no more: with lse - g_r in the place of its own sums, the kernel's gradient for a piece is that of
the whole with respect to the queries, keys and values of the piece. That of a gate is w_r · (dout · (out_r - out));
over all pieces of a query these add up to nothing, so that the first piece, into which the others are merged, is not
kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from aptone.models.local_attention_layout import Layout, Region, Run, Segment

MOST_RUNS = 12
"""Regions that change more often than this make more pieces than they are worth."""
LONG = 1 << 20
"""Pairs of positions in a piece from which on the kernel that is prepared anew for every shape is worth it."""


def can_be_pieced(query: Tensor, layout: Layout) -> bool:
    """Whether there is a kernel for these states, and sequences do not fall into crumbs."""
    has_kernel = query.device.type == "cpu" or (
        query.device.type == "cuda" and query.dtype in (torch.bfloat16, torch.float16) and query.shape[3] <= 128
    )
    return has_kernel and all(len(segment.runs) <= MOST_RUNS for segment in layout.segments)


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
    query: Tensor, key: Tensor, value: Tensor, *, gates: Tensor | None, layout: Layout, scaling: float
) -> Tensor:
    """Causal attention with a bias that depends on the query and on the region of the key.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        gates: (batch, queries, regions), the logarithm of each factor; None for no bias.
        layout: of the sequences.
        scaling: of the scores.

    Returns:
        (batch, heads, queries, width); zeros where a query is padding.
    """
    attended: Tensor = _Pieces.apply(query, key, value, gates, layout, scaling)  # type: ignore[no-untyped-call]
    return attended


class _Pieces(torch.autograd.Function):
    """The forward and the backward of `attend_in_pieces`."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, gates: Tensor | None, layout: Layout, scaling: float
    ) -> Tensor:
        rows, heads, queries, width = query.shape
        kernel, merge = _kernel_for(query), _merge_for(query)
        pieces = [one for segment in layout.segments for one in pieces_of(segment, first_query=layout.offset)]
        out = sums = None
        if len(layout.segments) > 1 or not layout.is_full(rows):
            out = query.new_zeros((rows, queries, heads, width)).transpose(1, 2)  # as what follows wants it
            sums = query.new_zeros((rows, heads, queries), dtype=_wide(query.dtype))
        keeps = gates is not None and gates.requires_grad
        kept: list[Tensor] = []
        for piece in pieces:
            at, seen = _places(piece, layout)
            own, own_sums = kernel.forward(
                query[at], key[seen], value[seen], is_causal=piece.is_causal, scaling=scaling
            )
            gate = _gate(gates, piece, layout)
            if out is None or sums is None:
                out, sums = own, own_sums if gate is None else own_sums + gate[:, None]
            else:
                merge(out[at], sums[at], own, own_sums, gate, is_first=piece.is_first)
            if keeps and not piece.is_first:
                kept += [own, own_sums]
        assert out is not None
        ctx.pieces, ctx.layout, ctx.scaling = pieces, layout, scaling
        ctx.save_for_backward(query, key, value, gates, out, sums, *kept)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, gates, out, sums, *kept = ctx.saved_tensors
        (grad,) = grads
        layout: Layout = ctx.layout
        kernel = _kernel_for(query)
        of_query, of_key, of_value = (torch.zeros_like(states) for states in (query, key, value))
        for piece in ctx.pieces:
            at, seen = _places(piece, layout)
            gate = _gate(gates, piece, layout)
            own_sums = sums[at] if gate is None else sums[at] - gate[:, None]
            found = kernel.backward(
                grad[at], query[at], key[seen], value[seen], out[at], own_sums,
                is_causal=piece.is_causal, scaling=ctx.scaling,
            )  # fmt: skip
            of_query[at] += found[0]
            of_key[seen], of_value[seen] = found[1:]  # no key is in two pieces
        taught = None
        if gates is not None and ctx.needs_input_grad[3]:
            taught = _taught(ctx.pieces, kept, gates, grad, out, sums, layout)
        return of_query, of_key, of_value, taught, None, None


def _taught(
    pieces: Sequence[Piece],
    kept: Sequence[Tensor],
    gates: Tensor,
    grad: Tensor,
    out: Tensor,
    sums: Tensor,
    layout: Layout,
) -> Tensor:
    """The gradient of the gates' logarithms."""
    taught = torch.zeros_like(gates)
    slope = _slopes_for(grad)
    others = zip(kept[0::2], kept[1::2], strict=True)
    first: Piece | None = None
    for piece in pieces:
        if piece.is_first:
            first = piece
            continue
        assert first is not None
        own, own_sums = next(others)
        at, _ = _places(piece, layout)
        found = slope(grad[at], own, out[at], own_sums, _gate(gates, piece, layout), sums[at])
        taught[at[0], at[2], int(piece.region)] += found
        taught[at[0], at[2], int(first.region)] -= found
    return taught


Places = tuple[slice, slice, slice]


def _places(piece: Piece, layout: Layout) -> tuple[Places, Places]:
    """Where a piece has its queries, and where its keys."""
    rows, heads = slice(*piece.rows), slice(None)
    queries = slice(piece.queries[0] - layout.offset, piece.queries[1] - layout.offset)
    return (rows, heads, queries), (rows, heads, slice(*piece.keys))


def _gate(gates: Tensor | None, piece: Piece, layout: Layout) -> Tensor | None:
    """(rows, queries), the logarithm of the gate; None where there is none, or its factor is 1."""
    if gates is None or piece.region is Region.BASE:
        return None
    (rows, _, queries), _ = _places(piece, layout)
    return gates[rows, queries, int(piece.region)]


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


class _Kernel(Protocol):
    """Plain attention that also gives the logarithm of each query's sum of exponentials."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]: ...

    def backward(
        self, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor,
        *, is_causal: bool, scaling: float,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip


class _OnCpu:
    """Torch's own kernel for processors."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]:
        key, value = _for_each_head(query, key, value)
        made = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, is_causal, scale=scaling
        )
        return made[0], made[1]

    def backward(
        self, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor,
        *, is_causal: bool, scaling: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        shared = key.shape[1]
        key, value = _for_each_head(query, key, value)
        found = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
            grad, query, key, value, out, sums, 0.0, is_causal, scale=scaling
        )
        of_keys, of_values = (one.unflatten(1, (shared, -1)).sum(dim=2) for one in found[1:])
        return found[0], of_keys, of_values


def _for_each_head(query: Tensor, *shared: Tensor) -> tuple[Tensor, ...]:
    return tuple(states.repeat_interleave(query.shape[1] // states.shape[1], dim=1) for states in shared)


class _OnCuda:
    """cuDNN's kernel for long pieces, and that of FlashAttention, which needs no preparation, for short ones."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]:
        if _is_long(query, key):
            made = torch.ops.aten._scaled_dot_product_cudnn_attention(
                query, key, value, None, True, 0.0, is_causal, False, scale=scaling
            )
            return made[0], made[1][..., 0]
        if is_causal and query.shape[2] > key.shape[2]:  # this kernel counts causality from the end
            return _joined(
                self.forward(query[:, :, : key.shape[2]], key, value, is_causal=True, scaling=scaling),
                self.forward(query[:, :, key.shape[2] :], key, value, is_causal=False, scaling=scaling),
            )
        made = torch.ops.aten._scaled_dot_product_flash_attention(
            query, key, value, 0.0, is_causal, False, scale=scaling
        )
        return made[0], made[1]

    def backward(
        self, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor,
        *, is_causal: bool, scaling: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        nothing, sums = torch.zeros((), dtype=torch.int64, device=query.device), sums.contiguous()
        queries, keys = query.shape[2], key.shape[2]
        if _is_long(query, key):
            found = torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
                grad, query, key, value, out, sums[..., None], nothing, nothing, None, None, None, queries, keys,
                0.0, is_causal, scale=scaling,
            )  # fmt: skip
        elif is_causal and queries > keys:
            parts = [
                self.backward(
                    grad[:, :, part], query[:, :, part], key, value, out[:, :, part], sums[:, :, part],
                    is_causal=causal, scaling=scaling,
                )
                for part, causal in ((slice(keys), True), (slice(keys, None), False))
            ]  # fmt: skip
            of_query = torch.cat([part[0] for part in parts], dim=2)
            return of_query, parts[0][1] + parts[1][1], parts[0][2] + parts[1][2]
        else:
            seed = torch.zeros(2, dtype=torch.uint64, device=query.device)
            found = torch.ops.aten._scaled_dot_product_flash_attention_backward(
                grad, query, key, value, out, sums, None, None, queries, keys, 0.0, is_causal, seed, seed[0],
                scale=scaling,
            )  # fmt: skip
        return found[0], found[1], found[2]


def _joined(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return torch.cat([one[0], other[0]], dim=2), torch.cat([one[1], other[1]], dim=2)


def _is_long(query: Tensor, key: Tensor) -> bool:
    return query.shape[2] * key.shape[2] >= LONG


def _kernel_for(query: Tensor) -> _Kernel:
    return _OnCuda() if query.device.type == "cuda" else _OnCpu()


def merge(out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gate: Tensor | None, *, is_first: bool) -> None:
    """Take a piece into what has been computed for its queries, in place.

    Args:
        out: (rows, heads, queries, width), what has been computed.
        sums: (rows, heads, queries), its logarithms of sums.
        own: the piece.
        own_sums: its logarithms of sums.
        gate: (rows, queries), what is added to those; None for nothing.
        is_first: whether nothing has been computed yet.
    """
    added = own_sums if gate is None else own_sums + gate[:, None]
    if is_first:
        out.copy_(own)
        sums.copy_(added)
        return
    whole = torch.logaddexp(sums, added)
    out.mul_((sums - whole).exp()[..., None]).add_(own * (added - whole).exp()[..., None])
    sums.copy_(whole)


def slopes(grad: Tensor, own: Tensor, out: Tensor, own_sums: Tensor, gate: Tensor | None, sums: Tensor) -> Tensor:
    """(rows, queries), the gradient of a gate's logarithm by one piece: Σ over heads of w · (dout · (own - out))."""
    weights = ((own_sums if gate is None else own_sums + gate[:, None]) - sums).exp()
    return (weights * (grad * (own - out)).sum(dim=-1)).sum(dim=1)


def _merge_for(query: Tensor) -> Any:
    if query.device.type == "cuda":
        from aptone.models.local_attention_triton import merge as merge_on_cuda

        return merge_on_cuda
    return merge


def _slopes_for(query: Tensor) -> Any:
    if query.device.type == "cuda":
        from aptone.models.local_attention_triton import slopes as slopes_on_cuda

        return slopes_on_cuda
    return slopes
