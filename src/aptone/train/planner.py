"""Train the planner's network: what the lines of a window, and the target among them, ask the target to sound like.

Top to bottom: draw dialogues of every set, cut their contexts to a length that is drawn (0 to 15 lines), one loss a set
and one for valence, arousal and dominance, one step, an average of the weights. English lines come as vectors of the
encoder (`planner_encoder.py`), which stays as it is; the table of Mandarin phrases is learned here. Half of the numbers
of a line are dropped while training, and for a fifth of the dialogues it is hidden who speaks.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.planner.context_network import HEADS, LONGEST_CONTEXT, OTHER, SAME
from aptone.planner.label_sets import LABEL_SETS
from aptone.planner.manner import SIZE as MANNER
from aptone.train.planner_lines import Lines

TABLE = 64
"""How many numbers a Mandarin phrase has."""


@dataclass(frozen=True, slots=True)
class PlannerRecipe:
    """Everything that a training run depends on besides the data.

    Args:
        seed: of everything that is drawn.
        steps: how many batches.
        lines: how many lines of each set are in a batch, about.
        hidden: size of the network.
        rate: highest learning rate; that of the table is ten times as high.
        decay: of the weights.
        dropout: of a line's numbers, and of phrases.
        average: how much of the running average of the weights is kept in a step.
        smoothing: share of a label that is spread over its set.
        unknown_roles: share of dialogues in which it is hidden who speaks.
        vad: weight of the loss of valence, arousal and dominance.
    """

    seed: int = 1
    steps: int = 1000
    lines: Mapping[str, int] = field(default_factory=lambda: {"meld": 64, "cped": 96, "goemotions": 48, "emobank": 16})
    hidden: int = 96
    rate: float = 1e-3
    decay: float = 0.05
    dropout: float = 0.5
    average: float = 0.995
    smoothing: float = 0.1
    unknown_roles: float = 0.2
    vad: float = 1.0


class PlannerNetwork(nn.Module):
    """The same as `aptone.planner.context_network.ContextNetwork` behind the lines' first layer, with gradients.

    Args:
        size: of an English line's vector.
        phrases: how many Mandarin phrases are known.
        recipe: sizes and dropout.
        spread: mean and deviation of the English vectors.
    """

    centre: Tensor
    deviation: Tensor

    def __init__(self, size: int, phrases: int, recipe: PlannerRecipe, spread: tuple[Tensor, Tensor]) -> None:
        super().__init__()
        hidden = recipe.hidden
        self.dropout = recipe.dropout
        self.register_buffer("centre", spread[0])
        self.register_buffer("deviation", spread[1])
        self.table = nn.EmbeddingBag(max(phrases, 1), TABLE, mode="sum")
        nn.init.normal_(self.table.weight, std=0.1)
        self.line = nn.ModuleDict({"en": nn.Linear(size + MANNER, hidden), "zh": nn.Linear(TABLE + MANNER, hidden)})
        self.query, self.key, self.value, self.found = (nn.Linear(hidden, hidden, bias=False) for _ in range(4))
        self.nearness = nn.Parameter(torch.zeros(HEADS, 2, LONGEST_CONTEXT))
        self.nothing = nn.Parameter(torch.zeros(HEADS))
        self.joined = nn.Linear(3 * hidden, hidden)
        sizes = {name: len(labels) for name, labels in LABEL_SETS.items()} | {"vad": 3}
        self.heads = nn.ModuleDict({name: nn.Linear(hidden, count) for name, count in sizes.items()})

    def hidden(self, batch: "Batch") -> Tensor:
        """Hidden vectors of lines: [lines, hidden]."""
        dropout = self.dropout if self.training else 0.0
        if batch.language == "en":
            meant = (batch.vectors - self.centre) / self.deviation
        else:
            keep = functional.dropout(torch.ones(len(batch.phrases)), dropout)
            meant = self.table(batch.phrases, batch.offsets, per_sample_weights=keep)
            meant = meant / batch.counts.clamp_min(1).sqrt()[:, None]
        given = torch.cat(
            [functional.dropout(meant, dropout if batch.language == "en" else 0.2 * dropout), batch.manner], 1
        )
        return torch.relu(self.line[batch.language](given))

    def forward(self, batch: "Batch") -> dict[str, Tensor]:
        """The numbers of every head for every line of a batch."""
        own = functional.dropout(self.hidden(batch), 0.2, training=self.training)
        padded = torch.cat([own, torch.zeros_like(own[:1])])
        near = padded[batch.before]
        lines, width = len(own), own.shape[1] // HEADS
        query = self.query(own).view(lines, HEADS, width)
        key = self.key(near).view(lines, LONGEST_CONTEXT, HEADS, width)
        value = self.value(near).view(lines, LONGEST_CONTEXT, HEADS, width)
        match = torch.einsum("nhw,nlhw->nhl", query, key) / width**0.5
        match = match + self.nearness[:, batch.relations, torch.arange(LONGEST_CONTEXT)].permute(1, 0, 2)
        match = match.masked_fill((batch.before == lines)[:, None], -torch.inf)
        weights = torch.cat([self.nothing.expand(lines, HEADS)[..., None], match], 2).softmax(2)[..., 1:]
        seen = torch.einsum("nhl,nlhw->nhw", weights, value).reshape(lines, -1)
        everything = torch.cat([own, self.found(seen), near[:, 0]], 1)
        hidden = torch.relu(self.joined(everything)) + own
        hidden = functional.dropout(hidden, 0.4 * self.dropout, training=self.training)
        return {name: head(hidden) for name, head in self.heads.items()}


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of several dialogues of one set, with their contexts.

    Args:
        set, language: of all lines.
        vectors: [lines, size] in English.
        phrases, offsets, counts: of all lines behind one another, in Mandarin.
        manner: [lines, 12].
        before: [lines, 15] which lines stand before, the nearest first; the number of lines where there is none.
        relations: [lines, 15] `SAME` or `OTHER`.
        target, vad: labels.
    """

    set: str
    language: str
    vectors: Tensor
    phrases: Tensor
    offsets: Tensor
    counts: Tensor
    manner: Tensor
    before: Tensor
    relations: Tensor
    target: Tensor
    vad: Tensor


def make_batch(
    dialogues: Sequence[Lines],
    *,
    context: Callable[[int], npt.NDArray[np.int64]],
    known: Callable[[], bool] = lambda: True,
) -> Batch:
    """Dialogues of one set as a batch.

    Args:
        dialogues: at least one.
        context: given a number of lines, how many lines of context each of them may see.
        known: asked once a dialogue: whether it is known who speaks.
    """
    total = sum(len(one.manner) for one in dialogues)
    before = np.full((total, LONGEST_CONTEXT), total, dtype=np.int64)
    relations = np.full((total, LONGEST_CONTEXT), OTHER, dtype=np.int64)
    start = 0
    for one in dialogues:
        count, named = len(one.manner), known()
        sizes = context(count)
        for place in range(count):
            reach = min(place, int(sizes[place]), LONGEST_CONTEXT)
            places = place - 1 - np.arange(reach)
            before[start + place, :reach] = start + places
            if named and one.roles[place] >= 0:
                relations[start + place, :reach] = np.where(one.roles[places] == one.roles[place], SAME, OTHER)
        start += count
    runs = [run for one in dialogues for run in one.phrases]
    counts = np.array([len(run) for run in runs], dtype=np.int64)
    return Batch(
        set=dialogues[0].set,
        language=dialogues[0].language,
        vectors=torch.from_numpy(np.concatenate([one.vectors for one in dialogues])),
        phrases=torch.tensor([number for run in runs for number in run], dtype=torch.long),
        offsets=torch.from_numpy(np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts),
        counts=torch.from_numpy(counts),
        manner=torch.from_numpy(np.concatenate([one.manner for one in dialogues])),
        before=torch.from_numpy(before),
        relations=torch.from_numpy(relations),
        target=torch.from_numpy(np.concatenate([one.target for one in dialogues])),
        vad=torch.from_numpy(np.concatenate([one.vad for one in dialogues])),
    )


def batch_loss(network: PlannerNetwork, batch: Batch, recipe: PlannerRecipe) -> Tensor:
    """The loss of a batch: cross-entropy in the set's labels, if it has any, and squared error of the three values."""
    answers = network(batch)
    loss = torch.zeros(())
    if batch.target.shape[1]:
        loss = functional.cross_entropy(answers[batch.set], batch.target, label_smoothing=recipe.smoothing)
    marked = ~batch.vad.isnan().any(1)
    return loss + recipe.vad * functional.mse_loss(torch.tanh(answers["vad"][marked]), batch.vad[marked])


def train_planner(
    dialogues: Sequence[Lines],
    recipe: PlannerRecipe,
    *,
    phrases: int,
    parts: Sequence[str] = ("train",),
    log: Callable[[str], None],
    look: Callable[[int, PlannerNetwork], None] | None = None,
) -> PlannerNetwork:
    """Train a network, and give its average.

    Args:
        dialogues: of all sets and parts.
        recipe: how.
        phrases: how many Mandarin phrases are known.
        parts: which parts are trained on.
        log: is told how far it is.
        look: is shown the average every 250 steps.
    """
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    by_set = {name: [one for one in dialogues if one.set == name and one.part in parts] for name in recipe.lines}
    english = np.concatenate([one.vectors for name in by_set for one in by_set[name] if one.language == "en"])
    spread = torch.from_numpy(english.mean(axis=0)), torch.from_numpy(english.std(axis=0) + 1e-3)
    network = PlannerNetwork(english.shape[1], phrases, recipe, spread)
    averaged = PlannerNetwork(english.shape[1], phrases, recipe, spread)
    averaged.load_state_dict(network.state_dict())
    averaged.eval()
    network.train()
    others = [value for name, value in network.named_parameters() if not name.startswith("table")]
    groups: list[dict[str, Any]] = [
        {"params": others, "lr": recipe.rate, "weight_decay": recipe.decay},
        {"params": [*network.table.parameters()], "lr": 10 * recipe.rate, "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [recipe.rate, 10 * recipe.rate], total_steps=recipe.steps + 1, pct_start=0.1
    )
    decks: dict[str, list[int]] = {name: [] for name in by_set}
    began, shown = time.perf_counter(), 0.0
    for step in range(recipe.steps):
        loss = torch.zeros(())
        for name, wanted in recipe.lines.items():
            drawn: list[Lines] = []
            while sum(len(one.manner) for one in drawn) < wanted:
                if not decks[name]:
                    decks[name] = generator.permutation(len(by_set[name])).tolist()
                drawn.append(by_set[name][decks[name].pop()])
            batch = make_batch(
                drawn,
                context=lambda count: generator.integers(0, LONGEST_CONTEXT + 1, count),
                known=lambda: bool(generator.random() >= recipe.unknown_roles),
            )
            loss = loss + batch_loss(network, batch, recipe)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        optimiser.zero_grad()
        schedule.step()
        with torch.no_grad():
            for kept, live in zip(averaged.parameters(), network.parameters(), strict=True):
                kept.lerp_(live, 1 - min(recipe.average, (step + 1) / (step + 10)))
        shown += 0.02 * (float(loss.detach()) - shown)
        if step % 250 == 249:
            log(f"step {step + 1} of {recipe.steps}, {time.perf_counter() - began:.0f} s: loss {shown:.3f}")
            if look is not None:
                look(step + 1, averaged)
    return averaged


def answers_of(
    network: PlannerNetwork, dialogues: Sequence[Lines], *, context: int
) -> dict[str, npt.NDArray[np.float32]]:
    """What a network says about every line of some dialogues of one set: by head, [lines, numbers]."""
    found: dict[str, list[npt.NDArray[Any]]] = {}
    with torch.no_grad():
        for start in range(0, len(dialogues), 64):
            batch = make_batch(dialogues[start : start + 64], context=lambda count: np.full(count, context))
            for name, numbers in network(batch).items():
                found.setdefault(name, []).append(numbers.numpy())
    return {name: np.concatenate(parts) for name, parts in found.items()}
