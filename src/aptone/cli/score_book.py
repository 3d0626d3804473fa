"""``aptone score`` for a whole audiobook, or a film with subtitles."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from aptone.cli.options.engine import Parts
from aptone.cli.options.run import Running, ask_consent
from aptone.cli.output import print_json, print_rich, print_text
from aptone.cli.run_end import exit_code, print_what_is_next, probe_batches
from aptone.errors import RunError, UsageError
from aptone.messages import words
from aptone.models import Transcriber
from aptone.report.notation import clock, group_name, percent
from aptone.report.run_report import finish_run
from aptone.report.terminal import trust_panel, verdict_table
from aptone.rooms.aptness.books.book import (
    PlacedLine,
    book_items,
    book_step,
    cut_lines,
    find_recordings,
    place_lines,
    subtitle_lines,
)
from aptone.rooms.aptness.books.chapters import Book, Division, load_book
from aptone.rooms.aptness.books.line_times import BookAlignment
from aptone.rooms.aptness.books.subtitles import Overlaps
from aptone.rooms.aptness.books.transcription import choose_transcriber, transcribe
from aptone.rooms.aptness.build.report import alignment_lines, alignment_summary, without_place
from aptone.rooms.aptness.report import chapters_of
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep
from aptone.run import RunConfig, RunFolder, display_for, surroundings, write_whole
from aptone.types import Language, State, dumps, to_json

WORST_SHOWN = 10
"""Lines in the table on the terminal; the report has all."""

CLIPS, ALIGNMENT_FILE = "clips", "alignment.json"


@dataclass(frozen=True, slots=True)
class BookOptions:
    """Options for scoring a book.

    Args:
        sources: recordings, or folders of them.
        story: the text, or subtitles.
        language: language of the story; ``None`` to detect it from its characters.
        lang: language of tables, reasons and report; ``None`` for that of the story.
        division: chapter breaks: at headings, at blank lines, or none.
        transcriber: name of one; ``None`` for the one that needs no server.
        overlaps: handling of subtitles that overlap in time.
        output: folder of the run; ``None`` for one named after the story.
    """

    sources: Sequence[Path]
    story: Path
    language: Language | None
    lang: Language | None
    division: Division
    transcriber: str | None
    overlaps: Overlaps
    output: Path | None


def score_book(options: BookOptions, parts: Parts, running: Running, *, as_json: bool) -> int:
    """Find every line in the recordings, judge it, and write a report for the book and for each chapter."""
    recordings = find_recordings(options.sources)
    folder = options.output or Path(f"{options.story.stem}-run")
    step = parts.step(without=("transcriber",), lang=options.lang)
    is_subtitled = options.story.suffix.lower() == ".srt"
    transcriber: Transcriber | None = None
    if is_subtitled:
        if len(recordings) != 1:
            raise UsageError(f"{options.story}: subtitles belong to one recording, got {len(recordings)}.")
        book, placed = subtitle_lines(
            options.story, recordings[0], language=options.language, overlaps=options.overlaps
        )
    else:
        book = load_book(options.story, language=options.language, division=options.division)
        transcriber = choose_transcriber(
            options.transcriber, language=book.language, settings=parts.options_of("transcriber")
        )
    shown = options.lang or book.language
    config = _config(step, transcriber, parts, running, inputs=(*recordings, options.story), folder=folder)
    with RunFolder(folder, config):
        pass  # what comes next has its place in it
    laid: BookAlignment | None = None
    if transcriber is not None:
        placed, laid = _align(book, recordings, transcriber, folder, running)
    clips = cut_lines(placed, recordings, folder / CLIPS)
    items = book_items(book, placed, clips, recordings)
    if laid is not None:
        found = {**alignment_summary(laid, placed, recordings), "by_line": alignment_lines(placed, recordings)}
        write_whole(folder / ALIGNMENT_FILE, dumps(found, indent=2))
    width = parts.load_engine().width
    ended = running.run(items, book_step(step), folder=folder, config=config, width=width, label="score")
    batch = probe_batches(items, book_step(step), running)
    finished = finish_run(ended.run, stopped=ended.stopped, batch=batch, order=ONE_CLIP, language=shown)
    if as_json:
        summary = None if laid is None else alignment_summary(laid, placed, recordings)
        print_json(
            {
                "folder": str(folder),
                "report": str(finished.report),
                "chapters": [str(page) for page in finished.pages],
                "alignment": summary,
                "left_out": _left_out(placed),
                "worked": ended.worked,
                "stopped": ended.stopped,
                "trust": to_json(finished.card),
            }
        )
        return exit_code(ended)
    if laid is not None:
        _print_alignment(laid, placed, recordings, shown)
    if left_out := _left_out(placed):
        print_text(words(shown, "report")("left_out_overlapping", count=len(left_out)))
    scored = [entry for entry in ended.run.entries if entry.repeat == 0 and entry.outcome.state is State.DONE]
    scored.sort(key=lambda entry: entry.outcome.scores[entry.outcome.main_score].value)
    worst = [replace(entry, item=replace(entry.item, position=place)) for place, entry in enumerate(scored)]
    if worst:
        print_rich(verdict_table(worst, language=shown, limit=WORST_SHOWN))
    print_rich(trust_panel(finished.card, language=shown))
    for chapter in chapters_of(ended.run) if finished.pages else ():
        print_text(f"{group_name(chapter.title, shown)}: {folder / chapter.page}")
    print_what_is_next(ended, finished, language=shown)
    return exit_code(ended)


def _config(
    step: AptnessStep,
    transcriber: Transcriber | None,
    parts: Parts,
    running: Running,
    *,
    inputs: Sequence[Path],
    folder: Path,
) -> RunConfig:
    about = step.about if transcriber is None else step.about + transcriber.about
    consent = ask_consent(about.sends_audio_to, clips=len(inputs) - 1, folder=folder, agreed=running.yes)
    heard = {} if transcriber is None else {"transcriber": transcriber.signature}
    return RunConfig(
        verb="score",
        engine=parts.engine,
        settings={**parts.recorded(step), **heard},
        seed=running.seed,
        version=version("aptone"),
        inputs=tuple(map(str, inputs)),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=consent,
        notes=about.notes,
        licence=about.licence,
    )


def _align(
    book: Book, recordings: Sequence[Path], transcriber: Transcriber, folder: Path, running: Running
) -> tuple[list[PlacedLine], BookAlignment]:
    """Transcribe, and align the book with the transcript."""
    heard = transcribe(
        recordings,
        transcriber,
        language=book.language,
        folder=folder,
        carry_out=replace(running, repeat=1, executor="here").run,
        display=display_for(label="minutes searched for speech"),
    )
    if heard.stopped:
        raise RunError(f"{folder}: ended early while transcribing: {heard.stopped}. Type the same command to go on.")
    return place_lines(book, heard.words, heard.pieces.speech())


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
