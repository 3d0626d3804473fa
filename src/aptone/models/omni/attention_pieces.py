"""Biased attention in pieces: plain attention to the keys of one region at a time, and a merge.

For one query, the bias adds the same number to the scores of all keys of a region. So attention to each region is
plain attention, for which there are fast kernels, and the whole is their mean with weights that follow from the sums
which such kernels give besides:

    out = Σ_r w_r · out_r,   w_r = exp(lse_r + g_r - lse),   lse = log Σ_r exp(lse_r + g_r)

with lse_r the log-sum-exp over region r, and g_r the logarithm of its gate. Each key is in one region, so that all
pieces together cost what plain attention costs. A constant on all scores of a query does not matter, so gates are taken
relative to that of the first piece, into which the others are merged.

The gradient needs no more: with lse - g_r in the place of its own sums, the kernel's gradient for a piece is that of
the whole with respect to the queries, keys and values of the piece. That of a gate is w_r · (dout · (out_r - out));
over all pieces of a query these sum to 0, so that the first piece need not be kept.

On a GPU the host is hardly faster than the kernels. So attention comes first and merges last: while the kernels of all
pieces run, the host prepares the merges. As many pieces wait for that as memory is allowed for (`MOST_WAITING`).
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from aptone.models.omni.attention_kernels import kernel_for
from aptone.models.omni.attention_layout import Layout, Piece, Region

if TYPE_CHECKING:
    from aptone.models.omni.attention_triton import OnCuda


class Gates(NamedTuple):
    """Logarithms of all gates, (batch, queries, 3), and the queries that are biased, (batch, queries)."""

    logs: Tensor
    active: Tensor

    def of(self, piece: Piece) -> Tensor:
        """Return (rows, queries), the log factor of a piece relative to that of the first piece."""
        logs = piece.of_queries(self.logs, 1)
        columns = [
            torch.zeros_like(logs[..., 0]) if region is Region.BASE else logs[..., int(region)]
            for region in (piece.region, piece.first)
        ]
        return torch.where(piece.of_queries(self.active, 1), columns[0] - columns[1], 0.0)


class PlainOperations:
    """Operations on pieces besides attention, as they are defined."""

    def merge(
        self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gates: Gates | None, piece: Piece
    ) -> None:
        """Merge a piece into the result so far, in place.

        Args:
            out: (batch, heads, queries, width), result so far.
            sums: (batch, heads, queries), its log-sum-exps.
            own: (rows, heads, queries, width), output of the piece.
            gates: gates; None for a factor of 1.
        """
        out, sums = piece.of_queries(out), piece.of_queries(sums)
        added = own_sums if gates is None else own_sums + gates.of(piece)[:, None]
        whole = torch.logaddexp(sums, added)
        out.mul_((sums - whole).exp()[..., None]).add_(own * (added - whole).exp()[..., None])
        sums.copy_(whole)

    def add_gate_gradient(
        self, gate_grad: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor,
        gates: Gates, piece: Piece,
    ) -> None:  # fmt: skip
        """Add the gradient of a piece's gate to that of its region, and subtract it from that of the first piece's.

        It is Σ over heads of w · (dout · (own - out)), where a query is active.

        Args:
            gate_grad: (batch, queries, 3), gradients of the logarithms of the gates.
            grad: (batch, heads, queries, width), gradient of the result; a head is contiguous.
        """
        gate_grad, active = piece.of_queries(gate_grad, 1), piece.of_queries(gates.active, 1)
        grad, out, sums = (piece.of_queries(one) for one in (grad, out, sums))
        weights = (own_sums + gates.of(piece)[:, None] - sums).exp()
        slopes = (weights * (grad * (own - out)).sum(dim=-1)).sum(dim=1) * active
        if piece.region is not Region.BASE:
            gate_grad[..., int(piece.region)] += slopes
        if piece.first is not Region.BASE:
            gate_grad[..., int(piece.first)] -= slopes

    def shifted(self, sums: Tensor, gates: Gates | None, piece: Piece) -> Tensor:
        """Return (rows, heads, queries), a piece's part of the log-sum-exps, less its relative gate."""
        own = piece.of_queries(sums)
        return own if gates is None or piece.is_first else own - gates.of(piece)[:, None]

    def add(self, whole: Tensor, part: Tensor, piece: Piece) -> None:
        """Add states of a piece, (rows, heads, queries, width), to those of the batch in place."""
        piece.of_queries(whole).add_(part)


def operations_for(query: Tensor) -> "PlainOperations | OnCuda":
    """Return the operations for the device of these states."""
    return _on_cuda() if query.is_cuda else _definition


_definition = PlainOperations()


@functools.cache
def _on_cuda() -> "OnCuda":
    from aptone.models.omni.attention_triton import OnCuda

    return OnCuda()


MOST_RUNS = 12
"""Most runs of a sequence for which pieces pay off."""
MOST_SEGMENTS = 4
"""Most different layouts in a batch of short sequences for which pieces pay off."""
WORTH_IT = 2048
"""Fewest positions for which pieces pay off, however many sequences there are."""
LONG_ENOUGH = 3072
"""Fewest positions for which pieces of a bias pay off on a GPU: below, no piece is worth the compilation of the fastest
kernel, and the host takes longer than the GPU."""
MOST_WAITING = 1.46
"""Memory of pieces that wait to be merged, in outputs: 2.5 with the result and all log-sum-exps, which are a 64th of a
state in 16 bits with heads 128 wide."""


def is_worth_pieces(query: Tensor, layout: Layout, *, is_biased: bool) -> bool:
    """Return true if there is a kernel for these states, and pieces are few or large enough to pay off."""
    kind = query.device.type
    if kind == "cuda":
        if is_biased and layout.keys < LONG_ENOUGH:
            return False
        has_kernel = query.dtype in (torch.bfloat16, torch.float16) and query.shape[3] <= 128
    else:
        has_kernel = kind == "cpu"
    is_large = len(layout.segments) <= MOST_SEGMENTS or layout.keys >= WORTH_IT
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
    """Compute causal attention with a bias that depends on the query and on the region of the key.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        gates: (batch, queries, 3), log factor of each region; None for no bias.
        active: (batch, queries), true if a query is biased.

    Returns:
        (batch, heads, queries, width); zeros where a query is padding.
    """
    learns = query.requires_grad or key.requires_grad or value.requires_grad
    if torch.is_grad_enabled() and (learns or (gates is not None and gates.requires_grad)):
        attended: Tensor = _Pieces.apply(query, key, value, gates, active, layout, scaling)  # type: ignore[no-untyped-call]
        return attended
    return _forward(query, key, value, _gates(gates, active), layout, scaling, keeps=False).out


class _Attended(NamedTuple):
    """Output of the forward pass: the result, its log-sum-exps, and the pieces after the first ones."""

    out: Tensor
    sums: Tensor
    kept: list[Tensor]


def _forward(
    query: Tensor, key: Tensor, value: Tensor, gates: Gates | None, layout: Layout, scaling: float, *, keeps: bool
) -> _Attended:
    rows, heads, queries, width = query.shape
    kernel, operations = kernel_for(query), operations_for(query)
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
            operations.merge(out, sums, own, own_sums, gates, piece)
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
        kernel, operations, gates = kernel_for(query), operations_for(query), _gates(logs, active)
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
                    operations.shifted(sums, gates, piece), is_causal=piece.is_causal, scaling=ctx.scaling,
                )
            )  # fmt: skip
        gate_grad = None
        if gates is not None and ctx.needs_input_grad[3]:
            gate_grad = torch.zeros_like(gates.logs)
            later = [piece for piece in layout.pieces if not piece.is_first]
            for piece, own, own_sums in zip(later, kept[0::2], kept[1::2], strict=True):
                operations.add_gate_gradient(gate_grad, grad, own, own_sums, out, sums, gates, piece)
        is_whole = layout.is_whole(query.shape[0])
        of_query = found[0][0] if is_whole else torch.zeros_like(query)
        for piece, (part, _, _) in list(zip(layout.pieces, found, strict=True))[1 if is_whole else 0 :]:
            operations.add(of_query, part, piece)
        of_key = _together(key, layout.pieces, [part for _, part, _ in found])
        of_value = _together(value, layout.pieces, [part for _, _, part in found])
        return of_query, of_key, of_value, gate_grad, None, None, None


def _gates(logs: Tensor | None, active: Tensor | None) -> Gates | None:
    return None if logs is None or active is None else Gates(logs.contiguous(), active)


def _together(states: Tensor, pieces: Sequence[Piece], parts: Sequence[Tensor]) -> Tensor:
    """Join gradients of parts of keys or values; no key is in two pieces, and those of a sequence are in order."""
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
