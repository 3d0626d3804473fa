"""``aptone train clap``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import training_parts
from aptone.messages import words
from aptone.types import Language

SHARDS = click.Path(path_type=Path, file_okay=False, exists=True)
AT_LEAST_ONE = click.IntRange(1)
RATE = click.FloatRange(0)


@click.command()
@click.option(
    "--data", type=SHARDS, required=True, help="Shards to learn from, as aptone build style-corpus makes them."
)
@click.option("--dev", type=SHARDS, help="Shards that say when it is best; else the last weights are kept.")
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
    help="How tokens become one vector; by default what the text encoder says.",
)
@click.option("--longest-text", type=AT_LEAST_ONE, default=512, show_default=True, help="Tokens; longer ones are cut.")
@click.option("--level", multiple=True, help="Learn from captions of this level only. May be given again.")
@click.option("--language", multiple=True, help="Learn from captions in this language only. May be given again.")
@click.option("--size", type=AT_LEAST_ONE, default=512, show_default=True, help="Numbers in a vector.")
@click.option("--batch", type=click.IntRange(2), default=256, show_default=True, help="Pairs compared, over all GPUs.")
@click.option("--chunk", type=AT_LEAST_ONE, default=32, show_default=True, help="Pairs in memory at once, on a GPU.")
@click.option("--steps", type=AT_LEAST_ONE, default=10_000, show_default=True, help="Batches.")
@click.option("--rate", type=RATE, default=1e-3, show_default=True, help="Learning rate of the projections.")
@click.option("--audio-rate", type=RATE, default=1e-4, show_default=True, help="Of the audio encoder.")
@click.option("--text-rate", type=RATE, default=1e-5, show_default=True, help="Of the text encoder.")
@click.option("--warm-up", type=click.IntRange(0), default=500, show_default=True, help="Steps in which rates rise.")
@click.option("--decay", type=RATE, default=0.01, show_default=True, help="Weight decay.")
@click.option(
    "--freeze",
    type=click.Choice(["audio", "text"]),
    multiple=True,
    help="An encoder to leave as it is. May be given again.",
)
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="Of the arithmetic; by default bfloat16 on a GPU, float32 elsewhere.",
)
@click.option("--keep", type=AT_LEAST_ONE, default=500, show_default=True, help="Steps between two checkpoints.")
@click.option("--look", type=AT_LEAST_ONE, default=500, show_default=True, help="Steps between two looks at dev.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of everything that is drawn.")
@click.option("--threads", type=AT_LEAST_ONE, default=4, show_default=True, help="That read and decode.")
@click.option("--device", metavar="cpu|cuda", help="Where; by default on a GPU if there is one.")
@click.option("--tensorboard/--no-tensorboard", default=True, show_default=True, help="Keep a log for TensorBoard.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the model; the same command goes on where it was stopped.",
)
@lang_option("Of what is printed", default="en")
@json_option
def clap(
    data: Path,
    dev: Path | None,
    audio_encoder: str,
    text_encoder: str,
    text_pooling: Any,
    longest_text: int,
    level: Sequence[str],
    language: Sequence[str],
    size: int,
    freeze: Sequence[str],
    precision: Any,
    threads: int,
    device: str | None,
    tensorboard: bool,
    out: Path,
    lang: Language,
    as_json: bool,
    **numbers: Any,
) -> None:
    """A dual encoder of voices and descriptions: Speech-CLAP from a corpus of your own.

    \b
    aptone train clap --data SHARDS -o clap/
    aptone train clap --data SHARDS --audio-encoder microsoft/wavlm-large --text-encoder google/mt5-base -o clap/
    torchrun --nproc-per-node 8 -m aptone train clap --data SHARDS --batch 4096 -o clap/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.clap.data import Wanted
        from aptone.train.clap.run import make_clap
        from aptone.train.clap.trainer import ClapRecipe
        from aptone.train.device import device_named

    default: Any = "bfloat16" if device_named(device).type == "cuda" else "float32"
    made = make_clap(
        data,
        out,
        audio_encoder=audio_encoder,
        text_encoder=text_encoder,
        recipe=ClapRecipe(precision=precision or default, frozen=tuple(freeze), **numbers),
        dev=dev,
        wanted=Wanted(tuple(level), tuple(language)),
        size=size,
        pooling=text_pooling,
        longest_text=longest_text,
        device=device,
        threads=threads,
        tensorboard=tensorboard,
        log=log_to_people(lang),
    )
    if os.environ.get("RANK", "0") != "0":
        return  # one of several processes speaks
    last = made.progress.looks[-1]
    if as_json:
        print_json(
            {
                "model": str(made.folder),
                "clips": made.clips,
                "steps": made.progress.step,
                "best_step": made.progress.best,
                "loss": last.loss,
                "dev": dict(next(one.dev for one in made.progress.looks if one.step == made.progress.best)),
            }
        )
        return
    word, step, best = words(lang, "cli.training"), made.progress.step, made.progress.best
    print_text(word("paired", clips=made.clips, steps=step, loss=last.loss, best=best))
    print_text(word("model", path=made.folder))
