"""``aptone score``."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.options.engine import Parts, engine_options, read_plan_option
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, ask_consent, running_options
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.cli.run_end import entry_json, exit_code, print_about, print_what_is_next, probe_batches, run_json
from aptone.cli.score_book import BookOptions, score_book
from aptone.errors import UsageError
from aptone.messages import message, translate
from aptone.models import About
from aptone.report.item_view import plan_of
from aptone.report.plan_text import plan_digests, plan_table
from aptone.report.run_report import Finished, finish_run
from aptone.report.terminal import trust_panel, verdict_table
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.subtitles import Overlaps
from aptone.rooms.aptness.data import make_items, read_manifest, read_story
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep, score_sample
from aptone.rooms.aptness.story import LineContext, language_of
from aptone.run import Ended, RunConfig, surroundings
from aptone.types import AudioRef, Entry, Item, Json, Language, Line, Sample, State, to_json

MANIFESTS = (".jsonl", ".json")
ONLY_LINE = message("cli.only-line-read")

"""The lines of a story before and after one of them."""


@click.command()
@click.argument(
    "sources", metavar="CLIP_OR_MANIFEST_OR_BOOK...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--line", help="The words that are spoken (for a clip).")
@click.option(
    "--occurrence", type=click.IntRange(1), help="Number of the line among several of the story with these words."
)
@click.option("--role", default="", help="Speaker of the words.")
@click.option(
    "--story", type=click.Path(path_type=Path), help="Text with the story around the line; the whole book; subtitles."
)
@click.option("--plan", help="Plan of how it should sound: JSON, or a file with JSON.")
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    help="Language of the story; by default detected from its characters. In a manifest every record has its own.",
)
@lang_option("Language of tables, reasons and report", otherwise="that of the story, and for a manifest en")
@click.option(
    "--chapters",
    type=click.Choice(["headings", "blank", "none"]),
    default="headings",
    show_default=True,
    help="Chapter breaks of a book: at headings, at two empty lines, or none.",
)
@click.option(
    "--transcriber",
    shell_complete=names_of("transcribers"),
    help="Transcriber that finds the lines of a book in its recordings; by default one that needs no server.",
)
@click.option(
    "--overlaps",
    type=click.Choice(["refuse", "skip", "keep"]),
    default="refuse",
    show_default=True,
    help="Handling of subtitles that overlap in time.",
)
@click.option("--data-root", type=click.Path(path_type=Path), help="Base folder for relative paths in the manifest.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder of the run; the same command resumes it. By default, for a manifest or book, <its name>-run.",
)
@engine_options
@running_options
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
    chapters: Division,
    transcriber: str | None,
    overlaps: Overlaps,
    data_root: Path | None,
    output: Path | None,
    parts: Parts,
    running: Running,
    as_json: bool,
) -> int:
    """Does a spoken line sound as the story around it asks?

    Give one recording with --line; a manifest (.jsonl or .json) for a resumable run; or the recordings of a whole book,
    or a folder of them, with its text as --story: every line is found by a transcript, and judged. With subtitles
    (.srt) as --story, their times cut the recording.

    \b
    aptone score clip.wav --line "Run!" --plan '{"emotion": "fear", "rhythm": "tense", "intonation": "rising"}'
    aptone score manifest.jsonl -o run/
    aptone score book/*.mp3 --story book.txt -o run/
    aptone score film.wav --story film.srt -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    source = sources[0]
    is_manifest = source.suffix.lower() in MANIFESTS
    if story is not None and line is None and not is_manifest:
        described = {"--role": role, "--plan": plan, "--occurrence": occurrence}
        if clash := [name for name, value in described.items() if value]:
            raise UsageError(f"{clash[0]} describes one line, and --line does not say which.")
        options = BookOptions(sources, story, language, lang, chapters, transcriber, overlaps, output)
        return score_book(options, parts, running, as_json=as_json)
    if len(sources) > 1:
        raise UsageError(f"{len(sources)} recordings: the recordings of a book need its text (--story); else give one.")
    shown: Language = lang or language or "en"
    if is_manifest:
        given = {"--line": line, "--occurrence": occurrence, "--role": role, "--story": story, "--plan": plan}
        if clash := [name for name, value in given.items() if value]:
            raise UsageError(f"{clash[0]} describes one clip; in a manifest every record has its own.")
        samples = read_manifest(source, data_root=data_root)
        output = output or Path(f"{source.stem}-run")
    else:
        around = _around(story, line=line, occurrence=occurrence)
        samples = [_one_sample(source, line=line, role=role, around=around, plan=plan, language=language)]
        shown = lang or samples[0].language
    step = parts.step(lang=lang)
    about = step.about_scoring(samples)
    consent = ask_consent(about.sends_audio_to, clips=len(samples), folder=output, agreed=running.yes)
    if output is None:
        running.refuse_without_folder()
        return _score_at_once(samples[0], step, running, language=shown, as_json=as_json)
    config = RunConfig(
        verb="score",
        engine=parts.engine,
        settings=parts.recorded(step),
        seed=running.seed,
        version=version("aptone"),
        inputs=(str(source),),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=consent,
        notes=about.notes,
        licence=about.licence,
    )
    items = list(make_items(samples))
    ended = running.run(items, step, folder=output, config=config, width=parts.load_engine().width, label="score")
    batch = probe_batches(items, step, running)
    finished = finish_run(ended.run, stopped=ended.stopped, batch=batch, order=ONE_CLIP, language=shown)
    if as_json:
        _print_run_as_json(ended, finished, output)
    else:
        print_rich(plan_digests(ended.run.entries, language=shown))
        print_rich(verdict_table(ended.run.entries, language=shown), trust_panel(finished.card, language=shown))
        print_what_is_next(ended, finished, language=shown)
    return exit_code(ended)


def _around(story: Path | None, *, line: str | None, occurrence: int | None) -> LineContext:
    if story is None and occurrence is not None:
        raise UsageError("--occurrence counts lines of a story; give it with --story.")
    return (
        read_story(story, line=line, occurrence=occurrence) if story and line else LineContext((), Line(line or ""), ())
    )


def _one_sample(
    source: Path, *, line: str | None, role: str, around: LineContext, plan: str | None, language: Language | None
) -> Sample:
    if not line:
        raise UsageError(
            f"{source}: --line is missing: what is said in the clip? (A manifest ends in {' or '.join(MANIFESTS)}.)"
        )
    return Sample(
        id=source.name,
        audio=AudioRef(str(source.absolute())),
        target=replace(around.target, role=role) if role else around.target,
        context=around.before,
        following=around.after,
        language=language or language_of([*around.before, around.target, *around.after]),
        plan=read_plan_option(plan),
    )


def _score_at_once(sample: Sample, step: AptnessStep, running: Running, *, language: Language, as_json: bool) -> int:
    with running.opened_cache() as store:
        outcome = score_sample(sample, step, seed=running.seed, store=store)
    only_line = sample.plan is None and not sample.context and not sample.following
    about = step.about_scoring([sample]) + About(notes=(ONLY_LINE,) if only_line else ())
    if as_json:
        print_json({"id": sample.id, "outcome": to_json(outcome), "notes": about.notes, "licence": about.licence})
    else:
        entry = Entry(Item.make(sample.id, to_json(sample)), outcome)
        if (plan := plan_of(entry)) is not None and plan.emotions:
            print_rich(plan_table(plan, language=language, windows=False))
        print_rich(verdict_table([entry], language=language))
        print_text(outcome.rationale or translate(outcome.reason, language))
        print_about(about, language=language)
    return int(outcome.state is not State.DONE)


def _print_run_as_json(ended: Ended, finished: Finished, folder: Path) -> None:
    items: list[Json] = [
        entry_json(entry, scores={name: score.value for name, score in entry.outcome.scores.items()})
        for entry in ended.run.entries
    ]
    print_json({**run_json(ended, finished, folder), "items": items})
