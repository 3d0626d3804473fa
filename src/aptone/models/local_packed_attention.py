"""Attention of an audio encoder over many clips at once.

Qwen2.5-Omni lays the clips of a batch end to end, and transformers attends to them one after the other: a batch of 64
clips asks for 64 small kernels in every layer. Here they are put side by side, padded, and attended to together.

transformers hands the boundaries of clips only to functions whose name holds "flash"; so that is part of its name.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AttentionInterface

PACKED = "aptone_packed_flash"
"""Under which transformers knows the attention function."""


def packed_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    scaling: float,
    cu_seq_lens_q: Tensor,
    max_length_q: int,
    dropout: float = 0.0,
    **options: Any,
) -> tuple[Tensor, None]:
    """Attention within each of several sequences that lie end to end.

    Args:
        module: that attends.
        query, key, value: (1, heads, all positions, width).
        attention_mask: none; sequences are told apart by their boundaries.
        scaling: of the scores.
        cu_seq_lens_q: where each sequence begins, and where the last one ends.
        max_length_q: length of the longest.
        dropout: share of attention that is dropped.
        options: what else transformers says.

    Returns:
        (1, all positions, heads, width).
    """
    lengths = cu_seq_lens_q[1:] - cu_seq_lens_q[:-1]
    place = torch.arange(max_length_q, device=query.device)
    there = place < lengths[:, None]
    source = torch.where(there, cu_seq_lens_q[:-1, None] + place, 0)
    queries, keys, values = (tensor[0].transpose(0, 1)[source].transpose(1, 2) for tensor in (query, key, value))
    attended = functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=there[:, None, None, :], dropout_p=dropout, scale=scaling
    )
    row = torch.repeat_interleave(
        torch.arange(lengths.shape[0], device=query.device), lengths, output_size=query.shape[2]
    )
    column = torch.arange(query.shape[2], device=query.device) - cu_seq_lens_q[row]
    return attended.transpose(1, 2)[row, column][None], None


AttentionInterface.register(PACKED, packed_attention)


def attend_packed(model: nn.Module) -> None:
    """Let the audio encoder of a thinker attend to all clips of a batch at once; the numbers are the same."""
    tower: Any = next(module for name, module in model.named_modules() if name.endswith("audio_tower"))
    tower.config._attn_implementation = PACKED
