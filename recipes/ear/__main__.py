"""``python -m recipes.ear``: train, export and calibrate the built-in ear."""

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from aptone.cli.commands import DescribedCommands
from aptone.cli.main import exit_code
from aptone.cli.options.training import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.cli.output import json_option, print_json, print_text
from aptone.ear import LICENCES


@click.group(cls=DescribedCommands)
def ear() -> None:
    """Train the built-in ear, which hears how something is said.

    \b
    python -m recipes.ear synthetic --out DATA
    python -m recipes.ear prepare --data DATA --music MUSIC --out PACK
    python -m recipes.ear start --campplus campplus_cn_en_common.pt --out campplus.safetensors
    python -m recipes.ear run --pack PACK --start campplus.safetensors --recipe all --seed 1 --out RUNS
    python -m recipes.ear export --run RUNS/all-seed1.safetensors --start campplus.safetensors --name full --out EAR
    python -m recipes.ear calibrate --ear EAR/full.onnx --run RUNS/all-seed1.safetensors --start campplus.safetensors \\
        --pack PACK --answers RUNS/train-only-seed1.npz
    python -m recipes.ear naturalness --ear EAR/full.onnx --data DATA --made CLIPS
    python -m recipes.ear prosody --ear EAR/full.onnx --data DATA --cache CACHE
    """  # noqa: D301  (\b keeps click from joining the lines)


@ear.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--music", type=EXISTING_FOLDER, required=True, help="Recordings of music without speech.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the pack.")
@json_option
def prepare(data: Path, music: Path, out: Path, as_json: bool) -> None:
    """Detect the speech in all clips, sample rooms, cut music.

    Done once, before all training. The pack refers to the clips, which stay in their folders.
    """
    from recipes.ear.pack import SETS
    from recipes.ear.pack import prepare as prepare_pack

    made = prepare_pack(data, music, out)
    if as_json:
        print_json({"pack": str(out), **made._asdict()})
        return
    print_text(f"{made.clips} clips of {', '.join(made.sets)}; {made.music} pieces of music.")
    missing = [name for name in SETS if name not in made.sets]
    if missing:
        print_text(f"Note: {data} has no {', '.join(missing)}; recipes that need them cannot be run.")
    print_text(f"{made.far_rooms} far and {made.near_rooms} near rooms.")
    print_text(f"Pack: {out}")


@ear.command()
@click.option("--campplus", type=FILE, required=True, help="Weights of CAM++ as 3D-Speaker publishes them (.pt).")
@click.option("--out", type=FILE, required=True, help="Safetensors file to write.")
@json_option
def start(campplus: Path, out: Path, as_json: bool) -> None:
    """Convert the weights of CAM++, from which training starts."""
    with training_parts():
        from recipes.ear.initial_weights import write_start

    numbers = write_start(campplus, out)
    if as_json:
        print_json({"weights": str(out), "numbers": numbers})
    else:
        print_text(f"{numbers:,} numbers: {out}")


@ear.command()
@click.option("--pack", type=EXISTING_FOLDER, required=True, help="Made by: python -m recipes.ear prepare.")
@click.option("--start", "begin", type=FILE, required=True, help="Made by: python -m recipes.ear start.")
@click.option(
    "--recipe",
    "names",
    metavar="all|permissive|train-only|without-SET|SET-foldN|judge-foldN|style-foldN[-without-SET]",
    multiple=True,
    required=True,
    help="Training data by name; several are trained in parallel. May be given several times.",
)
@click.option(
    "--seed",
    "seeds",
    type=int,
    multiple=True,
    default=(1,),
    show_default=True,
    help="Random seed. May be given several times.",
)
@click.option("--out", type=FOLDER, required=True, help="Folder for weights and held-out answers.")
@click.option("--rows", type=click.IntRange(1), default=60_000, show_default=True, help="Number of augmented rows.")
@click.option("--steps", type=click.IntRange(1), default=2000, show_default=True, help="Optimiser steps.")
@click.option("--batch-size", type=click.IntRange(2), default=64, show_default=True, help="Rows per batch.")
@click.option(
    "--trunk-lr-ratio",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Learning rate of CAM++'s second block, relative to that of the heads; 0 freezes it.",
)
@click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
@json_option
def run(
    pack: Path,
    begin: Path,
    names: Sequence[str],
    seeds: Sequence[int],
    out: Path,
    rows: int,
    steps: int,
    batch_size: int,
    trunk_lr_ratio: float,
    device: str | None,
    as_json: bool,
) -> None:
    """Train one network for every recipe and seed.

    Each writes NAME.safetensors, NAME.npz (its answers on held-out speech) and NAME.json (its recipe, and its
    metrics there).
    """
    with training_parts():
        from aptone.train.distributed import resolve_device
        from recipes.ear.config import recipe_named
        from recipes.ear.train import train_ear

    recipes = [
        recipe_named(name, seed=seed, steps=steps, batch_size=batch_size, trunk_lr_ratio=trunk_lr_ratio)
        for name in dict.fromkeys(names)
        for seed in dict.fromkeys(seeds)
    ]
    kept = train_ear(
        recipes,
        pack,
        begin,
        out,
        rows=rows,
        device=resolve_device(device),
        workers=os.cpu_count() or 1,
        log=partial(click.echo, err=True),
    )
    if as_json:
        print_json({"folder": str(out), "figures": kept})
        return
    for name in kept:
        print_text(f"Weights: {out / f'{name}.safetensors'}")


@ear.command()
@click.option(
    "--run", "runs", type=FILE, multiple=True, required=True, help="NAME.safetensors of a run; several are averaged."
)
@click.option("--start", "begin", type=FILE, required=True, help="Initial weights of the runs.")
@click.option("--name", type=click.Choice(list(LICENCES)), required=True, help="Name of the ear.")
@click.option("--out", type=FOLDER, required=True, help="Folder for stem.onnx and NAME.onnx.")
@json_option
def export(runs: Sequence[Path], begin: Path, name: str, out: Path, as_json: bool) -> None:
    """Export the weights of runs as the two ONNX files of an ear."""
    with training_parts():
        from recipes.ear.export import export_ear

    meaning = export_ear(runs, begin, out, name=name)
    files = [out / "stem.onnx", out / f"{name}.onnx"]
    if as_json:
        print_json(
            {
                "ear": name,
                "revision": meaning.revision,
                "licence": meaning.licence,
                "files": {str(path): path.stat().st_size for path in files},
            }
        )
        return
    for path in files:
        print_text(f"{path.stat().st_size / 1e6:.1f} MB: {path}")
    print_text(f"Ear {name}, revision {meaning.revision}, weights under {meaning.licence}.")


@ear.command()
@click.option("--ear", "exported", type=FILE, required=True, help="NAME.onnx of the command export; it is changed.")
@click.option("--run", "runs", type=FILE, multiple=True, required=True, help="Runs that it was exported from.")
@click.option("--start", "begin", type=FILE, required=True, help="Initial weights of the runs.")
@click.option("--pack", type=EXISTING_FOLDER, required=True, help="Made by: python -m recipes.ear prepare.")
@click.option(
    "--answers",
    type=FILE,
    multiple=True,
    required=True,
    help="NAME.npz of runs that were not trained on all clips: train-only, without-SET.",
)
@click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
@json_option
def calibrate(
    exported: Path,
    runs: Sequence[Path],
    begin: Path,
    pack: Path,
    answers: Sequence[Path],
    device: str | None,
    as_json: bool,
) -> None:
    """Calibrate an ear on held-out clips.

    A temperature for each head, so that of what is claimed with 70 %, 70 % is true; and for each sound the
    probability from which it is reported.
    """
    with training_parts():
        from aptone.train.distributed import resolve_device
        from recipes.ear.calibrate import calibrate as fit
        from recipes.ear.export import change_meaning

    found = fit(
        runs,
        begin,
        pack,
        answers,
        device=resolve_device(device),
        workers=os.cpu_count() or 1,
        log=partial(click.echo, err=True),
    )
    revision = change_meaning(exported, temperatures=dict(found.temperatures), events=dict(found.events))
    if as_json:
        print_json(
            {"ear": str(exported), "revision": revision, "temperatures": found.temperatures, "events": found.events}
        )
        return
    for kind, numbers in (("Temperature", found.temperatures), ("Threshold", found.events)):
        for name, value in numbers.items():
            print_text(f"{kind} of {name}: {value:.3g}")
    print_text(f"Revision {revision}: {exported}")


@ear.command()
@click.option("--ear", "exported", type=FILE, required=True, help="NAME.onnx of the command export; it is changed.")
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--made", type=FOLDER, required=True, help="Folder for clips from natural to not at all; made once.")
@json_option
def naturalness(exported: Path, data: Path, made: Path, as_json: bool) -> None:
    """Fit the naturalness head of an ear to experts' scores of read speech and to clips made worse on purpose."""
    with training_parts():
        from recipes.ear.export import change_meaning
        from recipes.ear.naturalness import fit_ear

    fitted = fit_ear(exported, data, made)
    revision = change_meaning(
        exported, naturalness=list(fitted.head.numbers), natural_measures=dict(fitted.head.measures)
    )
    test = fitted.reports["test"]
    if as_json:
        figures = {"correlation": test.pearson.value, "error": test.error, "area": test.area}
        figures["experts"] = fitted.experts["test"].value
        print_json({"ear": str(exported), "revision": revision, "clips": test.clips, **figures})
        return
    print_text(f"Correlation with the target on {test.clips} clips: {test.pearson.value:.2f}.")
    print_text(f"Correlation with experts on read speech: {fitted.experts['test'].value:.2f}.")
    print_text(f"Revision {revision}: {exported}")


@ear.command()
@click.option("--ear", "exported", type=FILE, required=True, help="NAME.onnx of the command export; it is changed.")
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--cache", type=FOLDER, required=True, help="Folder for the measures of all clips; made once.")
@json_option
def prosody(exported: Path, data: Path, cache: Path, as_json: bool) -> None:
    """Fit the prosody of an ear's references: emotion by how a voice departs from its own habits."""
    with training_parts():
        from recipes.ear.data import PERMISSIVE_SETS, SPEECH_SETS
        from recipes.ear.export import change_meaning
        from recipes.ear.prosody import fit_prosody, measured_clips

    sets = PERMISSIVE_SETS if exported.stem == "permissive" else SPEECH_SETS
    clips = measured_clips(data, cache, sets=sets, log=partial(click.echo, err=True))
    heard = [one for one in clips if one.clip.split != "test"]
    revision = change_meaning(exported, prosody=fit_prosody(heard))
    if as_json:
        print_json({"ear": str(exported), "revision": revision, "clips": len(heard)})
        return
    print_text(f"Fitted to {len(heard)} clips of {', '.join(sets)}.")
    print_text(f"Revision {revision}: {exported}")


@ear.command()
@click.option("--out", type=FOLDER, required=True, help="Data folder; a folder `synthetic` is made in it.")
@json_option
def synthetic(out: Path, as_json: bool) -> None:
    """Synthesise the set of clean synthetic speech with espeak-ng and flite."""
    from recipes.ear.synthetic_clips import make_synthetic

    count = make_synthetic(out)
    if as_json:
        print_json({"folder": str(out), "clips": count})
        return
    print_text(f"{count} clips: {out}")


if __name__ == "__main__":
    sys.exit(exit_code(ear, sys.argv[1:], name="python -m recipes.ear"))
