"""``aptone train``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.registered_group import DescribedCommands
from aptone.cli.train.clap import clap
from aptone.cli.train.cot import cot
from aptone.cli.train.cser import cser
from aptone.cli.train.grpo import grpo
from aptone.cli.train.judge import distil, sft
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import EXISTING_FOLDER, FILE, FOLDER, training_parts
from aptone.cli.train.words import PHRASES
from aptone.report.words import words as phrases_of
from aptone.types import Language
from recipes.answer_style.__main__ import answer_style
from recipes.ear.__main__ import ear
from recipes.miniature.__main__ import miniature
from recipes.style.__main__ import style


@click.group(cls=DescribedCommands)
def train() -> None:
    """Make anew what Aptone ships, or make it from data of your own."""


train.add_command(answer_style)
train.add_command(clap)
train.add_command(cot)
train.add_command(cser)
train.add_command(distil)
train.add_command(ear)
train.add_command(grpo)
train.add_command(miniature)
train.add_command(sft)
train.add_command(style)


@train.command()
@click.option(
    "--proxy",
    "proxies",
    type=EXISTING_FOLDER,
    multiple=True,
    required=True,
    help="Made by: aptone build aptness-proxy --part dev --speakers train --speakers dev. May be given again.",
)
@click.option(
    "--answers",
    type=FILE,
    multiple=True,
    required=True,
    help="judge-foldN-seedM.npz of: aptone train ear run --recipe judge-foldN. May be given again.",
)
@click.option("--out", type=FILE, required=True, help="New file with the numbers of the judge.")
@lang_option("Of what is printed", default="en")
@json_option
def judge(proxies: Sequence[Path], answers: Sequence[Path], out: Path, lang: Language, as_json: bool) -> None:
    """Fit the numbers of the built-in judge to proxy benchmarks.

    Nobody listened: what comes out fits the formula of the proxy, with ears that never heard the actors.
    """
    from aptone.judge.parameters import load_parameters
    from recipes.judge.fit import fit, prepare, read_answers, write_parameters

    known = read_answers(answers)
    benchmarks = [prepare(folder, known) for folder in proxies]
    fitted = fit(benchmarks, start=load_parameters(), log=log_to_people(lang))
    write_parameters(fitted.parameters, out)
    if as_json:
        print_json({"parameters": str(out), "before": dict(fitted.before), "after": dict(fitted.after)})
        return
    word = phrases_of(lang, PHRASES)
    for name, value in fitted.after.items():
        print_text(word("fitted", name=name, value=value, before=fitted.before[name]))
    print_text(word("parameters", path=out))


@train.command("text-embedder")
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
        print_text(phrases_of(lang, PHRASES)("file_of", size=made.stat().st_size / 1e6, path=made))
