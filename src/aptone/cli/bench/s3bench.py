"""``aptone bench s3bench``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.style import BUILT_IN, named_model
from aptone.cli.options.values import (
    EXISTING,
    EXISTING_FOLDER,
    FOLDER,
    PART,
    PATH,
    choice_option,
    number_option,
    output_option,
    several_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.messages import words
from aptone.models import TextEmbedder, load_text_embedder
from aptone.models.parts import typed_part
from aptone.report.result_table import ResultTable, terminal_table
from aptone.rooms.style.bench.class_prompts import LabelledAttribute, read_labelled
from aptone.rooms.style.bench.page import (
    REPORT,
    agreement_table,
    classification_table,
    main_tables,
    result_notes,
    retrieval_table,
    s3bench_page,
)
from aptone.rooms.style.bench.s3bench import RECALLS, REPEATS, Contestants, S3Result, bench_s3bench
from aptone.rooms.style.data import read_pairs
from aptone.run import display_for, write_whole
from aptone.run.consent import ask_consent
from aptone.types import Language, to_json

Model = TypeVar("Model")


@click.command()
@click.argument("source", metavar="SET", type=EXISTING)
@output_option("Folder of the benchmark", "<name of the set>-s3bench", type=FOLDER)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar=PART,
    help="A style embedder, with its options; name= is for the tables. May be given several times. By default the "
    "built-in one.",
)
@several_option(
    "--text-only", "text_only", metavar=PART, help="A text embedder that compares what is said with the description."
)
@several_option(
    "--labelled", type=EXISTING_FOLDER, help="Folder with labels.csv whose clips are classified by prompts."
)
@several_option(
    "--attribute",
    "attributes",
    type=click.Choice(["emotion", "sex"]),
    default=("emotion",),
    help="Label to classify by prompts.",
)
@shown_option("--split", default="test", help='Split of labelled folders; "" for all clips.')
@click.option("--prompts", type=PATH, help="JSON file with prompts for each label, instead of ours.")
@choice_option("--prompt-language", "prompt_language", ["en", "zh"], "Language of our prompts.")
@several_option("--recall", "recalls", type=click.IntRange(1), default=RECALLS, help="k of R@k.")
@number_option("--repeats", REPEATS, "Repeats of the random rows.")
@number_option("--seed", 0, "Random seed.", least=0)
@lang_option("Language of the report", default="en", also="--language", name="language")
@click.option("--yes", is_flag=True, help="Agree that audio is sent to another machine, where a model does that.")
@json_option
def s3bench(
    source: Path,
    output: Path | None,
    models: Sequence[str],
    text_only: Sequence[str],
    labelled: Sequence[Path],
    attributes: Sequence[LabelledAttribute],
    split: str,
    prompts: Path | None,
    prompt_language: Language,
    recalls: Sequence[int],
    repeats: int,
    seed: int,
    language: Language,
    yes: bool,
    as_json: bool,
) -> int:
    """Measure how well models agree with people on voices and descriptions.

    SET is S3Bench or any set like it: clips with descriptions and, where people rated them, five ratings a pair; see
    docs/rooms/s3bench.md. Random rows are always there; other models, an ablation for instance, are more --model.

    \b
    aptone bench s3bench S3Bench/ -o bench/
    aptone bench s3bench S3Bench/ --model built-in --model local:model=clap-mt5/,name=mT5 --text-only built-in
    """  # noqa: D301  (\b keeps click from joining the lines)
    folder = output or Path(f"{source.resolve().stem}-s3bench")
    pairs = read_pairs(source)
    contestants = Contestants(
        _once([named_model(text) for text in models or (BUILT_IN,)]),
        _once([_text_embedder(text) for text in text_only]),
    )
    sets = [
        read_labelled(one, attribute=attribute, split=split, language=prompt_language, prompts=prompts)
        for one in labelled
        for attribute in dict.fromkeys(attributes)
    ]
    clips = len(pairs) + sum(len(one.clips) for one in sets)
    ask_consent(contestants.about.sends_audio_to, clips=clips, folder=None, agreed=yes)
    result = bench_s3bench(
        pairs,
        contestants,
        folder=folder,
        source=str(source),
        seed=seed,
        repeats=repeats,
        recalls=sorted(set(recalls)),
        labelled=sets,
        shows=lambda name: display_for(label=name),
    )
    report = folder / REPORT
    write_whole(report, s3bench_page(result, language=language))
    if as_json:
        print_json({"folder": str(folder), "report": str(report), "result": to_json(result)})
    else:
        _print(result, report, language=language)
    nothing = not (result.rows or result.retrieval or result.classification)
    return int(nothing or result.unreadable > 0)


def _once(named: Sequence[tuple[str, Model]]) -> dict[str, Model]:
    names = [name for name, _ in named]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two models are called {twice[0]!r}; give each a name of its own, with name=….")
    return dict(named)


def _text_embedder(text: str) -> tuple[str, TextEmbedder]:
    use, options = typed_part(text, what="--text-only")
    name = options.pop("name", None) or f"text-only ({options.get('model', use)})"
    return str(name), load_text_embedder(use, **options)


def _print(result: S3Result, report: Path, *, language: Language) -> None:
    others = (retrieval_table, classification_table, agreement_table)
    tables: list[ResultTable | None] = [*main_tables(result, language=language)]
    tables += [make(result, language=language) for make in others]
    print_rich(*(terminal_table(table) for table in tables if table is not None))
    for note in result_notes(result, language=language):
        print_text(f"! {note}")
    print_text(words(language, "style")("report", path=report))
