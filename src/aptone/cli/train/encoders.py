"""``aptone train clap`` and ``aptone train cser``: encoders of style and of emotion over time."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from platformdirs import user_cache_path

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option
from aptone.cli.options.training import (
    ABOVE_ZERO,
    ANY_DEVICE,
    AT_LEAST_ONE,
    COMMON_RENAMED,
    EXISTING_FOLDER,
    FOLDER,
    MAX_GRAD_NORM,
    NUM_WORKERS,
    NUMBER,
    OUT,
    PRECISION,
    SEED,
    log_to_people,
    training_parts,
    usual_precision,
    with_default,
)
from aptone.cli.options.values import setting, several_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.errors import UsageError
from aptone.messages import words
from aptone.report.notation import named
from aptone.train.renames import CLAP, CSER, renamed_options
from aptone.types import Json, Language

CLAP_RENAMED = {
    **COMMON_RENAMED,
    **renamed_options(CLAP),
    "--longest-text": "--max-text-tokens",
    "--size": "--embedding-dim",
}


@click.command(cls=CommandWithRenames, renamed=CLAP_RENAMED)
@click.option(
    "--data", type=EXISTING_FOLDER, required=True, help="Training shards, as aptone build style-corpus makes them."
)
@click.option(
    "--eval-data",
    type=EXISTING_FOLDER,
    help="Held-out shards, by which the best weights are chosen; else the last are kept.",
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
@with_default("--max-text-tokens", AT_LEAST_ONE, 512, "Longest description in tokens; longer ones are truncated.")
@several_option("--level", help="Train on captions of this level only.")
@several_option("--language", help="Train on captions in this language only.")
@with_default("--embedding-dim", AT_LEAST_ONE, 512, "Size of an embedding.")
@with_default("--batch-size", click.IntRange(2), 256, "Pairs per step, over all GPUs.")
@with_default("--micro-batch-size", AT_LEAST_ONE, 32, "Pairs in memory at once on a GPU.")
@with_default("--steps", AT_LEAST_ONE, 10_000, "Optimiser steps.")
@with_default("--lr", NUMBER, 1e-3, "Learning rate of the projections.")
@with_default("--audio-lr", NUMBER, 1e-4, "Learning rate of the audio encoder.")
@with_default("--text-lr", NUMBER, 1e-5, "Learning rate of the text encoder.")
@with_default("--warmup-steps", click.IntRange(0), 500, "Steps of linear warm-up.")
@with_default("--weight-decay", NUMBER, 0.01, "Weight decay of matrices.")
@MAX_GRAD_NORM
@several_option("--freeze", type=click.Choice(["audio", "text"]), help="Encoder that is not trained.")
@PRECISION
@with_default("--save-every", AT_LEAST_ONE, 500, "Steps between two checkpoints.")
@with_default("--eval-every", AT_LEAST_ONE, 500, "Steps between two evaluations.")
@SEED
@NUM_WORKERS
@ANY_DEVICE
@with_default("--tensorboard/--no-tensorboard", None, True, "Write a TensorBoard log.")
@OUT
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

    precision = precision or usual_precision(device)
    made = train_clap_model(
        data,
        out,
        audio_encoder=audio_encoder,
        text_encoder=text_encoder,
        config=ClapTrainingConfig(precision=precision, frozen=tuple(freeze), **numbers),
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


@click.command(cls=CommandWithRenames, renamed=renamed_options(CSER))
@click.argument("source", metavar="CORPUS", type=click.Path(path_type=Path, exists=True))
@with_default(
    "--layout",
    click.Choice(["plain", "msp-conversation"]),
    "plain",
    "Manifest of recordings and CSV files, or folder of MSP-Conversation.",
)
@with_default(
    "--features",
    click.Choice(["ear", "wavlm"]),
    "ear",
    "Input features: the built-in ear, or WavLM-Large (the paper's) through transformers.",
)
@several_option(
    "--set",
    "settings",
    metavar="features.OPTION=VALUE",
    help="An option of the features: features.ear=permissive, features.model=DIR.",
)
@with_default("--step", click.FloatRange(0.1), 1.0, "Seconds between two points.")
@with_default("--hidden-size", AT_LEAST_ONE, 512, "Hidden size of an LSTM layer.")
@with_default("--num-layers", AT_LEAST_ONE, 2, "Number of LSTM layers.")
@with_default("--dropout", click.FloatRange(0, 1, max_open=True), 0.5, "Dropout between layers.")
@with_default("--lr", ABOVE_ZERO, 1e-4, "Learning rate of Adam.")
@with_default("--batch-size", AT_LEAST_ONE, 32, "Recordings per batch.")
@with_default("--epochs", AT_LEAST_ONE, 200, "Largest number of epochs.")
@with_default("--patience", AT_LEAST_ONE, 30, "Epochs without improvement on dev, then stop.")
@SEED
@ANY_DEVICE
@click.option("--cache", type=FOLDER, help="Folder for features; by default the user's cache.")
@OUT
@lang_option("Language of the output", default="en")
@json_option
def cser(
    source: Path,
    layout: str,
    features: str,
    settings: Sequence[str],
    step: float,
    device: str | None,
    cache: Path | None,
    out: Path,
    lang: Language,
    as_json: bool,
    **numbers: Any,
) -> None:
    """Train a model of emotion over time on recordings that people rated second by second.

    EMO-Reasoning's recogniser: features of each second, two bidirectional LSTMs, valence, arousal and dominance; the
    loss is one minus the concordance with people.

    \b
    aptone train cser talks.jsonl -o cser/
    aptone train cser MSP-Conversation/ --layout msp-conversation --features wavlm -o cser/
    aptone dialogue calls/ --trajectory-model cser/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.cser.data import read_rated_recordings
        from aptone.train.cser.run import CserTrainingConfig, train_cser_model

    made = train_cser_model(
        read_rated_recordings(source, layout=layout, step=step),
        out,
        features=features,
        options=_options(settings),
        train_config=CserTrainingConfig(**numbers),
        step=step,
        cache=cache or user_cache_path("aptone") / "cser",
        device=device,
        log=log_to_people(lang),
    )
    if as_json:
        print_json(
            {
                "model": str(made.folder),
                "epochs": made.state.epoch,
                "best_epoch": made.state.best_epoch,
                "concordance": {part: dict(found) for part, found in made.concordance.items()},
            }
        )
        return
    word = words(lang, "cli.training")
    for part, found in made.concordance.items():
        figures = ", ".join(f"{named(name, lang)} {value:.3f}" for name, value in found.items())
        print_text(word("concordance", part=part, figures=figures))
    print_text(word("best_epoch", best=made.state.best_epoch, epochs=made.state.epoch))
    print_text(word("model", path=made.folder))


def _options(settings: Sequence[str]) -> dict[str, Json]:
    options: dict[str, Json] = {}
    for text in settings:
        name, value = setting(text)
        part, _, option = name.partition(".")
        if part != "features" or not option:
            raise UsageError(f"--set {text}: expected features.OPTION=VALUE, for instance features.ear=permissive.")
        options[option] = value
    return options
