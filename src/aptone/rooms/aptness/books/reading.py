"""Reading of a text: which of its words were heard where, each line in the take that counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.rooms.aptness.books.alignment import Pair
from aptone.rooms.aptness.books.reading_path import Way, reading_path
from aptone.rooms.aptness.books.take_doubts import doubts_of
from aptone.rooms.aptness.books.takes import FEWEST_BESIDE, LEAST_SCORE, Take, choose_takes, takes_of


@dataclass(frozen=True, slots=True)
class Reading:
    """Words that were read of a text, and where.

    Args:
        pairs: words of the text and heard words that stand for them, in order.
        scores: of each line, how far what was heard speaks for its take, by sound of the line; 0 without a take.
        doubts: of each line, why it is not sure which take counts; empty where it is.
        parted: lines before whose take something else was said: another take, or words beside the text.
        other_takes: first and last heard word of each take that does not count: an earlier one, or a quotation.
    """

    pairs: tuple[Pair, ...] = ()
    scores: tuple[float, ...] = ()
    doubts: tuple[str, ...] = ()
    parted: frozenset[int] = frozenset()
    other_takes: tuple[tuple[int, int], ...] = ()


def read_takes(text: Sequence[str], starts: Sequence[int], heard: Sequence[str], pairs: Sequence[Pair]) -> Reading:
    """Return which words of a text were heard where, each line in its last whole take.

    Args:
        starts: place in the text at which each line begins, and behind them where the text ends.
        pairs: words that were heard as they stand, in order.
    """
    way = reading_path(text, starts, heard, pairs)
    sounds = np.diff(np.searchsorted(way.text_word, starts)).tolist()
    takes = takes_of(way, starts, sounds)
    chosen = choose_takes(takes, sounds)
    beside = np.zeros(len(way.heard_word) + 1, dtype=np.int64)
    for step in way.steps:
        beside[step.heard + 1] = step.text < 0 and step.score == 0.0
    for take in takes:
        if chosen.get(take.line) is not take:
            for step in take.steps:
                beside[step.heard + 1] = 1
    between = np.cumsum(beside)
    parted, last = set(), -1
    for line, take in chosen.items():
        if between[take.begin] - between[last + 1] >= FEWEST_BESIDE:
            parted.add(line)
        last = take.end
    scores = [chosen[line].score / sounds[line] if line in chosen else 0.0 for line in range(len(sounds))]
    doubts = doubts_of(way, takes, chosen, text, starts, heard)
    others = [take for take in takes if chosen.get(take.line) is not take and take.score >= LEAST_SCORE]
    spans = tuple((int(way.heard_word[take.begin]), int(way.heard_word[take.end])) for take in others)
    found = (pair for take in chosen.values() for pair in _pairs(take, way))
    return Reading(tuple(found), tuple(scores), tuple(doubts), frozenset(parted), spans)


def _pairs(take: Take, way: Way) -> Iterator[Pair]:
    """Yield the words of a take with the heard word that shares most sounds with each; no heard word comes twice."""
    shared: Counter[Pair] = Counter()
    for step in take.steps:
        pair = Pair(int(way.text_word[step.text]), int(way.heard_word[step.heard]))
        shared[pair] += 4 if step.score > 0 else 1
    best: dict[int, Pair] = {}
    for pair, count in shared.items():
        if pair.heard not in best or count > shared[best[pair.heard]]:
            best[pair.heard] = pair
    by_text: dict[int, Pair] = {}
    for pair in best.values():
        if pair.text not in by_text or shared[pair] > shared[by_text[pair.text]]:
            by_text[pair.text] = pair
    yield from (by_text[place] for place in sorted(by_text))
