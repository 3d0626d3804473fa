"""Results of a listening test: a leaderboard, differences between systems, and what the test could have found.

Intervals and p-values hold for other listeners and other texts (`aptone.stats.crossed`); p-values are corrected by Holm
over all pairs of systems. The hidden reference and anchors of MUSHRA stand in the leaderboard and are not compared.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from aptone.messages import message
from aptone.ratings.listening_tests import HIDDEN_REFERENCE
from aptone.ratings.rules import checked_ratings, set_aside, unrated_items
from aptone.ratings.screening import condition_role
from aptone.stats import holm
from aptone.stats.binomial import binomial_p_value, clopper_pearson
from aptone.stats.choices import bradley_terry, max_diff
from aptone.stats.crossed import CrossedMean, crossed_bootstrap, crossed_mean
from aptone.stats.crossed_difference import crossed_difference
from aptone.stats.student import student_mean
from aptone.studio.results.observations import CollectedData, Comparison, Observation, kind_of_test, read_test
from aptone.studio.results.power_note import ALPHA, PowerNote, TestedPair, power_note
from aptone.types import Estimate, Rating, RatingTask

RESAMPLES, SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system, or condition, of the leaderboard.

    Args:
        role: ``reference``, ``low`` or ``mid`` for conditions that are no systems; empty for systems.
        mean: mean with the interval over listeners and texts.
        median: median with a bootstrap interval over both; NaN for comparisons.
        quartiles: 25 % and 75 %; NaN for comparisons.
        plain: mean with the interval that takes all ratings as independent, as ITU-R BS.1534-3 reports it.
        strength: of Bradley-Terry or MaxDiff, mean 0; NaN for other tests.
        better_than: systems over which it is significantly better.
    """

    system: str
    role: str
    mean: Estimate
    median: Estimate
    quartiles: tuple[float, float]
    plain: Estimate
    ratings: int
    strength: float = math.nan
    better_than: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairResult:
    """Difference of two systems, second minus first; `adjusted` is the p-value after Holm's correction."""

    first: str
    second: str
    difference: Estimate
    p_value: float
    adjusted: float
    significant: bool


@dataclass(frozen=True, slots=True)
class AbxResult:
    """ABX trials of two systems: hits among trials, exact interval, one-sided p-value and the same after Holm."""

    first: str
    second: str
    hits: int
    trials: int
    share: Estimate
    p_value: float
    adjusted: float
    significant: bool


@dataclass(frozen=True, slots=True)
class TestReport:
    """Results of a listening test; `set_aside` maps raters whose answers do not count to the reason."""

    task: str
    test: str
    control: str
    unit: str
    low: float
    high: float
    people: int
    items: int
    ratings: int
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    abx: tuple[AbxResult, ...]
    power: PowerNote
    set_aside: dict[str, str] = field(default_factory=dict)


def result_report(task: RatingTask, ratings: Sequence[Rating]) -> TestReport | None:
    """Compute the results of a listening test; ``None`` for a task that compares no systems.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
    """
    known = checked_ratings(task, ratings)
    aside, apart = set_aside(task, known), unrated_items(task)
    counted = [one for one in known if one.rater not in aside and one.item not in apart]
    data = read_test(task, counted)
    if data is None:
        return None
    test = kind_of_test(task)
    compared = [system for system in data.systems if not _role(task, system)]
    if data.design == "rated":
        tested = [_difference(data, *pair) for pair in itertools.combinations(compared, 2)]
        systems = [_rated_system(task, data, system) for system in data.systems]
        people = {one.rater for one in data.observations}
        items, numbers = {one.item for one in data.observations}, len(data.observations)
    else:
        found = [(pair, _of_pair(data, pair)) for pair in _pairs(data)]
        tested = (
            []
            if data.design == "abx"
            else [TestedPair(*pair, _compared(rows), paired=True, ratings=len(rows)) for pair, rows in found]
        )
        systems = [] if data.design == "abx" else [_compared_system(data, system) for system in data.systems]
        people = {one.rater for one in data.comparisons}
        items, numbers = {one.item for one in data.comparisons}, len(data.comparisons)
    bounds = (
        {"share": 0.0, "best-worst": -1.0, "place": 0.0, "hits": 0.0}.get(data.unit, data.control.low),
        {"share": 1.0, "best-worst": 1.0, "place": 1.0, "hits": 1.0}.get(data.unit, data.control.high),
    )
    systems = [replace(one, mean=_on_scale(one.mean, *bounds), plain=_on_scale(one.plain, *bounds)) for one in systems]
    adjusted = holm([one.mean.p_value for one in tested])
    pairs = tuple(
        PairResult(one.first, one.second, one.mean.estimate, one.mean.p_value, corrected, bool(corrected < ALPHA))
        for one, corrected in zip(tested, adjusted, strict=True)
    )
    return TestReport(
        task=task.name,
        test=test,
        control=data.control.name,
        unit=data.unit,
        low=bounds[0],
        high=bounds[1],
        people=len(people),
        items=len(items),
        ratings=numbers,
        systems=_ranked(systems, pairs, _strengths(data)),
        pairs=pairs,
        abx=_abx(data) if data.design == "abx" else (),
        power=power_note(tested, raters=len(people), items=len(items)),
        set_aside=aside,
    )


def _on_scale(one: Estimate, low: float, high: float) -> Estimate:
    """Cut the interval of a mean at the ends of the scale, which no mean can leave; an undefined one stays."""
    if math.isnan(one.low) or math.isnan(one.high):
        return one
    return replace(one, low=max(low, one.low), high=min(high, one.high))


def _role(task: RatingTask, condition: str) -> str:
    if condition == HIDDEN_REFERENCE:
        return "reference"
    found = next((role for item in task.items if (role := condition_role(item.hidden, condition))), "")
    return found or ("anchor" if task.test == "mushra" and condition.startswith("anchor ") else "")


def _rated_system(task: RatingTask, data: CollectedData, system: str) -> SystemResult:
    rows = [one for one in data.observations if one.system == system]
    values, raters, items = _columns(rows)
    return SystemResult(
        system,
        _role(task, system),
        crossed_mean(values, raters, items).estimate,
        crossed_bootstrap(_median, values, raters, items, seed=SEED, resamples=RESAMPLES),
        _quartiles(values),
        student_mean(values),
        len(rows),
    )


def _median(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    return float(np.median(values))


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.25, 0.75])
    return float(low), float(high)


def _columns(rows: Sequence[Observation]) -> tuple[list[float], list[str], list[str]]:
    return [one.value for one in rows], [one.rater for one in rows], [one.item for one in rows]


def _difference(data: CollectedData, first: str, second: str) -> TestedPair:
    rows = [one for one in data.observations if one.system in (first, second)]
    values, raters, items = _columns(rows)
    found = crossed_difference(values, [one.system == second for one in rows], raters, items)
    heard = [{(one.rater, one.item) for one in rows if one.system == name} for name in (first, second)]
    paired = heard[0] == heard[1]
    return TestedPair(first, second, found, paired=paired, ratings=len(heard[0]) if paired else len(rows))


def _pairs(data: CollectedData) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.first, one.second) for one in data.comparisons))


def _of_pair(data: CollectedData, pair: tuple[str, str]) -> list[Comparison]:
    return [one for one in data.comparisons if (one.first, one.second) == pair]


def _compared(rows: Sequence[Comparison]) -> CrossedMean:
    return crossed_mean([one.value for one in rows], [one.rater for one in rows], [one.item for one in rows])


def _compared_system(data: CollectedData, system: str) -> SystemResult:
    """Mean comparison with the other systems, from this one's side; a preference as the share of wins, ties half."""
    rows = [
        (one, one.value if one.second == system else -one.value)
        for one in data.comparisons
        if system in (one.first, one.second)
    ]
    values = [(1 + value) / 2 if data.unit == "share" else value for _, value in rows]
    raters = [one.rater for one, _ in rows]
    items = [f"{one.item}\n{one.first if one.second == system else one.second}" for one, _ in rows]
    nothing = Estimate(math.nan, reason=message("studio.no-median-of-comparisons"))
    return SystemResult(
        system,
        "",
        crossed_mean(values, raters, items).estimate,
        nothing,
        (math.nan, math.nan),
        student_mean(values),
        len(rows),
    )


def _strengths(data: CollectedData) -> dict[str, float]:
    if data.choices:
        return dict(zip(data.systems, map(float, max_diff(data.choices, count=len(data.systems))), strict=True))
    if data.unit != "share" or not data.comparisons:
        return {}
    place = {system: number for number, system in enumerate(data.systems)}
    wins = np.zeros((len(place), len(place)))
    for one in data.comparisons:
        wins[place[one.second], place[one.first]] += (1 + one.value) / 2
        wins[place[one.first], place[one.second]] += (1 - one.value) / 2
    return dict(zip(data.systems, map(float, bradley_terry(wins.tolist())), strict=True))


def _ranked(
    systems: Sequence[SystemResult], pairs: Sequence[PairResult], strengths: dict[str, float]
) -> tuple[SystemResult, ...]:
    """Order the systems from best to worst; each gets its strength and those that it beats."""
    beaten: dict[str, list[str]] = {one.system: [] for one in systems}
    for pair in pairs:
        if pair.significant:
            best, other = (pair.second, pair.first) if pair.difference.value > 0 else (pair.first, pair.second)
            beaten[best].append(other)
    whole = [
        SystemResult(
            one.system,
            one.role,
            one.mean,
            one.median,
            one.quartiles,
            one.plain,
            one.ratings,
            strengths.get(one.system, math.nan),
            tuple(beaten[one.system]),
        )
        for one in systems
    ]
    return tuple(sorted(whole, key=lambda one: -one.mean.value if one.mean.is_defined else math.inf))


def _abx(data: CollectedData) -> tuple[AbxResult, ...]:
    rows = [(pair, _of_pair(data, pair)) for pair in _pairs(data)]
    counts = [(int(sum(one.value for one in trials)), len(trials)) for _, trials in rows]
    values = [binomial_p_value(hits, trials, above=True) for hits, trials in counts]
    found = []
    for ((first, second), _), (hits, trials), value, corrected in zip(rows, counts, values, holm(values), strict=True):
        low, high = clopper_pearson(hits, trials)
        share = Estimate(hits / trials, low, high, trials)
        found.append(AbxResult(first, second, hits, trials, share, value, corrected, corrected < ALPHA))
    return tuple(found)
