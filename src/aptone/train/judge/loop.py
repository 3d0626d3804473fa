"""Training loop of judges: one for distillation, fine-tuning and GRPO.

Each step takes a batch, lets the stage add the gradient of its loss, clips it and applies AdamW; every ``eval_every``
steps the held-out data is evaluated, every ``save_every`` steps a checkpoint is written. Processes, GPUs and sharded
weights are handled by accelerate: start with ``torchrun`` or ``accelerate launch``. A step depends on seed and step
only: a run that was killed and resumed ends with the same weights as one that was not.
"""

import contextlib
import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from accelerate import Accelerator, DistributedType
from accelerate.tracking import LOGGER_TYPE_TO_CLASS, get_available_trackers
from accelerate.utils import GradientAccumulationPlugin
from torch import Tensor, nn

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.models.omni.attention_kernels import unprepared
from aptone.train import renames
from aptone.train.checkpoint import load_trainable, save_trainable
from aptone.train.distributed import process_rank, seeded, world_size
from aptone.train.judge.batch import IGNORED, Inputs
from aptone.train.judge.config import JudgeConfig, learning_rate
from aptone.train.judge.model import Judge, ReplyNetwork
from aptone.train.shards import progress
from aptone.types import Json, dumps

Share = TypeVar("Share")
Made = TypeVar("Made", covariant=True)
Metrics = Mapping[str, float]

CHECKPOINT = "checkpoint.safetensors"
TRACKERS = ("tensorboard",)
NO_TRACKER = "none"


class Batches(Protocol[Made]):
    """Source of batches; the same step always gives the same batch."""

    @property
    def identity(self) -> str:
        """Hash of the data that batches are made of."""

    def shares(self, first: int, last: int) -> Iterator[Made]:
        """Yield this process's share of the batches of steps `first` to `last` - 1."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics at an evaluation.

    Args:
        metrics: training metrics, averaged over the steps since the last evaluation.
        eval_metrics: metrics on held-out data; empty without any.
    """

    step: int
    metrics: Metrics
    eval_metrics: Metrics = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainState:
    """Progress of a training; `pending` sums the training metrics since the last evaluation."""

    step: int = 0
    evaluations: tuple[Evaluation, ...] = ()
    pending: Metrics = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainContext:
    """Objects of a stage; `network`, the judge wrapped for several processes, sums gradients over calls."""

    network: nn.Module
    accelerator: Accelerator
    config: JudgeConfig

    def total(self, number: float) -> float:
        """Return the sum of a number over all processes."""
        summed = self.accelerator.reduce(torch.tensor(number, device=self.accelerator.device, dtype=torch.float32))
        return float(summed.item())

    def add_gradient(self, loss: Tensor, *, is_last: bool) -> None:
        """Add the gradient of one micro-batch; those of all processes and micro-batches are summed.

        Args:
            loss: this micro-batch's part of the loss of the step.
            is_last: true for the last micro-batch of the step in this process, at which processes synchronise.
        """
        quiet = contextlib.nullcontext() if is_last else self.accelerator.no_sync(self.network)
        with quiet:
            # accelerate averages over processes; scaling by their number turns the average into a sum.
            self.accelerator.backward(loss * self.accelerator.num_processes)


Stage = Callable[[TrainContext, Share], Metrics]
"""Adds the gradient of a batch and returns its metrics, among them ``loss``."""


def make_accelerator(
    *, device: str | None = None, trackers: Sequence[str] = (), out: Path | None = None
) -> Accelerator:
    """Return an accelerator for the processes, devices and trackers that torchrun and the command line name.

    Args:
        device: ``cpu`` to leave GPUs alone; by default a GPU if there is one.
        trackers: names of trackers as accelerate knows them.

    Raises:
        MissingExtraError: if TensorBoard is asked for and missing.
        UsageError: if there is no such tracker or device.
    """
    if device not in (None, "cpu", "cuda") or (device == "cuda" and not torch.cuda.is_available()):
        raise UsageError(f"--device {device}: expected cpu, or cuda where there is a GPU.")
    named = [tracker for tracker in trackers if tracker != NO_TRACKER]
    known, usable = ({str(one) for one in names} for names in (LOGGER_TYPE_TO_CLASS, get_available_trackers()))
    for tracker in named:
        if tracker not in known:
            raise UsageError(f"--tracker {tracker}: expected {NO_TRACKER} or one of {', '.join(sorted(known))}.")
        if tracker not in usable and tracker in TRACKERS:
            raise MissingExtraError(message("train.tracker-log", tracker=tracker, none=NO_TRACKER), extra="train")
        if tracker not in usable:
            raise UsageError(f"--tracker {tracker}: its library is not installed; pip install it, or name another.")
    made = Accelerator(
        cpu=device == "cpu",
        # Precision and accumulation follow our configuration. One of accelerate's that sets them too would scale
        # gradients a second time.
        mixed_precision="no",
        gradient_accumulation_plugin=GradientAccumulationPlugin(num_steps=1),
        log_with=named or None,
        project_dir=str(out) if out is not None else None,
        step_scheduler_with_optimizer=False,
    )
    refuse_other_engines(made)
    return made


def refuse_other_engines(accelerator: Accelerator) -> None:
    """Refuse everything but full copies of the weights and FSDP 2.

    Raises:
        UsageError: if accelerate is configured for another engine.
    """
    kind = accelerator.distributed_type
    if kind in (DistributedType.DEEPSPEED, DistributedType.MEGATRON_LM):
        raise UsageError(f"{kind.value}: not supported here; configure accelerate for plain processes or for FSDP.")
    if kind is DistributedType.FSDP and not accelerator.is_fsdp2:
        raise UsageError("the first version of FSDP cannot train adapters beside frozen weights; set fsdp_version: 2.")
    if kind is DistributedType.FSDP and accelerator.state.fsdp_plugin.cpu_ram_efficient_loading:
        raise UsageError("every process reads the base itself here; set fsdp_cpu_ram_efficient_loading: false.")


def train_judge(
    judge: Judge,
    data: Batches[Share],
    stage: Stage[Share],
    out: Path,
    *,
    config: JudgeConfig,
    accelerator: Accelerator,
    about: Mapping[str, Json] | None = None,
    evaluate: Callable[[TrainContext], Metrics] | None = None,
    log: Callable[[str], None],
) -> TrainState:
    """Train a judge, or resume from the checkpoint in `out`.

    Args:
        judge: the judge; its trainable weights change.
        out: existing folder for the checkpoint.
        about: further settings that the result depends on; a checkpoint is resumed with the same ones only.
        log: receives a line for each evaluation, in process 0 only.

    Raises:
        UsageError: if the folder holds a training with other settings or data, or the loss is not finite.
        RunError: if the folder cannot be written.
    """
    identities = _identities(config, data.identity, about or {}, judge)
    network = ReplyNetwork(judge, precision=config.precision).to(accelerator.device)
    optimiser = make_optimiser(network, config, fused=accelerator.device.type == "cuda" and world_size() == 1)
    network, optimiser = accelerator.prepare(network, optimiser)
    parameters = trainable_parameters(accelerator.unwrap_model(network))
    state = _read_state(load_trainable(out / CHECKPOINT, parameters, optimiser, identities=identities))
    context = TrainContext(network, accelerator, config)
    with progress("steps", total=config.steps, before=state.step) as advance:
        batches = data.shares(state.step, config.steps)
        while state.step < config.steps:
            begun = time.monotonic()
            network.train()
            for group in optimiser.param_groups:
                group["lr"] = learning_rate(state.step, config)
            optimiser.zero_grad(set_to_none=True)
            with seeded(config.seed, state.step, accelerator.device), unprepared():
                metrics = dict(stage(context, next(batches)))
            metrics["grad_norm"] = _clip_gradients(accelerator, network, config)
            if not math.isfinite(metrics["loss"]) or not math.isfinite(metrics["grad_norm"]):
                raise UsageError(
                    f"step {state.step}: the loss is {metrics['loss']} and the norm of its gradient "
                    f"{metrics['grad_norm']}{_undefined(parameters)}; lower --lr, or train in float32."
                )
            optimiser.step()
            state = _after_step(state, metrics)
            is_evaluated = state.step % config.eval_every == 0 or state.step == config.steps
            if is_evaluated:
                state = _after_evaluation(state, evaluate(context) if evaluate is not None else {}, log)
            if is_evaluated or state.step % config.save_every == 0:
                saved: dict[str, Json] = {"identity": identities[0], **asdict(state)}
                save_trainable(out / CHECKPOINT, parameters, optimiser, saved)
            metrics |= {"lr": learning_rate(state.step - 1, config), "seconds": time.monotonic() - begun}
            _track(accelerator, state, metrics, is_evaluated=is_evaluated)
            advance()
    accelerator.wait_for_everyone()
    return state


def make_optimiser(network: nn.Module, config: JudgeConfig, *, fused: bool = False) -> torch.optim.AdamW:
    """Return AdamW over the trainable weights; weight decay applies to matrices only.

    Args:
        fused: update all weights in one kernel, which needs full weights on one GPU.
    """
    chosen = [one for one in network.parameters() if one.requires_grad]
    groups = [
        {"params": members, "weight_decay": config.weight_decay if is_matrix else 0.0}
        for is_matrix in (True, False)
        if (members := [one for one in chosen if (one.ndim > 1) == is_matrix])
    ]
    return torch.optim.AdamW(groups, lr=config.lr, fused=fused or None)


def trainable_parameters(network: nn.Module) -> dict[str, nn.Parameter]:
    """Return the trainable weights of a `ReplyNetwork`, named as in `aptone.train.judge.model.Judge`."""
    return {name.removeprefix("model."): one for name, one in network.named_parameters() if one.requires_grad}


def likelihood_step(context: TrainContext, micro_batches: Sequence[Inputs]) -> dict[str, float]:
    """Add the gradient of the mean negative log-likelihood over all answer tokens of a step.

    Every token has the same weight: two processes get the gradient of one that has all micro-batches.
    """
    total = context.total(sum(count_answer_tokens(inputs) for inputs in micro_batches))
    summed = 0.0
    for number, inputs in enumerate(micro_batches, start=1):
        loss = -context.network(inputs).sum() / total
        context.add_gradient(loss, is_last=number == len(micro_batches))
        summed += loss.item()
    return {"loss": context.total(summed), "tokens": total}


def count_answer_tokens(inputs: Inputs) -> int:
    """Return the number of answer tokens in a micro-batch."""
    return int((inputs["labels"][:, 1:] != IGNORED).sum().item())


def _clip_gradients(accelerator: Accelerator, network: nn.Module, config: JudgeConfig) -> float:
    found = accelerator.clip_grad_norm_(network.parameters(), config.max_grad_norm or math.inf)
    return float(found.full_tensor() if hasattr(found, "full_tensor") else found)


def _undefined(parameters: Mapping[str, nn.Parameter]) -> str:
    """Name the gradients that are not finite, for an error."""
    names = [name for name, one in parameters.items() if one.grad is not None and not bool(one.grad.isfinite().all())]
    return f" ({len(names)} of {len(parameters)} are undefined, {names[0]} the first)" if names else ""


def _after_step(state: TrainState, metrics: Metrics) -> TrainState:
    pending = {name: state.pending.get(name, 0.0) + value for name, value in metrics.items()}
    return replace(state, step=state.step + 1, pending=pending)


def _after_evaluation(state: TrainState, eval_metrics: Metrics, log: Callable[[str], None]) -> TrainState:
    since = state.step - (state.evaluations[-1].step if state.evaluations else 0)
    means = {name: value / since for name, value in state.pending.items()}
    evaluation = Evaluation(state.step, means, dict(eval_metrics))
    if process_rank() == 0:
        log(_evaluation_line(evaluation))
    return TrainState(state.step, (*state.evaluations, evaluation))


def _evaluation_line(evaluation: Evaluation) -> str:
    loss = evaluation.metrics["loss"]
    others = {name: value for name, value in evaluation.metrics.items() if name != "loss"}
    line: str = message("train.step-loss", step=evaluation.step, loss=loss)
    if others:
        line = message("train.step-loss-figures", step=evaluation.step, loss=loss, figures=_listed(others))
    found = evaluation.eval_metrics
    return message("train.on-dev", line=line, figures=_listed(found)) if found else line


def _listed(metrics: Metrics) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in metrics.items())


def _track(accelerator: Accelerator, state: TrainState, metrics: Metrics, *, is_evaluated: bool) -> None:
    found = state.evaluations[-1].eval_metrics if is_evaluated else {}
    accelerator.log({**metrics, **{f"eval {name}": value for name, value in found.items()}}, step=state.step)


def _read_state(saved: Mapping[str, Any] | None) -> TrainState:
    """Return the state in a checkpoint, also in one with former names."""
    if saved is None:
        return TrainState()
    state: Mapping[str, Any] = renames.new_names(saved, renames.STATE)
    evaluations = []
    for one in state["evaluations"]:
        found: Mapping[str, Any] = renames.new_names(one, renames.STATE)
        evaluations.append(Evaluation(found["step"], _metrics(found["metrics"]), found["eval_metrics"]))
    return TrainState(state["step"], tuple(evaluations), _metrics(state["pending"]))


def _metrics(saved: Mapping[str, Any]) -> dict[str, Any]:
    return renames.new_names(saved, renames.METRICS)


def _identities(config: JudgeConfig, data: str, about: Mapping[str, Json], judge: Judge) -> tuple[str, str]:
    """Return the hash of everything that a resumed training must share, and the same hash under former names."""
    start: dict[str, Json] = {"base": judge.base, "weights": judge.fingerprint}
    now = {**config.decisive, "data": data, "about": {**about, **start, "adapter": asdict(judge.adapter)}}
    former = {
        **renames.old_names(config.decisive, renames.JUDGE),
        "data": data,
        "about": {
            **renames.old_names(about, {**renames.GRPO, "dev": "eval_data"}),
            **start,
            "trained": renames.old_names(asdict(judge.adapter), renames.ADAPTER),
        },
    }
    return hashlib.sha256(dumps(now).encode()).hexdigest(), hashlib.sha256(dumps(former).encode()).hexdigest()
