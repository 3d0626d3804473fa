"""``python -m recipes.ear``."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.registered_group import DescribedCommands
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.ear.licences import LICENCES
from aptone.messages import words
from aptone.types import Language


@click.group(cls=DescribedCommands)
def ear() -> None:
    """The ear, which hears how something is said.

    \b
    python -m recipes.ear prepare --data DATA --music MUSIC --out PACK
    python -m recipes.ear start --campplus campplus_cn_en_common.pt --out campplus.safetensors
    python -m recipes.ear run --pack PACK --start campplus.safetensors --recipe all --seed 1 --out RUNS
    python -m recipes.ear export --run RUNS/all-seed1.safetensors --start campplus.safetensors --name full --out EAR
    python -m recipes.ear calibrate --ear EAR/full.onnx --run RUNS/all-seed1.safetensors --start campplus.safetensors \\
        --pack PACK --answers RUNS/train-only-seed1.npz
    python -m recipes.ear naturalness --ear EAR/full.onnx --data DATA --made CLIPS
    """  # noqa: D301  (\b keeps click from joining the lines)


@ear.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--music", type=EXISTING_FOLDER, required=True, help="Recordings of music without speech.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the pack.")
@lang_option("Of what is printed", default="en")
@json_option
def prepare(data: Path, music: Path, out: Path, lang: Language, as_json: bool) -> None:
    """Find the speech in all clips, draw rooms, cut music.

    Done once, before all training. The clips stay where they are, and the pack remembers where that is.
    """
    from recipes.ear.pack import SETS
    from recipes.ear.pack import prepare as prepare_pack

    made = prepare_pack(data, music, out)
    if as_json:
        print_json({"pack": str(out), **made._asdict()})
        return
    word = words(lang, "cli.training")
    print_text(word("packed", clips=made.clips, sets=", ".join(made.sets), music=made.music))
    lacking = [name for name in SETS if name not in made.sets]
    if lacking:
        print_text(word("lacking", folder=data, sets=", ".join(lacking)))
    print_text(word("rooms", far=made.far_rooms, near=made.near_rooms))
    print_text(word("pack", path=out))


@ear.command()
@click.option("--campplus", type=FILE, required=True, help="Weights of CAM++ as 3D-Speaker publishes them (.pt).")
@click.option("--out", type=FILE, required=True, help="New safetensors file.")
@lang_option("Of what is printed", default="en")
@json_option
def start(campplus: Path, out: Path, lang: Language, as_json: bool) -> None:
    """Take the weights that training starts with from CAM++."""
    with training_parts():
        from recipes.ear.initial_weights import write_start

    numbers = write_start(campplus, out)
    if as_json:
        print_json({"weights": str(out), "numbers": numbers})
    else:
        print_text(words(lang, "cli.training")("numbers", numbers=numbers, path=out))


@ear.command()
@click.option("--pack", type=EXISTING_FOLDER, required=True, help="Made by: python -m recipes.ear prepare.")
@click.option("--start", "begin", type=FILE, required=True, help="Made by: python -m recipes.ear start.")
@click.option(
    "--recipe",
    "names",
    metavar="all|permissive|train-only|without-SET|SET-foldN|judge-foldN|style-foldN[-without-SET]",
    multiple=True,
    required=True,
    help="What may be heard; several are trained side by side.",
)
@click.option("--seed", "seeds", type=int, multiple=True, default=(1,), show_default=True, help="May be given again.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the weights, and for what they say.")
@click.option("--rows", type=click.IntRange(1), default=60_000, show_default=True, help="How many rows are made.")
@click.option("--steps", type=click.IntRange(1), default=1200, show_default=True, help="How many batches.")
@click.option("--batch", type=click.IntRange(2), default=64, show_default=True, help="Rows in a batch.")
@click.option(
    "--trunk-rate",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Learning rate of CAM++'s second block, relative to that of the heads; 0 leaves it as it is.",
)
@click.option("--device", metavar="cpu|cuda", help="Where; by default on a GPU if there is one.")
@lang_option("Of what is printed", default="en")
@json_option
def run(
    pack: Path,
    begin: Path,
    names: Sequence[str],
    seeds: Sequence[int],
    out: Path,
    rows: int,
    steps: int,
    batch: int,
    trunk_rate: float,
    device: str | None,
    lang: Language,
    as_json: bool,
) -> None:
    """Train one network for every recipe and seed.

    Each leaves NAME.safetensors, NAME.npz (what it says about the speech that it never heard) and NAME.json (its
    recipe, and how well it does there).
    """
    with training_parts():
        from aptone.train.device import device_named
        from recipes.ear.config import recipe_named
        from recipes.ear.train import train_ear

    recipes = [
        recipe_named(name, seed=seed, steps=steps, rows=batch, trunk_rate=trunk_rate)
        for name in dict.fromkeys(names)
        for seed in dict.fromkeys(seeds)
    ]
    kept = train_ear(
        recipes,
        pack,
        begin,
        out,
        rows=rows,
        device=device_named(device),
        workers=os.cpu_count() or 1,
        log=log_to_people(lang),
    )
    if as_json:
        print_json({"folder": str(out), "figures": kept})
        return
    for name in kept:
        print_text(words(lang, "cli.training")("weights", path=out / f"{name}.safetensors"))


@ear.command()
@click.option(
    "--run", "runs", type=FILE, multiple=True, required=True, help="NAME.safetensors of a run; several are averaged."
)
@click.option("--start", "begin", type=FILE, required=True, help="What the runs started with.")
@click.option("--name", type=click.Choice(list(LICENCES)), required=True, help="Of the ear.")
@click.option("--out", type=FOLDER, required=True, help="Folder for stem.onnx and NAME.onnx.")
@lang_option("Of what is printed", default="en")
@json_option
def export(runs: Sequence[Path], begin: Path, name: str, out: Path, lang: Language, as_json: bool) -> None:
    """Turn the weights of runs into the two ONNX files of an ear."""
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
    word = words(lang, "cli.training")
    for path in files:
        print_text(word("file_of", size=path.stat().st_size / 1e6, path=path))
    print_text(word("ear", name=name, revision=meaning.revision, licence=meaning.licence))


@ear.command()
@click.option("--ear", "exported", type=FILE, required=True, help="NAME.onnx of the command export; is changed.")
@click.option("--run", "runs", type=FILE, multiple=True, required=True, help="What it was exported from.")
@click.option("--start", "begin", type=FILE, required=True, help="What the runs started with.")
@click.option("--pack", type=EXISTING_FOLDER, required=True, help="Made by: python -m recipes.ear prepare.")
@click.option(
    "--answers",
    type=FILE,
    multiple=True,
    required=True,
    help="NAME.npz of runs that were not taught with all clips: train-only, without-SET.",
)
@click.option("--device", metavar="cpu|cuda", help="Where; by default on a GPU if there is one.")
@lang_option("Of what is printed", default="en")
@json_option
def calibrate(
    exported: Path,
    runs: Sequence[Path],
    begin: Path,
    pack: Path,
    answers: Sequence[Path],
    device: str | None,
    lang: Language,
    as_json: bool,
) -> None:
    """Fit how sure an ear may be, on clips that were not trained on.

    A temperature for each head, so that of what is said with 70 %, 70 % is true; and for each sound the probability
    from which it is reported.
    """
    with training_parts():
        from aptone.train.device import device_named
        from recipes.ear.calibrate import calibrate as fit
        from recipes.ear.export import change_meaning

    found = fit(
        runs,
        begin,
        pack,
        answers,
        device=device_named(device),
        workers=os.cpu_count() or 1,
        log=log_to_people(lang),
    )
    revision = change_meaning(exported, temperatures=dict(found.temperatures), events=dict(found.events))
    if as_json:
        print_json(
            {"ear": str(exported), "revision": revision, "temperatures": found.temperatures, "events": found.events}
        )
        return
    word = words(lang, "cli.training")
    for key, numbers in (("temperature", found.temperatures), ("threshold", found.events)):
        for name, value in numbers.items():
            print_text(word(key, name=name, value=value))
    print_text(word("revision", revision=revision, path=exported))


@ear.command()
@click.option("--ear", "exported", type=FILE, required=True, help="NAME.onnx of the command export; is changed.")
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--made", type=FOLDER, required=True, help="Folder for clips from natural to not at all; made once.")
@lang_option("Of what is printed", default="en")
@json_option
def naturalness(exported: Path, data: Path, made: Path, lang: Language, as_json: bool) -> None:
    """Fit how natural an ear finds what it hears, after a network that guesses what listeners would say."""
    with training_parts():
        from recipes.ear.export import change_meaning
        from recipes.ear.naturalness import fit_ear

    fitted = fit_ear(exported, data, made)
    revision = change_meaning(exported, naturalness=list(fitted.head.numbers))
    test = fitted.reports["test"]
    if as_json:
        figures = {"correlation": test.pearson.value, "error": test.error, "area": test.area}
        print_json({"ear": str(exported), "revision": revision, "clips": test.clips, **figures})
        return
    word = words(lang, "cli.training")
    print_text(word("natural", clips=test.clips, value=test.pearson.value))
    print_text(word("revision", revision=revision, path=exported))


if __name__ == "__main__":
    sys.exit(exit_code(ear, sys.argv[1:], name="python -m recipes.ear"))
