"""Scores of groups of items: one story against another, one system against another."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aptone.messages import message
from aptone.report.numbers import exponent_of
from aptone.report.unscored import counted_score
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Json, Score

FEWEST_GROUPS = 2
"""One group says nothing that the overview does not say."""

MOST_GROUPS = 50
"""A key with more values than this tells items apart rather than groups."""

MOST_KEYS = 6
"""Keys that get a table each; the others are named."""

RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Items that share a value.

    Args:
        name: the value.
        items: how many there are.
        mean: mean of the score over those with a number (`Estimate.count`), with its interval.
    """

    name: str
    items: int
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to group the items of a run.

    Args:
        key: property that the groups differ in, for instance ``story`` or ``system``.
        groups: the best mean first, or the highest where neither end is better; those without a number last.
        without: items that do not name the key.
        scale: lower and upper end of a drawing of the means; ``None`` when no group has a mean.
    """

    key: str
    groups: tuple[Group, ...]
    without: int
    scale: tuple[float, float] | None


def group_keys(entries: Sequence[Entry]) -> list[str]:
    """The keys in the items' ``ids`` that group them: 2 to 50 values, of which at least one is shared by two items."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for entry in entries:
        for key, value in _ids(entry).items():
            counts[key][value] += 1
    return [
        key
        for key, values in counts.items()
        if FEWEST_GROUPS <= len(values) <= MOST_GROUPS and max(values.values()) > 1
    ]


def group_by(entries: Sequence[Entry], key: str, *, score: str) -> Grouping:
    """The mean of a score in each group, with a bootstrap interval over items (95 %, a fixed seed).

    Args:
        entries: entries of a run, without repeats.
        key: key in the ``ids`` of the items.
        score: name of the score.
    """
    members: defaultdict[str, list[Score | None]] = defaultdict(list)
    without = 0
    for entry in entries:
        value = _ids(entry).get(key)
        if value is None:
            without += 1
        else:
            members[value].append(counted_score(entry, score))
    scores = [given for group in members.values() for given in group if given is not None and given.is_defined]
    sign = 1.0 if scores and scores[0].higher_is_better is False else -1.0
    groups = [Group(name, len(group), _mean(group)) for name, group in members.items()]
    groups.sort(
        key=lambda group: (not group.mean.is_defined, sign * group.mean.value if group.mean.is_defined else 0.0)
    )
    return Grouping(key, tuple(groups), without, _scale(scores, groups))


def _ids(entry: Entry) -> dict[str, str]:
    ids: Json = entry.item.payload.get("ids")
    if not isinstance(ids, Mapping):
        return {}
    return {key: str(value) for key, value in ids.items() if isinstance(value, str | int) and value != ""}


def _mean(scores: Sequence[Score | None]) -> Estimate:
    values = [score.value for score in scores if score is not None and score.is_defined]
    if not values:
        return Estimate(math.nan, reason=message("report.no-item-group-number"))
    exponent = exponent_of(values)
    scaled = [math.ldexp(value, -exponent) for value in values]
    estimate = bootstrap(np.mean, scaled, seed=SEED, resamples=RESAMPLES)

    def back(number: float) -> float:
        # A mean lies among its values; rounding could put that of the largest floats beyond them. NaN stays NaN.
        return math.ldexp(float(np.clip(number, min(scaled), max(scaled))), exponent)

    return replace(estimate, value=back(estimate.value), low=back(estimate.low), high=back(estimate.high))


def _scale(scores: Sequence[Score], groups: Sequence[Group]) -> tuple[float, float] | None:
    ranges = {score.range for score in scores}
    if len(ranges) == 1 and (one := ranges.pop()) is not None:
        return one
    seen = [number for group in groups for number in (group.mean.value, group.mean.low, group.mean.high)]
    numbers = [number for number in seen if not math.isnan(number)]
    return (min(numbers), max(numbers)) if numbers else None
