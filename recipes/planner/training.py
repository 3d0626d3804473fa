"""Train an encoder, on one GPU or a CPU, from files of arrays; needs torch and numpy, nothing of Aptone.

Every step takes rows from each source in fixed shares and sums their losses: cross-entropy of shares for emotions, of
classes for intensity, rhythm and intonation, binary cross-entropy for voice and evidence, and BERT's masked language
modelling on the books. Weights are averaged over steps.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from recipes.planner.batches import RowSampler, Source, batch_of, dropped, masked_rows, on_device
from recipes.planner.evaluation import DEV_ROWS, head_of, in_halves, report
from recipes.planner.network import HEADS, POSITIONS, Batch, Encoder

VOICE_COUNT = HEADS["voice"]
LABEL_KEYS = ("target", "others", "voice", "decides", "speaks")


@dataclass(frozen=True)
class Recipe:
    """Settings of a training; `shares` are rows of a batch by source.

    With `minutes`, the learning rate falls with the time that has passed, and `steps` is only a limit. With
    `frozen_inputs`, the embeddings of pieces, positions and target stay as they are: other models share them
    (`aptone.planner.pairs`); with `frozen_layers`, so many of the first layers do. With `micro_batch`, a batch is
    sorted by length and computed in parts of so many rows: slower on a GPU, and several times as fast on a CPU, where
    padding costs as much as text.
    """

    steps: int = 6000
    minutes: float = 0.0
    micro_batch: int = 0
    compiled: bool = False
    frozen_inputs: bool = False
    frozen_layers: int = 0
    shares: Mapping[str, int] = None  # type: ignore[assignment]
    masked: int = 48
    lr: float = 2e-4
    body_lr: float = 1e-4
    warmup_steps: int = 300
    frozen: int = 0
    ema_decay: float = 0.999
    smoothing: float = 0.03
    word_drop: float = 0.05
    masked_until: float = 0.8
    masked_weight: float = 0.5
    balance: float = 0.5
    speaker_weight: float = 0.3
    dropout: float = 0.1
    num_evaluations: int = 3
    dev_rows: int = DEV_ROWS
    seed: int = 1


def losses(
    network: Encoder,
    head: str,
    held: Mapping[str, Tensor],
    states: Tensor,
    pooled: Tensor,
    padding: Tensor,
    recipe: Recipe,
) -> Tensor:
    """Return the mean loss of the rows of one head; of every label only rows that have it count.

    Args:
        network: the network.
        head: name of the head.
        held: the labels of these rows.
        states, pooled, padding: states, target states and padding of these rows.
        recipe: label smoothing and weight of the loss of speakers.
    """
    size, smooth = HEADS[head], recipe.smoothing
    shares = held["target"][:, :size]
    labelled = (shares.sum(1) > 0).float()
    logits = network.heads[head](pooled).float()
    cross = -((shares * (1 - smooth) + smooth / size) * functional.log_softmax(logits, dim=-1)).sum(1)
    total = (cross * labelled).sum() / labelled.sum().clamp(min=1.0)
    if head not in ("reader", "tags"):
        return total
    if head == "reader":
        for column, aspect, weight in ((0, "intensity", 0.2), (1, "rhythm", 0.3), (2, "intonation", 0.3)):
            classes = held["others"][:, column]
            each = functional.cross_entropy(
                network.heads[aspect](pooled).float(), classes, ignore_index=-1, reduction="sum"
            )
            total = total + weight * each / (classes >= 0).sum().clamp(min=1)
    bits = held["voice"]
    wanted = ((bits.clamp(min=0)[:, None] >> torch.arange(VOICE_COUNT, device=bits.device)) & 1).float()
    each = functional.binary_cross_entropy_with_logits(
        network.heads["voice"](pooled).float(), wanted, reduction="none"
    ).sum(1)
    total = total + 0.15 * (each * (bits >= 0)).sum() / (bits >= 0).sum().clamp(min=1)
    known = (held["others"][:, 3] > 0)[:, None] & ~padding
    each = functional.binary_cross_entropy_with_logits(
        network.found(states, pooled).float(),
        held["decides"][:, : states.shape[1]].float(),
        reduction="none",
        pos_weight=torch.full((), 3.0, device=bits.device),
    )
    total = total + 0.3 * (each * known).sum() / known.sum().clamp(min=1)
    pointing = speaker_loss(network, held["speaks"][:, : states.shape[1]], states, padding)
    return total + recipe.speaker_weight * pointing


def speaker_loss(network: Encoder, mentions: Tensor, states: Tensor, padding: Tensor) -> Tensor:
    """Return the mean cross-entropy of pointing at all mentions of the speaker, over rows whose speaker is known."""
    shares = network.speaks(states).float().masked_fill(padding, -1e4).log_softmax(dim=-1)
    each = (shares * mentions).sum(dim=-1) / mentions.sum(dim=-1).clamp(min=1)
    return -each.sum() / mentions.any(dim=1).sum().clamp(min=1)


def train(
    network: Encoder,
    sources: Mapping[str, Source],
    stream: npt.NDArray[np.uint16],
    recipe: Recipe,
    device: str,
    *,
    limit: float = math.inf,
    quiet: bool = False,
) -> tuple[Encoder, list[dict[str, Any]]]:
    """Train a network, and return it with averaged weights, and the log."""
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    _set_up(network, recipe, device)
    books = torch.from_numpy(stream.astype(np.int32)).to(device)
    held = {name: on_device(source, device) for name, source in sources.items()}
    optimizer = _optimizer(network, recipe, device)
    samplers = {}
    for name in recipe.shares:
        rows = sources[name].rows(dev=False, labelled=not name.startswith(("tags", "spoken")))
        samplers[name] = RowSampler(sources[name], rows, recipe.balance)
    averaged = [value.detach().clone() for value in network.parameters()]
    log: list[dict[str, Any]] = []
    begun = time.monotonic()
    for step in range(recipe.steps):
        passed = time.monotonic() - begun
        if passed > limit or (recipe.minutes and passed >= 60 * recipe.minutes):
            print(f"stopped by time at step {step}", flush=True)
            break
        share = passed / (60 * recipe.minutes) if recipe.minutes else step / recipe.steps
        warm = min(1.0, (step + 1) / recipe.warmup_steps)
        for number, group in enumerate(optimizer.param_groups):
            still = number == 1 and step < recipe.frozen
            group["lr"] = 0.0 if still else group["top"] * warm * (1.0 - share)
        optimizer.zero_grad(set_to_none=True)
        chosen = {name: samplers[name].sample(count, generator) for name, count in recipe.shares.items() if count}
        loss = 0.0
        for part_rows, weight in _parts(chosen, sources, recipe.micro_batch):
            part = weight * _batch_loss(network, held, part_rows, books, recipe, device, share=share)
            part.backward()  # type: ignore[no-untyped-call]
            loss += float(part.detach())
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        keep = min(recipe.ema_decay, (step + 1) / (step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(averaged, [value.detach() for value in network.parameters()], 1.0 - keep)
        if not quiet and recipe.num_evaluations and (step + 1) % max(1, recipe.steps // recipe.num_evaluations) == 0:
            scores = report(network, sources, held, device, dev_rows=recipe.dev_rows)
            row = {
                "step": step + 1,
                "seconds": round(time.monotonic() - begun, 1),
                "loss": loss,
                **scores,
            }
            log.append(row)
            print(json.dumps({k: round(v, 4) for k, v in row.items()}), flush=True)
    with torch.no_grad():
        for value, mean in zip(network.parameters(), averaged, strict=True):
            value.copy_(mean)
    if quiet:
        return network, log
    scores = report(network, sources, held, device, dev_rows=recipe.dev_rows)
    print("averaged", json.dumps({k: round(v, 4) for k, v in scores.items()}), flush=True)
    log.append({"averaged": True, **scores})
    return network, log


def _set_up(network: Encoder, recipe: Recipe, device: str) -> None:
    network.to(device).train()
    if recipe.frozen_inputs:
        for fixed in (network.words.weight, network.places.weight, network.target):
            fixed.requires_grad_(False)
    for layer in network.layers[: recipe.frozen_layers]:
        layer.requires_grad_(False)
    if recipe.compiled:
        for layer in network.layers:
            layer.compile(dynamic=True)
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = recipe.dropout


def _optimizer(network: Encoder, recipe: Recipe, device: str) -> torch.optim.Optimizer:
    words: list[Tensor] = []
    body: list[Tensor] = []
    new: list[Tensor] = []
    for name, value in network.named_parameters():
        first = name.partition(".")[0]
        (words if first in ("words", "guess_bias") else body if first in ("layers", "places", "norm") else new).append(
            value
        )
    groups = [
        {"params": words, "lr": 0.0, "top": recipe.lr},
        {"params": body, "lr": 0.0, "top": recipe.body_lr},
        {"params": new, "lr": 0.0, "top": 2 * recipe.lr},
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98), fused=device != "cpu")


def _parts(
    chosen: Mapping[str, npt.NDArray[np.int64]], sources: Mapping[str, Source], most: int
) -> Iterator[tuple[dict[str, npt.NDArray[np.int64]], float]]:
    """Yield the rows of a batch in parts of similar length, at most `most` rows each (0: one part), and their share."""
    places = [(name, row) for name, rows in chosen.items() for row in rows.tolist()]
    if most:
        places.sort(key=lambda one: int(sources[one[0]].lengths[one[1]]))
    for start in range(0, len(places), most or len(places)):
        part: dict[str, list[int]] = {}
        for name, row in places[start : start + (most or len(places))]:
            part.setdefault(name, []).append(row)
        count = sum(map(len, part.values()))
        yield {name: np.array(rows, dtype=np.int64) for name, rows in part.items()}, count / len(places)


def _batch_loss(
    network: Encoder,
    held: Mapping[str, Mapping[str, Tensor]],
    rows_of: Mapping[str, npt.NDArray[np.int64]],
    books: Tensor,
    recipe: Recipe,
    device: str,
    *,
    share: float,
) -> Tensor:
    """Return the loss of some rows of the sources, computed as one batch."""
    chosen = {
        name: torch.from_numpy(rows).to(device)
        for name, rows in sorted(rows_of.items(), key=lambda item: head_of(item[0]))
    }
    batch = dropped(batch_of([(held[name], rows) for name, rows in chosen.items()], device), recipe.word_drop)
    labelled = len(batch.numbers)
    guessing = recipe.masked > 0 and share < recipe.masked_until
    if guessing:
        changed, numbers, hidden = masked_rows(books, recipe.masked, network.words.num_embeddings)
        batch = _with_masked(batch, changed)
    with torch.autocast(device, dtype=torch.bfloat16, enabled=in_halves(device)):
        states = network.states(batch)
        loss = torch.zeros((), device=device)
        if guessing:
            guessed = network.guessed(states[labelled:, :POSITIONS][hidden]).float()
            loss = loss + recipe.masked_weight * functional.cross_entropy(guessed, numbers[hidden])
        first = Batch(*(part[:labelled] for part in (batch.numbers, batch.in_target, batch.opened, batch.padding)))
        pooled = network.pool(states[:labelled], first)
        start = 0
        for head, names in groupby(chosen, key=head_of):
            parts = [(held[name], chosen[name]) for name in names]
            own = {key: torch.cat([labels[key][rows] for labels, rows in parts]) for key in LABEL_KEYS}
            end = start + len(own["target"])
            part = losses(network, head, own, states[start:end], pooled[start:end], batch.padding[start:end], recipe)
            loss = loss + 3.0 * (end - start) / labelled * part
            start = end
    return loss


def _with_masked(batch: Batch, changed: Tensor) -> Batch:
    """Append windows of the books to a batch."""
    count, width = changed.shape
    short = width - batch.numbers.shape[1]
    none = torch.zeros_like(changed, dtype=torch.bool)
    return Batch(
        torch.cat([functional.pad(batch.numbers, (0, short)), changed]),
        torch.cat([functional.pad(batch.in_target, (0, short)), none]),
        torch.cat([batch.opened, torch.zeros(count, dtype=batch.opened.dtype, device=changed.device)]),
        torch.cat([functional.pad(batch.padding, (0, short), value=True), none]),
    )
