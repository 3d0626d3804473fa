"""Attention with a bias that is a product: a few more dimensions of queries and keys carry it.

softmax(s · q kᵀ + Σ a_i b_i) is softmax(s · [q, a / s] [k, b]ᵀ), so that any kernel of plain attention computes it, on
any device, without a number for each pair of positions. Slower than in pieces, since widths of heads are no longer
what kernels are made for; used where pieces cannot be.
"""

import torch
from torch import Tensor
from torch.nn import functional

from aptone.models.local_attention_layout import Layout, Segment

MULTIPLE = 8
"""Kernels want widths that this divides."""


def attend_with_columns(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    on_queries: Tensor | None,
    on_keys: Tensor | None,
    layout: Layout,
    scaling: float,
    dropout: float = 0.0,
) -> Tensor:
    """Causal attention to whose scores the products of columns are added.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        on_queries: (batch, queries, columns); None for no bias.
        on_keys: (batch, keys, columns).
        layout: of the sequences.
        scaling: of the scores, without the columns.
        dropout: share of attention that is dropped.

    Returns:
        (batch, heads, queries, width); zeros where a query is padding.
    """
    parts = []
    for segment in layout.segments:
        first = max(segment.begin, layout.offset)
        if first >= segment.end:
            continue
        rows, keys = slice(*segment.rows), slice(segment.begin, segment.end)
        queries = slice(first - layout.offset, segment.end - layout.offset)
        columns = None
        if on_queries is not None and on_keys is not None:
            columns = (on_queries[rows, queries], on_keys[rows, keys])
        attended = _one(
            query[rows, :, queries], key[rows, :, keys], value[rows, :, keys],
            columns=columns, scaling=scaling, dropout=dropout,
        )  # fmt: skip
        parts.append((segment, attended))
    return _assembled(parts, query, layout)


def _assembled(parts: list[tuple[Segment, Tensor]], query: Tensor, layout: Layout) -> Tensor:
    if len(parts) == 1 and parts[0][1].shape == query.shape:
        return parts[0][1]
    whole = torch.zeros_like(query)
    for segment, attended in parts:
        begin, end = max(segment.begin, layout.offset) - layout.offset, segment.end - layout.offset
        whole[slice(*segment.rows), :, begin:end] = attended
    return whole


def _one(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    columns: tuple[Tensor, Tensor] | None,
    scaling: float,
    dropout: float,
) -> Tensor:
    """One sequence: its newest positions attend to all before them and to themselves."""
    width, queries, keys = query.shape[3], query.shape[2], key.shape[2]
    if columns is not None:
        on_queries, on_keys = _split(*columns, dtype=query.dtype, scaling=scaling)
        missing = -(width + on_queries.shape[2]) % MULTIPLE
        query = torch.cat([query, _on_heads(on_queries, query, missing)], dim=3)
        key = torch.cat([key, _on_heads(on_keys, key, missing)], dim=3)
        value = functional.pad(value, (0, query.shape[3] - width))
    if queries < keys:  # kernels count causality from the first query: so there is a query for each key
        query = functional.pad(query, (0, 0, keys - queries, 0))
    groups = query.shape[1] // key.shape[1]
    attended = functional.scaled_dot_product_attention(
        query,
        key.repeat_interleave(groups, dim=1),
        value.repeat_interleave(groups, dim=1),
        is_causal=True,
        dropout_p=dropout,
        scale=scaling,
    )
    return attended[:, :, keys - queries :, :width]


def _split(on_queries: Tensor, on_keys: Tensor, *, dtype: torch.dtype, scaling: float) -> tuple[Tensor, Tensor]:
    """The columns as the kernel takes them; in half precision, once more what it loses of them."""
    if dtype not in (torch.bfloat16, torch.float16):
        return (on_queries / scaling).to(dtype), on_keys.to(dtype)
    queries, keys = on_queries.float() / scaling, on_keys.float()
    kept_queries, kept_keys = queries.to(dtype), keys.to(dtype)
    lost_queries, lost_keys = (queries - kept_queries.float()).to(dtype), (keys - kept_keys.float()).to(dtype)
    return (
        torch.cat([kept_queries, lost_queries, kept_queries], dim=2),
        torch.cat([kept_keys, kept_keys, lost_keys], dim=2),
    )


def _on_heads(columns: Tensor, states: Tensor, missing: int) -> Tensor:
    return functional.pad(columns, (0, missing))[:, None].expand(-1, states.shape[1], -1, -1)
