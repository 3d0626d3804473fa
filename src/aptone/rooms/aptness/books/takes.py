"""Takes of a line: a narrator who stumbles says it again, and the last whole take is the one that counts."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np

from aptone.rooms.aptness.books.reading_path import Step, Way

LARGEST_EDGE = 2
"""Words at the beginning, or the end, of a line that may be missing, or a quarter of the line if that is more."""


def edge_of(words: int) -> int:
    """Number of words that may be missing at either end of a line of so many words."""
    return max(LARGEST_EDGE, words // 4) if words > LARGEST_EDGE else 0


LEAST_SHARE, LEAST_PART = 0.4, 0.25
"""Share of a line's sounds that must be heard as they stand for a take to be whole; for it to be one at all."""

LEAST_SCORE = 2.5
"""Score of a take that is not chance."""

FEWEST_BESIDE = 4
"""Sounds beside the text that part a take from the one before it; fewer are misheard."""

NOT_JOINED, PARTIAL = 0.5, 0.3
"""Weight of a take that is joined to no line of the text, and of one that is not whole, beside others."""


@dataclass(slots=True)
class Take:
    """One time that a line is said, or a part of it.

    Args:
        steps: sounds that stand for one of the line, in order of the text.
        score: how far what was heard speaks for it, in nats.
        reach: first and last heard sound that the way counts to it, those at the ends too that speak against it.
        is_whole: whether it has the beginning and the end of the line, and enough of what lies between.
        is_joined: whether it follows, or is followed by, a take of this line or of one beside it at once. What is said
            in the midst of words that are not in the text is a quotation.
    """

    line: int
    steps: list[Step] = field(default_factory=list)
    score: float = 0.0
    reach: tuple[int, int] = (0, 0)
    is_whole: bool = False
    is_joined: bool = False

    @property
    def begin(self) -> int:
        """First heard sound."""
        return self.steps[0].heard

    @property
    def end(self) -> int:
        """Last heard sound."""
        return self.steps[-1].heard

    @property
    def same(self) -> int:
        """Number of sounds that were heard as they stand."""
        return sum(step.score > 0 for step in self.steps)


def choose_takes(takes: Sequence[Take], sounds: Sequence[int]) -> dict[int, Take]:
    """Return a take for each line, in order of the text and of the recording: the last whole ones, as many as can be.

    Args:
        takes: takes in order of the recording.
        sounds: number of sounds of each line.
    """
    order = sorted(range(len(takes)), key=lambda number: (takes[number].line, takes[number].begin))
    best = _Best(max((take.end for take in takes), default=0) + 1)
    weights: dict[int, tuple[float, int]] = {}  # best weight of a chain that ends with a take; the take before it
    for _, group in groupby(order, key=lambda number: takes[number].line):
        own = list(group)
        for place, number in enumerate(own):
            take = takes[number]
            share = 1.0 if take.is_whole and take.is_joined else NOT_JOINED if take.is_whole else PARTIAL
            before, last = best.until(take.begin - 1)
            weight = before + sounds[take.line] * share * (
                1 + 0.01 * place if take.is_whole else take.same / sounds[take.line]
            )
            weights[number] = (weight, last)
        for number in own:
            best.add(takes[number].end, weights[number][0], number)
    chosen = []
    at = best.until(best.size - 1)[1]
    while at >= 0:
        chosen.append(takes[at])
        at = weights[at][1]
    return {take.line: take for take in reversed(chosen)}


class _Best:
    """Best weight of what ends no later than a place (a binary indexed tree, Fenwick 1994)."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.nodes = [(0.0, -1)] * (size + 1)

    def add(self, place: int, weight: float, number: int) -> None:
        """Add something that ends at a place."""
        at = place + 1
        while at <= self.size:
            self.nodes[at] = max(self.nodes[at], (weight, number))
            at += at & -at

    def until(self, place: int) -> tuple[float, int]:
        """The best weight, and its number; -1 without any."""
        found, at = (0.0, -1), place + 1
        while at > 0:
            found = max(found, self.nodes[at])
            at -= at & -at
        return found


def takes_of(way: Way, starts: Sequence[int], sounds: Sequence[int]) -> list[Take]:
    """Return the takes of all lines, in order of the recording, without those that are chance.

    Whoever goes back within a line and not to its beginning goes on with the same take.
    """
    found: list[Take] = []
    own: Take | None = None
    is_jump = False
    for step in way.steps:
        is_jump |= step.is_jump
        if step.text < 0:
            if own is not None and not is_jump:
                own.score += step.score
            continue
        line = bisect_right(starts, int(way.text_word[step.text])) - 1
        if own is None or own.line != line or (is_jump and _begins_anew(own, step, way, starts)):
            own = Take(line)
            found.append(own)
        elif is_jump:
            own.score -= sum(one.score for one in own.steps if one.text >= step.text)
            own.steps = [one for one in own.steps if one.text < step.text]
        own.steps.append(step)
        own.score += step.score
        is_jump = False
    for take in found:
        _trim(take)
        take.is_whole = _is_whole(take, way, starts[take.line], starts[take.line + 1], sounds[take.line])
    takes = [
        take
        for take in found
        if take.same >= LEAST_PART * sounds[take.line] and (take.score >= LEAST_SCORE or take.is_whole)
    ]
    beside = np.cumsum([0, *(step.text < 0 and step.score == 0.0 for step in way.steps)])
    for one, other in pairwise(takes):
        if beside[other.begin] - beside[one.end + 1] < FEWEST_BESIDE and abs(other.line - one.line) <= 1:
            one.is_joined |= other.score >= LEAST_SCORE
            other.is_joined |= one.score >= LEAST_SCORE
    return [take for take in takes if take.is_joined or take.score >= LEAST_SCORE]


def _trim(take: Take) -> None:
    """Leave out what speaks against the take at its ends: sounds that belong to something else."""
    take.reach = take.begin, take.end
    scores = np.cumsum([0.0, *(step.score for step in take.steps)])
    first = int(np.argmin(scores[:-1]))
    last = first + int(np.argmax(scores[first + 1 :]))
    take.score += float(scores[last + 1] - scores[first] - scores[-1])
    take.steps = take.steps[first : last + 1]


def _begins_anew(take: Take, step: Step, way: Way, starts: Sequence[int]) -> bool:
    """Return whether who goes back within a line begins another take: who goes back to its beginning."""
    begin = starts[take.line]
    reached, back = int(way.text_word[take.steps[-1].text]), int(way.text_word[step.text])
    is_beginning = back - begin <= edge_of(starts[take.line + 1] - begin)
    return step.text <= take.steps[0].text or (back <= reached and is_beginning)


def _is_whole(take: Take, way: Way, begin: int, end: int, sounds: int) -> bool:
    """Return whether the beginning and the end of a line are in a take, and enough of what lies between."""
    edge = edge_of(end - begin)
    first, last = int(way.text_word[take.steps[0].text]), int(way.text_word[take.steps[-1].text])
    return first - begin <= edge and end - 1 - last <= edge and take.same >= LEAST_SHARE * sounds
