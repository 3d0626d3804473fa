"""The two encoders of the built-in style model, as PyTorch modules, and their sizes."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

SIZE = 128
"""Size of a vector."""


@dataclass(frozen=True, slots=True)
class StyleRecipe:
    """Settings of a training run besides the data.

    Args:
        seed: random seed.
        steps, batch_size: optimiser steps, and voices per batch.
        lr: peak learning rate.
        weight_decay: weight decay.
        width, layers, heads: sizes of the text encoder.
        hidden: width of the audio encoder.
        sharpness: log ratio of the target probabilities of a true and a false description.
        contrast, agreement, rank: weights of the losses.
        hybrid: share of voices with the feeling of one row and everything else from another, so that no measure becomes
            a sign of a feeling: their correlation differs from corpus to corpus.
        imagined: share of hybrids whose feeling is sampled (`Imagination`) rather than taken from a row.
        bias: standard deviation of a shift of the log odds of emotions: a whole corpus may be heard as angrier, or
            sadder, than it is.
        noise: standard deviation of the noise added to the features of a voice.
        dropout: dropout.
        max_units: longest description in units; 0 for no limit.
        voice: train the audio encoder; false freezes it.
        unseen: share of units that are represented by the text embedder's vector only, like unknown units.
        average: decay of the running average of the weights.
    """

    seed: int = 1
    steps: int = 1200
    batch_size: int = 384
    lr: float = 1.5e-3
    weight_decay: float = 0.02
    width: int = 160
    layers: int = 2
    heads: int = 4
    hidden: int = 256
    sharpness: float = 10.0
    contrast: float = 1.0
    agreement: float = 1.0
    rank: float = 1.0
    hybrid: float = 0.85
    imagined: float = 0.5
    bias: float = 0.3
    noise: float = 0.2
    dropout: float = 0.15
    unseen: float = 0.3
    max_units: int = 0
    voice: bool = True
    average: float = 0.998


class AudioSide(nn.Module):
    """Audio encoder: features of a voice, [batch, features], to a vector, [batch, 128]."""

    centre: Tensor
    spread: Tensor

    def __init__(self, numbers: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(numbers))
        self.register_buffer("spread", torch.ones(numbers))
        self.straight = nn.Linear(numbers, SIZE)
        self.inner = nn.Sequential(
            nn.Linear(numbers, recipe.hidden),
            nn.GELU(),
            nn.Dropout(recipe.dropout),
            nn.Linear(recipe.hidden, recipe.hidden),
            nn.GELU(),
            nn.Dropout(recipe.dropout),
            nn.Linear(recipe.hidden, SIZE),
        )

    def forward(self, numbers: Tensor) -> Tensor:
        """Return vectors of length 1."""
        standard = (numbers - self.centre) / self.spread
        return functional.normalize(self.straight(standard) + self.inner(standard), dim=-1)


class Layer(nn.Module):
    """Convolution over neighbouring units, attention over all, and a feed-forward layer, with skip connections."""

    def __init__(self, recipe: StyleRecipe) -> None:
        super().__init__()
        width = recipe.width
        self.heads = recipe.heads
        self.beside_norm, self.all_norm, self.own_norm = (nn.LayerNorm(width) for _ in range(3))
        self.beside = nn.Conv1d(width, width, 5, padding=2, groups=width // 8)
        self.asked = nn.Linear(width, 3 * width)
        self.answered = nn.Linear(width, width)
        self.own = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, units: Tensor, present: Tensor) -> Tensor:
        """Map [batch, units, width] to the same; `present` is 1 for a unit."""
        here = self.beside_norm(units) * present[..., None]
        units = units + self.dropout(functional.gelu(self.beside(here.transpose(1, 2)).transpose(1, 2)))
        batch, count, width = units.shape
        parts = self.asked(self.all_norm(units)).view(batch, count, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / math.sqrt(width // self.heads)
        scores = scores + (present[:, None, None] - 1.0) * 1e4
        found = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(batch, count, width)
        units = units + self.dropout(self.answered(found))
        out: Tensor = units + self.dropout(self.own(self.own_norm(units)))
        return out


class TextSide(nn.Module):
    """Text encoder: vectors of units and their places among known units to a vector, [batch, 128]."""

    def __init__(self, known: int, unit_size: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.meaning = nn.Linear(unit_size, recipe.width)
        self.learned = nn.Embedding(known + 1, recipe.width, padding_idx=0)
        nn.init.normal_(self.learned.weight, std=0.02)
        self.layers = nn.ModuleList(Layer(recipe) for _ in range(recipe.layers))
        self.norm = nn.LayerNorm(recipe.width)
        self.score = nn.Linear(recipe.width, 1)
        self.out = nn.Linear(recipe.width, SIZE)
        self.unseen = recipe.unseen

    def forward(self, vectors: Tensor, known: Tensor, present: Tensor) -> Tensor:
        """Return vectors of length 1.

        Args:
            vectors: vectors of the units, [batch, units, size].
            known: place of a known unit, 0 for an unknown one, [batch, units].
            present: 1 for a unit, [batch, units].
        """
        own = self.learned(known)
        if self.training:
            seen = torch.rand(known.shape, device=known.device) >= self.unseen
            own = own * seen[..., None]
        units = (self.meaning(vectors) + own) * present[..., None]
        for layer in self.layers:
            units = layer(units, present)
        steady = self.norm(units)
        weights = torch.softmax(self.score(steady).squeeze(-1) + (present - 1.0) * 1e4, dim=-1)
        return functional.normalize(self.out((weights[..., None] * steady).sum(dim=1)), dim=-1)


class StyleNetwork(nn.Module):
    """Both encoders, and the trainable parameters of the losses."""

    def __init__(self, numbers: int, known: int, unit_size: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.audio = AudioSide(numbers, recipe)
        self.text = TextSide(known, unit_size, recipe)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1.0 / 0.07)))
        self.log_slope = nn.Parameter(torch.tensor(2.5))
        self.offset = nn.Parameter(torch.tensor(0.0))
