"""The encoder in torch: post-norm transformer layers (Devlin et al. 2019) and a linear head for each label.

The target's state is a layer on three vectors: the first mark, the mark before the target, the mean over the target.
The upper layers can be computed for these three alone, which costs a sixth of such a layer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, ATTENTION_HEADS, INNER = 384, 6, 12, 1536
POSITIONS = 256
NORM_EPSILON = 1e-12

HEADS = {
    "reader": 11,
    "tags": 8,
    "meld": 7,
    "goemotions": 7,
    "cped": 13,
    "intensity": 3,
    "rhythm": 6,
    "intonation": 4,
    "voice": 30,
}
"""Heads and their output sizes."""


@dataclass(frozen=True)
class Batch:
    """Windows of one length: pieces, a mask of the target, and the place of its opening mark."""

    numbers: Tensor
    in_target: Tensor
    opened: Tensor
    padding: Tensor


class Layer(nn.Module):
    """One transformer layer; `inner` is the width between its two last products."""

    def __init__(self, dropout: float, inner: int = INNER) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.widened = nn.Linear(WIDTH, inner)
        self.narrowed = nn.Linear(inner, WIDTH)
        self.narrowed_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """Return the states after the layer."""
        query, key, value = (_by_head(part) for part in self.query_key_value(states).chunk(3, dim=-1))
        return self._after(states, query, key, value, mask)

    def over(self, states: Tensor, pieces: Tensor, mask: Tensor | None) -> Tensor:
        """Return states after the layer that attend to the pieces' states: [texts, states, width]."""
        weight, bias = self.query_key_value.weight, self.query_key_value.bias
        query = _by_head(functional.linear(states, weight[:WIDTH], bias[:WIDTH]))
        known = functional.linear(pieces, weight[WIDTH:], bias[WIDTH:])
        key, value = (_by_head(part) for part in known.chunk(2, dim=-1))
        return self._after(states, query, key, value, mask)

    def _after(self, states: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        dropout = self.dropout.p if self.training and states.is_cuda else 0.0  # has no fast kernel on a CPU
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        found = found.transpose(1, 2).reshape(states.shape)
        states = self.attended_norm(states + self.dropout(self.attended(found)))
        wide = functional.gelu(self.widened(states))
        narrow: Tensor = self.narrowed_norm(states + self.dropout(self.narrowed(wide)))
        return narrow


def _by_head(mixed: Tensor) -> Tensor:
    texts, pieces, _ = mixed.shape
    return mixed.view(texts, pieces, ATTENTION_HEADS, -1).transpose(1, 2)


class Encoder(nn.Module):
    """Pieces in, states and answers out.

    Args:
        pieces: size of the vocabulary.
        dropout: dropout.
        inner: width between the two last products of a layer.
        upper: number of the last layers that are computed for the target's three vectors alone.
    """

    def __init__(self, pieces: int, *, dropout: float = 0.1, inner: int = INNER, upper: int = 0) -> None:
        super().__init__()
        self.register_buffer("upper", torch.tensor(float(upper)))
        self.lower = LAYERS - upper
        self.words = nn.Embedding(pieces, WIDTH)
        self.places = nn.Embedding(POSITIONS, WIDTH)
        self.target = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.layers = nn.ModuleList(Layer(dropout, inner) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)
        self.pooled = nn.Linear(3 * WIDTH, WIDTH)
        self.heads = nn.ModuleDict({name: nn.Linear(WIDTH, size) for name, size in HEADS.items()})
        self.evidence = nn.Linear(2 * WIDTH, 1)
        self.speaker = nn.Linear(WIDTH, 1)
        self.guess = nn.Linear(WIDTH, WIDTH)
        self.guess_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.guess_bias = nn.Parameter(torch.zeros(pieces))

    def states(self, batch: Batch) -> Tensor:
        """Return the state of every piece after the layers that are computed for all: [texts, pieces, width]."""
        count = batch.numbers.shape[1]
        embedded = self.words(batch.numbers) + self.places.weight[:count]
        embedded = embedded + batch.in_target.unsqueeze(-1).to(embedded.dtype) * self.target
        states = self.dropout(self.norm(embedded))
        mask = _mask(batch)
        for layer in self.layers[: self.lower]:
            states = layer(states, mask)
        found: Tensor = states
        return found

    def pool(self, states: Tensor, batch: Batch) -> Tensor:
        """Return the state of the target: [texts, width]."""
        rows = torch.arange(len(states), device=states.device)
        inside = batch.in_target.to(states.dtype).unsqueeze(-1)
        mean = (states * inside).sum(1) / inside.sum(1).clamp(min=1.0)
        three = torch.stack([states[:, 0], states[rows, batch.opened], mean], dim=1)
        for layer in self.layers[self.lower :]:
            assert isinstance(layer, Layer)
            three = layer.over(three, states, _mask(batch))
        found: Tensor = self.dropout(torch.tanh(self.pooled(three.flatten(1))))
        return found

    def found(self, states: Tensor, pooled: Tensor) -> Tensor:
        """Return the evidence of each piece, as log-odds: [texts, pieces]."""
        wide = pooled.unsqueeze(1).expand(-1, states.shape[1], -1)
        found: Tensor = self.evidence(torch.cat([states, wide], dim=-1)).squeeze(-1)
        return found

    def speaks(self, states: Tensor) -> Tensor:
        """Return a score of each piece to mention the speaker: [texts, pieces]; that of the first piece is nobody's."""
        found: Tensor = self.speaker(states).squeeze(-1)
        return found

    def guessed(self, states: Tensor) -> Tensor:
        """Return log-odds of the masked pieces: [masked, pieces]."""
        hidden = self.guess_norm(functional.gelu(self.guess(states)))
        found: Tensor = hidden @ self.words.weight.T + self.guess_bias
        return found


def _mask(batch: Batch) -> Tensor | None:
    return ~batch.padding[:, None, None, :] if bool(batch.padding.any()) else None


def narrowed(weights: Mapping[str, Tensor], inner: int) -> dict[str, Tensor]:
    """Return weights whose layers keep the `inner` units that add most: by the product of the norms of both sides."""
    found = dict(weights)
    for number in range(LAYERS):
        name = f"layers.{number}."
        wide, narrow = found[f"{name}widened.weight"], found[f"{name}narrowed.weight"]
        kept = (wide.norm(dim=1) * narrow.norm(dim=0)).topk(min(inner, len(wide))).indices.sort().values
        found |= {
            f"{name}widened.weight": wide[kept],
            f"{name}widened.bias": found[f"{name}widened.bias"][kept],
            f"{name}narrowed.weight": narrow[:, kept],
        }
    return found
