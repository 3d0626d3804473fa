"""``python -m recipes.miniature``: the ablation of CEAEval on a judge small enough to train in minutes."""

import sys
from pathlib import Path

import click

from aptone.cli.bench.ablation import chosen_rows, print_ablation
from aptone.cli.commands import DescribedCommands
from aptone.cli.main import exit_code
from aptone.cli.output import json_option, print_json, print_text
from aptone.train.ablation.rows import ROWS
from recipes.miniature.config import settings_from
from recipes.miniature.material import PAIRS, make_miniature_rows, read_material
from recipes.miniature.run import distil_miniature, make_base, make_row
from recipes.miniature.scores import score_row

EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group(cls=DescribedCommands)
def miniature() -> None:
    """Train a judge small enough for minutes, without pre-training: every row of the paper's ablation.

    \b
    python -m recipes.miniature rows --data DATA --texts TEXTS --out MINIATURE
    python -m recipes.miniature ablation MINIATURE --row 12 --out WORK
    """  # noqa: D301  (\b keeps click from joining the lines)


@miniature.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--texts", type=EXISTING_FOLDER, required=True, help="Folder with meld/.")
@click.option("--clips", type=click.IntRange(1), help="Largest number of clips of each part of a set; by default all.")
@click.option("--pairs", type=click.IntRange(1), help="Pairs per part, in the place of 20,000, 600 and 2,000.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that decode clips.")
@click.option("--out", type=FOLDER, required=True, help="Folder for clips and pairs.")
@json_option
def rows(data: Path, texts: Path, clips: int | None, pairs: int | None, workers: int, out: Path, as_json: bool) -> None:
    """Make the training data: a line in its context, a clip, a grade.

    The grade is a formula's, not people's: the distance of the acted emotion from the line's, and whether rhythm,
    intonation and recording condition match the context.
    """
    counts = dict.fromkeys(PAIRS, pairs) if pairs is not None else PAIRS
    made = make_miniature_rows(data, texts, out, pairs=counts, clips=clips, workers=workers)
    if as_json:
        print_json({"clips": made.clips, "pairs": dict(made.pairs), "folder": str(out)})
        return
    listed = ", ".join(f"{count} of {part}" for part, count in made.pairs.items())
    print_text(
        f"{made.clips} clips; pairs: {listed}. Next: python -m recipes.miniature ablation {out} --row 4 --out WORK"
    )


@miniature.command()
@click.argument("data", metavar="MINIATURE", type=EXISTING_FOLDER)
@click.option("--row", "numbers", type=click.IntRange(0, 12), multiple=True, help="Row of the table; by default all.")
@click.option("--part", "parts", type=click.Choice(["dev", "test"]), multiple=True, default=("dev",), show_default=True)
@click.option(
    "--settings", type=click.Path(path_type=Path, exists=True), help="JSON file with changes of the settings."
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cuda", show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that decode clips.")
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for models and results.")
@json_option
def ablation(
    data: Path,
    numbers: tuple[int, ...],
    parts: tuple[str, ...],
    settings: Path | None,
    device: str,
    workers: int,
    out: Path,
    as_json: bool,
) -> None:
    """Train and score rows of the ablation on the miniature; the same command resumes."""
    log = (lambda _: None) if as_json else print_text
    rows = chosen_rows(numbers)
    chosen, material = settings_from(settings), read_material(data)
    make_base(material, out, chosen, workers=workers, log=log)
    if any(ROWS[row].distilled for row in rows):
        distil_miniature(material, out, chosen, device=device, log=log)

    def scored(row: int, part: str) -> Path:
        make_row(row, material, out, chosen, device=device, log=log)
        return score_row(row, part, material, out, chosen, device=device, log=log)

    print_ablation(scored, rows, parts, lang="en", as_json=as_json)


if __name__ == "__main__":
    sys.exit(exit_code(miniature, sys.argv[1:], name="python -m recipes.miniature"))
