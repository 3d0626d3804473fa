"""The two encoders of the built-in style model, as PyTorch modules, and how large they are."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

SIZE = 128
"""Numbers of a vector."""


@dataclass(frozen=True, slots=True)
class StyleRecipe:
    """Everything that a training run depends on besides the data.

    Args:
        seed: of everything that is drawn.
        steps, batch: how many batches, and voices in one.
        rate: learning rate at its highest.
        decay: of the weights.
        width, layers, heads: of the text encoder.
        hidden: width of the audio encoder.
        sharpness: how much more probability goes to what is wholly true than to what is not: exp(sharpness) times.
        contrast, agreement, rank: weights of the losses.
        hybrid: share of voices that get the feeling of one row and everything else from another, so that no measure
            becomes a sign of a feeling: which goes with which differs from corpus to corpus.
        imagined: share of hybrids whose feeling is imagined (`Imagination`) rather than heard.
        bias: deviation of what is added to the log odds of the emotions of a voice: how far a whole corpus may be heard
            as angrier, or sadder, than it is.
        noise: deviation of the noise added to the numbers of a voice.
        dropout: share of values silenced.
        longest: units of a description beyond which it is left out; 0 for no limit.
        voice: whether the voice's side learns, or stays as it is.
        unseen: share of units of which only the text embedder's vector is seen, as of a unit that was never taught.
        average: how much of the running average of the weights is kept in a step.
    """

    seed: int = 1
    steps: int = 1200
    batch: int = 384
    rate: float = 1.5e-3
    decay: float = 0.02
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
    longest: int = 0
    voice: bool = True
    average: float = 0.998


class AudioSide(nn.Module):
    """Numbers of a voice to a vector: [batch, numbers] to [batch, 128]."""

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
        """Vectors of length 1."""
        standard = (numbers - self.centre) / self.spread
        return functional.normalize(self.straight(standard) + self.inner(standard), dim=-1)


class Layer(nn.Module):
    """Neighbouring units, then all units, then each on its own; with what came in added each time."""

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
        """[batch, units, width] in and out; `present` is 1 where there is a unit."""
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
    """Units of a description to a vector: their vectors and their places among the known ones to [batch, 128]."""

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
        """Vectors of length 1.

        Args:
            vectors: of the units, [batch, units, numbers].
            known: 0 for a unit that was never taught, else its place, [batch, units].
            present: 1 where there is a unit, [batch, units].
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
    """Both sides, and what the losses learn."""

    def __init__(self, numbers: int, known: int, unit_size: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.audio = AudioSide(numbers, recipe)
        self.text = TextSide(known, unit_size, recipe)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1.0 / 0.07)))
        self.log_slope = nn.Parameter(torch.tensor(2.5))
        self.offset = nn.Parameter(torch.tensor(0.0))
