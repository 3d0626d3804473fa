"""Do the scores say what people say? Correlations, flattery, and what several turns cost.

People rate whole dialogues, on any scale. EMO-Reasoning finds that its metrics correlate with people overall and still
flatter some systems, so both are asked for each system and for all together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About
from aptone.rooms.dialogue.score import SEVERAL
from aptone.stats import bootstrap, pearson, spearman
from aptone.types import Entry, Estimate, Json

SEED = 0
ALL = ""
"""Stands for all systems together."""


DEFAULT_SCALE = (1.0, 5.0)
"""Lowest and highest rating that people give by default."""


@dataclass(frozen=True, slots=True)
class RatingScale:
    """Scale that people rated on.

    Scores end at 1, so ratings are mapped to 0 (lowest) to 1 (highest) wherever a run keeps or compares them.

    Raises:
        UsageError: if the scale has no extent.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise UsageError(f"the scale of ratings has a lower and a higher end, got {self.low} and {self.high}.")

    def share(self, rating: float, name: str) -> float:
        """Return a rating of the dialogue `name` mapped to 0 to 1.

        Raises:
            UsageError: if it lies outside the scale.

        >>> RatingScale(1.0, 5.0).share(4.0, "a")
        0.75
        """
        if not self.low <= rating <= self.high:
            raise UsageError(
                f"the rating of {name!r} is {rating:g}, outside {self.low:g} to {self.high:g}; say --rating-scale."
            )
        return (rating - self.low) / (self.high - self.low)

    def mapped(self, ratings: Mapping[str, float], name: str) -> dict[str, float]:
        """The ratings of a dialogue by rater, mapped; raises as `share`."""
        return {rater: self.share(rating, name) for rater, rating in ratings.items()}

    @property
    def step(self) -> float:
        """One point of the scale, mapped: the difference that ACC forgives.

        >>> RatingScale(1.0, 5.0).step
        0.25
        """
        return 1 / (self.high - self.low)

    @property
    def settings(self) -> dict[str, Json]:
        """Entry in the configuration of a run."""
        return {SCALE: [self.low, self.high]}

    @property
    def about(self) -> About:
        """Note for the trust card."""
        return About(notes=(message("dialogue.note-ratings", low=self.low, high=self.high, step=self.step),))


SCALE = "rating_scale"


def rating_tolerance(settings: Mapping[str, Json]) -> float:
    """Return what ACC forgives in a run, by its settings: one point of the scale that people rated on, mapped.

    Runs of earlier versions name no scale and kept ratings as they were: one point of theirs is 1.
    """
    match settings.get(SCALE):
        case [int() | float() as low, int() | float() as high] if low < high:
            return RatingScale(float(low), float(high)).step
    return 1.0


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's and Spearman's correlation of a score with people's ratings; `system` is empty for all systems."""

    system: str
    score: str
    linear: Estimate
    by_rank: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference of a system, empty for all, in a score or ``people``."""

    system: str
    score: str
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Validation:
    """Agreement of the scores with people's ratings.

    Args:
        correlations: correlation of every score with the ratings.
        flattery: score minus rating, the rating brought to 0 … 1 by the ends of its scale.
        drops: dialogues of one turn minus dialogues of several: ERS minus CT-ERS, and people's ratings (0 … 1).
    """

    correlations: tuple[Correlation, ...] = ()
    flattery: tuple[Difference, ...] = ()
    drops: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """One dialogue: its system, how many turns were answered, its scores, and what people gave it."""

    system: str
    turns: int
    scores: Mapping[str, float]
    human: float


def validate(
    entries: Sequence[Entry], ratings: Mapping[str, float], *, scale: tuple[float, float] = DEFAULT_SCALE
) -> Validation:
    """Compare the scores of a run with people's ratings.

    Args:
        entries: entries of the run; repeats are left out.
        ratings: dialogue to the mean of its ratings; may be empty, then only the drop of the scores is reported.
        scale: lowest and highest rating that people could give.

    Raises:
        UsageError: if the scale has no extent, or a rating lies outside it.
    """
    ends = RatingScale(*scale)
    for name, rating in ratings.items():
        ends.share(rating, name)
    rows = [_row(entry, ratings.get(entry.item.id, math.nan)) for entry in entries if entry.repeat == 0]
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    systems = list(dict.fromkeys(row.system for row in rows))
    groups = {ALL: rows}
    if len(systems) > 1:
        groups |= {system: [row for row in rows if row.system == system] for system in systems}
    rated = any(not math.isnan(row.human) for row in rows)
    compared = [(name, system, group) for system, group in groups.items() for name in names if rated]
    return Validation(
        tuple(_correlation(*one) for one in compared),
        tuple(Difference(system, name, _flattery(group, name, scale)) for name, system, group in compared),
        tuple(
            Difference(system, name, _drop(group, name, scale))
            for system, group in groups.items()
            for name in (("ERS", "people") if rated else ("ERS",))
            if {row.turns < SEVERAL for row in group if row.turns} == {True, False}
        ),
    )


def _row(entry: Entry, human: float) -> _Row:
    ids, turns = entry.item.payload.get("ids"), entry.outcome.evidence.get("exchanges")
    system = ids.get("system") if isinstance(ids, Mapping) else None
    return _Row(
        system if isinstance(system, str) else "",
        len(turns) if isinstance(turns, Sequence) else 0,
        {name: score.value for name, score in entry.outcome.scores.items()},
        human,
    )


def _correlation(name: str, system: str, rows: Sequence[_Row]) -> Correlation:
    scores, people = _column(rows, name), [row.human for row in rows]
    return Correlation(system, name, pearson(scores, people), spearman(scores, people))


def _column(rows: Sequence[_Row], name: str) -> list[float]:
    return [row.scores.get(name, math.nan) for row in rows]


def _flattery(rows: Sequence[_Row], name: str, scale: tuple[float, float]) -> Estimate:
    differences = np.array(_column(rows, name)) - _shares(rows, scale)
    known = differences[~np.isnan(differences)]
    if not known.size:
        return Estimate(math.nan, reason=message("dialogue.no-number-and-rating"))
    return bootstrap(np.mean, known, seed=SEED)


def _drop(rows: Sequence[_Row], name: str, scale: tuple[float, float]) -> Estimate:
    """The mean over dialogues of one turn minus the mean over those of several, dialogues resampled.

    Dialogues without an answered turn, those that failed for instance, are neither.
    """
    rows = [row for row in rows if row.turns]
    several = np.array([row.turns >= SEVERAL for row in rows])
    values = _shares(rows, scale)
    if name != "people":
        values = np.where(several, _column(rows, f"CT-{name}"), _column(rows, name))
    known = ~np.isnan(values)
    of_several = int(several[known].sum())

    def difference(value: npt.NDArray[np.float64], is_several: npt.NDArray[np.bool_]) -> float:
        if is_several.all() or not is_several.any():
            return math.nan
        return float(value[~is_several].mean() - value[is_several].mean())

    if min(of_several, int(known.sum()) - of_several) == 1:  # resampled, one dialogue is always itself
        return Estimate(
            difference(values[known], several[known]), count=int(known.sum()), reason=message("dialogue.no-spread")
        )
    return bootstrap(difference, values[known], several[known], seed=SEED)


def _shares(rows: Sequence[_Row], scale: tuple[float, float]) -> npt.NDArray[np.float64]:
    return (np.array([row.human for row in rows]) - scale[0]) / (scale[1] - scale[0])
