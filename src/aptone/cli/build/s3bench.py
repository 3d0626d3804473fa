"""``aptone build s3bench``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.style import load_model, model_option
from aptone.cli.options.values import (
    EXISTING,
    PART,
    PATH,
    PartSettings,
    choice_option,
    folder_option,
    languages_option,
    number_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text, stop_code
from aptone.errors import UsageError
from aptone.messages import translate, words
from aptone.models import About, load_text_embedder
from aptone.models.parts import typed_part
from aptone.report.result_table import terminal_table
from aptone.rooms.style.bench.page import alpha_table
from aptone.rooms.style.build.descriptions import WRITERS, Expansion, make_description_writer
from aptone.rooms.style.build.s3bench import DESCRIPTIONS, PAIR_COUNT, BuildResult, S3Settings, build_s3bench
from aptone.rooms.style.build.s3bench_files import import_answers, read_corpus, read_seeds
from aptone.rooms.style.build.sampling import BINS, CLUSTERS, KEPT, NEAREST, SEEDS
from aptone.rooms.style.report import counts_text, left_out_notes, rows_left_out
from aptone.run import Ended, display_for
from aptone.types import Language, to_json

SETTINGS = PartSettings(("writer",), example="writer.model")
RENAMED = {"--nearest": "--clips-per-description", "--kept": "--unshuffled-share"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@click.argument("corpus", metavar="[CORPUS]", required=False, type=EXISTING)
@folder_option("Folder of the benchmark")
@languages_option(("en", "zh"), "Language of descriptions and clips. May be given several times.")
@model_option
@shown_option(
    "--text-embedder",
    default="built-in",
    metavar=PART,
    help="Text embedder that measures how near two descriptions are.",
)
@choice_option(
    "--text",
    "writer",
    WRITERS,
    "Writer of descriptions: our grammar, a server (--set writer.model=…), or a model on this machine.",
)
@click.option("--seeds", "seeds_file", type=PATH, help="File with your own seeds, one per line.")
@number_option("--seed-count", SEEDS, "Number of seeds per language.")
@number_option("--clusters", CLUSTERS, "Clusters of voices in each language.")
@number_option("--descriptions", DESCRIPTIONS, "Number of descriptions, seeds included.")
@number_option("--pairs", PAIR_COUNT, "Number of pairs.")
@number_option("--bins", BINS, "Bins of the preliminary score.")
@number_option("--clips-per-description", NEAREST, "Most similar clips retrieved for a description.")
@shown_option(
    "--unshuffled-share",
    type=click.FloatRange(0, 1),
    default=KEPT,
    help="Share of retrieved pairs that are not shuffled; 0 as in the paper.",
)
@click.option("--split", default="", help="Split of a labelled corpus; by default all clips.")
@SETTINGS.option
@click.option("--ratings", type=PATH, help="Answers of raters (.jsonl, .csv) to take in.")
@lang_option("Language of the output", default="en")
@running_options
@json_option
def s3bench(
    corpus: Path | None,
    output: Path,
    languages: Sequence[Language],
    model: str,
    text_embedder: str,
    writer: str,
    seeds_file: Path | None,
    seed_count: int,
    clusters: int,
    descriptions: int,
    pairs: int,
    bins: int,
    clips_per_description: int,
    unshuffled_share: float,
    split: str,
    settings: Sequence[str],
    ratings: Path | None,
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Clips with descriptions across the whole range of fits, for people to rate.

    CORPUS holds clips with descriptions: pairs, shards of aptone build style-corpus, or recordings with labels.csv.
    Seeds come from clusters of voices, descriptions grow from seeds, and pairs are drawn evenly over a preliminary
    score. What people answer to the task is taken in with --ratings.

    \b
    aptone build s3bench corpus/ -o s3/ --text api --set writer.model=qwen3-8b
    aptone build s3bench -o s3/ --ratings answers.jsonl
    """  # noqa: D301  (\b keeps click from joining the lines)
    if ratings is not None:
        return _take_in(output, ratings, seed=running.seed, lang=lang, as_json=as_json)
    if corpus is None:
        raise UsageError("from which corpus? Name clips with descriptions, or take in answers with --ratings.")
    chosen = S3Settings(
        languages=tuple(dict.fromkeys(languages)),
        seeds=seed_count,
        clusters=clusters,
        descriptions=descriptions,
        pairs=pairs,
        bins=bins,
        nearest=clips_per_description,
        kept=unshuffled_share,
        seed=running.seed,
    )
    embedder = load_model(model)
    use, options = typed_part(text_embedder, what="--text-embedder")
    folder = output.absolute()
    read = read_corpus(
        corpus, unpack_to=folder.with_name(f"{folder.name}-corpus"), languages=chosen.languages, split=split
    )
    clips = read.pairs
    if read.left_out and not as_json:
        for line in rows_left_out(read.left_out, rows=read.rows, language=lang):
            print_text(line)
    running.consent(embedder.about, clips=len(clips), folder=None)

    def carry_out(expansion: Expansion, place: Path, /) -> Ended:
        config = running.config(
            "build s3bench", writer, {"expansion": expansion.signature}, About(notes=expansion.about.notes)
        )
        return running.run(expansion.rounds(), expansion, folder=place, config=config, width=1, label="descriptions")

    built = build_s3bench(
        clips,
        chosen,
        embedder=embedder,
        text_embedder=load_text_embedder(use, **options),
        writer=make_description_writer(writer, SETTINGS.read(settings)),
        folder=folder,
        carry_out=carry_out,
        by_hand=read_seeds(seeds_file) if seeds_file else None,
        left_out=read.left_out,
        shows=lambda name: display_for(label=name),
    )
    if as_json:
        print_json(
            folder=str(output),
            pairs=built.pairs,
            yields={name: dict(counts) for name, counts in built.yields.items()},
            stopped=built.stopped,
            problems=dict(built.problems),
            lacking=dict(built.lacking),
        )
    else:
        _print(built, output, lang)
    return stop_code(built.stopped, failed=not built.pairs)


def _print(built: BuildResult, output: Path, lang: Language) -> None:
    word = words(lang, "style")
    for step, counts in built.yields.items():
        if counts:
            print_text(word("yield", step=word(f"step_{step}"), counts=counts_text(counts, lang)))
    for note in left_out_notes(built.problems, folder=Path(), language=lang):
        print_text(note)
    if built.lacking and not built.stopped:
        print_text(word("lacking", counts=counts_text(built.lacking, lang)))
    if built.stopped:
        print_text(word("unfinished", why=translate(built.stopped, lang)))
    else:
        print_text(word("s3_built", pairs=built.pairs, folder=output))


def _take_in(output: Path, ratings: Path, *, seed: int, lang: Language, as_json: bool) -> int:
    found = import_answers(output, ratings, seed=seed)
    if as_json:
        print_json(
            pairs=len(found.ratings),
            raters=found.raters,
            set_aside=dict(found.set_aside),
            short=found.short,
            agreement=[to_json(one) for one in found.agreement],
        )
        return int(not found.ratings)
    word = words(lang, "style")
    given = sum(len(by) for by in found.ratings.values())
    print_text(word("taken_in", ratings=given, pairs=len(found.ratings), raters=found.raters))
    for rater, why in found.set_aside.items():
        print_text(word("set_aside", rater=rater, why=translate(why, lang)))
    if found.short:
        print_text(word("short", count=found.short))
    if (table := alpha_table(found.agreement, language=lang)) is not None:
        print_rich(terminal_table(table))
    return int(not found.ratings)
