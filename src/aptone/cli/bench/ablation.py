"""``aptone bench ablation``."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.training import training_parts
from aptone.cli.options.values import several_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.messages import translate
from aptone.types import Language

Scored = Callable[[int, str], Path]


@click.command()
@click.argument("source", metavar="SOURCE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@several_option("--row", "numbers", type=click.IntRange(0, 12), help="Row of the table; by default all.")
@click.option("--part", "parts", type=click.Choice(["dev", "test"]), multiple=True, default=("dev",), show_default=True)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cuda", show_default=True)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the results."
)
@lang_option("Language of the tables", default="en")
@json_option
def ablation(
    source: Path,
    numbers: tuple[int, ...],
    parts: tuple[str, ...],
    device: str,
    out: Path,
    lang: Language,
    as_json: bool,
) -> None:
    """Train and score rows of the paper's ablation: what distillation, reasoning, plans, bias and RL each bring.

    SOURCE is a JSON file that names a base and shards (docs/train/ablation.md). Rows share what they have in common;
    the same command goes on where it was stopped.
    """
    with training_parts():
        from aptone.train.ablation.run import check_config, make_ablation_row, read_config, score_ablation_row

    log = log_lines(lang, quiet=as_json)
    rows = chosen_rows(numbers)
    config = read_config(source)
    check_config(config, rows, parts)

    def scored(row: int, part: str) -> Path:
        model = make_ablation_row(row, config, out, device=device, log=log)
        return score_ablation_row(row, part, config, out, model=model, device=device, log=log)

    print_ablation(scored, rows, parts, lang=lang, as_json=as_json)


def log_lines(lang: Language, *, quiet: bool) -> Callable[[str], None]:
    """Return what prints the log of a training, or drops it where only JSON is wanted."""
    return lambda line: None if quiet else print_text(translate(line, lang))


def chosen_rows(numbers: Sequence[int]) -> list[int]:
    """Return the rows that were asked for in order, or all of them."""
    from aptone.train.ablation.rows import ROWS

    return sorted(set(numbers)) or sorted(ROWS)


def print_ablation(scored: Scored, rows: Sequence[int], parts: Sequence[str], *, lang: Language, as_json: bool) -> None:
    """Make and score every row of every part, then print the tables or their JSON."""
    from aptone.train.ablation.results import ablation_lines, ablation_record, read_result

    results: dict[str, list[Path]] = {part: [] for part in parts}
    for row in rows:
        for part in parts:
            results[part].append(scored(row, part))
    records = {part: ablation_record([read_result(path) for path in paths]) for part, paths in results.items()}
    if as_json:
        print_json(records)
        return
    for part, record in records.items():
        print_text("\n".join([f"{part}:", *ablation_lines(record, language=lang)]))
