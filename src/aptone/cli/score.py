"""``aptone score``, of a line, of a list, and of a book (`aptone.cli.score_book`)."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.engine import Parts, engine_options, read_plan_option
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, dry_run_option, running_options
from aptone.cli.options.source import ENDINGS, SOURCE, SourceChoice, say_reading, source_options
from aptone.cli.options.values import LANGUAGES, PATH, output_option
from aptone.cli.output import (
    complete,
    entry_json,
    json_option,
    print_about,
    print_forecast,
    print_json,
    print_rich,
    print_text,
)
from aptone.cli.score_book import BookOptions, book_options, score_book
from aptone.cli.score_shards import refuse_with_shards, score_shards
from aptone.ear.reference import SELF
from aptone.errors import UsageError
from aptone.messages import message, translate
from aptone.report.item_view import plan_of
from aptone.report.plan_text import PlanDigests, plan_table
from aptone.report.terminal import verdict_table
from aptone.rooms.aptness.books.archived_recordings import talking_book
from aptone.rooms.aptness.data import line_sample, make_items
from aptone.rooms.aptness.forecast import forecast_scoring
from aptone.rooms.aptness.operations import context_of, score_about, score_reply
from aptone.rooms.aptness.report import aptness_notes
from aptone.rooms.aptness.sources import read_lines
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep, sample_entry, score_sample
from aptone.rooms.aptness.story import LineContext, load_story
from aptone.run.sharded.shards import default_name, is_sharded_source
from aptone.run.sources.remote import local
from aptone.run.sources.source import find_source
from aptone.types import Language, Sample, State

MOST_PRINTED = 200
"""Rows of the table on the terminal; ``--json`` and ``--export`` give all."""


@click.command()
@click.argument("sources", metavar="CLIP_OR_LIST_OR_BOOK...", nargs=-1, required=True, type=SOURCE)
@click.option("--line", help="The words that are spoken (for a clip).")
@click.option(
    "--occurrence", type=click.IntRange(1), help="Number of the line among several of the story with these words."
)
@click.option("--role", default="", help="Speaker of the words.")
@click.option(
    "--story",
    type=PATH,
    help="Text with the story around the line, or around all lines of a list; the whole book; subtitles.",
)
@click.option("--plan", help="Plan of how it should sound: JSON, or a file with JSON.")
@click.option(
    "--language",
    type=LANGUAGES,
    help="Language of the story; by default detected from its characters. In a manifest every record has its own.",
)
@lang_option("Language of tables, reasons and report", otherwise="that of the story, and for a manifest en")
@book_options
@source_options
@output_option("Folder of the run", "<its name>-run", when="for a list or book")
@engine_options
@running_options
@click.option(
    "--results",
    metavar="ADDRESS",
    help="Folder for results of shards that all workers reach (s3://, gs://, …); by default one in that of the run.",
)
@dry_run_option
@json_option
def score(
    sources: Sequence[Path],
    line: str | None,
    occurrence: int | None,
    role: str,
    story: Path | None,
    plan: str | None,
    language: Language | None,
    lang: Language | None,
    book: BookOptions,
    listed: SourceChoice,
    output: Path | None,
    parts: Parts,
    running: Running,
    results: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Does a spoken line sound as the story around it asks?

    Give one recording with --line; a list of them for a resumable run: a manifest, a table, a dataset, a list of
    another toolkit or a folder (--source); or the recordings of a whole book, or a folder of them, with its text as
    --story: every line is found by a transcript, and judged. With subtitles (.srt) as --story, their times cut the
    recording, as do those of an EPUB with media overlays; a talking book holds text and recordings. With --executor
    ray, a folder of shards (Parquet, tar or JSON lines), a glob in quotes or several lists are scored by Ray Data, a
    shard at a time, and joined by aptone merge.

    \b
    aptone score clip.wav --line "Run!" --plan '{"emotion": "fear", "rhythm": "tense", "intonation": "rising"}'
    aptone score manifest.jsonl -o run/
    aptone score clips.parquet --map audio=wav,line=sentence -o run/
    aptone score book/*.mp3 --story book.txt -o run/
    aptone score film.wav --story film.srt -o run/
    aptone score talking-book.epub -o run/
    aptone score shards/ --executor ray --workers 64 -o run/ && aptone merge run/ -o all/
    """  # noqa: D301  (\b keeps click from joining the lines)
    source = sources[0]
    is_list = listed.is_list(source) and not (source.is_dir() and (story or line) and listed.kind is None)
    if line is None and not is_list:
        story = story or talking_book(sources)
    if story is not None and line is None and not is_list:
        described = {"--role": role, "--plan": plan, "--occurrence": occurrence}
        if clash := [name for name, value in described.items() if value]:
            raise UsageError(f"{clash[0]} describes one line, and --line does not say which.")
        if dry_run:
            raise UsageError(message("cli.dry-run-book"))
        folder = output or Path(f"{story.stem}-run")
        return score_book(sources, story, book, parts, running, folder, language, lang=lang, as_json=as_json)
    given = {"--line": line, "--occurrence": occurrence, "--role": role, "--plan": plan}
    if _are_shards(sources, listed, running):
        refuse_with_shards({**given, "--story": story, "--dry-run": dry_run})
        folder = output or Path(f"{default_name(source)}-run")
        return score_shards(
            sources, listed.options(), parts, running, folder, results=results, lang=lang, as_json=as_json
        )
    _refuse_several(sources, listed, results)
    shown: Language = lang or language or "en"
    if is_list:
        if clash := [name for name, value in given.items() if value]:
            raise UsageError(f"{clash[0]} describes one clip; in a manifest every record has its own.")
        samples, reading = read_lines(source, listed.options(), story=story)
        say_reading(reading)
        output = output or Path(f"{source.resolve().stem}-run")
    else:
        told = load_story(story) if story is not None and line else None
        around = context_of(line or "", story=told, occurrence=occurrence)
        samples = [_one_sample(source, line=line, role=role, around=around, plan=plan, language=language)]
        shown = lang or samples[0].language
    if dry_run:
        return print_forecast(forecast_scoring(parts.step(), samples, repeats=running.repeat), shown, as_json=as_json)
    if output is None and parts.reference == SELF:
        raise UsageError(message("ear.reference-self-needs-run"))
    step = parts.with_reference(parts.step(lang=lang), samples, folder=output)
    about = step.about_scoring(samples)
    consent = running.consent(about, clips=len(samples), folder=output)
    if output is None:
        running.refuse_without_folder()
        return _score_at_once(samples[0], step, running, language=shown, as_json=as_json)
    config = running.config("score", parts.engine, parts.recorded(step), about, inputs=[source], consent=consent)
    items = list(make_items(samples))
    ended = running.run(items, step, folder=output, config=config, width=parts.load_engine().width, label="score")
    done, entries = complete(ended, items, step, running, order=ONE_CLIP, language=shown), ended.run.entries
    if as_json:
        values = [{name: score.value for name, score in entry.outcome.scores.items()} for entry in entries]
        print_json({**done.json(), "items": list(map(entry_json, entries, values))})
    else:
        digests, name = PlanDigests(), done.finished.card.score
        verdicts = verdict_table(entries, score=name, language=shown, limit=MOST_PRINTED, also=digests.add)
        print_rich(digests.table(shown), verdicts)
        done.print(shown)
    return done.exit_code


def _are_shards(sources: Sequence[Path], listed: SourceChoice, running: Running) -> bool:
    """Return whether Ray Data scores them, a shard at a time; one list on Ray is read by this process."""
    return running.executor == "ray" and is_sharded_source(sources) and _are_lists(sources, listed)


def _are_lists(sources: Sequence[Path], listed: SourceChoice) -> bool:
    return all(listed.is_list(one) or is_sharded_source([one]) for one in sources)


def _refuse_several(sources: Sequence[Path], listed: SourceChoice, results: str | None) -> None:
    if results is not None:
        raise UsageError(message("cli.results-need-shards"))
    if len(sources) == 1:
        return
    if _are_lists(sources, listed):
        raise UsageError(message("cli.lists-need-ray", count=len(sources)))
    raise UsageError(f"{len(sources)} recordings: the recordings of a book need its text (--story); else give one.")


def _one_sample(
    source: Path, *, line: str | None, role: str, around: LineContext, plan: str | None, language: Language | None
) -> Sample:
    if not line:
        if source.is_dir() or not source.suffix:
            find_source(source)  # says what is wrong with it
        raise UsageError(
            f"{source}: --line is missing: what is said in the clip? (A list ends in {', '.join(ENDINGS)}.)"
        )
    given, path = read_plan_option(plan), str(local(source).absolute())
    return line_sample(around, id=source.name, audio=path, role=role or None, language=language, plan=given)


def _score_at_once(sample: Sample, step: AptnessStep, running: Running, *, language: Language, as_json: bool) -> int:
    with running.opened_cache() as store:
        outcome = score_sample(sample, step, seed=running.seed, store=store)
    about = score_about(step, sample)
    if as_json:
        print_json(score_reply(sample, outcome, about))
    else:
        entry = sample_entry(sample, outcome)
        if (plan := plan_of(entry)) is not None and plan.emotions:
            print_rich(plan_table(plan, language=language, windows=False))
        print_rich(verdict_table([entry], language=language))
        print_text(outcome.rationale or translate(outcome.reason, language))
        for note in aptness_notes([outcome]):
            print_text(f"! {translate(note, language)}")
        print_about(about, language=language)
    return int(outcome.state is not State.DONE)
