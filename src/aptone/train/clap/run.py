"""Train a dual encoder from shards, as ``aptone train clap`` does, in one process or several.

Several GPUs are started by torchrun; their processes share every batch.
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

from aptone.ear.perceive import ClipNumbers
from aptone.errors import MissingExtraError, UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import message
from aptone.models.clap.config import AudioPart, TextPooling
from aptone.models.clap.folder import LONGEST_TEXT, Clap, start_clap, write_clap
from aptone.run.progress import Silent, Tally, display_for
from aptone.train.clap.data import (
    ALL_CAPTIONS,
    CaptionFilter,
    ClipIndex,
    ShardBatches,
    eval_micro_batches,
    feature_table,
    index_clips,
)
from aptone.train.clap.trainer import ClapTrainingConfig, Evaluation, StepLog, TrainState, train_clap
from aptone.train.distributed import process_rank, resolve_device, world_size
from aptone.train.model_cards import clap_card
from aptone.train.shards import Floats
from aptone.types import Json

EAR = "ear"
"""Audio encoder made of the built-in ear's features; ``ear:permissive`` for those of that ear."""
HIDDEN_SIZE = 512
"""Width of the layer over the ear's features."""
CARD = "README.md"
MIN_DEVIATION = 1e-4
"""Smallest standard deviation that a feature is divided by; more constant ones are left unscaled."""


@dataclass(frozen=True, slots=True)
class TrainedClap:
    """Result of a training."""

    folder: Path
    state: TrainState
    clips: int


def train_clap_model(
    data: Path,
    out: Path,
    *,
    audio_encoder: str,
    text_encoder: str,
    config: ClapTrainingConfig,
    eval_data: Path | None = None,
    caption_filter: CaptionFilter = ALL_CAPTIONS,
    embedding_dim: int = 512,
    pooling: TextPooling | None = None,
    max_text_tokens: int = LONGEST_TEXT,
    device: str | None = None,
    num_workers: int = 4,
    tensorboard: bool = True,
    log: Callable[[str], None],
) -> TrainedClap:
    """Train a dual encoder from two encoders, and write the best weights and the model card.

    Args:
        out: folder for the model; the same call resumes an interrupted training.
        audio_encoder: see `aptone.models.clap.folder.start_clap`, or ``ear``.
        text_encoder: see `aptone.models.clap.folder.start_clap`.
        eval_data: folder of held-out shards, by which the best weights are chosen.
        caption_filter: descriptions to train on; held-out clips keep all of theirs.
        pooling: pooling of the text encoder, where its files do not name one.
        max_text_tokens: longest description; longer ones are truncated.
        device: device to train on; by default a GPU if there is one.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if TensorBoard is asked for and missing.
        RecordError: if a shard is damaged.
        UsageError: if an encoder cannot be loaded, or the folder holds another training.
    """
    if tensorboard:
        _summary_writer()  # a missing library is reported before shards are read and features computed
    with process_group(device) as place:
        make_folder(out)
        index = index_clips(data, caption_filter)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            encoder, numbers = _audio(audio_encoder)
            clap = start_clap(encoder, text_encoder, size=embedding_dim, pooling=pooling, longest_text=max_text_tokens)
        table = _features(numbers, index, out / "features-train.npy")
        if table is not None:
            _standardise(clap, table)
        sizes = config.batch_size, config.micro_batch_size
        batches = ShardBatches(index, clap, *sizes, config.seed, num_workers, table)
        eval_batches = []
        if eval_data is not None:
            eval_index = index_clips(eval_data)
            eval_table = _features(numbers, eval_index, out / "features-dev.npy")
            eval_batches = eval_micro_batches(
                eval_index, clap, size=config.micro_batch_size, seed=config.seed, features=eval_table
            )
        about: dict[str, Json] = {
            "data": {"folder": str(data), "clips": len(index), "hours": float(index.seconds.sum(dtype=float)) / 3600},
            "eval data": {"folder": str(eval_data), "clips": len(eval_index)} if eval_data is not None else None,
            "audio encoder": audio_encoder,
            "text encoder": text_encoder,
            "captions": asdict(caption_filter),
            "processes": world_size(),
            "licence": numbers.licence if numbers is not None else "",
            "config": asdict(config),
        }

        def save(state: TrainState) -> None:
            write_clap(out, clap, {**about, **_best(state)})

        with _step_log(out, config, tensorboard=tensorboard, log=log) as log_step:
            state = train_clap(
                clap.network,
                batches,
                out,
                config=config,
                device=place,
                eval_batches=eval_batches,
                on_best=save,
                log=log_step,
            )
        if process_rank() == 0:
            write_whole(out / CARD, clap_card({**about, **_best(state)}))
        return TrainedClap(out, state, len(index))


@contextlib.contextmanager
def process_group(device: str | None) -> Iterator[torch.device]:
    """Yield the device of this process; where torchrun started several, they are joined for that time."""
    place = resolve_device(device)
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield place
        return
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
    return AudioPart("features", {"size": numbers.size, "hidden": HIDDEN_SIZE}, reads), numbers


def _features(numbers: ClipNumbers | None, index: ClipIndex, cache: Path) -> Floats | None:
    if numbers is None:
        return None
    if world_size() > 1:
        raise UsageError("the ear's features train quickly: use one process.")
    return feature_table(index, numbers, cache.with_stem(f"{cache.stem}-{index.identity[:12]}-{numbers.ear}"))


def _standardise(clap: Clap, table: Floats) -> None:
    spread = table.std(axis=0)
    encoder = clap.network.audio_encoder
    encoder.centre.copy_(torch.from_numpy(table.mean(axis=0)))
    encoder.spread.copy_(torch.from_numpy(np.where(spread > MIN_DEVIATION, spread, 1.0).astype(np.float32)))


def _best(state: TrainState) -> dict[str, Json]:
    best = next((one for one in state.evaluations if one.step == state.best), None)
    return {
        "step": state.best,
        "loss": best.loss if best else None,
        "eval metrics": dict(best.eval_metrics) if best else {},
    }


@contextlib.contextmanager
def _step_log(
    out: Path, config: ClapTrainingConfig, *, tensorboard: bool, log: Callable[[str], None]
) -> Iterator[Callable[[StepLog], None]]:
    """Yield a callback for step records: a progress bar, a line for each evaluation, and TensorBoard."""
    is_first = process_rank() == 0
    writer = _summary_writer()(str(out / "tensorboard")) if tensorboard and is_first else None
    tally = Tally(total=config.steps, before=0)
    display = display_for(label="steps") if is_first else Silent()
    display.start(tally)

    def log_step(one: StepLog) -> None:
        if tally.now == 0:
            tally.before = one.step - 1
        tally.now += 1
        display.update(tally)
        metrics: dict[str, float] = {
            "loss": one.loss,
            "lr": one.lr,
            "scale": one.scale,
            "pairs per second": config.batch_size / max(one.seconds, 1e-9),
        }
        if one.evaluation is not None:
            metrics |= {f"eval {name}": value for name, value in one.evaluation.eval_metrics.items()}
            log(_evaluation_line(one.step, one.evaluation))
        if writer is not None:
            for name, value in metrics.items():
                writer.add_scalar(name, value, one.step)

    try:
        yield log_step
    finally:
        display.stop(tally)
        if writer is not None:
            writer.close()


def _evaluation_line(step: int, evaluation: Evaluation) -> str:
    line = message("train.step-loss", step=step, loss=evaluation.loss)
    figures = ", ".join(f"{name} {value:.3f}" for name, value in evaluation.eval_metrics.items())
    return message("train.on-dev", line=line, figures=figures) if figures else line


def _summary_writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise MissingExtraError(message("train.tensorboard-log"), extra="train") from error
    return SummaryWriter
