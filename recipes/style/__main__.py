"""``python -m recipes.style``: train and export the built-in style model."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from aptone.cli.commands import DescribedCommands
from aptone.cli.main import exit_code
from aptone.cli.options.training import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.cli.output import json_option, print_json, print_text
from aptone.rooms.style.embedding.built_in import EAR
from aptone.rooms.style.evidence.odds import SHIPPED as EVIDENCE

EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group(cls=DescribedCommands)
def style() -> None:
    """Train the built-in style model, which scores how well a voice fits a description.

    \b
    python -m recipes.ear run --pack PACK --start campplus.safetensors --recipe style-fold0 --recipe style-fold1 \\
        --recipe style-fold2 --recipe style-fold3 --out RUNS
    python -m recipes.style rows --data DATA --music MUSIC --out rows.npz
    python -m recipes.style run --rows rows.npz --answers RUNS/style-fold0-seed1.npz --answers … --out MODEL
    python -m recipes.style export --weights MODEL/style.safetensors --out WEIGHTS
    python -m recipes.style calibrate --data DATA --answers RUNS --cache FOLDER
    """  # noqa: D301  (\b keeps click from joining the lines)


@style.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--music", type=EXISTING_FOLDER, help="Recordings of music without speech.")
@click.option(
    "--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that compute features."
)
@click.option("--out", type=FILE, required=True, help="File for the rows.")
@json_option
def rows(data: Path, music: Path | None, workers: int, out: Path, as_json: bool) -> None:
    """Augment all clips and compute the features of each version.

    Faster, slower, higher, lower, louder, softer, whispered, over a telephone, far away, with drop-outs, noise, music
    or a sound: the true attributes of each version are known by construction.
    """
    with training_parts():
        from recipes.style.rows import make_rows, write_rows

    made = make_rows(data, music, workers=workers)
    write_rows(made, out)
    if as_json:
        print_json({"rows": len(made), "file": str(out)})
    else:
        print_text(f"{len(made)} rows: {out}")


def _answers_option(function: click.decorators.FC) -> click.decorators.FC:
    return click.option(
        "--answers",
        type=EXISTING_FILE,
        multiple=True,
        required=True,
        help="Held-out answers of an ear: style-foldN-seedM.npz. Give all four.",
    )(function)


@style.command()
@click.option("--rows", "rows_file", type=EXISTING_FILE, required=True, help="Made by: python -m recipes.style rows.")
@_answers_option
@click.option("--start", type=EXISTING_FILE, help="Weights to start from.")
@click.option("--without", default="", metavar="SET", help="Leave out a set, with answers of style-foldN-without-SET.")
@click.option("--steps", type=click.IntRange(1), default=1000, show_default=True, help="Optimiser steps.")
@click.option("--batch-size", type=click.IntRange(2), default=384, show_default=True, help="Voices per batch.")
@click.option(
    "--lr", type=click.FloatRange(0, min_open=True), default=1.5e-3, show_default=True, help="Peak learning rate."
)
@click.option(
    "--agreement", type=click.FloatRange(0), default=1.0, show_default=True, help="Weight of the agreement loss."
)
@click.option("--max-units", type=click.IntRange(0), default=0, help="Longest description in units; 0 for all.")
@click.option("--freeze-voice", is_flag=True, help="Train the text side only.")
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed.")
@click.option(
    "--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that write descriptions."
)
@click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the weights.")
@json_option
def run(
    rows_file: Path,
    answers: Sequence[Path],
    start: Path | None,
    without: str,
    steps: int,
    batch_size: int,
    lr: float,
    agreement: float,
    max_units: int,
    freeze_voice: bool,
    seed: int,
    workers: int,
    device: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Write descriptions of the rows, and train the two encoders."""
    with training_parts():
        from aptone.train.distributed import resolve_device
        from recipes.style.network import StyleRecipe
        from recipes.style.run import run_style

    recipe = StyleRecipe(
        seed=seed,
        steps=steps,
        batch_size=batch_size,
        lr=lr,
        agreement=agreement,
        max_units=max_units,
        voice=not freeze_voice,
    )
    weights = run_style(
        rows_file,
        answers,
        out,
        recipe=recipe,
        start=start,
        without=without,
        workers=workers,
        device=resolve_device(device),
        log=partial(click.echo, err=True),
    )
    if as_json:
        print_json({"weights": str(weights)})
    else:
        print_text(f"Weights: {weights}")


@style.command()
@click.option("--weights", type=EXISTING_FILE, required=True, help="Made by: python -m recipes.style run.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the ONNX files.")
@json_option
def export(weights: Path, out: Path, as_json: bool) -> None:
    """Write the shipped files of both sides."""
    with training_parts():
        from recipes.style.network import StyleRecipe
        from recipes.style.run import finish_style

    files = finish_style(weights, out, recipe=StyleRecipe(), about={"ear": EAR})
    if as_json:
        print_json({"files": [str(file) for file in files]})
    else:
        for path in files:
            print_text(f"Written: {path}")


@style.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--answers", type=EXISTING_FOLDER, required=True, help="Answers of ears: RECIPE-seedN.npz.")
@click.option("--cache", type=FOLDER, required=True, help="Folder that keeps what was measured, for another fit.")
@click.option(
    "--fit-scales", is_flag=True, help="Fit pitch, rate and volume again, which no new ear changes (pyworld)."
)
@click.option("--out", type=FILE, default=EVIDENCE, help="File of the calibration; by default the shipped one.")
@json_option
def calibrate(data: Path, answers: Path, cache: Path, fit_scales: bool, out: Path, as_json: bool) -> None:
    """Fit the evidence behind a fit of 0 to 5 to what the ear hears; run it after every new ear."""
    from recipes.style.calibrate import calibrate as fit
    from recipes.style.calibrate import report, write_calibration

    shipped = None if fit_scales or not EVIDENCE.is_file() else json.loads(EVIDENCE.read_text(encoding="utf-8"))
    found = fit(data, answers, cache=cache, kept=shipped)
    write_calibration(found, out)
    lines = list(report(found, data, answers))
    if as_json:
        print_json({"file": str(out), "blocks": lines})
    else:
        for line in [*lines, f"Written: {out}"]:
            print_text(line)


if __name__ == "__main__":
    sys.exit(exit_code(style, sys.argv[1:], name="python -m recipes.style"))
