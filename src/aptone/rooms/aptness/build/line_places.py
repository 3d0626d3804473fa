"""A work laid beside its recordings: where each of its lines is spoken, or why that is not to be believed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import probe
from aptone.errors import AptoneError, AudioError, RecordError, RunError
from aptone.messages import message
from aptone.models import TimedText, Transcriber, Transcript
from aptone.rooms.aptness.books.book import PlacedLine, place_lines, subtitle_lines
from aptone.rooms.aptness.build.line_checks import LEAST_OF_A_WORK, check_lines
from aptone.rooms.aptness.books.chapters import Book, Division, load_book
from aptone.rooms.aptness.books.line_times import HeardWord, Laid, heard_words
from aptone.rooms.aptness.books.recording_pieces import cut_into_pieces
from aptone.rooms.aptness.books.subtitles import read_subtitles
from aptone.rooms.aptness.books.transcription import PIECES, CarryOut, transcribe
from aptone.rooms.aptness.books.works import Work
from aptone.run import Display
from aptone.files import file_hash
from aptone.types import Language, Segment


@dataclass(frozen=True, slots=True)
class LaidWork:
    """A work whose lines were looked for in its recordings.

    Args:
        work: what it is.
        book: its lines.
        placed: the same with their times, or why those do not count; in the order of the text.
        words: what was heard in each recording; none where subtitles say when a line is spoken.
        laid: how text and transcript match; ``None`` likewise.
        seconds: that each recording lasts.
        speech_seconds: of all recordings together; 0 where nobody looked.
        transcribed_by: signature of the transcriber, or the subtitles.
    """

    work: Work
    book: Book
    placed: tuple[PlacedLine, ...]
    words: tuple[tuple[HeardWord, ...], ...]
    laid: Laid | None
    seconds: tuple[float, ...]
    speech_seconds: float
    transcribed_by: str

    @property
    def told(self) -> list[PlacedLine]:
        """Lines with words that are no headings: those that can become items, and the context of their neighbours."""
        return [line for line in self.placed if line.time.words and not line.line.is_heading]

    def transcript_of(self, line: PlacedLine) -> str:
        """What was heard while a line is spoken, as words are compared; empty where nobody transcribed."""
        time = line.time.time
        if time is None or not self.words:
            return ""
        inside = [
            word.token
            for word in self.words[line.time.recording]
            if time.start <= (word.time.start + word.time.end) / 2 <= time.end
        ]
        return ("" if self.book.language == "zh" else " ").join(inside)


@dataclass(frozen=True, slots=True)
class FallenWork:
    """A work that gives no lines.

    Args:
        work: what it is.
        stage: where it fell.
        reason: why, and what to do.
    """

    work: Work
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The build was stopped while it listened to a work; the same command goes on."""

    reason: str


def read_book(work: Work, division: Division) -> Book | FallenWork:
    """The lines of a work's text; where that is subtitles, see `lay_work`."""
    try:
        return load_book(work.text, language=work.language, division=division)
    except RecordError as error:
        return FallenWork(work, "text", str(error))


def lay_work(
    work: Work,
    book: Book,
    *,
    transcriber: Callable[[Language], Transcriber],
    folder: Path,
    carry_out: CarryOut,
    by_phrase: bool,
    display: Display,
) -> LaidWork | FallenWork | Stopped:
    """Look for the lines of a work in its recordings; the same call goes on where it was stopped.

    Args:
        work: what it is.
        book: its lines.
        transcriber: who hears a language, where the work brings no transcripts.
        folder: where pieces and transcript are kept.
        carry_out: how the run over the pieces is carried out.
        by_phrase: whether every phrase is transcribed by itself.
        display: shows how far the search for speech is.
    """
    try:
        seconds = tuple(probe(recording).seconds for recording in work.recordings)
        if work.is_subtitled:
            return _subtitled(work, seconds)
        if work.transcripts:
            pieces = cut_into_pieces(work.recordings, folder / PIECES, display=display)
            words = tuple(
                tuple(_read_transcript(path, number, book.language)) for number, path in enumerate(work.transcripts)
            )
            by = ", ".join(f"{path.name} ({file_hash(path)[:16]})" for path in work.transcripts)
        else:
            listener = transcriber(book.language)
            heard = transcribe(
                work.recordings,
                listener,
                language=book.language,
                folder=folder,
                carry_out=carry_out,
                by_phrase=by_phrase,
                display=display,
            )
            if heard.stopped:
                return Stopped(heard.stopped)
            pieces, words, by = heard.pieces, heard.words, listener.signature
    except (AudioError, RecordError, RunError) as error:
        return FallenWork(work, _stage_of(error), str(error))
    speech = pieces.speech()
    spoken = sum(segment.seconds for recording in speech for segment in recording)
    if not spoken:
        return FallenWork(work, "speech", message("aptness.nobody-speaks-recordings"))
    placed, laid = place_lines(book, words, speech)
    if max(laid.found / max(1, laid.words), laid.found / max(1, laid.heard)) < LEAST_OF_A_WORK:
        return FallenWork(
            work,
            "alignment",
            message("aptness.text-recordings-do-not-match", found=laid.found, words=laid.words, heard=laid.heard),
        )
    checked = check_lines(placed, seconds, language=book.language, words=words, odd=laid.odd)
    return LaidWork(work, book, tuple(checked), words, laid, seconds, spoken, by)


def _stage_of(error: AptoneError) -> str:
    if isinstance(error, AudioError):
        return "recordings"
    return "transcript" if isinstance(error, RunError) else "text"


def _subtitled(work: Work, seconds: Sequence[float]) -> LaidWork:
    book, placed = subtitle_lines(work.text, work.recordings[0], language=work.language, overlaps="skip")
    checked = check_lines(placed, seconds, language=book.language)
    return LaidWork(work, book, tuple(checked), (), None, tuple(seconds), 0.0, f"times of {work.text.name}")


def _read_transcript(path: Path, recording: int, language: Language) -> list[HeardWord]:
    """The words of a transcript with times, as a transcriber would have heard them."""
    words: list[HeardWord] = []
    for cue in read_subtitles(path):
        if cue.is_spoken:
            phrase = Transcript(cue.text, (TimedText(cue.text, cue.time),))
            words += heard_words(phrase, recording=recording, offset=0.0, span=Segment(0.0, 0.0), language=language)
    return words
