"""``aptone train miniature``."""

from pathlib import Path

import click

from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.training import training_parts

EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group()
def miniature() -> None:
    """A judge small enough to train in minutes, from nothing: every recipe of the paper's ablation.

    \b
    aptone train miniature rows --data DATA --texts TEXTS --out MINIATURE
    aptone train miniature run MINIATURE --row 4 --out WORK
    """  # noqa: D301  (\b keeps click from joining the lines)


@miniature.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="A folder for each set, with clips and labels.csv.")
@click.option("--texts", type=EXISTING_FOLDER, required=True, help="Holds meld/.")
@click.option("--clips", type=click.IntRange(1), help="Most clips of each part of a set; by default all that are used.")
@click.option("--pairs", type=click.IntRange(1), help="Pairs of each part, instead of 20,000, 600 and 2,000.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that listen.")
@click.option("--out", type=FOLDER, required=True, help="Folder for clips and pairs.")
@json_option
def rows(data: Path, texts: Path, clips: int | None, pairs: int | None, workers: int, out: Path, as_json: bool) -> None:
    """Hear the clips, and draw what the miniature learns from: a line in its context, a clip, a grade.

    The grade is a formula's, not people's: how far the acted emotion lies from the line's, whether rhythm, intonation
    and recording condition are what the context asks for.
    """
    with training_parts():
        from aptone.train.miniature_rows import PAIRS, make_miniature_rows

    counts = dict.fromkeys(PAIRS, pairs) if pairs is not None else PAIRS
    made = make_miniature_rows(data, texts, out, pairs=counts, clips=clips, workers=workers)
    if as_json:
        print_json({"clips": made.clips, "pairs": dict(made.pairs), "folder": str(out)})
    else:
        listed = ", ".join(f"{count} of {split}" for split, count in made.pairs.items())
        print_text(f"{made.clips} clips; pairs: {listed}. Next: aptone train miniature run {out} --row 4 --out WORK")


@miniature.command()
@click.argument("data", metavar="MINIATURE", type=EXISTING_FOLDER)
@click.option("--row", "numbers", type=click.IntRange(0, 12), multiple=True, required=True, help="Of the ablation.")
@click.option("--part", "parts", type=click.Choice(["dev", "test"]), multiple=True, default=("dev",), help="To score.")
@click.option("--settings", type=FILE, help='JSON with what is changed, such as {"sft": {"steps": 300}}.')
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cuda", show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that decode clips.")
@click.option("--out", type=FOLDER, required=True, help="Folder for models and results; the same command goes on.")
@json_option
def run(
    data: Path,
    numbers: tuple[int, ...],
    parts: tuple[str, ...],
    settings: Path | None,
    device: str,
    workers: int,
    out: Path,
    as_json: bool,
) -> None:
    """Train rows of the ablation and score them on speakers that they never heard."""
    with training_parts():
        from aptone.train.ablation import ROWS
        from aptone.train.ablation_results import RowResult, ablation_lines, ablation_record, read_result
        from aptone.train.miniature_run import (
            distil_miniature,
            make_base,
            make_row,
            read_material,
            score_row,
            settings_from,
            with_reasons,
        )

    def log(line: str) -> None:
        if not as_json:
            print_text(line)

    chosen = settings_from(settings)
    material = with_reasons(read_material(data), out, workers=workers)
    make_base(material, out, chosen, workers=workers, log=log)
    if any(ROWS[row].distilled for row in numbers):
        distil_miniature(material, out, chosen, device=device, log=log)
    found: dict[str, list[RowResult]] = {}
    for row in sorted(set(numbers)):
        make_row(row, material, out, chosen, device=device, log=log)
        for part in parts:
            result = score_row(row, part, material, out, chosen, device=device, log=log)
            found.setdefault(part, []).append(read_result(result))
    records = {part: ablation_record(results) for part, results in found.items()}
    if as_json:
        print_json(records)
    else:
        for part, record in records.items():
            print_text("\n".join([f"{part}:", *ablation_lines(record)]))
