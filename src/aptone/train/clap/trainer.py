"""Train Speech-CLAP's dual encoder: voices and descriptions of voices in one embedding space.

Each step takes a batch, adds the gradient of its loss micro-batch by micro-batch (`aptone.train.clap.loss`), sums it
over processes, applies AdamW and bounds the temperature; every ``eval_every`` steps the held-out pairs are evaluated,
every ``save_every`` steps a checkpoint is written. A step depends on seed and step only: a run that was killed and
resumed ends with the same weights as one that was not.

Departures from the paper, which gives encoders and loss only: optimiser, schedule and temperature are CLIP's; the
statistics of HTS-AT's batch normalisation stay fixed; a clip that is longer than the encoder's input gives a random
crop, another one in each epoch.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from aptone.errors import UsageError
from aptone.models.clap.model import ClapNetwork, parameters_of
from aptone.train import renames
from aptone.train.checkpoint import load_checkpoint, save_checkpoint
from aptone.train.clap.loss import MicroBatch, Precision, add_gradients, info_nce, sum_gradients
from aptone.train.distributed import process_rank, seeded
from aptone.types import Json

CHECKPOINT = "checkpoint.safetensors"
PARTS = ("audio", "text")
"""Encoders that can be frozen."""
RECALLS = (1, 5, 10)
FREE = frozenset({"micro_batch_size", "save_every"})
"""Settings that may change when a training is resumed."""


@dataclass(frozen=True, slots=True)
class ClapTrainingConfig:
    """Hyperparameters of a dual encoder.

    Args:
        batch_size: pairs that are compared with one another, over all processes.
        micro_batch_size: pairs in memory at once in a process; changes only rounding and dropout masks.
        lr: learning rate of projections and temperature.
        warmup_steps: steps in which learning rates rise from 0; then they fall to 0 along half a cosine.
        weight_decay: weight decay of matrices; vectors have none.
        max_grad_norm: norm to which gradients are clipped; 0 disables.
        precision: precision of the encoders' arithmetic; weights are kept in 32 bits.
        frozen: encoders that are not trained, of `PARTS`.
        save_every: steps between two checkpoints.
        eval_every: steps between two evaluations.
        seed: random seed of order, captions, crops and dropout.

    Raises:
        UsageError: if a value is out of range.
    """

    batch_size: int = 256
    micro_batch_size: int = 32
    steps: int = 10_000
    lr: float = 1e-3
    audio_lr: float = 1e-4
    text_lr: float = 1e-5
    warmup_steps: int = 500
    weight_decay: float = 0.01
    max_grad_norm: float = 1.0
    precision: Precision = "bfloat16"
    frozen: tuple[str, ...] = ()
    save_every: int = 500
    eval_every: int = 500
    seed: int = 1

    def __post_init__(self) -> None:
        if self.batch_size < 2 or min(self.micro_batch_size, self.steps, self.save_every, self.eval_every) < 1:
            raise UsageError("batch_size is 2 or more; micro_batch_size, steps, save_every and eval_every 1 or more.")
        if not all(0 <= one < math.inf for one in (self.lr, self.audio_lr, self.text_lr, self.weight_decay)):
            raise UsageError("learning rates and weight_decay are finite numbers of 0 or more.")
        if unknown := [part for part in self.frozen if part not in PARTS]:
            raise UsageError(f"{', '.join(PARTS)} can be frozen, got {unknown[0]!r}.")


class Batches(Protocol):
    """Source of batches; the same step always gives the same batch."""

    @property
    def identity(self) -> str:
        """Hash of the data that batches are made of."""

    def micro_batches(self, first: int, last: int) -> Iterator[Sequence[MicroBatch]]:
        """Yield this process's share of the batches of steps `first` to `last` - 1."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics at an evaluation.

    Args:
        loss: training loss, averaged over the steps since the last evaluation.
        eval_metrics: loss and recalls on held-out pairs; empty without any.
    """

    step: int
    loss: float
    eval_metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def mean_recall(self) -> float:
        """Mean of all recalls in both directions; 0 without held-out pairs."""
        recalls = [value for name, value in self.eval_metrics.items() if name != "loss"]
        return math.fsum(recalls) / len(recalls) if recalls else 0.0


@dataclass(frozen=True, slots=True)
class TrainState:
    """Progress of a training.

    Args:
        best: step of the evaluation with the highest mean recall, the last one among equals.
        pending: sum of the losses since the last evaluation.
    """

    step: int = 0
    evaluations: tuple[Evaluation, ...] = ()
    best: int = 0
    pending: float = 0.0


@dataclass(frozen=True, slots=True)
class StepLog:
    """Log record of a step: learning rate of the projections, and `scale`, the inverse of the temperature."""

    step: int
    loss: float
    lr: float
    scale: float
    seconds: float
    evaluation: Evaluation | None = None


def train_clap(
    network: ClapNetwork,
    data: Batches,
    out: Path,
    *,
    config: ClapTrainingConfig,
    device: torch.device,
    eval_batches: Sequence[MicroBatch] = (),
    on_best: Callable[[TrainState], None],
    log: Callable[[StepLog], None],
) -> TrainState:
    """Train a network, or resume from the checkpoint in `out`.

    Args:
        network: the network; its weights change.
        out: existing folder for the checkpoint.
        eval_batches: held-out pairs, by which the best weights are chosen.
        on_best: called after an evaluation that is the best so far, in process 0 only; the time to save the weights.
        log: receives a record after each step, in process 0 only.

    Raises:
        UsageError: if the folder holds a training with other settings or data.
        RunError: if the folder cannot be written.
    """
    network.to(device)
    optimiser = make_optimiser(network, config)
    identities = _identities(config, data, network)
    state = _read_state(load_checkpoint(out / CHECKPOINT, network, optimiser, identities=identities))
    is_first = process_rank() == 0
    batches = data.micro_batches(state.step, config.steps)
    while state.step < config.steps:
        begun = time.monotonic()
        set_training(network, frozen=config.frozen)
        factor = lr_factor(state.step, config)
        for group in optimiser.param_groups:
            group["lr"] = group["peak_lr"] * factor
        with seeded(config.seed, state.step, device):
            loss = train_step(network, next(batches), optimiser, config=config, device=device).item()
        if not math.isfinite(loss):
            raise UsageError(f"step {state.step}: the loss is {loss}; lower the learning rates, or train in float32.")
        state = replace(state, step=state.step + 1, pending=state.pending + loss)
        evaluation = None
        if state.step % config.eval_every == 0 or state.step == config.steps:
            state = _evaluate(network, eval_batches, state, device=device, precision=config.precision)
            evaluation = state.evaluations[-1]
            if is_first and state.best == state.step:
                on_best(state)
        if is_first:
            if state.step % config.save_every == 0 or evaluation is not None:
                save_checkpoint(out / CHECKPOINT, network, optimiser, {"identity": identities[0], **asdict(state)})
            seconds = time.monotonic() - begun
            log(StepLog(state.step, loss, config.lr * factor, network.scale().item(), seconds, evaluation))
    return state


def train_step(
    network: ClapNetwork,
    micro_batches: Sequence[MicroBatch],
    optimiser: torch.optim.Optimizer,
    *,
    config: ClapTrainingConfig,
    device: torch.device,
) -> Tensor:
    """Apply one optimiser step to a batch, and return its loss."""
    optimiser.zero_grad(set_to_none=True)
    loss = add_gradients(network, micro_batches, device=device, precision=config.precision)
    sum_gradients(list(network.parameters()))
    if config.max_grad_norm > 0:
        nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
    optimiser.step()
    network.hold_scale()
    return loss


def make_optimiser(network: ClapNetwork, config: ClapTrainingConfig) -> torch.optim.AdamW:
    """Return AdamW with CLIP's constants: a learning rate for each part, weight decay for matrices only."""
    rates = {"audio": config.audio_lr, "text": config.text_lr, "projection": config.lr}
    groups: list[dict[str, Any]] = []
    for part, parameters in parameters_of(network).items():
        for parameter in parameters:
            parameter.requires_grad_(part not in config.frozen)
        for is_matrix in (True, False):
            chosen = [one for one in parameters if one.requires_grad and (one.ndim > 1) == is_matrix]
            if chosen:
                decay = config.weight_decay if is_matrix else 0.0
                groups.append({"params": chosen, "peak_lr": rates[part], "weight_decay": decay})
    return torch.optim.AdamW(groups, lr=config.lr, betas=(0.9, 0.98), eps=1e-6)


def set_training(network: ClapNetwork, *, frozen: Sequence[str]) -> None:
    """Switch a network to training mode, and its frozen encoders to evaluation mode."""
    network.train()
    for part in frozen:
        getattr(network, f"{part}_encoder").eval()


def lr_factor(step: int, config: ClapTrainingConfig) -> float:
    """Return the factor of the learning rates at a step: linear warm-up, then half a cosine down to 0.

    >>> config = ClapTrainingConfig(steps=10, warmup_steps=2)
    >>> [round(lr_factor(step, config), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    return 0.5 * (1 + math.cos(math.pi * (step - config.warmup_steps) / max(1, config.steps - config.warmup_steps)))


@torch.inference_mode()
def retrieval(
    network: ClapNetwork, micro_batches: Sequence[MicroBatch], *, device: torch.device, precision: Precision
) -> dict[str, float]:
    """Return the loss over all pairs, and the recall at 1, 5 and 10 in both directions.

    A description that several pairs share is right for its own pair only: a tie counts against it.
    """
    network.eval()
    audio, text = [], []
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        for micro_batch in micro_batches:
            inputs = micro_batch.to(device)
            audio.append(network.embed_audio(inputs.audio))
            text.append(network.embed_text(inputs.text))
    clips, descriptions = torch.cat(audio), torch.cat(text)
    found = {"loss": info_nce(clips, descriptions, network.scale()).item()}
    cosines = clips @ descriptions.T
    own = cosines.diagonal()
    for name, table in (("audio to text", cosines), ("text to audio", cosines.T)):
        places = (table >= own[:, None]).sum(dim=1)
        found |= {f"{name} @{count}": (places <= count).float().mean().item() for count in RECALLS}
    return found


def _evaluate(
    network: ClapNetwork,
    eval_batches: Sequence[MicroBatch],
    state: TrainState,
    *,
    device: torch.device,
    precision: Precision,
) -> TrainState:
    since = state.step - (state.evaluations[-1].step if state.evaluations else 0)
    found = retrieval(network, eval_batches, device=device, precision=precision) if eval_batches else {}
    evaluation = Evaluation(state.step, state.pending / since, found)
    best = max((one.mean_recall for one in state.evaluations), default=-math.inf)
    is_best = evaluation.mean_recall >= best
    return TrainState(state.step, (*state.evaluations, evaluation), state.step if is_best else state.best)


def _read_state(saved: Mapping[str, Any] | None) -> TrainState:
    """Return the state in a checkpoint, also in one with former names."""
    if saved is None:
        return TrainState()
    state: Mapping[str, Any] = renames.new_names(saved, renames.STATE)
    evaluations = []
    for one in state["evaluations"]:
        found: Mapping[str, Any] = renames.new_names(one, renames.STATE)
        evaluations.append(Evaluation(found["step"], found["loss"], found["eval_metrics"]))
    return TrainState(state["step"], tuple(evaluations), state["best"], state["pending"])


def _identities(config: ClapTrainingConfig, data: Batches, network: ClapNetwork) -> tuple[str, str]:
    settings: dict[str, Json] = {name: value for name, value in asdict(config).items() if name not in FREE}
    rest: dict[str, Json] = {"data": data.identity, "network": asdict(network.config)}
    return renames.identities(settings, renames.CLAP, rest)
