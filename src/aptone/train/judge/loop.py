"""The loop that teaches judges: one for distillation, fine-tuning and reinforcement.

Top to bottom: take the next batch, let the stage add the gradient of its loss, clip it, one step of AdamW; from time to
time look at dev, and keep a checkpoint to go on from. Processes, GPUs and sharded weights are accelerate's: start with
``torchrun`` or ``accelerate launch``. What a step does depends on seed and step only: a run that was killed and resumed
ends with the same weights as one that was not.
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
from aptone.run.progress import Tally
from aptone.train.checkpoint import keep_trained, resume_trained
from aptone.train.judge.batch import IGNORED, Inputs
from aptone.train.judge.config import JudgeRecipe, rate_at
from aptone.train.judge.model import Judge, ReplyNetwork
from aptone.train.processes import drawn_by, process_number, processes
from aptone.train.shards.index import shown
from aptone.types import Json, dumps

Share = TypeVar("Share")
Made = TypeVar("Made", covariant=True)
Figures = Mapping[str, float]

CHECKPOINT = "checkpoint.safetensors"
TRACKERS = ("tensorboard",)
NO_TRACKER = "none"


class Batches(Protocol[Made]):
    """Where batches come from: the same step gives the same batch, whenever it is asked for."""

    @property
    def identity(self) -> str:
        """What they are made of."""
        ...

    def shares(self, first: int, last: int) -> Iterator[Made]:
        """The batches of the steps from `first` to before `last`; each process gets its own share of each."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen when training paused.

    Args:
        step: steps that were done.
        figures: means over the steps since the last look.
        dev: figures on what it does not learn from; empty without any.
    """

    step: int
    figures: Figures
    dev: Figures = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Args:
        step: steps that are done.
        looks: what was seen so far.
        pending: figures since the last look, summed.
    """

    step: int = 0
    looks: tuple[Look, ...] = ()
    pending: Figures = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taught:
    """What a stage works with while it teaches.

    Args:
        network: the judge as a network, ready for several processes: call it, so that gradients are summed.
        accelerator: of this process.
        recipe: how it is taught.
    """

    network: nn.Module
    accelerator: Accelerator
    recipe: JudgeRecipe

    def total(self, number: float) -> float:
        """The sum of a number over all processes."""
        summed = self.accelerator.reduce(torch.tensor(number, device=self.accelerator.device, dtype=torch.float32))
        return float(summed.item())

    def add_gradient(self, loss: Tensor, *, is_last: bool) -> None:
        """Add the gradient of a part of the loss of a step; the parts of all processes and chunks are summed.

        Args:
            loss: this chunk's part of the loss.
            is_last: whether this is the last chunk of the step in this process: only then processes talk.
        """
        quiet = contextlib.nullcontext() if is_last else self.accelerator.no_sync(self.network)
        with quiet:
            # Processes are averaged, so that a sum is the average of so many times each.
            self.accelerator.backward(loss * self.accelerator.num_processes)


Stage = Callable[[Taught, Share], Figures]
"""Adds the gradients of a batch to the network's, and says what there is to say of it: ``loss`` at least."""


def make_accelerator(
    *, device: str | None = None, trackers: Sequence[str] = (), out: Path | None = None
) -> Accelerator:
    """Processes, devices and trackers, as torchrun, accelerate's configuration and the command line say.

    Args:
        device: ``cpu`` to leave GPUs alone; by default on a GPU if there is one.
        trackers: as accelerate names them.
        out: folder for what trackers write.

    Raises:
        MissingExtraError: if TensorBoard is wanted and missing.
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
        # How exact arithmetic is and what is accumulated says the recipe. A configuration of accelerate that says it
        # too would scale gradients behind its back.
        mixed_precision="no",
        gradient_accumulation_plugin=GradientAccumulationPlugin(num_steps=1),
        log_with=named or None,
        project_dir=str(out) if out is not None else None,
        step_scheduler_with_optimizer=False,
    )
    refuse_other_engines(made)
    return made


def refuse_other_engines(accelerator: Accelerator) -> None:
    """Make sure that weights are whole in every process, or sharded by FSDP's second version.

    Raises:
        UsageError: if accelerate was configured for anything else.
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
    taught: Batches[Share],
    stage: Stage[Share],
    out: Path,
    *,
    recipe: JudgeRecipe,
    accelerator: Accelerator,
    about: Mapping[str, Json] | None = None,
    dev: Callable[[Taught], Figures] | None = None,
    log: Callable[[str], None],
) -> Progress:
    """Teach a judge, or go on where an earlier call was stopped.

    Args:
        judge: as it starts; what is trained of it changes.
        taught: what it learns from.
        stage: adds the gradients of a batch.
        out: folder for the checkpoint; it exists.
        recipe: how.
        accelerator: of this process.
        about: settings of the stage that the result depends on: a training that differs in one is another.
        dev: figures on what it does not learn from.
        log: is told what is seen, in process 0 only.

    Raises:
        UsageError: if the folder holds a training with other settings or data, or the loss is no number.
        RunError: if the folder cannot be written.
    """
    started: dict[str, Json] = {"trained": asdict(judge.trained), "base": judge.base, "weights": judge.mark}
    network = ReplyNetwork(judge, precision=recipe.precision).to(accelerator.device)
    optimiser = make_optimiser(network, recipe, fused=accelerator.device.type == "cuda" and processes() == 1)
    network, optimiser = accelerator.prepare(network, optimiser)
    parameters = trained_parameters(accelerator.unwrap_model(network))
    identity = _identity(recipe, taught.identity, {**(about or {}), **started})
    progress = _progress(resume_trained(out / CHECKPOINT, parameters, optimiser, identity=identity))
    work = Taught(network, accelerator, recipe)
    tally, display = Tally(total=recipe.steps, before=progress.step), shown("steps")
    display.start(tally)
    try:
        batches = taught.shares(progress.step, recipe.steps)
        while progress.step < recipe.steps:
            begun = time.monotonic()
            network.train()
            for group in optimiser.param_groups:
                group["lr"] = rate_at(progress.step, recipe)
            optimiser.zero_grad(set_to_none=True)
            with drawn_by(recipe.seed, progress.step, accelerator.device), unprepared():
                figures = dict(stage(work, next(batches)))
            figures["gradient"] = _clipped(accelerator, network, recipe)
            if not math.isfinite(figures["loss"]) or not math.isfinite(figures["gradient"]):
                raise UsageError(
                    f"step {progress.step}: the loss is {figures['loss']} and the norm of its gradient "
                    f"{figures['gradient']}{_undefined(parameters)}; lower the rate, or train in float32."
                )
            optimiser.step()
            progress = _stepped(progress, figures)
            look = progress.step % recipe.look == 0 or progress.step == recipe.steps
            if look:
                progress = _looked(progress, dev(work) if dev is not None else {}, log)
            if look or progress.step % recipe.keep == 0:
                state: dict[str, Json] = {"identity": identity, **asdict(progress)}
                keep_trained(out / CHECKPOINT, parameters, optimiser, state)
            figures |= {"rate": rate_at(progress.step - 1, recipe), "seconds": time.monotonic() - begun}
            _track(accelerator, progress, figures, look=look)
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
    accelerator.wait_for_everyone()
    return progress


def make_optimiser(network: nn.Module, recipe: JudgeRecipe, *, fused: bool = False) -> torch.optim.AdamW:
    """AdamW over what is trained; decay for matrices only.

    Args:
        network: what is trained of it asks for gradients.
        recipe: rate and decay.
        fused: whether all weights are changed by one kernel: faster, and for whole weights on one GPU.
    """
    chosen = [one for one in network.parameters() if one.requires_grad]
    groups = [
        {"params": members, "weight_decay": recipe.weight_decay if is_matrix else 0.0}
        for is_matrix in (True, False)
        if (members := [one for one in chosen if (one.ndim > 1) == is_matrix])
    ]
    return torch.optim.AdamW(groups, lr=recipe.rate, fused=fused or None)


def trained_parameters(network: nn.Module) -> dict[str, nn.Parameter]:
    """What is trained of a `ReplyNetwork`, under the names that `aptone.train.judge.model.Judge` gives it."""
    return {name.removeprefix("model."): one for name, one in network.named_parameters() if one.requires_grad}


def likelihood(work: Taught, chunks: Sequence[Inputs]) -> dict[str, float]:
    """Add the gradient of the mean negative log-likelihood of all answer tokens of a step, over chunks and processes.

    Every token weighs the same, wherever it stands: two processes have the gradient of one that has all chunks.
    """
    tokens = sum(answer_tokens(chunk) for chunk in chunks)
    total = work.total(tokens)
    summed = 0.0
    for number, chunk in enumerate(chunks, start=1):
        loss = -work.network(chunk).sum() / total
        work.add_gradient(loss, is_last=number == len(chunks))
        summed += loss.item()
    return {"loss": work.total(summed), "tokens": total}


def answer_tokens(inputs: Inputs) -> int:
    """Tokens of answers in a chunk."""
    return int((inputs["labels"][:, 1:] != IGNORED).sum().item())


def _clipped(accelerator: Accelerator, network: nn.Module, recipe: JudgeRecipe) -> float:
    largest = recipe.largest_gradient or math.inf
    found = accelerator.clip_grad_norm_(network.parameters(), largest)
    return float(found.full_tensor() if hasattr(found, "full_tensor") else found)


def _undefined(parameters: Mapping[str, nn.Parameter]) -> str:
    """Which gradients are no numbers, in words."""
    names = [name for name, one in parameters.items() if one.grad is not None and not bool(one.grad.isfinite().all())]
    return f" ({len(names)} of {len(parameters)} are undefined, {names[0]} the first)" if names else ""


def _stepped(progress: Progress, figures: Figures) -> Progress:
    pending = {name: progress.pending.get(name, 0.0) + value for name, value in figures.items()}
    return replace(progress, step=progress.step + 1, pending=pending)


def _looked(progress: Progress, dev: Figures, log: Callable[[str], None]) -> Progress:
    since = progress.step - (progress.looks[-1].step if progress.looks else 0)
    look = Look(progress.step, {name: value / since for name, value in progress.pending.items()}, dict(dev))
    if process_number() == 0:
        log(_said(look))
    return Progress(progress.step, (*progress.looks, look))


def _said(look: Look) -> str:
    loss, others = look.figures["loss"], {name: value for name, value in look.figures.items() if name != "loss"}
    line: str = message("train.step-loss", step=look.step, loss=loss)
    if others:
        line = message("train.step-loss-figures", step=look.step, loss=loss, figures=_listed(others))
    return message("train.on-dev", line=line, figures=_listed(look.dev)) if look.dev else line


def _listed(figures: Figures) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in figures.items())


def _track(accelerator: Accelerator, progress: Progress, figures: Figures, *, look: bool) -> None:
    on_dev = {f"dev {name}": value for name, value in progress.looks[-1].dev.items()} if look else {}
    accelerator.log({**figures, **on_dev}, step=progress.step)


def _progress(state: Mapping[str, Any] | None) -> Progress:
    if state is None:
        return Progress()
    looks = tuple(Look(one["step"], one["figures"], one["dev"]) for one in state["looks"])
    return Progress(state["step"], looks, state["pending"])


def _identity(recipe: JudgeRecipe, data: str, about: Mapping[str, Json]) -> str:
    """What a training must share with the one that it goes on with."""
    return hashlib.sha256(dumps({**recipe.decisive, "data": data, "about": about}).encode()).hexdigest()
