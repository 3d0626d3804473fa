"""Train CSER, EMO-Reasoning's recogniser of emotion over time, from a rated corpus, as ``aptone train cser`` does.

Features are computed once per recording and cached by everything that they depend on, so that another configuration or
a resumed run only reads them. Each step takes a batch of recordings, computes the loss over the rated steps and applies
Adam; after each epoch the concordance on dev is computed, the best weights so far are saved, and a checkpoint is
written. All random numbers depend on seed and epoch only: a run that was killed and resumed ends with the same weights
as one that was not.

Departures from the paper, whose code prints sizes, loss, optimiser, batch and epochs only: features are standardised by
the training part, and training stops early when the concordance on dev no longer improves. Unrated steps count as
padding.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from aptone.audio import read_ref
from aptone.errors import RecordError, UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import message
from aptone.models.local.cser import DIMENSIONS, Cser, CserConfig, CserNetwork, CserSizes, load_cser, write_cser
from aptone.rooms.dialogue.hearing.cser import FrontEnd, make_front_end
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE
from aptone.stats import concordance
from aptone.train import renames
from aptone.train.checkpoint import load_checkpoint, save_checkpoint
from aptone.train.cser.data import PARTS, RatedRecording
from aptone.train.distributed import resolve_device, seeded
from aptone.train.shards import progress, write_array
from aptone.types import Json

CHECKPOINT = "checkpoint.safetensors"
MIN_DEVIATION = 1e-4
"""Smallest standard deviation that a feature is divided by; more constant ones are left unscaled."""
MAX_STEP_DIFFERENCE = 1
"""Largest difference in steps between a recording and its ratings: the last step is often cut."""
FREE = frozenset({"epochs", "patience"})
"""Settings that may change when a training is resumed."""


@dataclass(frozen=True, slots=True)
class CserTrainingConfig:
    """Hyperparameters of CSER; the defaults are the paper's, except for `patience`.

    Args:
        epochs: largest number of epochs.
        patience: epochs without a better concordance on dev after which training stops.
        seed: random seed of initial weights, order and dropout.
    """

    hidden_size: int = 512
    num_layers: int = 2
    dropout: float = 0.5
    lr: float = 1e-4
    batch_size: int = 32
    epochs: int = 200
    patience: int = 30
    seed: int = 1

    def sizes(self, features: int) -> CserSizes:
        """Return the sizes of the network for features of this dimension."""
        return CserSizes(features, hidden=self.hidden_size, layers=self.num_layers, dropout=self.dropout)


@dataclass(frozen=True, slots=True, eq=False)
class RatedSequence:
    """Features and ratings of a recording.

    Args:
        name: name, unique within its part.
        vectors: [steps, features].
        targets: [steps, 3]: valence, arousal, dominance; NaN for unrated steps.
    """

    name: str
    vectors: npt.NDArray[np.float32]
    targets: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TrainState:
    """Progress of a training.

    Args:
        best_epoch: epoch with the highest concordance on dev.
        best: concordance of that epoch.
        history: loss and concordance on dev of every epoch.
    """

    epoch: int = 0
    best_epoch: int = 0
    best: float = -math.inf
    history: tuple[tuple[float, float], ...] = ()

    def after(self, loss: float, concordance: float) -> "TrainState":
        """Return the state after one more epoch."""
        epoch, history = self.epoch + 1, (*self.history, (loss, concordance))
        if concordance > self.best:
            return TrainState(epoch, epoch, concordance, history)
        return replace(self, epoch=epoch, history=history)


def concordance_loss(predicted: Tensor, target: Tensor, lengths: Tensor) -> Tensor:
    """Return one minus Lin's concordance, averaged over the three dimensions.

    ``CCC = 2 cov(x, y) / (var(x) + var(y) + (mean(x) - mean(y))²)`` with variances over n, over all steps of the batch
    together. Padding and unrated steps do not count.

    Args:
        predicted: [recordings, steps, 3].
        target: [recordings, steps, 3]; NaN for unrated steps.
        lengths: [recordings], number of steps of each.
    """
    within = torch.arange(predicted.shape[1], device=predicted.device) < lengths.to(predicted.device)[:, None]
    counted = within[:, :, None] & ~target.isnan()
    losses = []
    for dimension in range(predicted.shape[2]):
        kept = counted[..., dimension]
        x, y = predicted[..., dimension][kept], target[..., dimension][kept]
        covariance = ((x - x.mean()) * (y - y.mean())).mean()
        spread = x.var(correction=0) + y.var(correction=0) + (x.mean() - y.mean()).square()
        losses.append(1.0 - 2.0 * covariance / spread.clamp_min(1e-8))
    return torch.stack(losses).mean()


def evaluate_concordance(model: Cser, sequences: Sequence[RatedSequence], *, batch_size: int) -> dict[str, float]:
    """Return the concordance with people by dimension, over all steps of all recordings together.

    Raises:
        UsageError: if the concordance of a dimension is undefined.
    """
    predicted = np.concatenate(model.trajectories([one.vectors for one in sequences], batch=batch_size))
    target = np.concatenate([one.targets for one in sequences])
    found: dict[str, float] = {}
    for column, name in enumerate(DIMENSIONS):
        rated = ~np.isnan(target[:, column])
        estimate = concordance(predicted[rated, column].tolist(), target[rated, column].tolist())
        if math.isnan(estimate.value):
            raise UsageError(f"{name} cannot be compared with people: {estimate.reason}.")
        found[name] = estimate.value
    return found


def train_cser(
    train_data: Sequence[RatedSequence],
    eval_data: Sequence[RatedSequence],
    out: Path,
    *,
    train_config: CserTrainingConfig,
    config: CserConfig,
    device: torch.device,
    log: Callable[[TrainState], None],
) -> tuple[CserConfig, TrainState]:
    """Train a network, or resume from the checkpoint in `out`; the best weights are saved there.

    Args:
        eval_data: held-out sequences, by which the best weights are chosen.
        out: folder for ``model.safetensors``, ``model.json`` and ``checkpoint.safetensors``.
        config: configuration of the model.

    Returns:
        The configuration of the best model, with a record of its training, and the final state.

    Raises:
        UsageError: if a part is empty, or the folder holds a training with other settings or data.
        RunError: if the folder cannot be written.
    """
    for name, sequences in (("train", train_data), ("dev", eval_data)):
        if not sequences:
            raise UsageError(f"there is no recording in the part {name}; CSER needs a part train and a part dev.")
    make_folder(out)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(train_config.seed)
        network = CserNetwork(config.sizes)
    network.centre, network.spread = (value.clone() for value in _standard(train_data))
    network.to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=train_config.lr)
    identities = _identities(train_data, eval_data, train_config, config)
    state = _read_state(load_checkpoint(out / CHECKPOINT, network, optimiser, identities=identities))
    best = replace(config, training=_training(train_config, state, train_data, eval_data))
    while state.epoch < train_config.epochs and state.epoch - state.best_epoch < train_config.patience:
        loss = _epoch(network, optimiser, train_data, train_config, epoch=state.epoch, device=device)
        reached = evaluate_concordance(Cser(network, config, ""), eval_data, batch_size=train_config.batch_size)
        state = state.after(loss, math.fsum(reached.values()) / len(reached))
        if state.best_epoch == state.epoch:
            best = replace(config, training=_training(train_config, state, train_data, eval_data))
            write_cser(out, network, best)
        save_checkpoint(out / CHECKPOINT, network, optimiser, {"identity": identities[0], **asdict(state)})
        log(state)
    return best, state


def _epoch(
    network: CserNetwork,
    optimiser: torch.optim.Optimizer,
    train_data: Sequence[RatedSequence],
    train_config: CserTrainingConfig,
    *,
    epoch: int,
    device: torch.device,
) -> float:
    order = np.random.default_rng([train_config.seed, epoch]).permutation(len(train_data))
    losses = []
    network.train()
    with seeded(train_config.seed, epoch, device):
        for first in range(0, len(order), train_config.batch_size):
            chosen = [train_data[place] for place in order[first : first + train_config.batch_size]]
            lengths = torch.tensor([len(one.vectors) for one in chosen])
            vectors = pad_sequence([torch.from_numpy(one.vectors) for one in chosen], batch_first=True)
            targets = pad_sequence([torch.from_numpy(one.targets) for one in chosen], batch_first=True)
            optimiser.zero_grad()
            loss = concordance_loss(network(vectors.to(device), lengths), targets.to(device), lengths)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses.append(loss.item())
    return math.fsum(losses) / len(losses)


def _standard(train_data: Sequence[RatedSequence]) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of the training features."""
    vectors = np.concatenate([one.vectors for one in train_data]).astype(np.float64)
    spread = vectors.std(axis=0)
    usable = np.where(spread > MIN_DEVIATION, spread, 1.0)
    return torch.from_numpy(vectors.mean(axis=0)).float(), torch.from_numpy(usable).float()


def _training(
    train_config: CserTrainingConfig,
    state: TrainState,
    train_data: Sequence[RatedSequence],
    eval_data: Sequence[RatedSequence],
) -> dict[str, Json]:
    return {
        "config": asdict(train_config),
        "recordings": {"train": len(train_data), "dev": len(eval_data)},
        "steps": {
            name: sum(len(one.vectors) for one in part) for name, part in (("train", train_data), ("dev", eval_data))
        },
        "epoch": state.best_epoch,
        "concordance on dev": state.best if math.isfinite(state.best) else None,
    }


def _identities(
    train_data: Sequence[RatedSequence],
    eval_data: Sequence[RatedSequence],
    train_config: CserTrainingConfig,
    config: CserConfig,
) -> tuple[str, str]:
    settings: dict[str, Json] = {name: value for name, value in asdict(train_config).items() if name not in FREE}
    rest: dict[str, Json] = {
        part: [[one.name, len(one.vectors), float(np.nansum(one.targets, dtype=np.float64))] for one in sequences]
        for part, sequences in (("train", train_data), ("dev", eval_data))
    }
    rest |= {"front end": config.front_end_signature, "step": config.step}
    return renames.identities(settings, renames.CSER, rest)


def _read_state(saved: Mapping[str, Any] | None) -> TrainState:
    if saved is None:
        return TrainState()
    history = tuple((float(loss), float(concordance)) for loss, concordance in saved["history"])
    return TrainState(saved["epoch"], saved["best_epoch"], saved["best"], history)


@dataclass(frozen=True, slots=True)
class TrainedCser:
    """Result of a training: concordance of the best model with people, by held-out part and dimension."""

    folder: Path
    state: TrainState
    concordance: Mapping[str, Mapping[str, float]]


def train_cser_model(
    rated: Sequence[RatedRecording],
    out: Path,
    *,
    features: str,
    options: Mapping[str, Json],
    train_config: CserTrainingConfig,
    step: float,
    cache: Path,
    device: str | None,
    log: Callable[[str], None],
) -> TrainedCser:
    """Compute features, train, and evaluate on dev and test.

    Args:
        step: seconds between two feature vectors.
        device: device to train on; by default a GPU if there is one.

    Raises:
        UsageError: if a part is empty, an option is unknown, or the folder holds another training.
        RecordError: if a recording and its ratings differ in length.
        AudioError: if a recording cannot be read.
    """
    front_end = make_front_end(features, options)
    front_end.about.require(f"features {features!r}")
    recordings = {part: [one for one in rated if one.part == part] for part in PARTS}
    for part in ("train", "dev"):
        if not recordings[part]:
            raise UsageError(f"no recording belongs to the part {part}; CSER needs a part train and a part dev.")
    place = resolve_device(device)
    given = dict(zip((one.name for one in rated), _sequences(rated, front_end, step=step, cache=cache), strict=True))
    parts = {part: [given[one.name] for one in found] for part, found in recordings.items()}
    config = CserConfig(
        train_config.sizes(front_end.size),
        front_end={"kind": features, **options},
        front_end_signature=front_end.signature,
        step=step,
        licence=front_end.about.licence,
    )

    def log_epoch(state: TrainState) -> None:
        loss, dev = state.history[-1]
        log(message("train.epoch-loss-dev-best", epoch=state.epoch, loss=loss, dev=dev, best=state.best))

    config, state = train_cser(
        parts["train"], parts["dev"], out, train_config=train_config, config=config, device=place, log=log_epoch
    )
    model = load_cser(out, device=str(place))
    concordance = {
        part: evaluate_concordance(model, parts[part], batch_size=train_config.batch_size)
        for part in ("dev", "test")
        if parts[part]
    }
    training = {**config.training, "concordance": {part: dict(one) for part, one in concordance.items()}}
    write_cser(out, model.network, replace(config, training=training))
    return TrainedCser(out, state, concordance)


def _sequences(
    rated: Sequence[RatedRecording], front_end: FrontEnd, *, step: float, cache: Path
) -> list[RatedSequence]:
    make_folder(cache)
    found = []
    with progress("features", total=len(rated)) as advance:
        for one in rated:
            found.append(_sequence(one, front_end, step=step, cache=cache))
            advance()
    return found


def _sequence(rated: RatedRecording, front_end: FrontEnd, *, step: float, cache: Path) -> RatedSequence:
    ref = rated.audio
    parts = (front_end.signature, step, file_hash(Path(ref.path)), ref.start, ref.end)
    path = cache / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.npy"
    if path.exists():
        vectors = np.load(path, allow_pickle=False)
    else:
        vectors = front_end.vectors(read_ref(ref, rate=HEARING_RATE, channel="mix"), step=step)
        write_array(path, vectors)
    steps, rows = len(vectors), len(rated.targets)
    if abs(steps - rows) > MAX_STEP_DIFFERENCE:
        raise RecordError(
            f"{rated.name}: {ref.path} has {steps} steps of {step:g} s, but {rows} are rated; do they belong together?"
        )
    both = min(steps, rows)
    return RatedSequence(rated.name, vectors[:both], rated.targets[:both])
