"""Teach the built-in text embedder: one vector for each unit of English and Mandarin, in the space of a large teacher.

Top to bottom: the vectors begin where `text_embedder_vocabulary.py` puts them; every step draws

- English texts: their sum should point where the teacher's vector points (as in Model2Vec and its tokenlearn), and they
  should be as near to one another as the teacher has them; it is MiniLM, turned to its principal directions;
- pairs of wordings that mean the same in English and Mandarin: both should point where the teacher puts the English one
  (Reimers & Gurevych 2020);
- styles in four wordings: nearer to one another than to other styles (InfoNCE);
- labelled lines: a linear head must tell the emotion from the vector; the head is thrown away.

Vectors are drawn back to where they began, so that what is seldom seen does not stray.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.messages import message
from aptone.models.text.units import TextUnits
from aptone.planner.label_sets import LABEL_SETS
from recipes.text_embedder.data import LabelledText, Pair, Views

Floats = npt.NDArray[np.float32]

LOOK_EVERY = 250


@dataclass(frozen=True, slots=True)
class TextEmbedderRecipe:
    """Everything that a training run depends on besides the data.

    Args:
        seed: of everything that is drawn.
        size: how many numbers a vector has; a multiple of 32.
        mandarin_units: how many Mandarin words are known, besides those of pairs and descriptions.
        styles: how many styles are described for training.
        steps: how many batches.
        texts, pairs, views, labelled: how many of each are in a batch.
        rate: highest learning rate.
        dropout: share of a text's units that are left out.
        temperature: of the contrast between styles.
        sharpness: of the head that tells emotions.
        distil, relations, together, contrast, emotion: weights of the losses.
        hold: how fast vectors are drawn back to where they began, in shares of the learning rate.
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
    rate: float = 4e-3
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
class Lessons:
    """What is taught.

    Args:
        texts: English texts.
        meanings: the teacher's vectors of the texts: [texts, size], of length 1.
        pairs: wordings that mean the same.
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
    """Texts as runs of unit numbers, ready to be drawn.

    Args:
        texts: to be cut.
        units: cuts them.
        rows: gives a unit's number its row among those that are taught, in the order in which they are met.
    """

    def __init__(self, texts: Iterable[str], units: TextUnits, rows: dict[int, int]) -> None:
        self._runs = [
            np.array([rows.setdefault(number, len(rows)) for number in units.numbers(text)]) for text in texts
        ]

    def drawn(self, chosen: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Rows and offsets of some texts."""
        runs = [self._runs[one] for one in chosen]
        offsets = np.cumsum([0, *map(len, runs[:-1])])
        return torch.from_numpy(np.concatenate(runs)), torch.from_numpy(offsets)


class UnitTable(nn.Module):
    """The vectors of all units, with gradients."""

    begun: Tensor

    def __init__(self, begun: Floats, *, sharpness: float) -> None:
        super().__init__()
        self.register_buffer("begun", torch.from_numpy(begun))
        self.table = nn.EmbeddingBag.from_pretrained(torch.from_numpy(begun.copy()), freeze=False, mode="sum")
        self.sharpness = sharpness
        self.heads = nn.ModuleDict(
            {name: nn.Linear(begun.shape[1], len(LABEL_SETS[name])) for name in ("goemotions", "cped")}
        )

    def forward(self, bag: tuple[Tensor, Tensor], *, dropout: float = 0.0) -> Tensor:
        """Vectors of length 1: [texts, size]."""
        numbers, offsets = bag
        weights = functional.dropout(torch.ones(len(numbers)), dropout, training=self.training)
        return functional.normalize(self.table(numbers, offsets, per_sample_weights=weights), dim=1, eps=1e-6)

    def emotions(self, vectors: Tensor, name: str) -> Tensor:
        """What a set's head says about vectors."""
        answers: Tensor = self.heads[name](self.sharpness * vectors)
        return answers


def principal_directions(vectors: Floats, size: int) -> Floats:
    """The directions that hold most of the vectors, as columns: [numbers, size]. Lengths are kept, none is centred."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    chosen: Floats = directions[:, ::-1][:, :size].astype(np.float32)
    return chosen


def train_text_embedder(
    lessons: Lessons,
    begun: Floats,
    units: TextUnits,
    recipe: TextEmbedderRecipe,
    *,
    log: Callable[[str], None],
    look: Callable[[Floats], Mapping[str, float]] | None = None,
) -> Floats:
    """Teach the vectors of all units; gives [units and buckets, size].

    Args:
        lessons: what is taught.
        begun: where the vectors begin.
        units: cuts texts.
        recipe: how.
        log: is told how far it is.
        look: is shown the vectors every `LOOK_EVERY` steps, and what it finds is logged.
    """
    torch.manual_seed(recipe.seed)
    dice = np.random.default_rng(recipe.seed)
    rows_of: dict[int, int] = {}
    texts = Bags(lessons.texts, units, rows_of)
    english, mandarin = (Bags((pair[side] for pair in lessons.pairs), units, rows_of) for side in (0, 1))
    wordings = [Bags((one.english[k] for one in lessons.views), units, rows_of) for k in (0, 1)]
    wordings += [Bags((one.mandarin[k] for one in lessons.views), units, rows_of) for k in (0, 1)]
    contents = _contents(lessons.views)
    lines = Bags((one.text for one in lessons.labelled), units, rows_of)
    taught = np.array(list(rows_of))
    network = UnitTable(begun[taught], sharpness=recipe.sharpness).train()
    sets = {
        name: np.array([row for row, one in enumerate(lessons.labelled) if one.set == name]) for name in network.heads
    }
    labels = np.array([LABEL_SETS[one.set].index(one.label) for one in lessons.labelled])
    meanings, pair_meanings = torch.from_numpy(lessons.meanings), torch.from_numpy(lessons.pair_meanings)
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate, betas=(0.9, 0.99), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=recipe.steps + 1, pct_start=0.1)
    time_begun, shown = time.perf_counter(), 0.0
    for step in range(recipe.steps):
        rows = dice.integers(0, len(lessons.texts), recipe.texts)
        said, meant = network(texts.drawn(rows), dropout=recipe.dropout), meanings[rows]
        loss = recipe.distil * _away(said, meant)
        loss = loss + recipe.relations * functional.mse_loss(said @ said.T, meant @ meant.T)
        rows = dice.integers(0, len(lessons.pairs), recipe.pairs)
        for side in (english, mandarin):
            loss = loss + recipe.together * 0.5 * _away(network(side.drawn(rows)), pair_meanings[rows])
        rows = dice.choice(len(lessons.views), recipe.views, replace=False)
        first, second = dice.choice(4, 2, replace=False)
        one, other = (network(wordings[k].drawn(rows), dropout=recipe.dropout) for k in (first, second))
        loss = loss + recipe.contrast * _contrast(one, other, contents[rows], temperature=recipe.temperature)
        for name, of_set in sets.items():
            rows = of_set[dice.integers(0, len(of_set), recipe.labelled)]
            said = network.emotions(network(lines.drawn(rows), dropout=recipe.dropout), name)
            loss = loss + recipe.emotion * functional.cross_entropy(said, torch.from_numpy(labels[rows]))
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        optimiser.zero_grad()
        with torch.no_grad():
            network.table.weight.lerp_(network.begun, recipe.hold * schedule.get_last_lr()[0])
        schedule.step()
        shown += (0.02 if step else 1.0) * (float(loss.detach()) - shown)
        if step % LOOK_EVERY == LOOK_EVERY - 1:
            found = look(_vectors(network, begun, taught)) if look is not None else {}
            words = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
            log(
                message(
                    "train.step-of-loss",
                    step=step + 1,
                    steps=recipe.steps,
                    seconds=time.perf_counter() - time_begun,
                    loss=shown,
                    what=words,
                )
            )
    return _vectors(network, begun, taught)


def _vectors(network: UnitTable, begun: Floats, taught: npt.NDArray[np.int64]) -> Floats:
    vectors = begun.copy()
    vectors[taught] = network.table.weight.detach().numpy()
    return vectors


def _away(vectors: Tensor, targets: Tensor) -> Tensor:
    return (1 - (vectors * targets).sum(dim=1)).mean()


def _contrast(one: Tensor, other: Tensor, contents: npt.NDArray[np.int64], *, temperature: float) -> Tensor:
    """InfoNCE in both directions; a row that holds the same style as another is no counter-example to it."""
    nearness = one @ other.T / temperature
    numbers = torch.from_numpy(contents)
    same = (numbers[:, None] == numbers[None]) & ~torch.eye(len(numbers), dtype=torch.bool)
    nearness = nearness.masked_fill(same, -torch.inf)
    right = torch.arange(len(one))
    return 0.5 * (functional.cross_entropy(nearness, right) + functional.cross_entropy(nearness.T, right))


def _contents(views: Sequence[Views]) -> npt.NDArray[np.int64]:
    number: dict[object, int] = {}
    return np.array([number.setdefault(one.style, len(number)) for one in views], dtype=np.int64)
