"""Entries of a run joined with what listeners said about their items, and agreement on which of two items is better."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from aptone.messages import message
from aptone.ratings.people import PeopleRatings, Vote
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Json

ORDER = "order"
"""Statistic of a trust card: share of comparisons in which the judge prefers what a listener prefers."""
SEED, RESAMPLES = 0, 1000


class ListenerEntries(Sequence[Entry]):
    """Entries in order, each with the mean and the single ratings of listeners in the payload of its item."""

    def __init__(self, entries: Sequence[Entry], people: PeopleRatings) -> None:
        self._entries = entries
        self._scores = people.scores
        self._means = people.means()

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return tuple(map(self._joined, self._entries[index]))
        return self._joined(self._entries[index])

    def __iter__(self) -> Iterator[Entry]:
        return map(self._joined, iter(self._entries))

    def _joined(self, entry: Entry) -> Entry:
        name = entry.item.id
        if name not in self._means:
            return entry
        given: dict[str, Json] = {"human_score": self._means[name], "ratings": dict(self._scores[name])}
        item = dataclasses.replace(entry.item, payload={**entry.item.payload, **given})
        return dataclasses.replace(entry, item=item)


def order_agreement(judged: Mapping[str, float], votes: Sequence[Vote]) -> tuple[Estimate, Estimate]:
    """Return how often the judge prefers what a listener prefers, and how often a listener prefers what others do.

    Over all votes whose two items have a score; a tie of either side counts half. The interval draws whole comparisons,
    whose votes hang together (bootstrap percentiles). The ceiling compares each vote with the majority of the other
    votes on the same comparison, with the same interval; without a second vote it is undefined.
    """
    pairs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for vote in votes:
        if not any(math.isnan(judged.get(name, math.nan)) for name in vote.pair):
            first = vote.pair[0]
            pairs[vote.pair].append(0.5 if vote.tie else float(vote.better == first))
    judge, people = [], []
    for (first, second), given in pairs.items():
        side = _side(judged[first] - judged[second])
        judge.append((math.fsum(_match(one, side) for one in given), len(given)))
        if len(given) > 1:
            others = [_side(math.fsum(given) - one - (len(given) - 1) / 2) for one in given]
            people.append((math.fsum(map(_match, given, others)), len(given)))
    return _share(judge), _share(people)


def _side(difference: float) -> float:
    """Return 1 for the first of a pair, 0 for the second, and a half for neither."""
    return 0.5 if difference == 0 else float(difference > 0)


def _match(one: float, other: float) -> float:
    """Return 1 for the same side, 0 for different ones, and a half where one of them has none."""
    return 0.5 if 0.5 in (one, other) else float(one == other)


def _share(counts: Sequence[tuple[float, int]]) -> Estimate:
    if not counts:
        return Estimate(math.nan, reason=message("report.no-comparisons"))
    estimate = bootstrap(
        lambda right, all_votes: float(np.sum(right) / np.sum(all_votes)),
        [right for right, _ in counts],
        [number for _, number in counts],
        seed=SEED,
        resamples=RESAMPLES,
    )
    return dataclasses.replace(estimate, count=sum(number for _, number in counts))
