"""``aptone train miniature``."""

from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.registered_group import DescribedCommands
from aptone.cli.train.stage import training_parts
from aptone.cli.train.words import PHRASES
from aptone.report.words import words
from aptone.types import Language
from recipes.miniature.engine_network import FILES, LICENCE

EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group(cls=DescribedCommands)
def miniature() -> None:
    """A judge small enough to train in minutes, from nothing: every recipe of the paper's ablation.

    \b
    aptone train miniature rows --data DATA --texts TEXTS --out MINIATURE
    aptone bench ablation MINIATURE --row 12 --out WORK
    aptone train miniature export --model MODEL --out JUDGE
    """  # noqa: D301  (\b keeps click from joining the lines)


@miniature.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--texts", type=EXISTING_FOLDER, required=True, help="Holds meld/.")
@click.option("--clips", type=click.IntRange(1), help="Most clips of each part of a set; by default all that are used.")
@click.option("--pairs", type=click.IntRange(1), help="Pairs of each part, instead of 20,000, 600 and 2,000.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that listen.")
@click.option("--out", type=FOLDER, required=True, help="Folder for clips and pairs.")
@lang_option("Of what is printed", default="en")
@json_option
def rows(
    data: Path,
    texts: Path,
    clips: int | None,
    pairs: int | None,
    workers: int,
    out: Path,
    lang: Language,
    as_json: bool,
) -> None:
    """Hear the clips, and draw what the miniature learns from: a line in its context, a clip, a grade.

    The grade is a formula's, not people's: how far the acted emotion lies from the line's, whether rhythm, intonation
    and recording condition are what the context asks for.
    """
    with training_parts():
        from recipes.miniature.rows import PAIRS, make_miniature_rows

    counts = dict.fromkeys(PAIRS, pairs) if pairs is not None else PAIRS
    made = make_miniature_rows(data, texts, out, pairs=counts, clips=clips, workers=workers)
    if as_json:
        print_json({"clips": made.clips, "pairs": dict(made.pairs), "folder": str(out)})
    else:
        word = words(lang, PHRASES)
        listed = ", ".join(word("pairs_of", count=count, part=part) for part, count in made.pairs.items())
        print_text(word("drawn", clips=made.clips, pairs=listed, folder=out))


@miniature.command()
@click.option("--model", type=EXISTING_FOLDER, required=True, help="The folder of a trained row.")
@click.option("--licence", default=LICENCE, show_default=True, help="Of the weights: what their data ask for, by SPDX.")
@click.option("--out", type=FOLDER, required=True, help="Folder for what the judge runs from.")
@lang_option("Of what is printed", default="en")
@json_option
def export(model: Path, licence: str, out: Path, lang: Language, as_json: bool) -> None:
    """Write a trained miniature as a judge that runs without torch: ONNX graphs in eight bits a weight, and its tokens.

    The scale of the frames that it learnt from is taken from sounds/scale.npy beside the folder of the model, or from
    scale.npy in it.
    """
    with training_parts():
        from recipes.miniature.export import export_miniature

    made = export_miniature(model, out, licence=licence)
    size = sum(path.stat().st_size for path in out.iterdir() if path.name in FILES)
    if as_json:
        print_json({"folder": str(out), "bytes": size, "revision": made.revision, "licence": made.licence})
    else:
        size_and_licence = {"size": size / 1e6, "revision": made.revision, "licence": made.licence}
        print_text(words(lang, PHRASES)("exported", **size_and_licence, folder=out))
