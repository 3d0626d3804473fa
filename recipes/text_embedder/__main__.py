"""``python -m recipes.text_embedder``: train the built-in text embedder."""

import sys
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.messages import words as phrases_of
from aptone.types import Language


@click.command()
@click.option("--data", type=EXISTING_FOLDER, required=True, help="Folder with goemotions, styletalk and cped.")
@click.option("--minilm", type=EXISTING_FOLDER, required=True, help="all-MiniLM-L6-v2, as its package holds it.")
@click.option("--words", type=FILE, required=True, help="words.vector of the package synonyms 3.10.2.")
@click.option("--counts", type=FILE, required=True, help="dict.txt of the package jieba.")
@click.option("--annotations", type=EXISTING_FOLDER, required=True, help="annotations of cldr-annotations-full.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of everything that is drawn.")
@click.option("--steps", type=click.IntRange(1), help="How many batches; by default as for the one that ships.")
@click.option("--out", type=FOLDER, required=True, help="Folder for text_embedder.npz.")
@lang_option("Of what is printed", default="en")
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
    lang: Language,
    as_json: bool,
) -> None:
    """Teach the built-in text embedder, which places English and Mandarin texts by their meanings."""
    with training_parts():
        from recipes.text_embedder.run import Sources, make_text_embedder
        from recipes.text_embedder.train import TextEmbedderRecipe

    recipe = TextEmbedderRecipe(seed=seed) if steps is None else TextEmbedderRecipe(seed=seed, steps=steps)
    made = make_text_embedder(
        Sources(data, minilm, words, counts, annotations),
        out,
        recipe=recipe,
        log=log_to_people(lang),
    )
    if as_json:
        print_json({"embedder": str(made), "bytes": made.stat().st_size})
    else:
        print_text(phrases_of(lang, "cli.training")("file_of", size=made.stat().st_size / 1e6, path=made))


if __name__ == "__main__":
    sys.exit(exit_code(text_embedder, sys.argv[1:], name="python -m recipes.text_embedder"))
