"""Which lines that were found in a recording are to be believed: material for training must not be made by chance.

A line of one word is found in any recording of an hour. So a line counts only if the text around it was found as well,
or if it is so long that no chance finds it; if it lies within its recording; and if nobody would have to speak
impossibly fast, or slowly, to say it there.

Chance was measured on dialogues laid beside the transcripts of other dialogues (lines of MELD's and CPED's train
parts): 1 to 3 of a hundred lines are found, the longest with 7 of its words, and of the words around them at most 0.44
are found by chance; of a book that is read, misheard words included, most are.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from aptone.rooms.aptness.book import PlacedLine
from aptone.types import Language, Segment

AROUND = 20
"""Words of the text on either side of a line that must have been found, too."""

LEAST_AROUND = 0.45
"""Share of them."""

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
    placed: Sequence[PlacedLine], seconds: Sequence[float], *, language: Language, by_transcript: bool
) -> list[PlacedLine]:
    """The lines of a work; those that are not to be believed have their problem.

    Args:
        placed: all lines of the work.
        seconds: that each recording lasts.
        language: of the work.
        by_transcript: whether they were found by their words; times of subtitles need no neighbours.
    """
    checked = [_within(line, seconds) for line in placed]
    if by_transcript:
        around = _found_around(checked)
        checked = [_supported(line, share) for line, share in zip(checked, around, strict=True)]
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
        return _with_problem(line, f"it would begin at {time.start:.1f} s, and the recording lasts {end:.1f} s")
    return replace(line, time=replace(line.time, time=Segment(time.start, min(time.end, end))))


def _is_sure(line: PlacedLine) -> bool:
    return line.time.found >= SURE_WORDS and line.time.confidence >= SURE_SHARE


def _found_around(placed: Sequence[PlacedLine]) -> list[float]:
    """For each line, the share of the words around it, and not its own, that were found."""
    words = [0, *accumulate(line.time.words for line in placed)]
    found = [0, *accumulate(line.time.found for line in placed)]
    shares = []
    first = last = 0  # of the lines around it
    for place in range(len(placed)):
        while first < place and words[place] - words[first + 1] >= AROUND:
            first += 1
        last = max(last, place + 1)
        while last < len(placed) and words[last] - words[place + 1] < AROUND:
            last += 1
        own_words, own_found = placed[place].time.words, placed[place].time.found
        beside = words[last] - words[first] - own_words
        shares.append((found[last] - found[first] - own_found) / beside if beside else 1.0)
    return shares


def _supported(line: PlacedLine, share: float) -> PlacedLine:
    if line.time.problem or share >= LEAST_AROUND or _is_sure(line):
        return line
    return _with_problem(line, f"only {100 * share:.0f} % of the words around it were found, so this may be chance")


def _plausible(line: PlacedLine, language: Language) -> PlacedLine:
    time = line.time.time
    if line.time.problem or time is None:
        return line
    if time.seconds < SHORTEST:
        return _with_problem(line, f"it would last {time.seconds:.2f} s")
    rate = line.time.words / time.seconds
    if rate > FASTEST[language]:
        return _with_problem(line, f"it would be said at {rate:.0f} words a second")
    if rate < SLOWEST and line.time.words >= SLOW_WORDS:
        return _with_problem(line, f"it would be said at {rate:.1f} words a second")
    return line
