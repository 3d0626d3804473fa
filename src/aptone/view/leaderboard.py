"""Systems in order: mean scores with intervals, and the paired difference of each to the best one.

A system is a run; or, where the items of a run name several under ``system`` in their ids, each of these. Two systems
are compared over the lines that both have said: recordings of one line are matched by what is said and where in its
story, so that neither ids nor folders have to agree. Several takes of a line by one system count as their mean.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.run.index import RowFilter
from aptone.types import Estimate
from aptone.view.estimates import Floats, difference_estimate, mean_estimate
from aptone.view.shelf import ShelvedRun

Keys = npt.NDArray[np.bytes_]

SYSTEM = "system"
"""Label of the items that names a system."""
MOST_SYSTEMS = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """One system on a leaderboard.

    Args:
        run: key of its run; `label` is the system within it, empty where it is the whole run.
        mean: over its items; those that the best system lacks count, too.
        difference: to the best system, over the lines of both; ``None`` for the best one itself, undefined with a
            reason where they share too few lines.
        shared: lines that both have said.
        judges: signatures of what judged it; systems with other judges do not compare.
    """

    name: str
    run: str
    label: str
    items: int
    mean: Estimate
    difference: Estimate | None
    shared: int
    judges: tuple[str, ...]

    @property
    def is_behind(self) -> bool:
        """Check that the interval of its difference lies wholly on the worse side, whichever way the scale runs."""
        one = self.difference
        return one is not None and one.is_defined and one.low == one.low and (one.high < 0 or one.low > 0)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Systems that were scored on one scale, the best first.

    Args:
        judges: number of different judges; more than one means that the systems do not compare.
    """

    score: str
    higher_is_better: bool | None
    range: tuple[float, float] | None
    standings: tuple[Standing, ...]
    judges: int


@dataclass(frozen=True, slots=True)
class _Entrant:
    run: ShelvedRun
    label: str

    @property
    def wanted(self) -> RowFilter:
        return RowFilter(labels={SYSTEM: self.label}) if self.label else RowFilter()


def leaderboards(runs: Iterable[ShelvedRun]) -> list[Leaderboard]:
    """One leaderboard for each main score that at least two systems have."""
    by_score: dict[tuple[str, str], list[ShelvedRun]] = {}
    for run in runs:
        facts = run.facts()
        if facts.score and facts.mean.is_defined:
            by_score.setdefault((facts.score, str(facts.range)), []).append(run)
    boards = (_leaderboard(score, group) for (score, _), group in by_score.items())
    return [board for board in boards if len(board.standings) > 1]


def _leaderboard(score: str, runs: Sequence[ShelvedRun]) -> Leaderboard:
    facts = runs[0].facts()
    entrants = [entrant for run in runs for entrant in _entrants(run)][:MOST_SYSTEMS]
    means = {entrant: mean_estimate(entrant.run.index, score, entrant.wanted) for entrant in entrants}
    scored = [entrant for entrant in entrants if means[entrant].is_defined]
    sign = 1.0 if facts.higher_is_better is False else -1.0
    scored.sort(key=lambda entrant: sign * means[entrant].value)
    lines = {entrant: entrant.run.index.line_means(score, entrant.wanted) for entrant in scored}
    standings = [
        _standing(entrant, means[entrant], lines[entrant], None if place == 0 else lines[scored[0]], len(runs) > 1)
        for place, entrant in enumerate(scored)
    ]
    judges = {judge for standing in standings for judge in standing.judges}
    return Leaderboard(score, facts.higher_is_better, facts.range, tuple(standings), len(judges))


def _entrants(run: ShelvedRun) -> list[_Entrant]:
    systems: Mapping[str, int] = run.labels().get(SYSTEM, {})
    return [_Entrant(run, label) for label in sorted(systems)] if len(systems) > 1 else [_Entrant(run, "")]


def _standing(
    entrant: _Entrant,
    mean: Estimate,
    own: tuple[Keys, Floats],
    best: tuple[Keys, Floats] | None,
    is_named_by_run: bool,
) -> Standing:
    difference, shared = (None, own[0].size) if best is None else _difference(own, best)
    name = entrant.label or entrant.run.name
    return Standing(
        name=f"{entrant.run.name} · {name}" if entrant.label and is_named_by_run else name,
        run=entrant.run.key,
        label=entrant.label,
        items=entrant.run.index.count(entrant.wanted),
        mean=mean,
        difference=difference,
        shared=shared,
        judges=tuple(entrant.run.index.signatures()),
    )


def _difference(own: tuple[Keys, Floats], best: tuple[Keys, Floats]) -> tuple[Estimate, int]:
    keys, here, there = np.intersect1d(own[0], best[0], assume_unique=True, return_indices=True)
    return difference_estimate(own[1][here] - best[1][there]), keys.size
