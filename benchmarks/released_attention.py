"""The attention bias as the public release of CEAEval computes it, transcribed from its description.

It is what ours is compared with and timed against: softmax in 32 bits over every pair of positions, times a factor for
every pair, normed again. The release reads gates at the key on a whole sequence; here that is a switch, so that the
same code is the reference for both.
"""

import torch
from torch import Tensor

from aptone.models.omni.attention import Bias


def factors_of(bias: Bias) -> Tensor:
    """B, (batch, queries, keys): built from four masks of that size, one for each kind of factor."""
    trace, queries = bias.trace, bias.gates.shape[1]
    active = trace.active[:, -queries:, None]
    masks = [active & (trace.regions == region)[:, None, :] for region in range(3)]
    masks.append(~torch.stack(masks).any(dim=0))
    kinds = torch.stack(masks, dim=-1).float()
    gates = bias.gates.exp()
    read = gates[:, None, :, :] if bias.is_read_at_keys else gates[:, :, None, :]
    return (kinds[..., :3] * read).sum(dim=-1) + kinds[..., 3]


def released_attention(query: Tensor, key: Tensor, value: Tensor, *, factors: Tensor, scaling: float) -> Tensor:
    """softmax(scaling · q kᵀ) ⊙ B, normed again, times v; causal."""
    queries, keys = query.shape[2], key.shape[2]
    groups = query.shape[1] // key.shape[1]
    key, value = (states.repeat_interleave(groups, dim=1) for states in (key, value))
    hidden = torch.ones(queries, keys, dtype=torch.bool, device=query.device).triu(1 + keys - queries)
    scores = (query @ key.transpose(2, 3) * scaling).masked_fill(hidden, torch.finfo(query.dtype).min)
    shares = torch.softmax(scores, dim=-1, dtype=torch.float32) * factors[:, None]
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.to(query.dtype) @ value
