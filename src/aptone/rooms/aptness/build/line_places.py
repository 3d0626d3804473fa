"""Alignment of a work with its recordings: the place of each line, or the reason why it is not trusted."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from aptone.audio import probe
from aptone.errors import AudioError, RecordError, RunError
from aptone.files import file_hash
from aptone.messages import message
from aptone.models import TimedText, Transcriber, Transcript
from aptone.rooms.aptness.books.book import PlacedLine, lay_text, place_lines, subtitle_lines
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.line_times import BookAlignment, HeardWord, heard_words
from aptone.rooms.aptness.books.transcription import PIECES, cut_into_pieces, transcribe
from aptone.rooms.aptness.books.word_times import find_aligner, find_word_times
from aptone.rooms.aptness.books.works import Work
from aptone.rooms.aptness.step import CarryOut
from aptone.rooms.aptness.subtitles import read_subtitles
from aptone.run import Display
from aptone.types import Language, Segment

AROUND, FEWEST_AROUND, LEAST_AROUND = 20, 5, 0.6
"""Words on either side of a line, in the text or in the recording, that are looked at; fewest words on a side that say
anything at all; share of them that must have been found."""

SURE_WORDS, SURE_SHARE = 8, 0.75
"""Words of a line that were heard as they stand from which on it needs no neighbours, and their share of the line."""

SHORTEST = 0.2
"""Seconds of a line."""

FASTEST: dict[Language, float] = {"en": 8.0, "zh": 12.0}
"""Words, or characters in Mandarin, that anybody can say in a second."""

SLOWEST, SLOW_WORDS = 0.4, 4
"""Words a second of a line of at least `SLOW_WORDS` words: a slower line holds something else."""

LEAST_OF_A_WORK = 0.2
"""Share of the words of the text, or of what was heard, that must have been found for a work to count: chance finds
about 0.1."""


def check_lines(
    placed: Sequence[PlacedLine],
    seconds: Sequence[float],
    *,
    language: Language,
    words: Sequence[Sequence[HeardWord]] = (),
    odd: Collection[HeardWord] = (),
) -> list[PlacedLine]:
    """The lines of a work; those that are not to be believed have their problem.

    Args:
        words: heard words of each recording, in order; none where lines were not found by their words, as those of
            subtitles: they need no neighbours.
    """
    checked = [_within(line, seconds) for line in placed]
    if words:
        support = _support(checked, words, odd)
        checked = [_supported(line, share) for line, share in zip(checked, support, strict=True)]
    return [_plausible(line, language) for line in checked]


def _with_problem(line: PlacedLine, problem: str) -> PlacedLine:
    return replace(line, time=replace(line.time, problem=problem))


def _within(line: PlacedLine, seconds: Sequence[float]) -> PlacedLine:
    """A line that ends a little behind its recording ends with it; one that begins there is nowhere."""
    time = line.time.time
    if line.time.problem or time is None:
        return line
    end = seconds[line.time.recording]
    if time.start >= end:
        return _with_problem(line, message("aptness.begins-behind-end", start=time.start, end=end))
    return replace(line, time=replace(line.time, time=Segment(time.start, min(time.end, end))))


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of words: how many there are before each place, and how many of those were found."""

    words: tuple[int, ...]
    found: tuple[int, ...]

    @classmethod
    def of(cls, words: Iterable[int], found: Iterable[int]) -> "_Row":
        return cls((0, *accumulate(words)), (0, *accumulate(found)))

    def beside(self, first: int, last: int) -> float:
        """Share of the words just before the first place, or just behind the last, that were found: the larger one."""
        low = max(0, bisect_right(self.words, self.words[first] - AROUND) - 1)
        high = min(len(self.words) - 1, bisect_left(self.words, self.words[last] + AROUND))
        return max(self._share(low, first), self._share(last, high))

    def _share(self, first: int, last: int) -> float:
        """Share of words that were found; 0 where there are too few words."""
        words = self.words[last] - self.words[first]
        return (self.found[last] - self.found[first]) / words if words >= FEWEST_AROUND else 0.0


def _support(
    placed: Sequence[PlacedLine], words: Sequence[Sequence[HeardWord]], odd: Collection[HeardWord]
) -> Iterator[float]:
    """Return for each line the share of words beside it that were found: in the text, or in what was said."""
    text = _Row.of((line.time.words for line in placed), (line.time.found for line in placed))
    strange = frozenset(odd)
    said = [_Row.of((1 for _ in own), (word not in strange for word in own)) for own in words]
    starts = [[word.time.start for word in own] for own in words]
    for place, line in enumerate(placed):
        share = text.beside(place, place + 1)
        time, number = line.time.time, line.time.recording
        if time is not None:
            first, last = bisect_left(starts[number], time.start), bisect_left(starts[number], time.end)
            share = max(share, said[number].beside(first, last))
        yield share


def _supported(line: PlacedLine, share: float) -> PlacedLine:
    if line.time.is_held:  # it may be something else that is said between its neighbours
        return _with_problem(line, message("aptness.words-misheard-only-neighbours-say"))
    is_sure = line.time.found >= SURE_WORDS and line.time.confidence >= SURE_SHARE
    if line.time.problem or share >= LEAST_AROUND or is_sure:
        return line
    return _with_problem(line, message("aptness.only-words-around-found-may", share=100 * share))


def _plausible(line: PlacedLine, language: Language) -> PlacedLine:
    time = line.time.time
    if line.time.problem or time is None:
        return line
    if time.seconds < SHORTEST:
        return _with_problem(line, message("aptness.too-short", count=time.seconds))
    rate = line.time.words / time.seconds
    if rate > FASTEST[language]:
        return _with_problem(line, message("aptness.wrong-pace", count=f"{rate:.0f}"))
    if rate < SLOWEST and line.time.words >= SLOW_WORDS:
        return _with_problem(line, message("aptness.wrong-pace", count=f"{rate:.1f}"))
    return line


@dataclass(frozen=True, slots=True)
class AlignedWork:
    """A work whose lines were looked for in its recordings.

    Args:
        placed: lines with their times, or the reason why those do not count; in the order of the text.
        words: heard words of each recording; none where subtitles say when a line is spoken.
        alignment: alignment of text and transcript; ``None`` for subtitles.
        speech_seconds: seconds of speech in all recordings; 0 where it was not detected.
        transcribed_by: signature of the transcriber, or the subtitles.
    """

    work: Work
    book: Book
    placed: tuple[PlacedLine, ...]
    words: tuple[tuple[HeardWord, ...], ...]
    alignment: BookAlignment | None
    seconds: tuple[float, ...]
    speech_seconds: float
    transcribed_by: str

    @property
    def content_lines(self) -> list[PlacedLine]:
        """Lines with words that are no headings: those that can become items, and the context of their neighbours."""
        return [line for line in self.placed if line.time.words and not line.line.is_heading]

    def transcript_of(self, line: PlacedLine) -> str:
        """Return the words heard during a line, as tokens; empty without a transcript."""
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
class RejectedWork:
    """A work that gives no lines, with the cause and what to do."""

    work: Work
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The build was stopped while it listened to a work; the same command goes on."""

    reason: str


def read_book(work: Work, division: Division) -> Book | RejectedWork:
    """The lines of a work's text; where that is subtitles, see `align_work`."""
    try:
        return load_book(work.text, language=work.language, division=division)
    except RecordError as error:
        return RejectedWork(work, "text", str(error))


def align_work(
    work: Work,
    book: Book,
    *,
    transcriber: Callable[[Language], Transcriber],
    folder: Path,
    carry_out: CarryOut,
    by_phrase: bool,
    display: Display,
) -> AlignedWork | RejectedWork | Stopped:
    """Look for the lines of a work in its recordings; the same call goes on where it was stopped."""
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
        stage = (
            "recordings" if isinstance(error, AudioError) else "transcript" if isinstance(error, RunError) else "text"
        )
        return RejectedWork(work, stage, str(error))
    speech = pieces.speech()
    spoken = sum(segment.seconds for recording in speech for segment in recording)
    if not spoken:
        return RejectedWork(work, "speech", message("aptness.nobody-speaks-recordings"))
    aligner = find_aligner(book.language)
    try:
        timed = find_word_times(lay_text(book, words), pieces, aligner, folder=folder, carry_out=carry_out)
    except RunError as error:
        return RejectedWork(work, "alignment", str(error))
    if timed.stopped:
        return Stopped(timed.stopped)
    placed, alignment = place_lines(book, timed.text, speech, timed.spoken)
    if max(alignment.found / max(1, alignment.words), alignment.found / max(1, alignment.heard)) < LEAST_OF_A_WORK:
        why = message(
            "aptness.text-recordings-do-not-match", found=alignment.found, words=alignment.words, heard=alignment.heard
        )
        return RejectedWork(work, "alignment", why)
    checked = check_lines(placed, seconds, language=book.language, words=words, odd=alignment.odd)
    return AlignedWork(work, book, tuple(checked), words, alignment, seconds, spoken, by)


def _subtitled(work: Work, seconds: Sequence[float]) -> AlignedWork:
    book, placed = subtitle_lines(work.text, work.recordings[0], language=work.language, overlaps="skip")
    checked = check_lines(placed, seconds, language=book.language)
    return AlignedWork(work, book, tuple(checked), (), None, tuple(seconds), 0.0, f"times of {work.text.name}")


def _read_transcript(path: Path, recording: int, language: Language) -> list[HeardWord]:
    """The words of a transcript with times, as a transcriber would have heard them."""
    words: list[HeardWord] = []
    for cue in read_subtitles(path):
        if cue.is_spoken:
            phrase = Transcript(cue.text, (TimedText(cue.text, cue.time),))
            words += heard_words(phrase, recording=recording, offset=0.0, span=Segment(0.0, 0.0), language=language)
    return words
