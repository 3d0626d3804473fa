"""Which lines that were found in a recording are to be believed: material for training must not be made by chance.

A line of one word is found in any recording of an hour. So a line counts only if what stands just before or just behind
it was found as well, in the text or in what was said (some readings leave out half of a story, some texts are a part of
what is read), or if it is so long that no chance finds it; if it lies within its recording; and if nobody would have to
speak impossibly fast, or slowly, to say it.

Chance was measured on dialogues laid beside transcripts of other dialogues (MELD's and CPED's train parts, 300 and
2,000 lines each, whose limits these are): 13 to 30 of a thousand lines are found, the longest with 7 of its words; what
is left of them here is 0 of 2,300 lines in English, 4 of 2,300 in Mandarin.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from aptone.messages import message
from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.line_times import HeardWord
from aptone.types import Language, Segment

AROUND = 20
"""Words on either side of a line, in the text or in the recording, that are looked at."""

FEWEST_AROUND = 5
"""Words on a side that say anything at all."""

LEAST_AROUND = 0.6
"""Share of them that must have been found."""

SURE_WORDS = 8
"""Words of a line that were heard as they stand from which on it needs no neighbours."""

SURE_SHARE = 0.75
"""And their share of the line."""

SHORTEST = 0.2
"""Seconds of a line."""

FASTEST: dict[Language, float] = {"en": 8.0, "zh": 12.0}
"""Words, or characters in Mandarin, that anybody can say in a second."""

SLOWEST = 0.4
"""Words a second of a line of at least `SLOW_WORDS` words: slower, and something else lies in it."""

SLOW_WORDS = 4

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
        placed: all lines of the work.
        seconds: that each recording lasts.
        language: of the work.
        words: what was heard in each recording, in order; none where lines were not found by their words, as those of
            subtitles: they need no neighbours.
        odd: those of the words that are not in the text where they stand.
    """
    checked = [_within(line, seconds) for line in placed]
    if words:
        support = list(_support(checked, words, odd))
        checked = [_heard(line) for line in checked]
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


def _heard(line: PlacedLine) -> PlacedLine:
    """A line that only its neighbours say the place of may be something else that is said there."""
    return _with_problem(line, message("aptness.words-misheard-only-neighbours-say")) if line.time.is_held else line


def _is_sure(line: PlacedLine) -> bool:
    return line.time.found >= SURE_WORDS and line.time.confidence >= SURE_SHARE


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
        """0 where there are too few words to tell."""
        words = self.words[last] - self.words[first]
        return (self.found[last] - self.found[first]) / words if words >= FEWEST_AROUND else 0.0


def _support(
    placed: Sequence[PlacedLine], words: Sequence[Sequence[HeardWord]], odd: Collection[HeardWord]
) -> Iterator[float]:
    """For each line, the share of words beside it that were found: in the text, or in what was said."""
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
    if line.time.problem or share >= LEAST_AROUND or _is_sure(line):
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
