"""Triton kernels of attention in pieces: each operation in one pass over memory, with no copy in 32 bits.

The definitions are `aptone.models.omni.attention_pieces.PlainOperations`, and `_row` in `aptone.models.omni.attention`.

Tensors of the whole batch are passed from their beginning on. The part of a piece begins at `first_row` and `begin`,
and has the rows of the grid and `queries` queries. Log-sum-exps and gates are contiguous, so that their strides need
not be passed: every argument takes the host's time.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from aptone.models.omni.attention_layout import Piece, Region
from aptone.models.omni.attention_pieces import Gates

QUERIES = 16
"""Queries of one program."""
GATES = tl.constexpr(3)
"""Gates of each query."""
NONE = tl.constexpr(int(Region.BASE))
"""Region without a gate."""

_ANY = ("first_row", "begin", "queries", "all_queries", "active_row")
"""Offsets and lengths: kernels are not specialised for multiples of 16, since they would be no faster."""


@triton.jit  # type: ignore[untyped-decorator]
def _opened(  # type: ignore[no-untyped-def]
    gates, active, row, place, here, all_queries, active_row, active_query, own: tl.constexpr, first: tl.constexpr
):
    """Return the log factor of one region relative to another's; 0 where a query is not active."""
    at = gates + (row * all_queries + place) * GATES
    relative = tl.zeros(place.shape, dtype=tl.float32)
    if own != NONE:
        relative += tl.load(at + own, mask=here, other=0.0)
    if first != NONE:
        relative -= tl.load(at + first, mask=here, other=0.0)
    is_active = tl.load(active + row * active_row + place * active_query, mask=here, other=0) != 0
    return tl.where(is_active, relative, 0.0), is_active


@triton.jit(do_not_specialize=_ANY)  # type: ignore[untyped-decorator]
def _merge(  # type: ignore[no-untyped-def]
    out, sums, own, own_sums, gates, active,
    first_row, begin, queries, all_queries,
    out_row, out_head, out_query,
    own_row, own_head, own_query,
    active_row, active_query,
    region: tl.constexpr, first: tl.constexpr, heads: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    own_place = tl.program_id(0) * block + tl.arange(0, block)
    own_row_head = tl.program_id(1).to(tl.int64)
    here = own_place < queries
    head = own_row_head % heads
    row = own_row_head // heads + first_row
    place = begin + own_place.to(tl.int64)
    column = tl.arange(0, width)
    added = tl.load(own_sums + own_row_head * queries + own_place, mask=here, other=0.0)
    if region != first:
        opened, _ = _opened(gates, active, row, place, here, all_queries, active_row, active_query, region, first)
        added += opened
    whole_at = sums + (row * heads + head) * all_queries + place
    out_at = out + row * out_row + head * out_head + place[:, None] * out_query + column[None, :]
    own_at = own + own_row_head // heads * own_row + head * own_head + own_place[:, None] * own_query + column[None, :]
    value = tl.load(own_at, mask=here[:, None], other=0.0)
    before = tl.load(whole_at, mask=here, other=0.0)
    top = tl.maximum(before, added)
    kept, new = tl.exp(before - top), tl.exp(added - top)
    total = kept + new
    old = tl.load(out_at, mask=here[:, None], other=0.0).to(tl.float32)
    mixed = old * (kept / total)[:, None] + value.to(tl.float32) * (new / total)[:, None]
    tl.store(out_at, mixed.to(value.dtype), mask=here[:, None])
    tl.store(whole_at, top + tl.log(total), mask=here)


@triton.jit(do_not_specialize=_ANY)  # type: ignore[untyped-decorator]
def _teach(  # type: ignore[no-untyped-def]
    grad, own, own_sums, out, sums, gates, active, gate_grad,
    first_row, begin, queries, all_queries,
    grad_row, grad_head, grad_query,
    own_row, own_head, own_query,
    out_row, out_head, out_query,
    active_row, active_query,
    region: tl.constexpr, first: tl.constexpr, heads: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    own_place = tl.program_id(0) * block + tl.arange(0, block)
    own_at_row = tl.program_id(1).to(tl.int64)
    here = own_place < queries
    row = own_at_row + first_row
    place = begin + own_place.to(tl.int64)
    column = tl.arange(0, width)
    opened, is_active = _opened(gates, active, row, place, here, all_queries, active_row, active_query, region, first)
    needed = here & is_active
    total = tl.zeros((block,), dtype=tl.float32)
    for head in range(heads):
        weight = tl.exp(
            tl.load(own_sums + (own_at_row * heads + head) * queries + own_place, mask=needed, other=0.0)
            + opened
            - tl.load(sums + (row * heads + head) * all_queries + place, mask=needed, other=0.0)
        )
        grads = tl.load(
            grad + row * grad_row + head * grad_head + place[:, None] * grad_query + column[None, :],
            mask=needed[:, None], other=0.0,
        ).to(tl.float32)  # fmt: skip
        mine = tl.load(
            own + own_at_row * own_row + head * own_head + own_place[:, None] * own_query + column[None, :],
            mask=needed[:, None], other=0.0,
        ).to(tl.float32)  # fmt: skip
        all_of_it = tl.load(
            out + row * out_row + head * out_head + place[:, None] * out_query + column[None, :],
            mask=needed[:, None], other=0.0,
        ).to(tl.float32)  # fmt: skip
        total += weight * tl.sum(grads * (mine - all_of_it), axis=1)
    at = gate_grad + (row * all_queries + place) * GATES
    if region != first:  # else they cancel each other
        if region != NONE:
            tl.store(at + region, tl.load(at + region, mask=needed, other=0.0) + total, mask=needed)
        if first != NONE:
            tl.store(at + first, tl.load(at + first, mask=needed, other=0.0) - total, mask=needed)


@triton.jit(do_not_specialize=_ANY)  # type: ignore[untyped-decorator]
def _shifted(  # type: ignore[no-untyped-def]
    sums, gates, active, found,
    first_row, begin, queries, all_queries, active_row, active_query,
    region: tl.constexpr, first: tl.constexpr, heads: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    own_place = tl.program_id(0) * block + tl.arange(0, block)
    own_row_head = tl.program_id(1).to(tl.int64)
    here = own_place < queries
    row = own_row_head // heads + first_row
    place = begin + own_place.to(tl.int64)
    opened, _ = _opened(gates, active, row, place, here, all_queries, active_row, active_query, region, first)
    before = tl.load(sums + (row * heads + own_row_head % heads) * all_queries + place, mask=here, other=0.0)
    tl.store(found + own_row_head * queries + own_place, before - opened, mask=here)


@triton.jit(do_not_specialize=_ANY)  # type: ignore[untyped-decorator]
def _add(  # type: ignore[no-untyped-def]
    whole, part,
    first_row, begin, queries,
    whole_row, whole_head, whole_query,
    part_row, part_head, part_query,
    heads: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    own_place = tl.program_id(0) * block + tl.arange(0, block)
    own_row = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    here = (own_place < queries)[:, None]
    place = begin + own_place.to(tl.int64)
    column = tl.arange(0, width)
    whole_at = (
        whole + (own_row + first_row) * whole_row + head * whole_head + place[:, None] * whole_query + column[None, :]
    )
    part_at = part + own_row * part_row + head * part_head + own_place[:, None] * part_query + column[None, :]
    before = tl.load(whole_at, mask=here, other=0.0)
    total = before.to(tl.float32) + tl.load(part_at, mask=here, other=0.0).to(tl.float32)
    tl.store(whole_at, total.to(before.dtype), mask=here)


class OnCuda:
    """`aptone.models.omni.attention_pieces.PlainOperations` on a GPU."""

    def merge(
        self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gates: Gates | None, piece: Piece
    ) -> None:
        """See `aptone.models.omni.attention_pieces.PlainOperations.merge`."""
        rows, heads, queries, width = own.shape
        if gates is None or piece.region is piece.first:  # nothing is read of what stands in their place
            logs, active, region, first = own_sums, own_sums, NONE.value, NONE.value
        else:
            logs, active, region, first = *gates, int(piece.region), int(piece.first)
        _merge[-(-queries // QUERIES), rows * heads](
            out, sums, own, own_sums, logs, active,
            piece.rows[0], piece.queries[0], queries, out.shape[2],
            *out.stride()[:3], *own.stride()[:3], *active.stride()[:2],
            region, first, heads, width, QUERIES,
        )  # fmt: skip

    def add_gate_gradient(
        self, gate_grad: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor,
        gates: Gates, piece: Piece,
    ) -> None:  # fmt: skip
        """See `aptone.models.omni.attention_pieces.PlainOperations.add_gate_gradient`."""
        rows, heads, queries, width = own.shape
        _teach[-(-queries // QUERIES), rows](
            grad, own, own_sums, out, sums, gates.logs, gates.active, gate_grad,
            piece.rows[0], piece.queries[0], queries, out.shape[2],
            *grad.stride()[:3], *own.stride()[:3], *out.stride()[:3], *gates.active.stride(),
            int(piece.region), int(piece.first), heads, width, QUERIES,
        )  # fmt: skip

    def shifted(self, sums: Tensor, gates: Gates | None, piece: Piece) -> Tensor:
        """See `aptone.models.omni.attention_pieces.PlainOperations.shifted`."""
        if gates is None or piece.region is piece.first:
            return piece.of_queries(sums)
        heads, queries, rows = sums.shape[1], piece.queries[1] - piece.queries[0], piece.rows[1] - piece.rows[0]
        found = torch.empty((rows, heads, queries), dtype=torch.float32, device=sums.device)
        block = 8 * QUERIES
        _shifted[-(-queries // block), rows * heads](
            sums, gates.logs, gates.active, found,
            piece.rows[0], piece.queries[0], queries, sums.shape[2], *gates.active.stride(),
            int(piece.region), int(piece.first), heads, block,
        )  # fmt: skip
        return found

    def add(self, whole: Tensor, part: Tensor, piece: Piece) -> None:
        """See `aptone.models.omni.attention_pieces.PlainOperations.add`."""
        rows, heads, queries, width = part.shape
        _add[-(-queries // QUERIES), rows * heads](
            whole, part, piece.rows[0], piece.queries[0], queries,
            *whole.stride()[:3], *part.stride()[:3], heads, width, QUERIES,
        )  # fmt: skip


@triton.jit  # type: ignore[untyped-decorator]
def _row(  # type: ignore[no-untyped-def]
    states, instruction, focus, suppression,
    instruction_bias, focus_bias, suppression_bias,
    regions, active, padding, row,
    keys, lowest, states_row, regions_row, active_row, padding_row, row_row,
    has_padding: tl.constexpr, size: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    which = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * block + tl.arange(0, block)
    here = place < keys
    if tl.load(active + which * active_row):
        region = tl.load(regions + which * regions_row + place, mask=here, other=3)
        part = tl.arange(0, width)
        inside = part < size
        state = tl.load(states + which * states_row + part, mask=inside, other=0.0).to(tl.float32)
        told = tl.sum(state * tl.load(instruction + part, mask=inside, other=0.0).to(tl.float32))
        heard = tl.sum(state * tl.load(focus + part, mask=inside, other=0.0).to(tl.float32))
        held = tl.sum(state * tl.load(suppression + part, mask=inside, other=0.0).to(tl.float32))
        of_told = 0.6931471805599453 - _softplus(-told - tl.load(instruction_bias).to(tl.float32))
        of_heard = tl.log(1.0 + 1.0 / (1.0 + tl.exp(-heard - tl.load(focus_bias).to(tl.float32))))
        of_held = -_softplus(-held - tl.load(suppression_bias).to(tl.float32))
        added = tl.where(region == 0, of_told, tl.where(region == 1, of_heard, tl.where(region == 2, of_held, 0.0)))
    else:
        added = tl.zeros((block,), dtype=tl.float32)
    if has_padding:
        real = tl.load(padding + which * padding_row + place, mask=here, other=0) != 0
        added = tl.where(real, added, lowest)
    tl.store(row + which * row_row + place, added.to(row.dtype.element_ty), mask=here)


@triton.jit
def _softplus(value):  # type: ignore[no-untyped-def]
    return tl.maximum(value, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(value)))


def row_of_bias(
    states: Tensor, gates: tuple[torch.nn.Linear, torch.nn.Linear, torch.nn.Linear], *,
    regions: Tensor, active: Tensor, padding: Tensor | None,
) -> Tensor:  # fmt: skip
    """Return (rows, keys), the addend of the scores of one query a row, from the inputs of the gates.

    Args:
        states: (rows, 1, size), inputs of the gates.
        gates: projections: instruction, focus and suppression.
        regions: (rows, keys).
        active: (rows, 1), true if the query is active.
        padding: (rows, keys), true where a key is real; None where all are.
    """
    rows, keys = regions.shape
    wide = -(-keys // 8) * 8  # kernels want rows that begin at multiples of 16 bytes
    row = torch.empty((rows, wide), dtype=states.dtype, device=states.device)[:, :keys]
    told, heard, held = gates
    block = min(2048, triton.next_power_of_2(keys))
    masked = regions if padding is None else padding
    _row[(rows, triton.cdiv(keys, block))](
        states, told.weight, heard.weight, held.weight, told.bias, heard.bias, held.bias,
        regions, active, masked, row,
        keys, torch.finfo(states.dtype).min, states.stride(0), regions.stride(0), active.stride(0), masked.stride(0),
        row.stride(0),
        has_padding=padding is not None, size=states.shape[2], width=triton.next_power_of_2(states.shape[2]),
        block=block, num_warps=8,
    )  # fmt: skip
    return row
