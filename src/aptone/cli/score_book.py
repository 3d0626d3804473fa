"""A whole audiobook, or a film with subtitles: every line found in the recordings, judged and reported by chapter."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.engine import Parts
from aptone.cli.options.language import names_of
from aptone.cli.options.run import Running
from aptone.cli.options.values import choice_option
from aptone.cli.output import (
    LIMIT_REACHED,
    complete,
    print_json,
    print_rich,
    print_text,
)
from aptone.ear.reference import SELF
from aptone.errors import RunError, UsageError
from aptone.messages import message, words
from aptone.models import Transcriber
from aptone.models.forced_alignment import WordAligner
from aptone.report.notation import clock, group_name, percent
from aptone.rooms.aptness.books.archived_recordings import find_book_recordings
from aptone.rooms.aptness.books.book import (
    Narration,
    PlacedLine,
    book_items,
    book_step,
    cut_lines,
    lay_text,
    place_lines,
    spoken_samples,
    subtitle_lines,
)
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.formats.timed_text import TIMED_SUFFIXES
from aptone.rooms.aptness.books.line_times import BookAlignment, LineTime
from aptone.rooms.aptness.books.stated_times import (
    are_all_stated,
    place_stated,
    prefer_stated,
    stated_times,
    within_recordings,
)
from aptone.rooms.aptness.books.transcription import choose_transcriber, transcribe
from aptone.rooms.aptness.books.word_times import find_aligner, find_word_times
from aptone.rooms.aptness.build.report import alignment_lines, alignment_summary, without_place
from aptone.rooms.aptness.production.files import production_of
from aptone.rooms.aptness.production.page import retake_table
from aptone.rooms.aptness.report import chapters_of
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep
from aptone.rooms.aptness.subtitles import Overlaps
from aptone.run import RunConfig, RunFolder, display_for, write_whole
from aptone.run.progress import reached_limit
from aptone.types import Language, dumps, to_json

CLIPS, ALIGNMENT_FILE = "clips", "alignment.json"

WORST_SHOWN = 10
"""Retakes of a book in the table on the terminal; the production report has all."""


@dataclass(frozen=True, slots=True)
class BookOptions:
    """Options for scoring a book.

    Args:
        division: chapter breaks: at headings, at blank lines, or none.
        narration: whether narration is judged or only context.
        transcriber: name of one; ``None`` for the one that needs no server.
        overlaps: handling of subtitles that overlap in time.
    """

    division: Division
    narration: Narration
    transcriber: str | None
    overlaps: Overlaps


book_options = gather_options(
    BookOptions,
    argument="book",
    options=(
        choice_option(
            "--chapters",
            "division",
            ["headings", "blank", "none"],
            "Chapter breaks of a book: at headings, at two empty lines, or none.",
        ),
        choice_option(
            "--narration",
            "narration",
            ["judge", "skip"],
            "Narration of a book: judge its pace and tone, or leave it as context.",
        ),
        click.option(
            "--transcriber",
            shell_complete=names_of("transcribers"),
            help="Transcriber that finds the lines of a book in its recordings; by default one that needs no server.",
        ),
        choice_option(
            "--overlaps", "overlaps", ["refuse", "skip", "keep"], "Handling of subtitles that overlap in time."
        ),
    ),
)


def score_book(
    sources: Sequence[Path],
    story: Path,
    options: BookOptions,
    parts: Parts,
    running: Running,
    folder: Path,
    language: Language | None,
    *,
    lang: Language | None,
    as_json: bool,
) -> int:
    """Find every line in the recordings, judge it, and write a report for the book and for each chapter."""
    given = find_book_recordings(sources, folder)
    recordings = given.paths
    step = parts.step(without=("transcriber",), lang=lang)
    is_subtitled = story.suffix.lower() in TIMED_SUFFIXES
    transcriber: Transcriber | None = None
    stated: dict[int, LineTime] = {}
    placed: list[PlacedLine] | None = None
    if is_subtitled:
        if given.book is not None:
            raise UsageError(message("books.subtitles-of-talking-book", name=story))
        if len(recordings) != 1:
            raise UsageError(f"{story}: subtitles belong to one recording, got {len(recordings)}.")
        book, placed = subtitle_lines(story, recordings[0], language=language, overlaps=options.overlaps)
    else:
        book = load_book(story, language=language, division=options.division)
        stated = stated_times(book, given.names)
        if not are_all_stated(book, stated, narration=options.narration):
            transcriber = choose_transcriber(
                options.transcriber, language=book.language, settings=parts.options_of("transcriber")
            )
    shown = lang or book.language
    aligner = None if transcriber is None else find_aligner(book.language)
    config = _config(step, transcriber, aligner, parts, running, inputs=(*recordings, story), folder=folder)
    with RunFolder(folder, config):
        pass  # what comes next has its place in it
    given.extract()
    stated = within_recordings(stated, recordings)
    laid: BookAlignment | None = None
    if transcriber is not None:
        found_lines, laid = _align(book, recordings, transcriber, aligner, folder, running)
        placed = prefer_stated(found_lines, stated)
    elif placed is None:
        placed = place_stated(book, stated)
    clips = cut_lines(placed, recordings, folder / CLIPS)
    items = book_items(book, placed, clips, recordings, narration=options.narration)
    step = parts.with_reference(step, spoken_samples(items), folder=folder, reference=SELF)
    if laid is not None:
        found = {**alignment_summary(laid, placed, recordings), "by_line": alignment_lines(placed, recordings)}
        write_whole(folder / ALIGNMENT_FILE, dumps(found, indent=2))
    width = parts.load_engine().width
    ended = running.run(items, book_step(step), folder=folder, config=config, width=width, label="score")
    done = complete(ended, items, book_step(step), running, order=ONE_CLIP, language=shown)
    finished = done.finished
    if as_json:
        summary = None if laid is None else alignment_summary(laid, placed, recordings)
        print_json(
            folder=str(folder),
            report=str(finished.report),
            production=str(finished.pages[0]) if finished.pages else None,
            chapters=[str(page) for page in finished.pages[1:]],
            alignment=summary,
            left_out=_left_out(placed),
            worked=ended.worked,
            stopped=ended.stopped,
            trust=to_json(finished.card),
        )
        return done.exit_code
    if laid is not None:
        _print_alignment(laid, placed, recordings, shown)
    if left_out := _left_out(placed):
        print_text(words(shown, "report")("left_out_overlapping", count=len(left_out)))
    production = production_of(ended.run)
    if production is not None and production.retakes.retakes:
        print_rich(retake_table(production, language=shown, limit=WORST_SHOWN))
    chapters = chapters_of(ended.run) if len(finished.pages) > 1 else ()
    pages = [f"{group_name(one.title, shown)}: {folder / one.page}" for one in chapters]
    done.print(shown, pages=[*pages, *(words(shown, "production")("is_at", path=page) for page in finished.pages[:1])])
    return done.exit_code


def _config(
    step: AptnessStep,
    transcriber: Transcriber | None,
    aligner: WordAligner | None,
    parts: Parts,
    running: Running,
    *,
    inputs: Sequence[Path],
    folder: Path,
) -> RunConfig:
    listeners = {"transcriber": transcriber, "aligner": aligner}
    named = {name: part for name, part in listeners.items() if part is not None}
    about = sum((part.about for part in named.values()), step.about)
    consent = running.consent(about, clips=len(inputs) - 1, folder=folder)
    heard = {name: part.signature for name, part in named.items()}
    return running.config(
        "score", parts.engine, {**parts.recorded(step, reference=SELF), **heard}, about, inputs=inputs, consent=consent
    )


def _align(
    book: Book,
    recordings: Sequence[Path],
    transcriber: Transcriber,
    aligner: WordAligner | None,
    folder: Path,
    running: Running,
) -> tuple[list[PlacedLine], BookAlignment]:
    """Transcribe, align the book with the transcript, and its words with the sound."""
    listening = replace(running, repeat=1, executor="local")
    heard = transcribe(
        recordings,
        transcriber,
        language=book.language,
        folder=folder,
        carry_out=listening.run,
        display=display_for(label="minutes searched for speech"),
    )
    _end_if_stopped(heard.stopped, "transcribing", folder)
    found = find_word_times(lay_text(book, heard.words), heard.pieces, aligner, folder=folder, carry_out=listening.run)
    _end_if_stopped(found.stopped, "aligning", folder)
    return place_lines(book, found.text, heard.pieces.speech(), found.spoken)


def _end_if_stopped(stopped: str, doing: str, folder: Path) -> None:
    """Leave the command if a run over the recordings ended early."""
    if reached_limit(stopped):
        click.echo(f"aptone: {folder}: ended early while {doing}: {stopped}.", err=True)
        raise click.exceptions.Exit(LIMIT_REACHED)
    if stopped:
        raise RunError(f"{folder}: ended early while {doing}: {stopped}. Type the same command to go on.")


def _left_out(placed: Sequence[PlacedLine]) -> list[int]:
    """Numbers of the subtitles that are not judged, since they are shown at once with another one."""
    return [line.number for line in placed if line.heard == "with another"]


def _print_alignment(
    laid: BookAlignment, placed: Sequence[PlacedLine], recordings: Sequence[Path], language: Language
) -> None:
    word = words(language, "report")
    missing = len(without_place(placed))
    share = percent(laid.found, laid.words)
    print_text(word("laid_beside", found=laid.found, words=laid.words, share=share, missing=missing))
    if laid.extras:
        longest = max(laid.extras, key=lambda extra: extra.words)
        at, name = clock(longest.time.start), recordings[longest.recording].name
        print_text(word("extra_speech", count=len(laid.extras), words=longest.words, at=at, recording=name))
