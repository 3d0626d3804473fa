"""``aptone train cser``."""

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
    FOLDER,
    OUT,
    SEED,
    log_to_people,
    training_parts,
    with_default,
)
from aptone.cli.options.values import setting, several_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.errors import UsageError
from aptone.messages import words
from aptone.report.notation import named
from aptone.train.renames import CSER, renamed_options
from aptone.types import Json, Language


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
