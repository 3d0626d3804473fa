"""Biased attention as the paper defines it, one number for each pair of positions: what ours is compared with."""

import itertools
import math

import torch
from torch import Tensor

from aptone.models.omni.attention import GatePosition, Trace
from aptone.models.omni.attention_layout import Region


def multiplied(query: Tensor, key: Tensor, value: Tensor, factors: Tensor, allowed: Tensor, scaling: float) -> Tensor:
    """The definition: softmax, times B, normed again; rows that may look nowhere are zeros."""
    groups = query.shape[1] // key.shape[1]
    key, value = (states.repeat_interleave(groups, dim=1) for states in (key, value))
    scores = (query @ key.transpose(2, 3) * scaling).masked_fill(~allowed[:, None], -math.inf)
    shares = torch.softmax(scores, dim=-1).nan_to_num(0.0) * factors[:, None]
    return (shares / shares.sum(dim=-1, keepdim=True).clamp_min(1e-30)) @ value


def factors_by_hand(trace: Trace, gates: Tensor, position: GatePosition) -> Tensor:
    """B, one number after the other."""
    rows, queries, _ = gates.shape
    keys = trace.regions.shape[1]
    factors = torch.ones(rows, queries, keys, dtype=gates.dtype)
    for row, at, seen in itertools.product(range(rows), range(queries), range(keys)):
        region = int(trace.regions[row, seen])
        if trace.active[row, keys - queries + at] and region != Region.BASE:
            read = seen if position == "key" and queries == keys else at
            factors[row, at, seen] = gates[row, read, region].exp()
    return factors


def states_of(
    trace: Trace, *, queries: int, dtype: torch.dtype = torch.float32, seed: int = 1
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries of four heads, keys and values of two, and gates."""
    draw = torch.Generator().manual_seed(seed)
    rows, keys = trace.regions.shape
    query = torch.randn(rows, 4, queries, 8, generator=draw, dtype=torch.float64).to(dtype)
    key, value = torch.randn(2, rows, 2, keys, 8, generator=draw, dtype=torch.float64).to(dtype)
    gates = torch.randn(rows, queries, 3, generator=draw, dtype=torch.float64)
    return query, key, value, gates if dtype == torch.float64 else gates.float()


def allowed_by(padding: Tensor, queries: int) -> Tensor:
    rows, keys = padding.shape
    allowed = torch.ones(keys, keys, dtype=torch.bool).tril()[None] & padding[:, None, :] & padding[:, :, None]
    return allowed[:, keys - queries :].expand(rows, -1, -1)
