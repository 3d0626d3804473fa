"""The scorer in torch: transformer layers on the embeddings of question and answer, and three outputs.

Needs torch and numpy, nothing of Aptone. The layers start from those of the planner's encoder.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from recipes.planner.network import LAYERS, NORM_EPSILON, WIDTH, Layer

OUTPUTS = ("content", "fit", "harm")
PARTS = ("train", "dev", "test", "made")
"""Parts of the graded answers; the last one is made from the first."""
SHIPPED = "shipped."
"""Prefix of the arrays of the shipped scorer's weights."""
STYLE_COUNT, KIND_COUNT = 14, 12
BEGIN, END, OPEN, CLOSE = 2, 3, 4, 5
"""Marks, by their number in either vocabulary."""


class PairBatch(NamedTuple):
    """Pairs of one length: input of the layers, mask of the answer, place of the mark between, mask of all pieces."""

    embedded: Tensor
    inside: Tensor
    opened: Tensor
    known: Tensor


class Embeddings(nn.Module):
    """Input of the layers, as the planner's encoder has it; not trained."""

    places: Tensor
    target: Tensor

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().__init__()
        for name in ("words.en", "words.zh", "places", "target"):
            values = torch.from_numpy(np.asarray(arrays[name], dtype=np.float32))
            self.register_buffer(name.replace(".", "_"), values, persistent=False)

    def forward(self, first: Tensor, lengths: Tensor, second: Tensor, seconds: Tensor, language: Tensor) -> PairBatch:
        """Lay two texts behind one another, with marks between.

        Args:
            first, second: pieces of the texts, padded: [pairs, …].
            lengths, seconds: pieces that each has: [pairs].
            language: 0 for English, 1 for Mandarin: [pairs].
        """
        lengths, seconds = lengths[:, None], seconds[:, None]
        longest = int((lengths + seconds).max()) + 4
        at = torch.arange(longest, device=first.device)[None].expand(len(first), -1)
        inside = (at >= lengths + 2) & (at < lengths + seconds + 2)
        numbers = torch.zeros_like(at)
        numbers[:, 0] = BEGIN
        before = first.gather(1, (at - 1).clamp(0, first.shape[1] - 1))
        after = second.gather(1, (at - lengths - 2).clamp(0, second.shape[1] - 1))
        numbers = torch.where((at >= 1) & (at <= lengths), before, numbers)
        numbers = torch.where(inside, after, numbers)
        for place, mark in ((lengths + 1, OPEN), (lengths + seconds + 2, CLOSE), (lengths + seconds + 3, END)):
            numbers = torch.where(at == place, mark, numbers)
        english, mandarin = self.get_buffer("words_en"), self.get_buffer("words_zh")
        words = torch.where(
            (language == 1)[:, None, None],
            mandarin[numbers.clamp(max=len(mandarin) - 1)],
            english[numbers.clamp(max=len(english) - 1)],
        )
        inside_share = inside.to(words.dtype)
        embedded = words + self.places[:longest] + inside_share[..., None] * self.target
        known = (at < lengths + seconds + 4).to(words.dtype)
        return PairBatch(embedded, inside_share, lengths[:, 0] + 1, known)


class Scorer(nn.Module):
    """A pair in, log-odds of `OUTPUTS` out; in training, those of the kinds and of a reply that follows as well."""

    def __init__(self, *, dropout: float = 0.1, layers: int = LAYERS) -> None:
        super().__init__()
        self.styles = nn.Embedding(STYLE_COUNT, WIDTH)
        nn.init.normal_(self.styles.weight, std=0.02)
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.pooled = nn.Linear(4 * WIDTH, WIDTH)
        self.outputs = nn.Linear(WIDTH, len(OUTPUTS))
        self.kinds = nn.Linear(WIDTH, KIND_COUNT)
        self.follows = nn.Linear(WIDTH, 1)

    def vector(self, batch: PairBatch, style: Tensor | None) -> Tensor:
        """Return one vector for a pair: of the first mark, the mark between, the mean of either text."""
        states = self.dropout(self.norm(batch.embedded))
        mask = torch.zeros_like(batch.known).masked_fill(batch.known == 0, float("-inf"))[:, None, None, :]
        if style is not None:
            states = states + self.styles(style)[:, None, :]
        for layer in self.layers:
            states = layer(states, mask)
        rows = torch.arange(len(states), device=states.device)
        parts = (batch.known - batch.inside, batch.inside)
        means = [(states * one[..., None]).sum(1) / one.sum(1, keepdim=True).clamp(min=1.0) for one in parts]
        together = torch.cat([states[:, 0], states[rows, batch.opened], *means], dim=-1)
        found: Tensor = self.dropout(torch.tanh(self.pooled(together)))
        return found

    def forward(self, batch: PairBatch, style: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-odds of the outputs and of the kinds."""
        found = self.vector(batch, style)
        return self.outputs(found), self.kinds(found)

    def follow(self, batch: PairBatch) -> Tensor:
        """Return the log-odds that the second text follows the first in a dialogue."""
        found: Tensor = self.follows(self.vector(batch, None))
        return found[:, 0]

    def set_dropout(self, share: float) -> None:
        """Set the dropout of all layers."""
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = share


def started(arrays: Mapping[str, npt.NDArray[Any]], *, seed: int, layers: int = LAYERS) -> Scorer:
    """Return a scorer whose layers are the encoder's."""
    torch.manual_seed(seed)
    scorer = Scorer(layers=layers)
    parts: dict[str, nn.Module] = {f"layers.{number}.": layer for number, layer in enumerate(scorer.layers)}
    for head, part in {"norm.": scorer.norm, **parts}.items():
        own = {name.removeprefix(head): value for name, value in arrays.items() if name.startswith(head)}
        part.load_state_dict({name: torch.from_numpy(value.astype(np.float32)) for name, value in own.items()})
    return scorer


def padded(
    stream: npt.NDArray[np.uint16], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return runs of a stream as rows, padded with 0.

    >>> padded(np.array([7, 8, 9], dtype=np.uint16), np.array([0, 1]), np.array([1, 2])).tolist()
    [[7, 0], [8, 9]]
    """
    at = np.arange(max(1, int(lengths.max(initial=0))))[None]
    places = np.minimum(starts[:, None] + at, len(stream) - 1)
    return np.where(at < lengths[:, None], stream[places].astype(np.int64), 0)
