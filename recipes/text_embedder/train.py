"""Train the built-in text embedder: one vector per unit of English and Mandarin, in the space of a large teacher.

The vectors start at the values of `recipes.text_embedder.vocabulary`; every step samples

- English texts: their sum should point to the teacher's vector (as in Model2Vec and its tokenlearn), and have the
  teacher's similarities; it is MiniLM, rotated to its principal directions;
- pairs of wordings with one meaning in English and Mandarin: both should point to the teacher's vector of the English
  one (Reimers & Gurevych 2020);
- styles in four wordings: nearer to one another than to other styles (InfoNCE);
- labelled lines: a linear head must predict the emotion from the vector; the head is discarded.

Vectors are pulled back to their initial values, so that rare ones do not drift.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.models.text.units import TextUnits
from aptone.planner.labelled_dialogues import LABEL_SETS
from recipes.text_embedder.data import LabelledText, Pair, Views

Floats = npt.NDArray[np.float32]

EVAL_EVERY = 250


@dataclass(frozen=True, slots=True)
class TextEmbedderRecipe:
    """Settings of a training run besides the data.

    Args:
        seed: random seed.
        size: size of a vector; a multiple of 32.
        mandarin_units: number of Mandarin words, besides those of pairs and descriptions.
        styles: number of described styles.
        steps: optimiser steps.
        texts, pairs, views, labelled: number of each in a batch.
        lr: peak learning rate.
        dropout: share of a text's units that are left out.
        temperature: temperature of the contrast between styles.
        sharpness: scale of the logits of the emotion head.
        distil, relations, together, contrast, emotion: weights of the losses.
        hold: pull towards the initial vectors, as a share of the learning rate.
    """

    seed: int = 1
    size: int = 192
    mandarin_units: int = 18_000
    styles: int = 20_000
    steps: int = 2000
    texts: int = 256
    pairs: int = 128
    views: int = 128
    labelled: int = 128
    lr: float = 4e-3
    dropout: float = 0.1
    temperature: float = 0.07
    sharpness: float = 8.0
    distil: float = 1.0
    relations: float = 20.0
    together: float = 1.0
    contrast: float = 0.05
    emotion: float = 0.1
    hold: float = 0.5


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Training data.

    Args:
        texts: English texts.
        meanings: the teacher's vectors of the texts: [texts, size], of length 1.
        pairs: wordings with one meaning.
        pair_meanings: the teacher's vectors of the pairs' English sides.
        views: styles in four wordings.
        labelled: texts with emotions.
    """

    texts: Sequence[str]
    meanings: Floats
    pairs: Sequence[Pair]
    pair_meanings: Floats
    views: Sequence[Views]
    labelled: Sequence[LabelledText]


class Bags:
    """Texts as runs of unit numbers, for sampling.

    Args:
        texts: texts to split.
        units: splits them into units.
        rows: row of each unit among the trained ones, filled in the order in which units occur.
    """

    def __init__(self, texts: Iterable[str], units: TextUnits, rows: dict[int, int]) -> None:
        self._runs = [
            np.array([rows.setdefault(number, len(rows)) for number in units.numbers(text)]) for text in texts
        ]

    def sample(self, chosen: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Return rows and offsets of some texts."""
        runs = [self._runs[one] for one in chosen]
        offsets = np.cumsum([0, *map(len, runs[:-1])])
        return torch.from_numpy(np.concatenate(runs)), torch.from_numpy(offsets)


class UnitTable(nn.Module):
    """The vectors of all units, with gradients."""

    initial: Tensor

    def __init__(self, initial: Floats, *, sharpness: float) -> None:
        super().__init__()
        self.register_buffer("initial", torch.from_numpy(initial))
        self.table = nn.EmbeddingBag.from_pretrained(torch.from_numpy(initial.copy()), freeze=False, mode="sum")
        self.sharpness = sharpness
        self.heads = nn.ModuleDict(
            {name: nn.Linear(initial.shape[1], len(LABEL_SETS[name])) for name in ("goemotions", "cped")}
        )

    def forward(self, bag: tuple[Tensor, Tensor], *, dropout: float = 0.0) -> Tensor:
        """Return vectors of length 1: [texts, size]."""
        numbers, offsets = bag
        weights = functional.dropout(torch.ones(len(numbers)), dropout, training=self.training)
        return functional.normalize(self.table(numbers, offsets, per_sample_weights=weights), dim=1, eps=1e-6)

    def emotions(self, vectors: Tensor, name: str) -> Tensor:
        """Return the logits of a set's emotion head."""
        answers: Tensor = self.heads[name](self.sharpness * vectors)
        return answers


def principal_directions(vectors: Floats, size: int) -> Floats:
    """Return the principal directions of vectors, without centring, as columns: [size of a vector, size]."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    chosen: Floats = directions[:, ::-1][:, :size].astype(np.float32)
    return chosen


def train_text_embedder(
    data: TrainingData,
    initial: Floats,
    units: TextUnits,
    recipe: TextEmbedderRecipe,
    *,
    log: Callable[[str], None],
    evaluate: Callable[[Floats], Mapping[str, float]] | None = None,
) -> Floats:
    """Train the vectors of all units; returns [units and buckets, size].

    Args:
        data: training data.
        initial: initial vectors.
        units: splits texts into units.
        recipe: settings of the run.
        log: receives progress lines.
        evaluate: called with the vectors every `EVAL_EVERY` steps; its result is logged.
    """
    torch.manual_seed(recipe.seed)
    dice = np.random.default_rng(recipe.seed)
    rows_of: dict[int, int] = {}
    texts = Bags(data.texts, units, rows_of)
    english, mandarin = (Bags((pair[side] for pair in data.pairs), units, rows_of) for side in (0, 1))
    wordings = [Bags((one.english[k] for one in data.views), units, rows_of) for k in (0, 1)]
    wordings += [Bags((one.mandarin[k] for one in data.views), units, rows_of) for k in (0, 1)]
    contents = _contents(data.views)
    lines = Bags((one.text for one in data.labelled), units, rows_of)
    trained = np.array(list(rows_of))
    network = UnitTable(initial[trained], sharpness=recipe.sharpness).train()
    sets = {name: np.array([row for row, one in enumerate(data.labelled) if one.set == name]) for name in network.heads}
    labels = np.array([LABEL_SETS[one.set].index(one.label) for one in data.labelled])
    meanings, pair_meanings = torch.from_numpy(data.meanings), torch.from_numpy(data.pair_meanings)
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.lr, betas=(0.9, 0.99), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.lr, total_steps=recipe.steps + 1, pct_start=0.1)
    time_begun, shown = time.perf_counter(), 0.0
    for step in range(recipe.steps):
        rows = dice.integers(0, len(data.texts), recipe.texts)
        predicted, meant = network(texts.sample(rows), dropout=recipe.dropout), meanings[rows]
        loss = recipe.distil * _away(predicted, meant)
        loss = loss + recipe.relations * functional.mse_loss(predicted @ predicted.T, meant @ meant.T)
        rows = dice.integers(0, len(data.pairs), recipe.pairs)
        for side in (english, mandarin):
            loss = loss + recipe.together * 0.5 * _away(network(side.sample(rows)), pair_meanings[rows])
        rows = dice.choice(len(data.views), recipe.views, replace=False)
        first, second = dice.choice(4, 2, replace=False)
        one, other = (network(wordings[k].sample(rows), dropout=recipe.dropout) for k in (first, second))
        loss = loss + recipe.contrast * _contrast(one, other, contents[rows], temperature=recipe.temperature)
        for name, of_set in sets.items():
            rows = of_set[dice.integers(0, len(of_set), recipe.labelled)]
            predicted = network.emotions(network(lines.sample(rows), dropout=recipe.dropout), name)
            loss = loss + recipe.emotion * functional.cross_entropy(predicted, torch.from_numpy(labels[rows]))
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        optimiser.zero_grad()
        with torch.no_grad():
            network.table.weight.lerp_(network.initial, recipe.hold * schedule.get_last_lr()[0])
        schedule.step()
        shown += (0.02 if step else 1.0) * (float(loss.detach()) - shown)
        if step % EVAL_EVERY == EVAL_EVERY - 1:
            found = evaluate(_vectors(network, initial, trained)) if evaluate is not None else {}
            words = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
            seconds = time.perf_counter() - time_begun
            log(f"step {step + 1} of {recipe.steps}, {seconds:.0f} s: loss {shown:.3f} {words}")
    return _vectors(network, initial, trained)


def _vectors(network: UnitTable, initial: Floats, trained: npt.NDArray[np.int64]) -> Floats:
    vectors = initial.copy()
    vectors[trained] = network.table.weight.detach().numpy()
    return vectors


def _away(vectors: Tensor, targets: Tensor) -> Tensor:
    return (1 - (vectors * targets).sum(dim=1)).mean()


def _contrast(one: Tensor, other: Tensor, contents: npt.NDArray[np.int64], *, temperature: float) -> Tensor:
    """Return InfoNCE in both directions; rows of the same style are no negatives of each other."""
    nearness = one @ other.T / temperature
    numbers = torch.from_numpy(contents)
    same = (numbers[:, None] == numbers[None]) & ~torch.eye(len(numbers), dtype=torch.bool)
    nearness = nearness.masked_fill(same, -torch.inf)
    right = torch.arange(len(one))
    return 0.5 * (functional.cross_entropy(nearness, right) + functional.cross_entropy(nearness.T, right))


def _contents(views: Sequence[Views]) -> npt.NDArray[np.int64]:
    number: dict[object, int] = {}
    return np.array([number.setdefault(one.style, len(number)) for one in views], dtype=np.int64)
