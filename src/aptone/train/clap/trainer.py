"""Train Speech-CLAP's dual encoder: voices and descriptions of voices in one space.

Top to bottom: take the next batch, add the gradient of its loss chunk by chunk (`clap_cache`), sum over processes, one
step of AdamW, hold the temperature; from time to time look at dev, and keep a checkpoint to go on from. What a step
does depends on seed and step only: a run that was killed and resumed ends with the same weights as one that was not.

Where this departs from the paper, which prints no more than encoders and loss: optimiser, schedule and temperature are
CLIP's; the normalisation of HTS-AT's spectrograms holds still; a clip that is longer than what the encoder hears at
once gives a stretch of it, drawn anew in each epoch.
"""

import hashlib
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
from aptone.train.checkpoint import keep_checkpoint, resume_checkpoint
from aptone.train.clap.gradient_cache import Chunk, Precision, add_gradients
from aptone.train.clap.loss import info_nce, sum_gradients
from aptone.train.processes import drawn_by, process_number
from aptone.types import Json, dumps

CHECKPOINT = "checkpoint.safetensors"
PARTS = ("audio", "text")
"""What can be frozen."""
RECALLS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class ClapRecipe:
    """How a dual encoder is taught.

    Args:
        batch: pairs that are compared with one another, over all processes.
        chunk: pairs that are embedded at once in a process, what fits into memory; it changes nothing but rounding, and
            where dropout falls.
        steps: batches.
        rate: learning rate of projections and temperature.
        audio_rate: of the audio encoder.
        text_rate: of the text encoder.
        warm_up: steps in which the rates rise from 0; then they fall to 0 along half a cosine.
        decay: weight decay, of matrices only.
        largest_gradient: norm beyond which a gradient is scaled down; 0 for never.
        precision: of the encoders' arithmetic; weights are kept in 32 bits.
        frozen: encoders that stay as they are, of `PARTS`.
        keep: steps between two checkpoints.
        look: steps between two looks at dev.
        seed: of order, captions, stretches and dropout.

    Raises:
        UsageError: if a number is not one.
    """

    batch: int = 256
    chunk: int = 32
    steps: int = 10_000
    rate: float = 1e-3
    audio_rate: float = 1e-4
    text_rate: float = 1e-5
    warm_up: int = 500
    decay: float = 0.01
    largest_gradient: float = 1.0
    precision: Precision = "bfloat16"
    frozen: tuple[str, ...] = ()
    keep: int = 500
    look: int = 500
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.batch, self.chunk, self.steps, self.keep, self.look) < 1 or self.batch < 2:
            raise UsageError(
                "a batch holds 2 pairs or more; chunks, steps and what lies between two looks are 1 or more."
            )
        if not all(0 <= rate < math.inf for rate in (self.rate, self.audio_rate, self.text_rate, self.decay)):
            raise UsageError("learning rates and decay are finite numbers of 0 or more.")
        if unknown := [part for part in self.frozen if part not in PARTS]:
            raise UsageError(f"{', '.join(PARTS)} can be frozen, got {unknown[0]!r}.")


class Batches(Protocol):
    """Where batches come from: the same step gives the same batch, whenever it is asked for."""

    @property
    def identity(self) -> str:
        """What they are made of."""
        ...

    def chunks(self, first: int, last: int) -> Iterator[Sequence[Chunk]]:
        """The batches of the steps from `first` to before `last`; each process gets its own share of each."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen when training paused.

    Args:
        step: steps that were done.
        loss: mean over the steps since the last look.
        dev: loss and recalls on dev; empty without one.
    """

    step: int
    loss: float
    dev: Mapping[str, float] = field(default_factory=dict)

    @property
    def goodness(self) -> float:
        """The mean of all recalls, both ways; without dev all looks are alike, and of those the last one counts."""
        recalls = [value for name, value in self.dev.items() if name != "loss"]
        return math.fsum(recalls) / len(recalls) if recalls else 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Args:
        step: steps that are done.
        looks: what was seen so far.
        best: step at which dev was best, the last one of several; that of the last look without dev.
        pending: losses since the last look, summed.
    """

    step: int = 0
    looks: tuple[Look, ...] = ()
    best: int = 0
    pending: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """What is said after each step.

    Args:
        step: which one.
        loss: of its batch.
        rate: of the projections.
        scale: one over the temperature.
        seconds: that it took.
        look: at dev, where there was one.
    """

    step: int
    loss: float
    rate: float
    scale: float
    seconds: float
    look: Look | None = None


def train_clap(
    network: ClapNetwork,
    taught: Batches,
    out: Path,
    *,
    recipe: ClapRecipe,
    device: torch.device,
    dev: Sequence[Chunk] = (),
    better: Callable[[Progress], None],
    log: Callable[[Told], None],
) -> Progress:
    """Teach a network, or go on where an earlier call was stopped.

    Args:
        network: as it starts; its weights change.
        taught: what it learns from.
        out: folder for the checkpoint; it exists.
        recipe: how.
        device: where.
        dev: pairs that say when it is best.
        better: is called when dev was never better, in process 0 only: the time to keep the weights.
        log: is told after each step, in process 0 only.

    Raises:
        UsageError: if the folder holds a training with other settings or data.
        RunError: if the folder cannot be written.
    """
    network.to(device)
    optimiser = make_optimiser(network, recipe)
    identity = _identity(recipe, taught, network)
    progress = _progress(resume_checkpoint(out / CHECKPOINT, network, optimiser, identity=identity))
    is_first = process_number() == 0
    batches = taught.chunks(progress.step, recipe.steps)
    while progress.step < recipe.steps:
        begun = time.monotonic()
        set_training(network, frozen=recipe.frozen)
        factor = rate_factor(progress.step, recipe)
        for group in optimiser.param_groups:
            group["lr"] = group["full_rate"] * factor
        with drawn_by(recipe.seed, progress.step, device):
            loss = train_step(network, next(batches), optimiser, recipe=recipe, device=device).item()
        if not math.isfinite(loss):
            raise UsageError(f"step {progress.step}: the loss is {loss}; lower the rates, or train in float32.")
        progress = replace(progress, step=progress.step + 1, pending=progress.pending + loss)
        is_last = progress.step == recipe.steps
        look = None
        if progress.step % recipe.look == 0 or is_last:
            progress, look = _looked(network, dev, progress, device=device, precision=recipe.precision)
            if is_first and progress.best == progress.step:
                better(progress)
        if is_first:
            if progress.step % recipe.keep == 0 or look is not None:
                keep_checkpoint(out / CHECKPOINT, network, optimiser, {"identity": identity, **asdict(progress)})
            seconds = time.monotonic() - begun
            log(Told(progress.step, loss, recipe.rate * factor, network.scale().item(), seconds, look))
    return progress


def train_step(
    network: ClapNetwork,
    chunks: Sequence[Chunk],
    optimiser: torch.optim.Optimizer,
    *,
    recipe: ClapRecipe,
    device: torch.device,
) -> Tensor:
    """One batch, one step; its loss."""
    optimiser.zero_grad(set_to_none=True)
    loss = add_gradients(network, chunks, device=device, precision=recipe.precision)
    sum_gradients(list(network.parameters()))
    if recipe.largest_gradient > 0:
        nn.utils.clip_grad_norm_(network.parameters(), recipe.largest_gradient)
    optimiser.step()
    network.hold_scale()
    return loss


def make_optimiser(network: ClapNetwork, recipe: ClapRecipe) -> torch.optim.AdamW:
    """AdamW with CLIP's constants: a rate for each part, decay for matrices only, nothing for what is frozen."""
    rates = {"audio": recipe.audio_rate, "text": recipe.text_rate, "projection": recipe.rate}
    groups: list[dict[str, Any]] = []
    for part, parameters in parameters_of(network).items():
        for parameter in parameters:
            parameter.requires_grad_(part not in recipe.frozen)
        for is_matrix in (True, False):
            chosen = [one for one in parameters if one.requires_grad and (one.ndim > 1) == is_matrix]
            if chosen:
                decay = recipe.decay if is_matrix else 0.0
                groups.append({"params": chosen, "full_rate": rates[part], "weight_decay": decay})
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98), eps=1e-6)


def set_training(network: ClapNetwork, *, frozen: Sequence[str]) -> None:
    """Dropout for what learns, none for what is frozen."""
    network.train()
    for part in frozen:
        getattr(network, f"{part}_encoder").eval()


def rate_factor(step: int, recipe: ClapRecipe) -> float:
    """By how much the rates are multiplied at a step: a straight rise, then half a cosine down to 0.

    >>> recipe = ClapRecipe(steps=10, warm_up=2)
    >>> [round(rate_factor(step, recipe), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    if step < recipe.warm_up:
        return (step + 1) / recipe.warm_up
    return 0.5 * (1 + math.cos(math.pi * (step - recipe.warm_up) / max(1, recipe.steps - recipe.warm_up)))


@torch.inference_mode()
def retrieval(
    network: ClapNetwork, chunks: Sequence[Chunk], *, device: torch.device, precision: Precision
) -> dict[str, float]:
    """The loss over all pairs, and how often the right one is among the first 1, 5 and 10, both ways.

    A description that several pairs share is right for its own pair only: a tie counts against it.
    """
    network.eval()
    audio, text = [], []
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        for chunk in chunks:
            given = chunk.to(device)
            audio.append(network.embed_audio(given.audio))
            text.append(network.embed_text(given.text))
    heard, read = torch.cat(audio), torch.cat(text)
    found = {"loss": info_nce(heard, read, network.scale()).item()}
    cosines = heard @ read.T
    own = cosines.diagonal()
    for name, table in (("audio to text", cosines), ("text to audio", cosines.T)):
        places = (table >= own[:, None]).sum(dim=1)
        found |= {f"{name} @{count}": (places <= count).float().mean().item() for count in RECALLS}
    return found


def _looked(
    network: ClapNetwork, dev: Sequence[Chunk], progress: Progress, *, device: torch.device, precision: Precision
) -> tuple[Progress, Look]:
    since = progress.step - (progress.looks[-1].step if progress.looks else 0)
    found = retrieval(network, dev, device=device, precision=precision) if dev else {}
    look = Look(progress.step, progress.pending / since, found)
    best = max((one.goodness for one in progress.looks), default=-math.inf)
    return (
        Progress(progress.step, (*progress.looks, look), look.step if look.goodness >= best else progress.best),
        look,
    )


def _progress(state: Mapping[str, Any] | None) -> Progress:
    if state is None:
        return Progress()
    looks = tuple(Look(one["step"], one["loss"], one["dev"]) for one in state["looks"])
    return Progress(state["step"], looks, state["best"], state["pending"])


def _identity(recipe: ClapRecipe, taught: Batches, network: ClapNetwork) -> str:
    """What a training must share with the one that it goes on with: not how it is cut up, nor how often it is kept."""
    free = {"chunk", "keep"}
    settings: dict[str, Json] = {name: value for name, value in asdict(recipe).items() if name not in free}
    whole: dict[str, Json] = {**settings, "data": taught.identity, "network": asdict(network.config)}
    return hashlib.sha256(dumps(whole).encode()).hexdigest()
