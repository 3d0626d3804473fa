"""Times of each line of a book, from a transcript with times; or the reason why there are none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from statistics import median
from typing import Literal

from aptone.messages import message
from aptone.models import TimedText, Transcript
from aptone.rooms.aptness.books.alignment import Pair, align, anchors_of, tokens_of
from aptone.rooms.aptness.books.takes import last_takes
from aptone.types import Language, Segment

LEAST_FOUND = 0.5
"""Share of a line's words that must be heard as they stand for its times to count."""

LARGEST_EDGE = 2
"""Words at the beginning, or the end, of a line that may be missing, or a quarter of the line if that is more."""

LONGEST_HELD, LONGEST_HELD_RUN = 12, 100
"""Words of a misheard line that may be placed by the lines on both sides of it: between half as many and twice as many
words must have been heard there. Words of several such lines in a row, where the sound says when each is said."""

LARGEST_PACE = 2.5
"""Factor by which a line that is held by its neighbours may be faster or slower than the lines that were heard."""

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
    """

    recording: int
    time: Segment
    quietest_before: float | None = None


@dataclass(frozen=True, slots=True)
class TextAlignment:
    """Words of a text beside what was heard.

    Args:
        starts: place in the text at which each line begins, and behind them where the text ends.
        heard: heard words, in the order of the text.
        pairs: words of the text and heard words that stand for them.
        same: those that are the same word.
    """

    text: tuple[str, ...]
    starts: tuple[int, ...]
    heard: tuple[HeardWord, ...]
    pairs: tuple[Pair, ...]
    same: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class LineTime:
    """Place of a line in the recordings.

    Args:
        found: number of words that were heard exactly.
        recording: number of the recording; -1 where the line was not found.
        time: time in that recording; ``None`` where the line was not found.
        problem: reason why the times do not count; empty when they do.
        is_held: whether its words were misheard, and only the lines on both sides say where it is.
        is_aligned: whether its times come from the sound itself, not from a transcript.
        quietest_before: quietest moment about where it begins, for a line that follows without a pause.
    """

    words: int
    found: int
    recording: int = -1
    time: Segment | None = None
    problem: str = ""
    is_held: bool = False
    is_aligned: bool = False
    quietest_before: float | None = None

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
    pairs = tuple(last_takes(align(text, tokens), text, tokens, starts))
    same = tuple(pair for pair in pairs if text[pair.text] == tokens[pair.heard])
    return TextAlignment(text, starts, tuple(heard), pairs, same)


def align_lines(lines: Sequence[Sequence[str]], heard: Sequence[HeardWord]) -> BookAlignment:
    """Return when each line of a book is spoken, as far as its transcript says."""
    return time_lines(align_text(lines, heard))


def time_lines(alignment: TextAlignment, spoken: Mapping[int, SpokenWord] | None = None) -> BookAlignment:
    """Return when each line of a book is spoken.

    Args:
        spoken: words whose time is known from the sound itself, by their place in the text.
    """
    times, spans = [], []
    place = 0
    for begin, end in pairwise(alignment.starts):
        first = place
        while place < len(alignment.pairs) and alignment.pairs[place].text < end:
            place += 1
        own = alignment.pairs[first:place]
        words = _own_words(alignment, own, spoken or {}, begin, end)
        times.append(_line_time(own, words, alignment, begin, end))
        spans.append(_LineSpan(own, words, begin, alignment.text[begin:end]))
    held = _hold_by_neighbours(times, spans, alignment.heard)
    paired = {pair.heard for pair in alignment.same}
    return BookAlignment(
        lines=tuple(held),
        extras=tuple(_extras(alignment.heard, paired)),
        words=len(alignment.text),
        found=len(paired),
        heard=len(alignment.heard),
        odd=tuple(word for place, word in enumerate(alignment.heard) if place not in paired),
    )


def _own_words(
    alignment: TextAlignment, pairs: Sequence[Pair], spoken: Mapping[int, SpokenWord], begin: int, end: int
) -> list[tuple[int, SpokenWord]]:
    """The words of a line whose time is known from the sound, without strays: misheard words far from all others."""
    words = [(place, spoken[place]) for place in range(begin, end) if place in spoken]
    certain = {pair.text for pair in pairs if alignment.text[pair.text] == alignment.heard[pair.heard].token}
    for outer, inner in ((0, 1), (-1, -2)):
        while len(words) > 1 and words[outer][0] not in certain and _apart(words[outer][1], words[inner][1]):
            words.pop(outer)
    return words


def _apart(one: SpokenWord, other: SpokenWord) -> bool:
    first, second = sorted((one.time, other.time), key=lambda time: time.start)
    return one.recording != other.recording or second.start - first.end > LONGEST_STRAY


def _line_time(
    pairs: Sequence[Pair],
    words: Sequence[tuple[int, SpokenWord]],
    alignment: TextAlignment,
    begin: int,
    end: int,
) -> LineTime:
    same = [pair for pair in pairs if alignment.text[pair.text] == alignment.heard[pair.heard].token]
    bare = LineTime(end - begin, len(same))
    if not bare.words:
        return replace(bare, problem=message("aptness.line-no-words"))
    if not same:
        return replace(bare, problem=message("aptness.not-found-recording-nobody-seems"))
    first, last = alignment.heard[pairs[0].heard], alignment.heard[pairs[-1].heard]
    if first.recording != last.recording:
        return replace(bare, problem=message("aptness.line-runs-over-recording-into"))
    edge = _edge(bare.words)
    if is_whole(words, begin, end):
        line = _aligned(bare, words, begin)
        gaps = [(one.time, other.time) for (_, one), (_, other) in pairwise(words)]
        return replace(line, problem=_time_problem(line, same, gaps))
    spoken = replace(bare, recording=first.recording, time=_span(first, last))
    if spoken.confidence >= LEAST_FOUND and same[0].text - begin > edge:
        return replace(spoken, problem=message("aptness.beginning-line-not-found-recording"))
    if spoken.confidence >= LEAST_FOUND and end - 1 - same[-1].text > edge:
        return replace(spoken, problem=message("aptness.end-line-not-found-recording"))
    gaps = [(alignment.heard[one.heard].time, alignment.heard[other.heard].time) for one, other in pairwise(same)]
    return replace(spoken, problem=_time_problem(spoken, same, gaps))


def _edge(words: int) -> int:
    """Number of words that may be missing at either end of a line of so many words."""
    return max(LARGEST_EDGE, words // 4) if words > LARGEST_EDGE else 0


def is_whole(words: Sequence[tuple[int, SpokenWord]], begin: int, end: int) -> bool:
    """Return whether the beginning and the end of a line are among the words whose time is known from the sound."""
    edge = _edge(end - begin)
    recordings = {word.recording for _, word in words}
    return len(recordings) == 1 and words[0][0] - begin <= edge and end - 1 - words[-1][0] <= edge


def _aligned(line: LineTime, words: Sequence[tuple[int, SpokenWord]], begin: int) -> LineTime:
    """A line with the times of its first and last word in the sound."""
    (place, first), (_, last) = words[0], words[-1]
    return replace(
        line,
        recording=first.recording,
        time=Segment(first.time.start, max(first.time.start, last.time.end)),
        is_aligned=True,
        quietest_before=first.quietest_before if place == begin else None,
    )


def _span(first: HeardWord, last: HeardWord) -> Segment:
    return Segment(first.time.start, max(first.time.start, last.time.end))


def _time_problem(line: LineTime, same: Sequence[Pair], gaps: Sequence[tuple[Segment, Segment]]) -> str:
    """Return why the times of a line that was found do not count; empty when they do."""
    if line.confidence < LEAST_FOUND:
        return message("aptness.only-words-found-recording", found=line.found, words=line.words)
    longest = max((other.start - one.end for one, other in gaps), default=0.0)
    if longest > LONGEST_GAP:
        return message("aptness.without-words-lie-within-line", count=longest)
    inside = same[-1].heard - same[0].heard + 1 - len(same) - (line.words - line.found)
    if inside > max(LARGEST_INTERRUPTION, line.words // 2):
        return message("aptness.words-not-text-lie-within", count=inside)
    if line.time is not None and line.time.seconds > LONGEST_LINE:
        return message("aptness.line-lasts-judge-listens", count=line.time.seconds, longest=LONGEST_LINE)
    return ""


@dataclass(frozen=True, slots=True)
class _LineSpan:
    """Words of a line: those of the transcript, those whose time is known from the sound, and as the text has them."""

    pairs: Sequence[Pair]
    spoken: Sequence[tuple[int, SpokenWord]]
    begin: int
    tokens: Sequence[str]

    @property
    def is_whole(self) -> bool:
        return is_whole(self.spoken, self.begin, self.begin + len(self.tokens))

    def pace(self) -> float:
        """Letters a second."""
        seconds = self.spoken[-1][1].time.end - self.spoken[0][1].time.start
        return sum(len(token) + 1 for token in self.tokens) / max(seconds, 0.01)


def _hold_by_neighbours(
    times: Sequence[LineTime], spans: Sequence[_LineSpan], heard: Sequence[HeardWord]
) -> list[LineTime]:
    """Place lines that were misheard where their neighbours leave them just one place: what was heard between them."""
    held = list(times)
    paces = [span.pace() for line, span in zip(times, spans, strict=True) if line.is_aligned and not line.problem]
    usual = median(paces) if paces else 0.0
    for is_lost, run in groupby(range(len(times)), key=lambda number: bool(times[number].problem)):
        numbers = list(run)
        before, behind = numbers[0] - 1, numbers[-1] + 1
        if not is_lost or before < 0 or behind == len(times):
            continue
        lost = [number for number in numbers if times[number].words]
        between = heard[spans[before].pairs[-1].heard + 1 : spans[behind].pairs[0].heard]
        recordings = {times[before].recording, times[behind].recording}
        if not lost or not _fits([times[number] for number in lost], between, recordings):
            continue
        own = [spans[number] for number in lost]
        words = sum(len(span.tokens) for span in own)
        if words <= LONGEST_HELD_RUN and all(span.is_whole and _usual_pace(span, usual) for span in own):
            for number, span in zip(lost, own, strict=True):
                placed = _aligned(times[number], span.spoken, span.begin)
                held[number] = replace(placed, problem="", is_held=True)
        elif len(lost) == 1 and words <= LONGEST_HELD:
            time = _span(between[0], between[-1])
            held[lost[0]] = replace(
                times[lost[0]], recording=between[0].recording, time=time, problem="", is_held=True, is_aligned=False
            )
    return held


def _fits(lines: Sequence[LineTime], between: Sequence[HeardWord], recordings: set[int]) -> bool:
    """Return whether what was heard between two lines can be these lines: about as many words, without a long gap."""
    words = sum(line.words for line in lines)
    if not words <= 2 * len(between) <= 4 * words + 2:
        return False
    gaps = (other.time.start - one.time.end for one, other in pairwise(between))
    return len({*recordings, *(word.recording for word in between)}) == 1 and max(gaps, default=0.0) <= LONGEST_GAP


def _usual_pace(span: _LineSpan, usual: float) -> bool:
    return usual / LARGEST_PACE <= span.pace() <= usual * LARGEST_PACE


def _extras(heard: Sequence[HeardWord], paired: set[int]) -> Iterator[Extra]:
    for (is_extra, recording), run in groupby(
        enumerate(heard), key=lambda placed: (placed[0] not in paired, placed[1].recording)
    ):
        words = [word for _, word in run]
        if is_extra and len(words) >= LEAST_EXTRA:
            yield Extra(recording, _span(words[0], words[-1]), len(words))
