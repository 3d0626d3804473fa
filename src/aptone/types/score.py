"""Numbers that say what they mean: a score of one item, and an estimate over many."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from aptone.types.codec import Json, dumps


class ScoreState(StrEnum):
    """State of a score: a number, undefined, or not needed."""

    DEFINED = "defined"
    UNDEFINED = "undefined"
    NOT_NEEDED = "not-needed"


@dataclass(frozen=True, slots=True)
class Score:
    """One number about one item, or the reason why there is none.

    Args:
        value: the number; NaN when it is undefined or not needed.
        range: lowest and highest value the scale allows; ``None`` for an open scale.
        unit: unit such as ``semitones``; empty for a pure number.
        reason: reason why the value is NaN. Required then, and empty otherwise.
        signature: name and version of what produced the number; equal signature and equal input give an equal score.
        higher_is_better: the direction of the scale; ``None`` where neither end is better, as with a pitch in hertz.
        needed: false when the question does not arise for this item (EMO-Reasoning's "balancing not needed").
        spread: standard deviation over what may have been asked for, where that is uncertain; NaN where it is not.

    Raises:
        ValueError: if a NaN has no reason, a number has one, a number lies outside its range or is infinite, the ends
            of the range are not finite and in order, or the spread is negative.

    >>> Score(3.5, range=(0.0, 5.0)).state
    <ScoreState.DEFINED: 'defined'>
    >>> Score(math.nan, reason="no voiced frames").state
    <ScoreState.UNDEFINED: 'undefined'>
    """

    value: float
    range: tuple[float, float] | None = None
    unit: str = ""
    reason: str = ""
    signature: str = ""
    higher_is_better: bool | None = True
    needed: bool = True
    spread: float = math.nan

    def __post_init__(self) -> None:
        if self.range is not None and not -math.inf < self.range[0] <= self.range[1] < math.inf:
            raise ValueError(f"a range has a finite lower and upper end, got {self.range}; None is an open scale.")
        if not math.isnan(self.spread) and not 0.0 <= self.spread < math.inf:
            raise ValueError(f"a spread is 0 or more, got {self.spread}.")
        if math.isnan(self.value):
            if not self.reason:
                raise ValueError("an undefined score needs a reason.")
            return
        if math.isinf(self.value):
            raise ValueError("a score is a finite number or NaN with a reason.")
        if self.reason or not self.needed:
            raise ValueError("a reason belongs to an undefined score; put remarks into the rationale.")
        if self.range is not None and not self.range[0] <= self.value <= self.range[1]:
            raise ValueError(f"score {self.value} lies outside its range {self.range[0]} to {self.range[1]}.")

    @property
    def state(self) -> ScoreState:
        """Defined, undefined, or not needed."""
        if not math.isnan(self.value):
            return ScoreState.DEFINED
        return ScoreState.UNDEFINED if self.needed else ScoreState.NOT_NEEDED

    @property
    def is_defined(self) -> bool:
        """True when `value` is a number."""
        return not math.isnan(self.value)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic over many items, with its interval, or the reason why it is undefined.

    Args:
        value: the statistic; NaN when undefined.
        low: lower end of the interval; NaN when there is none.
        high: upper end of the interval; NaN when there is none.
        count: how many items it rests on.
        confidence: coverage of the interval, for instance 0.95.
        method: how the interval was made, for instance ``fisher-z`` or ``bootstrap-percentile``.
        reason: reason why the value, or else the interval, is NaN.

    Raises:
        ValueError: if the value is NaN without a reason, or one of the three numbers is infinite: no trust card could
            be written with it.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    count: int = 0
    confidence: float = 0.95
    method: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if math.isnan(self.value) and not self.reason:
            raise ValueError("an undefined estimate needs a reason.")
        if any(math.isinf(number) for number in (self.value, self.low, self.high)):
            raise ValueError(
                f"an estimate is finite or NaN with a reason, got {self.value} in [{self.low}, {self.high}]."
            )

    @property
    def is_defined(self) -> bool:
        """True when `value` is a number."""
        return not math.isnan(self.value)


def signature(name: str, parameters: Mapping[str, Json]) -> str:
    """One line that identifies what made a score: a name and its parameters, in a fixed order.

    Text that holds a separator is quoted, so that other parameters cannot give the same line.

    >>> signature("judge", {"version": "1.0", "seed": 7})
    'judge|seed:7|version:1.0'
    """
    parts = [
        f"{_bare_or_quoted(key, separators='|:')}:{_bare_or_quoted(value, separators='|')}"
        for key, value in sorted(parameters.items())
    ]
    return "|".join([_bare_or_quoted(name, separators="|"), *parts])


def _bare_or_quoted(value: Json, *, separators: str) -> str:
    if isinstance(value, str) and value.isprintable() and not any(mark in value for mark in separators + '"'):
        return value
    return dumps(value)
