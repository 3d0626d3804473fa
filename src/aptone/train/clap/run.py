"""From shards to a dual encoder with its card, as ``aptone train clap`` runs it, in one process or several.

Several GPUs are started by torchrun, which tells each process its place; they share every batch.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed

from aptone.ear.network.clip_vector import ClipNumbers
from aptone.errors import MissingExtraError, UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import message
from aptone.models.clap.config import AudioPart, TextPooling
from aptone.models.clap.folder import LONGEST_TEXT, Clap, start_clap, write_clap
from aptone.run.progress import Silent, Tally, display_for
from aptone.train.clap.card import model_card
from aptone.train.clap.data import (
    ALL_CAPTIONS,
    ClipIndex,
    ShardBatches,
    Wanted,
    dev_chunks,
    feature_table,
    index_shards,
)
from aptone.train.clap.trainer import ClapRecipe, Look, Progress, Told, train_clap
from aptone.train.device import device_named
from aptone.train.processes import process_number, processes
from aptone.train.shards.order import Floats
from aptone.types import Json

EAR = "ear"
"""As an audio encoder: the built-in ear's numbers of each clip, or ``ear:permissive`` those of that ear."""
HIDDEN = 512
"""Width of the layer over the ear's numbers."""
CARD = "README.md"
SMALLEST_SPREAD = 1e-4
"""A number that never differs by more says nothing, and is not blown up."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a training has made.

    Args:
        folder: of the model.
        progress: how it went.
        clips: how many it learned from.
    """

    folder: Path
    progress: Progress
    clips: int


def make_clap(
    data: Path,
    out: Path,
    *,
    audio_encoder: str,
    text_encoder: str,
    recipe: ClapRecipe,
    dev: Path | None = None,
    wanted: Wanted = ALL_CAPTIONS,
    size: int = 512,
    pooling: TextPooling | None = None,
    longest_text: int = LONGEST_TEXT,
    device: str | None = None,
    threads: int = 4,
    tensorboard: bool = True,
    log: Callable[[str], None],
) -> Made:
    """Start from two encoders, teach, keep the best weights and write the model's card.

    Args:
        data: folder of shards to learn from.
        out: folder for the model; the same call goes on where it was stopped.
        audio_encoder: see `aptone.models.clap.folder.start_clap`, or ``ear``.
        text_encoder: likewise.
        recipe: how it is taught.
        dev: folder of shards that say when it is best.
        wanted: descriptions that it learns from; dev keeps all of its own.
        size: numbers in a vector.
        pooling: of the text encoder, where it does not say itself.
        longest_text: tokens of a description; longer ones are cut.
        device: where; by default on a GPU if there is one.
        threads: that read and decode.
        tensorboard: whether a log for TensorBoard is kept in the folder.
        log: is told what dev says.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if TensorBoard is wanted and missing.
        RecordError: if a shard is damaged.
        UsageError: if an encoder cannot be loaded, or the folder holds another training.
    """
    if tensorboard:
        _summary_writer()  # what is missing is told before shards are read and features made
    with together(device) as place:
        make_folder(out)
        index = index_shards(data, wanted)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(recipe.seed)
            heard, numbers = _audio(audio_encoder)
            clap = start_clap(heard, text_encoder, size=size, pooling=pooling, longest_text=longest_text)
        table = _features(numbers, index, out / "features-train.npy")
        if table is not None:
            _centre(clap, table)
        taught = ShardBatches(index, clap, recipe.batch, recipe.chunk, recipe.seed, threads, table)
        looked = []
        if dev is not None:
            dev_index = index_shards(dev)
            dev_table = _features(numbers, dev_index, out / "features-dev.npy")
            looked = dev_chunks(dev_index, clap, chunk=recipe.chunk, seed=recipe.seed, features=dev_table)
        about: dict[str, Json] = {
            "data": {"folder": str(data), "clips": len(index), "hours": float(index.seconds.sum(dtype=float)) / 3600},
            "dev": {"folder": str(dev), "clips": len(dev_index)} if dev is not None else None,
            "audio encoder": audio_encoder,
            "text encoder": text_encoder,
            "captions": asdict(wanted),
            "processes": processes(),
            "licence": numbers.licence if numbers is not None else "",
            "recipe": asdict(recipe),
        }

        def better(progress: Progress) -> None:
            write_clap(out, clap, {**about, **_reached(progress)})

        with _logged(out, recipe, tensorboard=tensorboard, log=log) as told:
            progress = train_clap(
                clap.network, taught, out, recipe=recipe, device=place, dev=looked, better=better, log=told
            )
        if process_number() == 0:
            write_whole(out / CARD, model_card({**about, **_reached(progress)}))
        return Made(out, progress, len(index))


@contextlib.contextmanager
def together(device: str | None) -> Iterator[torch.device]:
    """This process's device; where torchrun started several, they find one another for as long as this lasts."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield device_named(device)
        return
    place = device_named(device)
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(place)
    torch.distributed.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield place
    finally:
        torch.distributed.destroy_process_group()


def _audio(named: str) -> tuple[str | AudioPart, ClipNumbers | None]:
    kind, _, ear = named.partition(":")
    if kind != EAR:
        return named, None
    numbers = ClipNumbers(ear or "full")
    reads: dict[str, Json] = {"name": "the ear's numbers", "ear": numbers.ear, "signature": numbers.signature}
    return AudioPart("features", {"size": numbers.size, "hidden": HIDDEN}, reads), numbers


def _features(numbers: ClipNumbers | None, index: ClipIndex, cache: Path) -> Floats | None:
    if numbers is None:
        return None
    if processes() > 1:
        raise UsageError("the ear's numbers are quick to learn from: train in one process.")
    named = cache.with_stem(f"{cache.stem}-{index.identity[:12]}-{numbers.ear}")
    return feature_table(index, numbers, named)


def _centre(clap: Clap, table: Floats) -> None:
    spread = table.std(axis=0)
    encoder = clap.network.audio_encoder
    encoder.centre.copy_(torch.from_numpy(table.mean(axis=0)))
    encoder.spread.copy_(torch.from_numpy(np.where(spread > SMALLEST_SPREAD, spread, 1.0).astype(np.float32)))


def _reached(progress: Progress) -> dict[str, Json]:
    best = next((one for one in progress.looks if one.step == progress.best), None)
    return {
        "step": progress.best,
        "loss": best.loss if best else None,
        "reached on dev": dict(best.dev) if best else {},
    }


@contextlib.contextmanager
def _logged(
    out: Path, recipe: ClapRecipe, *, tensorboard: bool, log: Callable[[str], None]
) -> Iterator[Callable[[Told], None]]:
    """Where it is told how the training goes: a bar, a line for each look at dev, and TensorBoard."""
    is_first = process_number() == 0
    writer = _summary_writer()(str(out / "tensorboard")) if tensorboard and is_first else None
    tally = Tally(total=recipe.steps, before=0)
    display = display_for(label="steps") if is_first else Silent()
    display.start(tally)

    def told(one: Told) -> None:
        if tally.now == 0:
            tally.before = one.step - 1
        tally.now += 1
        display.update(tally)
        numbers: dict[str, float] = {
            "loss": one.loss,
            "rate": one.rate,
            "scale": one.scale,
            "pairs per second": recipe.batch / max(one.seconds, 1e-9),
        }
        if one.look is not None:
            numbers |= {f"dev {name}": value for name, value in one.look.dev.items()}
            log(_said(one.step, one.look))
        if writer is not None:
            for name, value in numbers.items():
                writer.add_scalar(name, value, one.step)

    try:
        yield told
    finally:
        display.stop(tally)
        if writer is not None:
            writer.close()


def _said(step: int, look: Look) -> str:
    line = message("train.step-loss", step=step, loss=look.loss)
    figures = ", ".join(f"{name} {value:.3f}" for name, value in look.dev.items())
    return message("train.on-dev", line=line, figures=figures) if look.dev else line


def _summary_writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise MissingExtraError(message("train.tensorboard-log"), extra="train") from error
    return SummaryWriter
