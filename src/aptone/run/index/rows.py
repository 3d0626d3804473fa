"""Rows of an index, the conditions that choose them, and what their scores sum up to."""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np

from aptone.run.index.columns import Floats


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Conditions on rows; all of them hold.

    Args:
        text: words that stand in the id, the line, the reason, the rationale or a label, in this order.
        states: states to keep; empty for all.
        labels: label to value, for instance ``{"chapter": "2"}``.
        score: score that lies from `low` to `high`; NaN leaves an end open.
    """

    text: str = ""
    states: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    score: str = ""
    low: float = math.nan
    high: float = math.nan

    @property
    def has_range(self) -> bool:
        """Check that a score is bounded."""
        return bool(self.score) and not (math.isnan(self.low) and math.isnan(self.high))

    @property
    def key(self) -> Hashable:
        """What tells two sets of conditions apart."""
        ends = (self.score, str(self.low), str(self.high)) if self.has_range else ()
        return tuple(self.text.casefold().split()), self.states, tuple(self.labels.items()), ends


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """Name of a score and its scale; `range` is ``None`` for an open one."""

    name: str
    range: tuple[float, float] | None
    higher_is_better: bool | None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """Count, mean and sample deviation of a score; NaN where there are too few numbers."""

    count: int
    mean: float
    deviation: float
    lowest: float = math.nan
    highest: float = math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN below two numbers."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.nan


@dataclass(frozen=True, slots=True)
class IndexedRow:
    """One item as a list shows it.

    Args:
        number: number of the entry in the index, which stays as long as the journal does.
        scores: values by name, those that are numbers.
        spread: of the main score; NaN where it has none.
    """

    number: int
    id: str
    position: int
    state: str
    reason: str
    line: str
    main_score: str
    scores: Mapping[str, float]
    spread: float
    labels: Mapping[str, str]


def summary_of(values: Floats) -> ScoreSummary:
    """Count, mean, deviation and ends of some numbers, NaN left out."""
    numbers = values[~np.isnan(values)]
    if not numbers.size:
        return ScoreSummary(0, math.nan, math.nan)
    deviation = float(numbers.std(ddof=1)) if numbers.size > 1 else math.nan
    return ScoreSummary(numbers.size, float(numbers.mean()), deviation, float(numbers.min()), float(numbers.max()))
