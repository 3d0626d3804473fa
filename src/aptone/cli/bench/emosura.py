"""``aptone bench emosura``."""

import math
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.caption import Judging, judging_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.values import (
    EXISTING,
    choice_option,
    number_option,
    output_option,
    several_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text, stop_code
from aptone.ear.labelled_clips import read_labels
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import with_messages, words
from aptone.ratings.storage import read_ratings
from aptone.report.result_table import terminal_table
from aptone.rooms.caption.bench.emosura import (
    EMOSURA,
    Comparison,
    captioned,
    compare_metrics,
    comparison_json,
    ratings_of,
)
from aptone.rooms.caption.bench.four_captions import NUMBER, four_captions, labelled_truth
from aptone.rooms.caption.bench.page import REPORT, RESULTS, agreement_table, emosura_page, kinds_table, result_notes
from aptone.rooms.caption.bench.rivals import RIVALS, MetricScores, rival_scores
from aptone.rooms.caption.data import CaptionSample, make_items, read_manifest, with_ratings, write_manifest
from aptone.rooms.caption.step import WITH_REFERENCE
from aptone.run import Ended, write_whole
from aptone.types import Language, dumps

RUN, CAPTIONS = "run", "captions.jsonl"
NO_SCORE = "no caption has a score"


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=EXISTING)
@output_option("Folder of the benchmark", "<name of the source>-emosura")
@number_option("--number", NUMBER, "Number of recordings from folders.")
@shown_option("--split", default="test", help="Split of folders: train, dev, test.")
@choice_option("--language", "language", ["en", "zh"], "Language of made captions.")
@several_option("--rival", "rivals", type=click.Choice(RIVALS), help="Other metric to compare with; by default all.")
@click.option(
    "--ratings",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Human ratings of the captions (.csv or .jsonl with caption, rating and rater, or ratings of the studio).",
)
@lang_option("Language of tables and report", default="en")
@judging_options
@running_options
@json_option
def emosura(
    sources: Sequence[Path],
    output: Path | None,
    number: int,
    split: str,
    language: Language,
    rivals: Sequence[str],
    ratings: Path | None,
    lang: Language,
    judging: Judging,
    running: Running,
    as_json: bool,
) -> int:
    """Measure which caption metric orders captions as people do.

    SOURCE is a manifest of captions with references and human_score; then EmoSURA, BLEU-4, ROUGE-L, METEOR, CIDEr,
    SPIDEr, SPICE and MACE, as far as they can run, are compared with the ratings. Without ratings, SOURCE is one or
    more folders of acted speech with labels.csv: each recording gets a true, a sabotaged, a long and a concise
    caption, whose right order is known.

    \b
    aptone bench emosura rated.jsonl -o bench/
    aptone bench emosura captions.jsonl --ratings ratings.jsonl -o bench/
    aptone bench emosura ravdess/ emodb/ -o bench/
    """  # noqa: D301  (\b keeps click from joining the lines)
    output = output or Path(f"{sources[0].resolve().name.removesuffix(sources[0].suffix)}-emosura")
    samples, made = _samples(sources, number=number, split=split, language=language, seed=running.seed)
    if ratings is not None:
        samples = with_ratings(samples, read_ratings(ratings, item="caption"), source=ratings)
    ratings_of(samples)
    step = judging.step(main=WITH_REFERENCE, language=lang)
    consent = running.consent(step.about, clips=len(samples), folder=output)
    make_folder(output)
    if made:
        write_manifest(output / CAPTIONS, samples)
    config = running.config(
        "bench emosura",
        judging.engine,
        {**step.settings(), **judging.options},
        step.about,
        inputs=sources,
        consent=consent,
    )
    items = list(make_items(samples))
    ended = running.run(items, step, folder=output / RUN, config=config, width=judging.width, label="captions")
    scores = [_own(ended, samples), *rival_scores(captioned(samples), names=rivals or None)]
    compared = compare_metrics(samples, scores, seed=running.seed)
    page = emosura_page(compared, notes=(words(lang, "caption.emosura")("measured"),) if made else (), language=lang)
    write_whole(output / REPORT, page)
    write_whole(output / RESULTS, dumps(with_messages(comparison_json(compared), of=compared), indent=1) + "\n")
    if as_json:
        print_json({"folder": str(output), "report": str(output / REPORT), **comparison_json(compared)})
    else:
        _print(compared, output / REPORT, stopped=ended.stopped, made=made, language=lang)
    return stop_code(ended.stopped, failed=not compared.results[0].scored)


def _samples(
    sources: Sequence[Path], *, number: int, split: str, language: Language, seed: int
) -> tuple[list[CaptionSample], bool]:
    """The captions, and whether they were made here."""
    if not any(source.is_dir() for source in sources):
        if len(sources) > 1:
            raise UsageError("one manifest at a time; put the records of several into one file.")
        return read_manifest(sources[0]), False
    if files := [source for source in sources if not source.is_dir()]:
        raise UsageError(f"{files[0]}: expected folders with labels.csv, or one manifest, not both.")
    clips = [clip for source in sources for clip in read_labels(source) if clip.split == split]
    if not clips:
        raise UsageError(f"no recording in {', '.join(map(str, sources))} belongs to the split {split!r}.")
    return four_captions(
        labelled_truth(clips, number=number, seed=seed, ear=ear_name()), seed=seed, language=language
    ), True


def _own(ended: Ended, samples: Sequence[CaptionSample]) -> MetricScores:
    found = {
        entry.item.id: entry.outcome.scores[WITH_REFERENCE].value
        for entry in ended.run.entries
        if WITH_REFERENCE in entry.outcome.scores
    }
    values = tuple(found.get(sample.id, math.nan) for sample in samples)
    return MetricScores(EMOSURA, values, "" if any(map(math.isfinite, values)) else NO_SCORE)


def _print(compared: Comparison, report: Path, *, stopped: str, made: bool, language: Language) -> None:
    tables = [agreement_table(compared, language=language), kinds_table(compared, language=language)]
    print_rich(*(terminal_table(table) for table in tables if table is not None))
    measured = [words(language, "caption.emosura")("measured")] if made else []
    for note in [*result_notes(compared, language=language), *measured]:
        print_text(f"! {note}")
    if stopped:
        print_text(words(language, "report")("go_on"))
    print_text(words(language, "report")("report_is_at", path=report))
