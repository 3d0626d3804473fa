"""Train CSER, EMO-Reasoning's recogniser of emotion over time.

Top to bottom: draw recordings, one loss over the steps that somebody rated, one step of Adam; after each epoch the
concordance on dev, the best weights so far, and a checkpoint to go on from. Everything that is drawn depends on seed
and epoch only: a run that was killed and resumed ends with the same weights as one that was not.

Departures from the paper, whose code prints no more than sizes, loss, optimiser, batch and epochs: vectors are brought
to mean 0 and spread 1 by those of the training part, and training ends early when dev gets no better. Steps that nobody
rated count as padding.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.models.local.cser import DIMENSIONS, Cser, CserConfig, CserNetwork, CserSizes, write_cser
from aptone.stats import concordance
from aptone.train.checkpoint import keep_checkpoint, resume_checkpoint
from aptone.types import Json, dumps

CHECKPOINT = "checkpoint.safetensors"
SMALLEST_SPREAD = 1e-4
"""A number that never differs by more in the training part says nothing, and is not blown up."""


@dataclass(frozen=True, slots=True)
class CserRecipe:
    """How CSER is taught; the defaults are the paper's, but for `patience`.

    Args:
        hidden: see `CserSizes`.
        layers: likewise.
        dropout: likewise.
        rate: learning rate of Adam.
        batch: recordings in a batch.
        epochs: at most.
        patience: epochs without a better concordance on dev after which training ends.
        seed: of the first weights, of the order and of dropout.
    """

    hidden: int = 512
    layers: int = 2
    dropout: float = 0.5
    rate: float = 1e-4
    batch: int = 32
    epochs: int = 200
    patience: int = 30
    seed: int = 1

    def sizes(self, features: int) -> CserSizes:
        """Of the network for vectors of so many numbers."""
        return CserSizes(features, hidden=self.hidden, layers=self.layers, dropout=self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A recording and what people said of it.

    Args:
        name: unique within its part.
        vectors: [steps, features].
        targets: [steps, 3]: valence, arousal, dominance; NaN where nobody said.
    """

    name: str
    vectors: npt.NDArray[np.float32]
    targets: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Args:
        epoch: epochs that are done.
        best_epoch: after which dev was best.
        best: concordance on dev then.
        history: loss and concordance on dev of every epoch.
    """

    epoch: int = 0
    best_epoch: int = 0
    best: float = -math.inf
    history: tuple[tuple[float, float], ...] = ()

    def after(self, loss: float, dev: float) -> "Progress":
        """The same after one more epoch."""
        epoch, history = self.epoch + 1, (*self.history, (loss, dev))
        if dev > self.best:
            return Progress(epoch, epoch, dev, history)
        return replace(self, epoch=epoch, history=history)


def concordance_loss(said: Tensor, target: Tensor, lengths: Tensor) -> Tensor:
    """One minus Lin's concordance, meant over the three dimensions.

    ``CCC = 2 cov(x, y) / (var(x) + var(y) + (mean(x) - mean(y))²)`` with variances over n, over all steps of the batch
    together. What stands behind the end of a recording does not count, nor what nobody rated.

    Args:
        said: [recordings, steps, 3].
        target: the same, NaN where nobody said.
        lengths: [recordings], how many steps each has.
    """
    within = torch.arange(said.shape[1], device=said.device) < lengths.to(said.device)[:, None]
    counted = within[:, :, None] & ~target.isnan()
    losses = []
    for dimension in range(said.shape[2]):
        kept = counted[..., dimension]
        x, y = said[..., dimension][kept], target[..., dimension][kept]
        covariance = ((x - x.mean()) * (y - y.mean())).mean()
        spread = x.var(correction=0) + y.var(correction=0) + (x.mean() - y.mean()).square()
        losses.append(1.0 - 2.0 * covariance / spread.clamp_min(1e-8))
    return torch.stack(losses).mean()


def dev_concordance(model: Cser, lessons: Sequence[Lesson], *, batch: int) -> dict[str, float]:
    """Concordance with people by dimension, over all steps of all recordings together.

    Raises:
        UsageError: if there is a dimension of which nobody said anything that differs.
    """
    said = np.concatenate(model.trajectories([lesson.vectors for lesson in lessons], batch=batch))
    target = np.concatenate([lesson.targets for lesson in lessons])
    found: dict[str, float] = {}
    for column, name in enumerate(DIMENSIONS):
        rated = ~np.isnan(target[:, column])
        estimate = concordance(said[rated, column].tolist(), target[rated, column].tolist())
        if math.isnan(estimate.value):
            raise UsageError(f"{name} cannot be compared with people: {estimate.reason}.")
        found[name] = estimate.value
    return found


def train_cser(
    taught: Sequence[Lesson],
    dev: Sequence[Lesson],
    out: Path,
    *,
    recipe: CserRecipe,
    config: CserConfig,
    device: torch.device,
    log: Callable[[Progress], None],
) -> tuple[CserConfig, Progress]:
    """Teach a network, or go on where an earlier call was stopped; the best weights are kept in the folder.

    Args:
        taught: what it learns from.
        dev: what decides when it is best.
        out: folder for ``model.safetensors``, ``model.json`` and ``checkpoint.safetensors``.
        recipe: how.
        config: what is known of the model beforehand.
        device: where.
        log: is told after each epoch.

    Returns:
        What the best model says about itself, and how the training went.

    Raises:
        UsageError: if there is nothing to learn from, or the folder holds a training with other settings or data.
        RunError: if the folder cannot be written.
    """
    for name, lessons in (("train", taught), ("dev", dev)):
        if not lessons:
            raise UsageError(f"there is no recording in the part {name}; CSER needs a part train and a part dev.")
    make_folder(out)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        network = CserNetwork(config.sizes)
    network.centre, network.spread = (value.clone() for value in _standard(taught))
    network.to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate)
    identity = _identity(taught, dev, recipe, config)
    progress = _resume(out / CHECKPOINT, network, optimiser, identity)
    best = replace(config, training=_training(recipe, progress, taught, dev))
    while progress.epoch < recipe.epochs and progress.epoch - progress.best_epoch < recipe.patience:
        loss = _epoch(network, optimiser, taught, recipe, epoch=progress.epoch, device=device)
        reached = dev_concordance(Cser(network, config, ""), dev, batch=recipe.batch)
        progress = progress.after(loss, math.fsum(reached.values()) / len(reached))
        if progress.best_epoch == progress.epoch:
            best = replace(config, training=_training(recipe, progress, taught, dev))
            write_cser(out, network, best)
        keep_checkpoint(out / CHECKPOINT, network, optimiser, {"identity": identity, **asdict(progress)})
        log(progress)
    return best, progress


def _epoch(
    network: CserNetwork,
    optimiser: torch.optim.Optimizer,
    taught: Sequence[Lesson],
    recipe: CserRecipe,
    *,
    epoch: int,
    device: torch.device,
) -> float:
    order = np.random.default_rng([recipe.seed, epoch]).permutation(len(taught))
    devices = [device] if device.type == "cuda" else []
    losses = []
    network.train()
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(recipe.seed * 1_000_003 + epoch)
        for first in range(0, len(order), recipe.batch):
            chosen = [taught[place] for place in order[first : first + recipe.batch]]
            lengths = torch.tensor([len(lesson.vectors) for lesson in chosen])
            vectors = pad_sequence([torch.from_numpy(lesson.vectors) for lesson in chosen], batch_first=True)
            targets = pad_sequence([torch.from_numpy(lesson.targets) for lesson in chosen], batch_first=True)
            optimiser.zero_grad()
            loss = concordance_loss(network(vectors.to(device), lengths), targets.to(device), lengths)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses.append(loss.item())
    return math.fsum(losses) / len(losses)


def _standard(taught: Sequence[Lesson]) -> tuple[Tensor, Tensor]:
    """Mean and spread of the vectors that are learned from."""
    vectors = np.concatenate([lesson.vectors for lesson in taught]).astype(np.float64)
    spread = vectors.std(axis=0)
    usable = np.where(spread > SMALLEST_SPREAD, spread, 1.0)
    return torch.from_numpy(vectors.mean(axis=0)).float(), torch.from_numpy(usable).float()


def _training(
    recipe: CserRecipe, progress: Progress, taught: Sequence[Lesson], dev: Sequence[Lesson]
) -> dict[str, Json]:
    return {
        "recipe": asdict(recipe),
        "recordings": {"train": len(taught), "dev": len(dev)},
        "steps": {name: sum(len(one.vectors) for one in part) for name, part in (("train", taught), ("dev", dev))},
        "epoch": progress.best_epoch,
        "concordance on dev": progress.best if math.isfinite(progress.best) else None,
    }


def _identity(taught: Sequence[Lesson], dev: Sequence[Lesson], recipe: CserRecipe, config: CserConfig) -> str:
    """What a training must share with the one that it goes on with; how long it may last is not part of that."""
    free = {"epochs", "patience"}
    settings: dict[str, Json] = {name: value for name, value in asdict(recipe).items() if name not in free}
    parts: dict[str, Json] = {
        part: [[one.name, len(one.vectors), float(np.nansum(one.targets, dtype=np.float64))] for one in lessons]
        for part, lessons in (("train", taught), ("dev", dev))
    }
    whole = {**settings, **parts, "front end": config.front_end_signature, "step": config.step}
    return hashlib.sha256(dumps(whole).encode()).hexdigest()


def _resume(path: Path, network: CserNetwork, optimiser: torch.optim.Optimizer, identity: str) -> Progress:
    given = resume_checkpoint(path, network, optimiser, identity=identity)
    if given is None:
        return Progress()
    history = tuple((float(loss), float(dev)) for loss, dev in given["history"])
    return Progress(given["epoch"], given["best_epoch"], given["best"], history)
