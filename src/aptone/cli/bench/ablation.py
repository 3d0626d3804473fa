"""``aptone bench ablation``."""

from collections.abc import Callable
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import said_while_training
from aptone.cli.train.stage import training_parts
from aptone.types import Language

Scored = Callable[[int, str], Path]


@click.command()
@click.argument("source", metavar="SOURCE", type=click.Path(path_type=Path, exists=True))
@click.option("--row", "numbers", type=click.IntRange(0, 12), multiple=True, help="Of the table; by default all.")
@click.option("--part", "parts", type=click.Choice(["dev", "test"]), multiple=True, default=("dev",), show_default=True)
@click.option("--settings", type=click.Path(path_type=Path, exists=True), help="Of the miniature: JSON with changes.")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cuda", show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes that decode clips.")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="For all of it.")
@lang_option("Of the tables", default="en")
@json_option
def ablation(
    source: Path,
    numbers: tuple[int, ...],
    parts: tuple[str, ...],
    settings: Path | None,
    device: str,
    workers: int,
    out: Path,
    lang: Language,
    as_json: bool,
) -> None:
    """Train and score rows of the paper's ablation: what distillation, reasoning, plans, bias and RL each bring.

    SOURCE is a folder of `aptone train miniature rows`, or a JSON file that names a base and shards (see
    docs/ablation.md). Rows share what they have in common, and the same command goes on where it was stopped.
    """
    with training_parts():
        from aptone.train.ablation.results import ablation_lines, ablation_record, read_result
        from aptone.train.ablation.rows import ROWS

    def log(line: str) -> None:
        if not as_json:
            print_text(said_while_training(line, lang))

    rows = sorted(set(numbers)) or sorted(ROWS)
    if source.is_dir():
        make = _miniature(source, rows, settings, device=device, workers=workers, out=out, log=log)
    else:
        make = _checkpoints(source, rows, parts, device=device, out=out, log=log)
    results: dict[str, list[Path]] = {part: [] for part in parts}
    for row in rows:
        for part in parts:
            results[part].append(make(row, part))
    records = {part: ablation_record([read_result(path) for path in paths]) for part, paths in results.items()}
    if as_json:
        print_json(records)
        return
    for part, record in records.items():
        print_text("\n".join([f"{part}:", *ablation_lines(record, language=lang)]))


def _miniature(
    data: Path,
    rows: list[int],
    settings: Path | None,
    *,
    device: str,
    workers: int,
    out: Path,
    log: Callable[[str], None],
) -> Scored:
    with training_parts():
        from aptone.train.ablation.rows import ROWS
        from recipes.miniature.config import settings_from
        from recipes.miniature.material import read_material
        from recipes.miniature.run import distil_miniature, make_base, make_row
        from recipes.miniature.scores import score_row

    chosen, material = settings_from(settings), read_material(data)
    make_base(material, out, chosen, workers=workers, log=log)
    if any(ROWS[row].distilled for row in rows):
        distil_miniature(material, out, chosen, device=device, log=log)

    def scored(row: int, part: str) -> Path:
        make_row(row, material, out, chosen, device=device, log=log)
        return score_row(row, part, material, out, chosen, device=device, log=log)

    return scored


def _checkpoints(
    path: Path, rows: list[int], parts: tuple[str, ...], *, device: str, out: Path, log: Callable[[str], None]
) -> Scored:
    with training_parts():
        from aptone.train.ablation.run import check_config, make_ablation_row, read_config, score_ablation_row

    config = read_config(path)
    check_config(config, rows, parts)

    def scored(row: int, part: str) -> Path:
        model = make_ablation_row(row, config, out, device=device, log=log)
        return score_ablation_row(row, part, config, out, model=model, device=device, log=log)

    return scored
