"""Checks of this room's figures: human ratings, a value to reproduce, another judge, a style-blind system.

ParaS2SBench's reconstruction reports two checks, correlation with three raters on 30 questions a dimension and the
average of a known system within ±0.15. Two more are ours: whether another judge would rank systems alike, and whether
a system that ignores how it is asked loses on the pair measure, as it must.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aptone.report.people_agreement import agreement_with_people, human_ceiling
from aptone.rooms.answer.data import Dimension
from aptone.rooms.answer.score import (
    OVERALL,
    PARTS,
    Average,
    JudgedAnswer,
    PairComparison,
    PairMargin,
    average,
    compare_pairs,
    part_of,
)
from aptone.stats import PairedComparison, average_ranks, kendall, paired_difference, pearson, spearman
from aptone.types import Estimate

SEED = 0
REPRODUCED_WITHIN = 0.15
"""Largest deviation of an average from the value that is to be reproduced."""

TOLERANCE = 0.5
"""Half a point of the scale: what ACC, the share of judgements near people's, forgives."""

REPORTED_CORRELATIONS: Mapping[str, float] = {
    Dimension.EMOTION.value: 0.74,
    Dimension.SARCASM.value: 0.71,
    Dimension.AGE.value: 0.83,
    Dimension.GENDER.value: 0.69,
}
"""Pearson's correlation of the reconstruction's judge with the mean of three raters, 30 questions a dimension."""


@dataclass(frozen=True, slots=True)
class PeopleCheck:
    """Agreement of a judge with people on one part of the benchmark.

    Args:
        agreement: agreement of the judge with the mean of the raters: ``LCC`` (Pearson), ``Spearman``, ``ACC``.
        ceiling: agreement of each rater with the mean of the others, by the same statistics, and ``ICC(2,1)``.
    """

    agreement: Mapping[str, Estimate] = field(default_factory=dict)
    ceiling: Mapping[str, Estimate] = field(default_factory=dict)
    rated: int = 0
    raters: int = 0


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A system's average beside its published value; if parts are missing, it is not the same average."""

    expected: float
    measured: Estimate
    within: float = REPRODUCED_WITHIN
    missing: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Measured minus expected; NaN where nothing was measured."""
        return self.measured.value - self.expected

    @property
    def is_reproduced(self) -> bool:
        """Return whether the average lies near enough; false where there is none."""
        return abs(self.difference) <= self.within + 1e-9


@dataclass(frozen=True, slots=True)
class JudgeSwap:
    """Two judges on the same answers.

    Args:
        linear: Pearson's correlation of their scores.
        by_rank: Spearman's.
        shift: the second judge's score minus the first's, answer by answer.
        averages: system to its average by the first and by the second judge.
        ranks: system to its rank by the first and by the second judge, 1 for the best; NaN where one has none.
        order: Kendall's τ of the two orders of systems; 1 where they are the same.
    """

    linear: Estimate
    by_rank: Estimate
    shift: PairedComparison
    averages: Mapping[str, tuple[float, float]]
    ranks: Mapping[str, tuple[float, float]]
    order: Estimate

    @property
    def keeps_order(self) -> bool:
        """Return whether both judges rank the systems alike."""
        return all(first == second for first, second in self.ranks.values())


@dataclass(frozen=True, slots=True)
class BlindCheck:
    """A system beside one that ignores how it is asked; the difference of their averages is NaN where one has none."""

    pairs: PairComparison
    difference: float

    @property
    def is_passed(self) -> bool:
        """Return whether the system has the larger margin more often than the blind one."""
        return self.pairs.first_larger > self.pairs.second_larger


def people_checks(
    answers: Mapping[str, JudgedAnswer], ratings: Mapping[str, Mapping[str, float]], *, tolerance: float = TOLERANCE
) -> dict[str, PeopleCheck]:
    """Agreement with people by part and over all (`OVERALL`), from ratings by item id and rater; others are skipped.

    Returns:
        Empty without ratings of these answers.
    """
    rated = {name: ratings[name] for name in answers if ratings.get(name)}
    if not rated:
        return {}
    groups = {OVERALL: list(rated)}
    for part in PARTS:
        if of_part := [name for name in rated if part_of(answers[name].prompt) == part]:
            groups[part] = of_part
    return {name: _people_check(answers, rated, items, tolerance) for name, items in groups.items()}


def reproduction(measured: Average, expected: float, *, within: float = REPRODUCED_WITHIN) -> Reproduction:
    """Compare an average with the value that the same system is known to have.

    >>> known = Average(Estimate(3.10), missing=("iemocap", "meld"))
    >>> reproduction(known, 3.2).is_reproduced, reproduction(known, 3.4).is_reproduced
    (True, False)
    """
    return Reproduction(expected, measured.value, within, measured.missing)


def judge_swap(
    first: Mapping[str, Sequence[JudgedAnswer]], second: Mapping[str, Sequence[JudgedAnswer]], *, seed: int = SEED
) -> JudgeSwap:
    """Compare the verdicts of two judges by system, matched by the question's id."""
    systems = [system for system in first if system in second]
    ours, theirs = [], []
    for system in systems:
        by_id = {answer.prompt.id: answer.fitness for answer in second[system]}
        for answer in first[system]:
            ours.append(answer.fitness)
            theirs.append(by_id.get(answer.prompt.id, math.nan))
    averages = {
        system: (average(first[system], seed=seed).value.value, average(second[system], seed=seed).value.value)
        for system in systems
    }
    columns = [np.array([pair[judge] for pair in averages.values()]) for judge in (0, 1)]
    ranked = [_ranks(column) for column in columns]
    return JudgeSwap(
        linear=pearson(ours, theirs),
        by_rank=spearman(ours, theirs),
        shift=paired_difference(ours, theirs, seed=seed),
        averages=averages,
        ranks={system: (float(ranked[0][place]), float(ranked[1][place])) for place, system in enumerate(systems)},
        order=kendall(columns[0], columns[1]),
    )


def blind_check(
    system: Average, margins: Sequence[PairMargin], blind: Average, blind_margins: Sequence[PairMargin]
) -> BlindCheck:
    """Compare a system with a style-blind one."""
    return BlindCheck(compare_pairs(margins, blind_margins), system.value.value - blind.value.value)


def _ranks(averages: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks from the best on; all of them undefined where one average is: the rank of that system is unknown."""
    is_known = averages.size and not np.isnan(averages).any()
    return average_ranks(-averages) if is_known else np.full(averages.shape, math.nan)


def _people_check(
    answers: Mapping[str, JudgedAnswer],
    ratings: Mapping[str, Mapping[str, float]],
    items: Sequence[str],
    tolerance: float,
) -> PeopleCheck:
    judged = {name: answers[name].fitness for name in items}
    people = {name: math.fsum(ratings[name].values()) / len(ratings[name]) for name in items}
    raters: dict[str, dict[str, float]] = {}
    for name in items:
        for rater, rating in ratings[name].items():
            raters.setdefault(rater, {})[name] = rating
    return PeopleCheck(
        agreement_with_people(judged, people, tolerance=tolerance),
        human_ceiling(raters, tolerance=tolerance),
        rated=len(items),
        raters=len(raters),
    )
