"""``python -m recipes.text_embedder``: train the built-in text embedder."""

import sys
from functools import partial
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.training import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.cli.output import json_option, print_json, print_text


@click.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="Folder with goemotions, styletalk and cped.")
@click.option("--minilm", type=EXISTING_FOLDER, required=True, help="all-MiniLM-L6-v2, as its package holds it.")
@click.option("--words", type=FILE, required=True, help="words.vector of the package synonyms 3.10.2.")
@click.option("--counts", type=FILE, required=True, help="dict.txt of the package jieba.")
@click.option("--annotations", type=EXISTING_FOLDER, required=True, help="annotations of cldr-annotations-full.")
@click.option("--seed", type=int, default=1, show_default=True, help="Random seed.")
@click.option("--steps", type=click.IntRange(1), help="Optimiser steps; by default those of the shipped one.")
@click.option("--out", type=FOLDER, required=True, help="Folder for text_embedder.npz.")
@json_option
def text_embedder(
    data: Path,
    minilm: Path,
    words: Path,
    counts: Path,
    annotations: Path,
    seed: int,
    steps: int | None,
    out: Path,
    as_json: bool,
) -> None:
    """Train the built-in text embedder of English and Mandarin."""
    with training_parts():
        from recipes.text_embedder.run import Sources, make_text_embedder
        from recipes.text_embedder.train import TextEmbedderRecipe

    recipe = TextEmbedderRecipe(seed=seed) if steps is None else TextEmbedderRecipe(seed=seed, steps=steps)
    made = make_text_embedder(
        Sources(data, minilm, words, counts, annotations),
        out,
        recipe=recipe,
        log=partial(click.echo, err=True),
    )
    if as_json:
        print_json({"embedder": str(made), "bytes": made.stat().st_size})
    else:
        print_text(f"{made.stat().st_size / 1e6:.1f} MB: {made}")


if __name__ == "__main__":
    sys.exit(exit_code(text_embedder, sys.argv[1:], name="python -m recipes.text_embedder"))
