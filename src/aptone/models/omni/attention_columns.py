"""Attention with a bias that is a product, in additional dimensions of queries and keys.

softmax(s · q kᵀ + Σ a_i b_i) is softmax(s · [q, a / s] [k, b]ᵀ), so that any kernel of plain attention computes it, on
any device, without a number for each pair of positions. Padding is one more column, so that rows of different length
are computed at once. It is slower than in pieces where sequences are long, since kernels are not made for such widths
of heads; faster where many short ones would each have pieces of their own.
"""

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

MULTIPLE = 8
"""Divisor of the widths that kernels take."""
NOWHERE = -1e4
"""Addend of the score of a padding key: its share is 0 in any precision."""

Side = Literal["queries", "keys"]


def attend_with_columns(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    on_queries: Tensor | None,
    on_keys: Tensor | None,
    whole: Side,
    padding: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
) -> Tensor:
    """Compute causal attention with the products of columns added to the scores.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        on_queries: (batch, queries, columns); None for no bias.
        on_keys: (batch, keys, columns).
        whole: side that holds integers only, exact in half precision.
        padding: (batch, keys), true where a position is real; None where all are.
        scaling: factor on the scores, without the columns.
        dropout: dropout of attention.

    Returns:
        (batch, heads, queries, width); undefined at padding.
    """
    columns = None
    if on_queries is not None and on_keys is not None:
        if whole == "keys":  # what the kernel scales again is taken from the side that is not whole: it stays exact
            on_queries = on_queries / scaling
        else:
            on_keys = on_keys / scaling
        columns = _split(on_queries, on_keys, whole=whole, dtype=query.dtype)
    if padding is not None:
        columns = _with_padding(columns, padding, queries=query.shape[2], scaling=scaling, dtype=query.dtype)
    return _attend(query, key, value, columns=columns, scaling=scaling, dropout=dropout)


def _split(on_queries: Tensor, on_keys: Tensor, *, whole: Side, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return the columns in the precision of the kernel; in half precision, with columns for the rounding errors."""
    kept_queries, kept_keys = on_queries.to(dtype), on_keys.to(dtype)
    if dtype not in (torch.bfloat16, torch.float16):
        return kept_queries, kept_keys
    if whole == "keys":
        lost = (on_queries.float() - kept_queries.float()).to(dtype)
        return torch.cat([kept_queries, lost], dim=2), torch.cat([kept_keys, kept_keys], dim=2)
    lost = (on_keys.float() - kept_keys.float()).to(dtype)
    return torch.cat([kept_queries, kept_queries], dim=2), torch.cat([kept_keys, lost], dim=2)


def _with_padding(
    columns: tuple[Tensor, Tensor] | None, padding: Tensor, *, queries: int, scaling: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    rows = padding.shape[0]
    hides = torch.full((rows, queries, 1), NOWHERE, dtype=dtype, device=padding.device)
    hidden = (~padding.bool())[:, :, None].to(dtype) / scaling  # on this side: the product is too large for 16 bits
    if columns is None:
        return hides, hidden
    return torch.cat([columns[0], hides], dim=2), torch.cat([columns[1], hidden], dim=2)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, *, columns: tuple[Tensor, Tensor] | None, scaling: float, dropout: float
) -> Tensor:
    """Compute attention of the newest positions to all before them and to themselves."""
    width, queries, keys = query.shape[3], query.shape[2], key.shape[2]
    if columns is not None:
        missing = -(width + columns[0].shape[2]) % MULTIPLE
        query = torch.cat([query, _on_heads(columns[0], query, missing)], dim=3)
        key = torch.cat([key, _on_heads(columns[1], key, missing)], dim=3)
        value = functional.pad(value, (0, query.shape[3] - width))
    if queries < keys:  # kernels count causality from the first query: so there is a query for each key
        query = functional.pad(query, (0, 0, keys - queries, 0))
    groups = query.shape[1] // key.shape[1]
    is_shared = query.is_cuda  # kernels for GPUs know heads that share keys
    if not is_shared:
        key, value = (states.repeat_interleave(groups, dim=1) for states in (key, value))
    attended = functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, dropout_p=dropout, scale=scaling, enable_gqa=is_shared and groups > 1
    )
    return attended[:, :, keys - queries :, :width]


def _on_heads(columns: Tensor, states: Tensor, missing: int) -> Tensor:
    return functional.pad(columns, (0, missing))[:, None].expand(-1, states.shape[1], -1, -1)
