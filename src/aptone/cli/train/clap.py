"""``aptone train clap``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.training import COMMON_RENAMED
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import TrainCommand, training_parts
from aptone.messages import words
from aptone.train.renames import CLAP, renamed_options
from aptone.types import Language

SHARDS = click.Path(path_type=Path, file_okay=False, exists=True)
AT_LEAST_ONE = click.IntRange(1)
RATE = click.FloatRange(0)

RENAMED = {
    **COMMON_RENAMED,
    **renamed_options(CLAP),
    "--longest-text": "--max-text-tokens",
    "--size": "--embedding-dim",
}


@click.command(cls=TrainCommand, renamed=RENAMED)
@click.option("--data", type=SHARDS, required=True, help="Training shards, as aptone build style-corpus makes them.")
@click.option(
    "--eval-data", type=SHARDS, help="Held-out shards, by which the best weights are chosen; else the last are kept."
)
@click.option(
    "--audio-encoder",
    default="laion/larger_clap_music_and_speech",
    show_default=True,
    metavar="MODEL",
    help="Folder or name of a CLAP (its HTS-AT), WavLM, HuBERT, wav2vec 2.0 or Whisper; or ear, or ear:permissive.",
)
@click.option(
    "--text-encoder",
    default="Qwen/Qwen3-Embedding-0.6B",
    show_default=True,
    metavar="MODEL",
    help="Folder or name of a sentence encoder, T5 or mT5.",
)
@click.option(
    "--text-pooling",
    type=click.Choice(["mean", "last", "first", "max"]),
    help="Pooling of the text encoder's tokens; by default its own.",
)
@click.option(
    "--max-text-tokens",
    type=AT_LEAST_ONE,
    default=512,
    show_default=True,
    help="Longest description in tokens; longer ones are truncated.",
)
@click.option("--level", multiple=True, help="Train on captions of this level only. May be given several times.")
@click.option("--language", multiple=True, help="Train on captions in this language only. May be given several times.")
@click.option("--embedding-dim", type=AT_LEAST_ONE, default=512, show_default=True, help="Size of an embedding.")
@click.option(
    "--batch-size", type=click.IntRange(2), default=256, show_default=True, help="Pairs per step, over all GPUs."
)
@click.option(
    "--micro-batch-size", type=AT_LEAST_ONE, default=32, show_default=True, help="Pairs in memory at once on a GPU."
)
@click.option("--steps", type=AT_LEAST_ONE, default=10_000, show_default=True, help="Optimiser steps.")
@click.option("--lr", type=RATE, default=1e-3, show_default=True, help="Learning rate of the projections.")
@click.option("--audio-lr", type=RATE, default=1e-4, show_default=True, help="Learning rate of the audio encoder.")
@click.option("--text-lr", type=RATE, default=1e-5, show_default=True, help="Learning rate of the text encoder.")
@click.option("--warmup-steps", type=click.IntRange(0), default=500, show_default=True, help="Steps of linear warm-up.")
@click.option("--weight-decay", type=RATE, default=0.01, show_default=True, help="Weight decay of matrices.")
@click.option(
    "--max-grad-norm", type=RATE, default=1.0, show_default=True, help="Clip gradients to this norm; 0 disables."
)
@click.option(
    "--freeze",
    type=click.Choice(["audio", "text"]),
    multiple=True,
    help="Encoder that is not trained. May be given several times.",
)
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="Precision of the arithmetic; by default bfloat16 on a GPU, float32 elsewhere.",
)
@click.option("--save-every", type=AT_LEAST_ONE, default=500, show_default=True, help="Steps between two checkpoints.")
@click.option("--eval-every", type=AT_LEAST_ONE, default=500, show_default=True, help="Steps between two evaluations.")
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed.")
@click.option("--num-workers", type=AT_LEAST_ONE, default=4, show_default=True, help="Threads that read data.")
@click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
@click.option("--tensorboard/--no-tensorboard", default=True, show_default=True, help="Write a TensorBoard log.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the model; the same command resumes.",
)
@lang_option("Language of the output", default="en")
@json_option
def clap(
    data: Path,
    eval_data: Path | None,
    audio_encoder: str,
    text_encoder: str,
    text_pooling: Any,
    max_text_tokens: int,
    level: Sequence[str],
    language: Sequence[str],
    embedding_dim: int,
    freeze: Sequence[str],
    precision: Any,
    num_workers: int,
    device: str | None,
    tensorboard: bool,
    out: Path,
    lang: Language,
    as_json: bool,
    **numbers: Any,
) -> None:
    """Train a dual encoder of voices and descriptions, Speech-CLAP, on a corpus of your own.

    \b
    aptone train clap --data SHARDS -o clap/
    aptone train clap --data SHARDS --audio-encoder microsoft/wavlm-large --text-encoder google/mt5-base -o clap/
    torchrun --nproc-per-node 8 -m aptone train clap --data SHARDS --batch-size 4096 -o clap/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.clap.data import CaptionFilter
        from aptone.train.clap.run import train_clap_model
        from aptone.train.clap.trainer import ClapTrainingConfig
        from aptone.train.distributed import resolve_device

    default: Any = "bfloat16" if resolve_device(device).type == "cuda" else "float32"
    made = train_clap_model(
        data,
        out,
        audio_encoder=audio_encoder,
        text_encoder=text_encoder,
        config=ClapTrainingConfig(precision=precision or default, frozen=tuple(freeze), **numbers),
        eval_data=eval_data,
        caption_filter=CaptionFilter(tuple(level), tuple(language)),
        embedding_dim=embedding_dim,
        pooling=text_pooling,
        max_text_tokens=max_text_tokens,
        device=device,
        num_workers=num_workers,
        tensorboard=tensorboard,
        log=log_to_people(lang),
    )
    if os.environ.get("RANK", "0") != "0":
        return  # the first of several processes prints
    state = made.state
    last = state.evaluations[-1]
    if as_json:
        print_json(
            {
                "model": str(made.folder),
                "clips": made.clips,
                "steps": state.step,
                "best_step": state.best,
                "loss": last.loss,
                "eval_metrics": dict(next(one.eval_metrics for one in state.evaluations if one.step == state.best)),
            }
        )
        return
    word, step, best = words(lang, "cli.training"), state.step, state.best
    print_text(word("paired", clips=made.clips, steps=step, loss=last.loss, best=best))
    print_text(word("model", path=made.folder))
