"""Times of each line of a book, from a transcript with times; or the reason why there are none."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

from aptone.messages import message
from aptone.models import TimedText, Transcript
from aptone.rooms.aptness.books.alignment import Pair, align, anchors_of, tokens_of
from aptone.types import Language, Segment

LEAST_FOUND = 0.5
"""Share of a line's words that must be heard as they stand for its times to count."""

LARGEST_EDGE = 2
"""Words at the beginning, or the end, of a line that may be missing, or a quarter of the line if that is more."""

LONGEST_HELD = 12
"""Words of a misheard line that may be placed by the lines on both sides of it: between half as many and twice as many
words must have been heard there."""

LONGEST_GAP = 8.0
"""Seconds between two neighbouring words of a line; beyond that, something else was said between them."""

LARGEST_INTERRUPTION = 6
"""Heard words without a place in the text that may lie within a line, or half of the line if that is more."""

LONGEST_LINE = 300.0
"""Seconds of one line; as long as a judge listens."""

SNAP, PADDING = 0.6, 0.05
"""Seconds by which the border of two lines may be moved into a pause, since word times are no better than that; seconds
of the pause that stay with a line at either end."""

LEAST_EXTRA = 8
"""Heard words in a row that are not in the text, from which on they are reported."""


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word of the transcript, and its token for comparison (`aptone.rooms.aptness.books.alignment`)."""

    token: str
    recording: int
    time: Segment


@dataclass(frozen=True, slots=True)
class LineTime:
    """Place of a line in the recordings.

    Args:
        found: number of words that were heard exactly.
        recording: number of the recording; -1 where the line was not found.
        time: time in that recording; ``None`` where the line was not found.
        problem: reason why the times do not count; empty when they do.
        is_held: whether its words were misheard, and only the lines on both sides say where it is.
    """

    words: int
    found: int
    recording: int = -1
    time: Segment | None = None
    problem: str = ""
    is_held: bool = False

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
            yield HeardWord(token, recording, Segment(start, max(start, end)))


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


def align_lines(lines: Sequence[Sequence[str]], heard: Sequence[HeardWord]) -> BookAlignment:
    """Return when each line of a book is spoken, by its words as they are compared and the transcript in its order."""
    text = [token for line in lines for token in line]
    pairs = align(text, [word.token for word in heard])
    starts = [0, *accumulate(len(line) for line in lines)]
    times, spans = [], []
    place = 0
    for begin, end in pairwise(starts):
        first = place
        while place < len(pairs) and pairs[place].text < end:
            place += 1
        own = pairs[first:place]
        times.append(_line_time(own, text, heard, begin, end))
        spans.append((own[0].heard, own[-1].heard) if own else (-1, -1))
    held = [_placed_by_neighbours(times, spans, heard, number) for number in range(len(times))]
    paired = {pair.heard for pair in pairs if text[pair.text] == heard[pair.heard].token}
    return BookAlignment(
        lines=tuple(held),
        extras=tuple(_extras(heard, paired)),
        words=len(text),
        found=len(paired),
        heard=len(heard),
        odd=tuple(word for place, word in enumerate(heard) if place not in paired),
    )


def _line_time(
    pairs: Sequence[Pair], text: Sequence[str], heard: Sequence[HeardWord], begin: int, end: int
) -> LineTime:
    same = [pair for pair in pairs if text[pair.text] == heard[pair.heard].token]
    words = end - begin
    bare = LineTime(words, len(same))
    if not words:
        return replace(bare, problem=message("aptness.line-no-words"))
    if not same:
        return replace(bare, problem=message("aptness.not-found-recording-nobody-seems"))
    first, last = heard[pairs[0].heard], heard[pairs[-1].heard]
    if first.recording != last.recording:
        return replace(bare, problem=message("aptness.line-runs-over-recording-into"))
    spoken = replace(bare, recording=first.recording, time=_span(first, last))
    return replace(spoken, problem=_time_problem(spoken, same, heard, begin, end))


def _span(first: HeardWord, last: HeardWord) -> Segment:
    return Segment(first.time.start, max(first.time.start, last.time.end))


def _time_problem(line: LineTime, same: Sequence[Pair], heard: Sequence[HeardWord], begin: int, end: int) -> str:
    """Return why the times of a line that was found do not count; empty when they do."""
    if line.confidence < LEAST_FOUND:
        return message("aptness.only-words-found-recording", found=line.found, words=line.words)
    edge = max(LARGEST_EDGE, line.words // 4) if line.words > LARGEST_EDGE else 0
    if same[0].text - begin > edge:
        return message("aptness.beginning-line-not-found-recording")
    if end - 1 - same[-1].text > edge:
        return message("aptness.end-line-not-found-recording")
    for one, other in pairwise(same):
        gap = heard[other.heard].time.start - heard[one.heard].time.end
        if gap > LONGEST_GAP:
            return message("aptness.without-words-lie-within-line", count=gap)
    inside = same[-1].heard - same[0].heard + 1 - len(same) - (line.words - line.found)
    if inside > max(LARGEST_INTERRUPTION, line.words // 2):
        return message("aptness.words-not-text-lie-within", count=inside)
    if line.time is not None and line.time.seconds > LONGEST_LINE:
        return message("aptness.line-lasts-judge-listens", count=line.time.seconds, longest=LONGEST_LINE)
    return ""


def _placed_by_neighbours(
    times: Sequence[LineTime], spans: Sequence[tuple[int, int]], heard: Sequence[HeardWord], number: int
) -> LineTime:
    """A short line that was misheard, where its neighbours leave it just one place: what was heard between them."""
    line = times[number]
    if not (line.problem and 0 < line.words <= LONGEST_HELD and 0 < number < len(times) - 1):
        return line
    if times[number - 1].problem or times[number + 1].problem:
        return line
    between = heard[spans[number - 1][1] + 1 : spans[number + 1][0]]
    if not line.words <= 2 * len(between) <= 4 * line.words + 2:
        return line
    recordings = {times[number - 1].recording, times[number + 1].recording, *(word.recording for word in between)}
    if len(recordings) > 1 or any(b.time.start - a.time.end > LONGEST_GAP for a, b in pairwise(between)):
        return line
    time = _span(between[0], between[-1])
    return replace(line, recording=between[0].recording, time=time, problem="", is_held=True)


def _extras(heard: Sequence[HeardWord], paired: set[int]) -> Iterator[Extra]:
    for (is_extra, recording), run in groupby(
        enumerate(heard), key=lambda placed: (placed[0] not in paired, placed[1].recording)
    ):
        words = [word for _, word in run]
        if is_extra and len(words) >= LEAST_EXTRA:
            yield Extra(recording, _span(words[0], words[-1]), len(words))


def snap_to_pauses(lines: Sequence[LineTime], speech: Sequence[Sequence[Segment]]) -> tuple[LineTime, ...]:
    """The same lines with their ends moved into the pauses between them, where there are any nearby.

    Words are timed by their letters within a phrase, which is off by some tenths of a second; people pause between
    lines. A border moves into the longest pause that lies within `SNAP` of it and within the two lines.

    Args:
        speech: speech segments of each recording, in order.
    """
    pauses = [[Segment(one.end, other.start) for one, other in pairwise(segments)] for segments in speech]
    moved = list(lines)
    spoken = [place for place, line in enumerate(moved) if line.time is not None]
    for place in spoken:
        moved[place] = _at_the_edges(moved[place], speech)
    for one, other in pairwise(spoken):
        first, second = moved[one], moved[other]
        if first.time is None or second.time is None or first.recording != second.recording:
            continue
        low = max(first.time.start, min(first.time.end, second.time.start) - SNAP)
        high = min(second.time.end, max(first.time.end, second.time.start) + SNAP)
        if _spoken_between(speech[first.recording], first.time.end, second.time.start) > 2 * SNAP:
            continue  # something else is said between them: each has its own edge
        nearby = _overlapping(pauses[first.recording], low, high)
        inside = [pause for pause in nearby if low <= (pause.start + pause.end) / 2 <= high]
        if inside:
            pause = max(inside, key=lambda pause: pause.seconds)
            padding = min(PADDING, pause.seconds / 2)
            ends, starts = pause.start + padding, pause.end - padding
        else:
            ends = starts = (first.time.end + second.time.start) / 2
        if first.time.start < ends and starts < second.time.end:
            moved[one] = replace(first, time=Segment(first.time.start, ends))
            moved[other] = replace(second, time=Segment(starts, second.time.end))
    return tuple(moved)


def _spoken_between(segments: Sequence[Segment], low: float, high: float) -> float:
    """Seconds of speech in a stretch of time."""
    inside = _overlapping(segments, low, high) if low < high else ()
    return sum(min(part.end, high) - max(part.start, low) for part in inside)


def _at_the_edges(line: LineTime, speech: Sequence[Sequence[Segment]]) -> LineTime:
    """A line whose start and end lie in silence begins and ends where the speech in it does."""
    if line.time is None:
        return line
    inside = _overlapping(speech[line.recording], line.time.start, line.time.end)
    if not inside:
        return line
    start = max(line.time.start, inside[0].start - PADDING)
    end = min(line.time.end, inside[-1].end + PADDING)
    return replace(line, time=Segment(max(0.0, start), end)) if start < end else line


def _overlapping(segments: Sequence[Segment], low: float, high: float) -> Sequence[Segment]:
    """Return the segments (in order, without overlap) that reach into a stretch of time."""
    first = bisect_right(segments, low, key=lambda segment: segment.end)
    return segments[first : bisect_left(segments, high, key=lambda segment: segment.start)]
