"""``aptone train cser``."""

from collections.abc import Sequence
from pathlib import Path

import click
from platformdirs import user_cache_path

from aptone.cli.options.engine import setting
from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import TrainCommand, training_parts
from aptone.errors import UsageError
from aptone.messages import words
from aptone.report.names import named
from aptone.train.renames import CSER, renamed_options
from aptone.types import Json, Language


@click.command(cls=TrainCommand, renamed=renamed_options(CSER))
@click.argument("source", metavar="CORPUS", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--layout",
    type=click.Choice(["plain", "msp-conversation"]),
    default="plain",
    show_default=True,
    help="Manifest of recordings and CSV files, or folder of MSP-Conversation.",
)
@click.option(
    "--features",
    type=click.Choice(["ear", "wavlm"]),
    default="ear",
    show_default=True,
    help="Input features: the built-in ear, or WavLM-Large (the paper's) through transformers.",
)
@click.option(
    "--set",
    "settings",
    metavar="features.OPTION=VALUE",
    multiple=True,
    help="An option of the features: features.ear=permissive, features.model=DIR. May be given several times.",
)
@click.option("--step", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds between two points.")
@click.option(
    "--hidden-size", type=click.IntRange(1), default=512, show_default=True, help="Hidden size of an LSTM layer."
)
@click.option("--num-layers", type=click.IntRange(1), default=2, show_default=True, help="Number of LSTM layers.")
@click.option(
    "--dropout",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.5,
    show_default=True,
    help="Dropout between layers.",
)
@click.option(
    "--lr", type=click.FloatRange(0, min_open=True), default=1e-4, show_default=True, help="Learning rate of Adam."
)
@click.option("--batch-size", type=click.IntRange(1), default=32, show_default=True, help="Recordings per batch.")
@click.option("--epochs", type=click.IntRange(1), default=200, show_default=True, help="Largest number of epochs.")
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Epochs without improvement on dev, then stop.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed.")
@click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for features; by default the user's cache.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the model; the same command resumes.",
)
@lang_option("Language of the output", default="en")
@json_option
def cser(
    source: Path,
    layout: str,
    features: str,
    settings: Sequence[str],
    step: float,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    lr: float,
    batch_size: int,
    epochs: int,
    patience: int,
    seed: int,
    device: str | None,
    cache: Path | None,
    out: Path,
    lang: Language,
    as_json: bool,
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
        from aptone.train.cser.run import train_cser_model
        from aptone.train.cser.trainer import CserTrainingConfig

    train_config = CserTrainingConfig(hidden_size, num_layers, dropout, lr, batch_size, epochs, patience, seed)
    made = train_cser_model(
        read_rated_recordings(source, layout=layout, step=step),
        out,
        features=features,
        options=_options(settings),
        train_config=train_config,
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
