"""``aptone train planner``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.registered import DescribedCommands
from aptone.cli.training import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.cli.training_log import log_to_people
from aptone.cli.training_words import PHRASES
from aptone.report.words import words
from aptone.types import Language


@click.group(cls=DescribedCommands)
def planner() -> None:
    """The text model of the built-in planner, which reads how a line should sound.

    \b
    aptone train planner encoder --data TEXTS --minilm MINILM --out RUNS
    aptone train planner run --data TEXTS --encoder RUNS/encoder.npz --seed 1 --out RUNS
    """  # noqa: D301  (\b keeps click from joining the lines)


@planner.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="Folder with meld, goemotions, emobank and cped.")
@click.option("--minilm", type=EXISTING_FOLDER, required=True, help="all-MiniLM-L6-v2, as its package holds it.")
@click.option("--out", type=FOLDER, required=True, help="Folder for encoder.npz.")
@lang_option("Of what is printed", default="en")
@json_option
def encoder(data: Path, minilm: Path, out: Path, lang: Language, as_json: bool) -> None:
    """Teach the first layers of MiniLM which feeling a single English line has."""
    with training_parts():
        from aptone.train.planner_run import make_encoder

    made = make_encoder(data, minilm, out, log=log_to_people(lang))
    if as_json:
        print_json({"encoder": str(made)})
    else:
        print_text(words(lang, PHRASES)("encoder", path=made))


@planner.command("run")
@click.option("--data", type=EXISTING_FOLDER, required=True, help="Folder with meld, goemotions, emobank and cped.")
@click.option("--encoder", "encoded", type=FILE, required=True, help="Made by: aptone train planner encoder.")
@click.option("--seed", "seeds", type=int, multiple=True, default=(1,), show_default=True, help="May be given again.")
@click.option("--out", type=FOLDER, required=True, help="Folder for seedN.npz, each a whole text model.")
@lang_option("Of what is printed", default="en")
@json_option
def run_planner(data: Path, encoded: Path, seeds: Sequence[int], out: Path, lang: Language, as_json: bool) -> None:
    """Teach the network over lines, in English and Mandarin, and write the text model."""
    with training_parts():
        from aptone.train.planner_run import run_planner as teach

    reached = teach(data, encoded, out, seeds=tuple(dict.fromkeys(seeds)), log=log_to_people(lang))
    if as_json:
        print_json({"folder": str(out), "figures": reached})
        return
    for name in reached:
        print_text(words(lang, PHRASES)("text_model", path=out / f"{name}.npz"))
