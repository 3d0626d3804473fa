"""Scores of a run as columns of floats, gathered in one pass over its entries: eight bytes a number, no records."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aptone.report.groups import MOST_GROUPS, ReasonGroups, counted_score, counted_scores, grouped_by
from aptone.report.item_view import shown_state, why_no_score
from aptone.report.people_agreement import number_or_nan
from aptone.report.plots.geometry import ScoreColumn
from aptone.report.repeat_spread import SpreadTally
from aptone.types import Entry, Score

MOST_COLUMNS = 64
"""Scores whose numbers are held; of further ones only the name."""


@dataclass(slots=True)
class GroupColumn:
    """Items that share a value: how many, and their numbers."""

    items: int = 0
    values: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(slots=True)
class RunColumns:
    """What a report says about all items of a run, besides those that it shows.

    Args:
        main: name of the score that items are ranked by.
        keys: keys of the items' ``ids`` to group by; ``None`` for all that have few enough values.
        places: place of each item among the entries, repeats of it left out.
        scored, order: items with a number, as places in `places`, and what they are ranked by.
        rated: items with a number and a human score.
    """

    main: str
    keys: Sequence[str] | None
    places: "array[int]" = field(default_factory=lambda: array("q"))
    scores: dict[str, ScoreColumn] = field(default_factory=dict)
    other_scores: dict[str, None] = field(default_factory=dict)
    scored: "array[int]" = field(default_factory=lambda: array("q"))
    order: "array[float]" = field(default_factory=lambda: array("d"))
    rated: "array[int]" = field(default_factory=lambda: array("q"))
    human: "array[float]" = field(default_factory=lambda: array("d"))
    judged: "array[float]" = field(default_factory=lambda: array("d"))
    unscored: "array[int]" = field(default_factory=lambda: array("q"))
    groups: dict[str, dict[str, GroupColumn] | None] = field(default_factory=dict)
    missing: Mapping[str, ReasonGroups[int]] = field(
        default_factory=lambda: {"unscored": ReasonGroups(), "failed": ReasonGroups()}
    )
    spread: SpreadTally = field(default_factory=SpreadTally)
    first_defined: Score | None = None
    is_directed: bool = True
    finished: str = ""

    def add(self, place: int, entry: Entry) -> None:
        """Count the entry at a place; entries come in the order of the input, repeats after their item."""
        given = counted_score(entry, self.main)
        self.spread.add(entry.item.id, math.nan if given is None else given.value)
        self.finished = max(self.finished, entry.finished)
        if entry.repeat:
            return
        item = len(self.places)
        self.places.append(place)
        for name, score in counted_scores(entry).items():
            if name in self.scores or len(self.scores) < MOST_COLUMNS or name == self.main:
                self.scores.setdefault(name, ScoreColumn()).add(score)
            else:
                self.other_scores[name] = None
        value = math.nan if given is None else given.value
        self._group(entry, value)
        state = shown_state(entry, self.main)
        if state in self.missing:
            self.missing[state].add(why_no_score(entry, self.main), item)
            self.unscored.append(item)
        if given is None or not given.is_defined:
            return
        self.first_defined = self.first_defined or given
        self.is_directed = self.is_directed and given.higher_is_better is not None
        self.scored.append(item)
        self.order.append(-value if given.higher_is_better is False else value)
        human = number_or_nan(entry.item.payload.get("human_score"))
        if not math.isnan(human):
            self.rated.append(item)
            self.human.append(human)
            self.judged.append(value)

    def _group(self, entry: Entry, value: float) -> None:
        ids = grouped_by(entry)
        for key in ids if self.keys is None else self.keys:
            values = self.groups.setdefault(key, {})
            if values is None or key not in ids:
                continue
            column = values.setdefault(ids[key], GroupColumn())
            column.items += 1
            if not math.isnan(value):
                column.values.append(value)
            if self.keys is None and len(values) > MOST_GROUPS:
                self.groups[key] = None  # it tells items apart rather than groups

    @property
    def names(self) -> list[str]:
        """Names of all scores, the main one first, then in order of appearance."""
        found = [*self.scores, *self.other_scores]
        return [name for name in (self.main, *(name for name in found if name != self.main)) if name]

    def column(self, name: str) -> ScoreColumn:
        """The numbers of a score, with the items that have none of it counted."""
        column = self.scores.get(name, ScoreColumn())
        column.items = len(self.places)
        return column

    def ranked(self) -> list[int]:
        """Items with a number, the worst first; the lowest first where neither end is better."""
        order = np.argsort(np.asarray(self.order), kind="stable")
        return [int(item) for item in np.asarray(self.scored)[order]]

    def group_keys(self) -> list[str]:
        """Keys that group the items: 2 to `MOST_GROUPS` values, of which at least one is shared; or those asked for."""
        if self.keys is not None:
            return list(self.keys)
        return [
            key
            for key, values in self.groups.items()
            if values is not None and len(values) > 1 and max(group.items for group in values.values()) > 1
        ]


def gather_columns(entries: Iterable[Entry], main: str, *, keys: Sequence[str] | None = None) -> RunColumns:
    """Go through entries once, in the order of the input, and gather their columns."""
    columns = RunColumns(main, keys)
    for place, entry in enumerate(entries):
        columns.add(place, entry)
    columns.spread.finish()
    return columns


def listed_items(columns: RunColumns, ranked: Sequence[int], *, most: int) -> list[int]:
    """Choose the items of the table, in the order of the input.

    All, if they are no more than `most`; else as many of the worst, of the best and of those without a score, and what
    is left over of one kind goes to the worst.
    """
    total = len(columns.places)
    if total <= most:
        return list(range(total))
    third = most // 3
    chosen = {*columns.unscored[:third], *ranked[len(ranked) - third :]}
    for item in ranked:
        if len(chosen) >= most:
            break
        chosen.add(item)
    for item in range(total):  # where few have a score
        if len(chosen) >= most:
            break
        chosen.add(item)
    return sorted(chosen)
