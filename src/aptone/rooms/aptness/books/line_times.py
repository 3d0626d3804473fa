"""Times of each line of a book, from a transcript with times; or the reason why there are none."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import Literal

import numpy as np

from aptone.messages import message
from aptone.models import TimedText, Transcript
from aptone.rooms.aptness.books.alignment import Pair, align, anchors_of, tokens_of
from aptone.rooms.aptness.books.reading import Reading, read_takes
from aptone.rooms.aptness.books.takes import edge_of
from aptone.types import Language, Segment

LEAST_FOUND = 0.5
"""Share of a line's words that must be heard as they stand for its times to count."""

LEAST_ALIKE = 0.15
"""Score by sound (`reading.Reading`) from which on a whole take counts although most of its words were misheard. What
was heard says 1 for a sound that stands as it is, 0 for a similar one, and takes about 1 for any other."""

LEAST_FIT, FASTEST, SLOWEST = -3.5, 1.8, 3.0
"""How well the sound must fit a line that was not understood for it to count, in standard deviations (by the median
absolute deviation) about the lines that were; and the factors by which it may be faster, or slower, than they usually
are. Chosen on narrations and one character of uqm: lines that nobody read lay below -10, what was misplaced was far too
fast."""

FEWEST_SURE = 10
"""Lines that were understood from which on others can be compared with them."""

LEAST_SHARED = 0.3
"""Share of the shorter one that the transcript's time of a line and that of the sound must have in common."""

LONGEST_GAP = 8.0
"""Seconds between two neighbouring words of a line; beyond that, something else was said between them."""

LONGEST_STRAY = 2.0
"""Seconds between a misheard word at an end of a line and the rest of it; beyond that, it is not where it was found."""

LARGEST_INTERRUPTION = 6
"""Heard words without a place in the text that may lie within a line, or half of the line if that is more."""

LONGEST_LINE = 300.0
"""Seconds of one line; as long as a judge listens."""

LEAST_EXTRA = 8
"""Heard words in a row that are not in the text, from which on they are reported."""


Timed = Literal["word", "phrase", "nothing"]
"""What a transcriber gave the time of."""


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word of the transcript.

    Args:
        token: its token for comparison (`aptone.rooms.aptness.books.alignment`).
        timed: what the transcriber timed: the word itself, a phrase that it is a part of, or nothing.
    """

    token: str
    recording: int
    time: Segment
    timed: Timed = "phrase"


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """When a word of the text is said, by the sound itself.

    Args:
        quietest_before: quietest moment between the word before it and this one; only where it begins a line.
        score: how well the sound fits the word; see `aptone.models.forced_alignment.AlignedWord`.
    """

    recording: int
    time: Segment
    quietest_before: float | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class TextAlignment:
    """Words of a text beside what was heard.

    Args:
        starts: place in the text at which each line begins, and behind them where the text ends.
        heard: heard words, in the order of the text.
        pairs: words of the text and heard words that stand for them.
        same: those that are the same word.
        reading: which take of each line counts, and how sure that is.
    """

    text: tuple[str, ...]
    starts: tuple[int, ...]
    heard: tuple[HeardWord, ...]
    pairs: tuple[Pair, ...]
    same: tuple[Pair, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class LineTime:
    """Place of a line in the recordings.

    Args:
        found: number of words that were heard exactly.
        recording: number of the recording; -1 where the line was not found.
        time: time in that recording; ``None`` where the line was not found.
        problem: reason why the times do not count; empty when they do.
        is_held: whether most of its words were misheard, so that how they sound and the lines on both sides say where
            it is.
        is_aligned: whether its times come from the sound itself, not from a transcript.
        quietest_before: quietest moment about where it begins, for a line that follows without a pause.
        is_parted_before: whether something else was said before it: another take, or words beside the text.
    """

    words: int
    found: int
    recording: int = -1
    time: Segment | None = None
    problem: str = ""
    is_held: bool = False
    is_aligned: bool = False
    quietest_before: float | None = None
    is_parted_before: bool = False

    @property
    def confidence(self) -> float:
        """Share of the words that were heard as they stand, from 0 to 1."""
        return self.found / self.words if self.words else 0.0


@dataclass(frozen=True, slots=True)
class Extra:
    """Speech that is not in the text: an announcement, a remark, another edition."""

    recording: int
    time: Segment
    words: int


@dataclass(frozen=True, slots=True)
class BookAlignment:
    """Alignment of a book with its recordings.

    Args:
        found: number of words that were heard exactly.
        odd: heard words without a match in the text: misheard, misread, or not part of it.
    """

    lines: tuple[LineTime, ...]
    extras: tuple[Extra, ...]
    words: int
    found: int
    heard: int
    odd: tuple[HeardWord, ...] = ()


def heard_words(
    transcript: Transcript, *, recording: int, offset: float, span: Segment, language: Language
) -> Iterator[HeardWord]:
    """The words of the transcript of a piece of a recording, with times in the recording.

    Where the transcriber times phrases, the words of a phrase share its time by their letters.

    Args:
        offset: seconds where the piece begins in it.
        span: span of the speech in the piece, for a transcriber that gives no times.
    """
    for phrase in transcript.pieces or (TimedText(transcript.text, span),):
        tokens = tokens_of(phrase.text, language)
        begin, seconds = offset + phrase.segment.start, phrase.segment.seconds
        lengths = [len(token) + 1 for token in tokens]  # a pause counts as a letter
        ends = [begin + seconds * reached / sum(lengths) for reached in accumulate(lengths)]
        for token, (start, end) in zip(tokens, pairwise([begin, *ends]), strict=True):
            timed: Timed = "nothing" if not transcript.pieces else "word" if len(tokens) == 1 else "phrase"
            yield HeardWord(token, recording, Segment(start, max(start, end)), timed)


def order_recordings(text: Sequence[str], recordings: Sequence[Sequence[HeardWord]]) -> list[HeardWord]:
    """The words of several recordings in the order in which the text has them, whatever their files are called.

    A recording stands where most of its anchors do; one without any stays behind the one that was given before it.
    """
    places: list[int] = []
    for words in recordings:
        anchors = anchors_of(text, [word.token for word in words])
        places.append(anchors[len(anchors) // 2].text if anchors else places[-1] if places else -1)
    order = sorted(range(len(recordings)), key=lambda number: (places[number], number))
    return [word for number in order for word in recordings[number]]


def align_text(lines: Sequence[Sequence[str]], heard: Sequence[HeardWord]) -> TextAlignment:
    """Align the lines of a book, by their words as they are compared, with the transcript in the order of the text.

    Where a line was said more than once, its last whole take counts.
    """
    text = tuple(token for line in lines for token in line)
    starts = (0, *accumulate(len(line) for line in lines))
    tokens = [word.token for word in heard]
    known = [pair for pair in align(text, tokens) if text[pair.text] == tokens[pair.heard]]
    reading = read_takes(text, starts, tokens, known)
    same = tuple(pair for pair in reading.pairs if text[pair.text] == tokens[pair.heard])
    return TextAlignment(text, starts, tuple(heard), reading.pairs, same, reading)


def align_lines(lines: Sequence[Sequence[str]], heard: Sequence[HeardWord]) -> BookAlignment:
    """Return when each line of a book is spoken, as far as its transcript says."""
    return time_lines(align_text(lines, heard))


def time_lines(alignment: TextAlignment, spoken: Mapping[int, SpokenWord] | None = None) -> BookAlignment:
    """Return when each line of a book is spoken.

    Args:
        spoken: words whose time is known from the sound itself, by their place in the text.
    """
    lines: list[_Line] = []
    place = 0
    for number, (begin, end) in enumerate(pairwise(alignment.starts)):
        first = place
        while place < len(alignment.pairs) and alignment.pairs[place].text < end:
            place += 1
        lines.append(_Line(alignment, number, begin, end, alignment.pairs[first:place], spoken or {}))
    times = _held_by_sound(lines, [line.timed() for line in lines])
    paired = {pair.heard for pair in alignment.same}
    return BookAlignment(
        lines=tuple(times),
        extras=tuple(_extras(alignment.heard, paired)),
        words=len(alignment.text),
        found=len(paired),
        heard=len(alignment.heard),
        odd=tuple(word for place, word in enumerate(alignment.heard) if place not in paired),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the text, from word to word of it, with the heard words that stand for its words."""

    alignment: TextAlignment
    number: int
    begin: int
    end: int
    pairs: Sequence[Pair]
    spoken: Mapping[int, SpokenWord]

    def timed(self) -> LineTime:
        """When it is said, and whether that is sure."""
        text, heard = self.alignment.text, self.alignment.heard
        same = [pair for pair in self.pairs if text[pair.text] == heard[pair.heard].token]
        line = LineTime(self.end - self.begin, len(same), is_parted_before=self.number in self.alignment.reading.parted)
        if not line.words:
            return replace(line, problem=message("aptness.line-no-words"))
        if not self.pairs:
            return replace(line, problem=message("aptness.not-found-recording-nobody-seems"))
        first, last = heard[self.pairs[0].heard], heard[self.pairs[-1].heard]
        if first.recording != last.recording:
            return replace(line, problem=message("aptness.line-runs-over-recording-into"))
        line = replace(line, recording=first.recording, time=_span(first, last), is_held=line.confidence < LEAST_FOUND)
        words = self.own_words(same)
        if is_whole(words, self.begin, self.end):
            aligned = self.aligned(line, words)
            gaps = [(one.time, other.time) for (_, one), (_, other) in pairwise(words)]
            problem = self._problem(aligned, same, gaps)
            return replace(
                aligned, problem=problem or ("" if _agree(line, aligned) else message("aptness.times-differ"))
            )
        gaps = [(heard[one.heard].time, heard[other.heard].time) for one, other in pairwise(self.pairs)]
        return replace(line, problem=self._edge_problem(line) or self._problem(line, same, gaps))

    def own_words(self, same: Sequence[Pair]) -> list[tuple[int, SpokenWord]]:
        """The words whose time is known from the sound, without strays: misheard words far from all others."""
        words = [(place, self.spoken[place]) for place in range(self.begin, self.end) if place in self.spoken]
        certain = {pair.text for pair in same}
        for outer, inner in ((0, 1), (-1, -2)):
            while len(words) > 1 and words[outer][0] not in certain and _apart(words[outer][1], words[inner][1]):
                words.pop(outer)
        return words

    def aligned(self, line: LineTime, words: Sequence[tuple[int, SpokenWord]]) -> LineTime:
        """The line with the times of its first and last word in the sound."""
        (place, first), (_, last) = words[0], words[-1]
        return replace(
            line,
            recording=first.recording,
            time=Segment(first.time.start, max(first.time.start, last.time.end)),
            is_aligned=True,
            quietest_before=first.quietest_before if place == self.begin else None,
        )

    def is_elsewhere(self, words: Sequence[tuple[int, SpokenWord]]) -> bool:
        """Return whether the sound of some words is that of a take which was understood: a quotation of a near twin."""
        start, end = words[0][1].time.start, words[-1][1].time.end
        for first, last in self.alignment.reading.other_takes:
            span = _span(self.alignment.heard[first], self.alignment.heard[last])
            common = min(end, span.end) - max(start, span.start)
            if self.alignment.heard[first].recording == words[0][1].recording and common >= LEAST_SHARED * min(
                end - start, span.seconds
            ):
                return True
        return False

    def _edge_problem(self, line: LineTime) -> str:
        """Return whether a line that was found lacks its beginning or its end."""
        edge = edge_of(line.words)
        if not self._is_alike(line):
            return ""  # there is more to say of it
        if self.pairs[0].text - self.begin > edge:
            return message("aptness.beginning-line-not-found-recording")
        return message("aptness.end-line-not-found-recording") if self.end - 1 - self.pairs[-1].text > edge else ""

    def _is_alike(self, line: LineTime) -> bool:
        return not line.is_held or self.alignment.reading.scores[self.number] >= LEAST_ALIKE

    def _problem(self, line: LineTime, same: Sequence[Pair], gaps: Sequence[tuple[Segment, Segment]]) -> str:
        """Return why the times of a line do not count; empty when they do."""
        if not self._is_alike(line):
            return message("aptness.only-words-found-recording", found=line.found, words=line.words)
        longest = max((other.start - one.end for one, other in gaps), default=0.0)
        if longest > LONGEST_GAP:
            return message("aptness.without-words-lie-within-line", count=longest)
        inside = self.pairs[-1].heard - self.pairs[0].heard + 1 - line.words
        if inside > max(LARGEST_INTERRUPTION, line.words // 2):
            return message("aptness.words-not-text-lie-within", count=inside)
        if line.time is not None and line.time.seconds > LONGEST_LINE:
            return message("aptness.line-lasts-judge-listens", count=line.time.seconds, longest=LONGEST_LINE)
        return self.alignment.reading.doubts[self.number]


def _held_by_sound(lines: Sequence[_Line], times: Sequence[LineTime]) -> list[LineTime]:
    """Place lines that were not understood where the sound fits them as well as it fits those that were.

    Their neighbours leave them a place in which about as much was heard as they have words, or the aligner would not
    have looked for them (`word_times.find_word_times`).
    """
    sure = [
        _fit(line, line.own_words(()))
        for line, time in zip(lines, times, strict=True)
        if time.is_aligned and not time.problem and not time.is_held
    ]
    if len(sure) < FEWEST_SURE:
        return list(times)
    fits, paces = (np.array(column) for column in zip(*sure, strict=True))
    middle, pace = float(np.median(fits)), float(np.median(paces))
    spread = 1.4826 * float(np.median(np.abs(fits - middle))) or math.inf
    held = list(times)
    for place, (line, time) in enumerate(zip(lines, times, strict=True)):
        words = line.own_words(())
        if time.found >= LEAST_FOUND * time.words or not is_whole(words, line.begin, line.end):
            continue
        if line.is_elsewhere(words):
            continue
        fit, own = _fit(line, words)
        if time.problem and fit >= middle + LEAST_FIT * spread and pace / SLOWEST <= own <= pace * FASTEST:
            held[place] = replace(line.aligned(time, words), problem="", is_held=True)
    return held


def _fit(line: _Line, words: Sequence[tuple[int, SpokenWord]]) -> tuple[float, float]:
    """How well the sound fits the words of a line, and its pace in letters a second."""
    seconds = sum(word.time.seconds for _, word in words)
    fit = sum(word.score * word.time.seconds for _, word in words) / max(seconds, 0.01)
    letters = sum(len(token) + 1 for token in line.alignment.text[line.begin : line.end])
    return fit, letters / max(words[-1][1].time.end - words[0][1].time.start, 0.01)


def _apart(one: SpokenWord, other: SpokenWord) -> bool:
    first, second = sorted((one.time, other.time), key=lambda time: time.start)
    return one.recording != other.recording or second.start - first.end > LONGEST_STRAY


def _agree(line: LineTime, aligned: LineTime) -> bool:
    """Return whether the time that the transcript gives a line and that of the sound are about the same."""
    if line.time is None or aligned.time is None or line.recording != aligned.recording:
        return False
    common = min(line.time.end, aligned.time.end) - max(line.time.start, aligned.time.start)
    return common >= LEAST_SHARED * min(line.time.seconds, aligned.time.seconds)


def is_whole(words: Sequence[tuple[int, SpokenWord]], begin: int, end: int) -> bool:
    """Return whether the beginning and the end of a line are among the words whose time is known from the sound."""
    edge = edge_of(end - begin)
    recordings = {word.recording for _, word in words}
    return len(recordings) == 1 and words[0][0] - begin <= edge and end - 1 - words[-1][0] <= edge


def _span(first: HeardWord, last: HeardWord) -> Segment:
    return Segment(first.time.start, max(first.time.start, last.time.end))


def _extras(heard: Sequence[HeardWord], paired: set[int]) -> Iterator[Extra]:
    for (is_extra, recording), run in groupby(
        enumerate(heard), key=lambda placed: (placed[0] not in paired, placed[1].recording)
    ):
        words = [word for _, word in run]
        if is_extra and len(words) >= LEAST_EXTRA:
            yield Extra(recording, _span(words[0], words[-1]), len(words))
