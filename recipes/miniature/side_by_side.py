"""The audio encoder of Qwen2.5-Omni over many short clips at once.

transformers concatenates the clips of a batch and splits them again: lengths are read on the host, and a batch of 64
clips takes 64 small kernels in every layer. Where each clip fits into one window of the encoder, as the clips of small
judges do, they can be a padded batch from the first layer to the last. The results are the same; the modules are the
encoder's own.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.modeling_outputs import BaseModelOutputWithPooling


def hear_side_by_side(model: nn.Module) -> None:
    """Make the audio encoder of a thinker process clips as a padded batch; longer clips go through the stock code."""
    owner: Any = next(module for module in model.modules() if "audio_tower" in dict(module.named_children()))
    stock = owner.get_audio_features

    def features(
        input_features: Tensor, feature_attention_mask: Tensor | None = None, *given: Any, **options: Any
    ) -> Any:
        tower = owner.audio_tower
        if feature_attention_mask is None or input_features.shape[-1] > 2 * tower.n_window:
            return stock(input_features, feature_attention_mask, *given, **options)
        heard, there = hear(tower, input_features, feature_attention_mask.bool())
        flat = heard.masked_select(there[..., None]).view(-1, heard.shape[-1])
        return BaseModelOutputWithPooling(last_hidden_state=flat)

    owner.get_audio_features = features


def hear(tower: Any, features: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Return the encoder's output.

    Args:
        tower: the encoder.
        features: (clips, bands, frames), log-mel, 0 after the end of a clip.
        there: (clips, frames), true for a frame of the clip.

    Returns:
        (clips, positions, width), and true for a position of the clip.
    """
    states = functional.gelu(tower.conv1(features.to(tower.conv1.weight.dtype))) * there[:, None]
    states = functional.gelu(tower.conv2(states)).transpose(1, 2)
    states = states + tower.positional_embedding.positional_embedding[: states.shape[1]].to(states.dtype)
    lengths = (there.sum(dim=1) - 1) // 2 + 1
    place = torch.arange(states.shape[1], device=states.device)
    mask = (place < lengths[:, None])[:, None, None, :]
    for layer in tower.layers:
        states = states + _attended(layer.self_attn, layer.self_attn_layer_norm(states), mask)
        states = states + layer.fc2(layer.activation_fn(layer.fc1(layer.final_layer_norm(states))))
    pairs = states.shape[1] // 2
    pooled = states[:, : 2 * pairs].unflatten(1, (pairs, 2)).mean(dim=2)
    return tower.proj(tower.ln_post(pooled)), place[:pairs] < (lengths // 2)[:, None]


def _attended(attention: Any, states: Tensor, mask: Tensor) -> Tensor:
    query, key, value = (
        project(states).unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
        for project in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=attention.scaling)
    projected: Tensor = attention.out_proj(attended.transpose(1, 2).flatten(2))
    return projected
