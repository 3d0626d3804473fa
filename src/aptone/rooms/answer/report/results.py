"""Results of a run over answers: averages of the systems, contrast pairs, checks."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from aptone.errors import RecordError, UsageError
from aptone.report.groups import count_reasons
from aptone.rooms.answer.bench.validation import (
    BlindCheck,
    PeopleCheck,
    Reproduction,
    blind_check,
    people_checks,
    reproduction,
)
from aptone.rooms.answer.data import LOWEST, AnswerSample, Fields
from aptone.rooms.answer.score import (
    Average,
    JudgedAnswer,
    PairComparison,
    PairMargin,
    PairMeasure,
    average,
    category_means,
    compare_pairs,
    pair_margins,
    pair_measures,
)
from aptone.rooms.answer.step import FIELDS, FITNESS, SWAPPED
from aptone.run.system import RECORDED
from aptone.types import Entry, Estimate, Json, Score, State, from_json, to_json

MOST_COMPARED = 8
"""Systems that are compared two by two; with more, the tables would say nothing any more."""


@dataclass(frozen=True, slots=True)
class JudgedEntry:
    """One entry of a run, read; the verdict is NaN where there is none."""

    entry: Entry
    sample: AnswerSample
    answer: JudgedAnswer

    @property
    def system(self) -> str:
        """Name of the system that gave the answer."""
        return self.sample.ids.get("system", RECORDED)


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system.

    Args:
        average: every part of the benchmark weighs alike.
        worst_case: average with the lowest fitness for every unscored answer.
        pairs: the pair measure, over all and by dimension.
        unscored: counts of unscored answers by reason.
    """

    name: str
    asked: int
    scored: int
    average: Average
    worst_case: Estimate
    categories: Mapping[tuple[str, str], Estimate]
    pairs: Mapping[str, PairMeasure]
    margins: tuple[PairMargin, ...]
    unscored: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemsCompared:
    """Two systems on the same contrast pairs."""

    first: str
    second: str
    pairs: PairComparison


@dataclass(frozen=True, slots=True)
class AnswerResults:
    """Everything that a run says; reproductions and comparisons with the style-blind system by system."""

    systems: tuple[SystemResult, ...]
    compared: tuple[SystemsCompared, ...] = ()
    people: Mapping[str, PeopleCheck] = field(default_factory=dict)
    reproductions: Mapping[str, Reproduction] = field(default_factory=dict)
    blind: Mapping[str, BlindCheck] = field(default_factory=dict)

    @property
    def checks_hold(self) -> bool:
        """Whether every named check holds; one without anything to compare does not. True where none was named."""
        reproduced = all(one.is_reproduced for one in self.reproductions.values())
        return reproduced and all(one.is_passed for one in self.blind.values())


def judged_entries(entries: Sequence[Entry]) -> list[JudgedEntry]:
    """The entries that are about answers, repeats left out; others, a damaged journal's included, are passed over."""
    found = []
    for entry in entries:
        if entry.repeat == 0:
            try:
                sample = from_json(AnswerSample, entry.item.payload)
                found.append(JudgedEntry(entry, sample, _judged(entry, sample)))
            except (RecordError, ValueError):
                continue
    return found


def answer_results(
    entries: Sequence[Entry],
    *,
    expected: Mapping[str, float] | None = None,
    blind: str | None = None,
    systems: Iterable[str] = (),
) -> AnswerResults:
    """Compute the results of a run.

    Args:
        systems: names of systems that the run knows of; one that was not reached yet has a result without answers.
        expected: system to the average that it is known to have.
        blind: name of the system that ignores how it is asked, which the others have to beat.

    Raises:
        UsageError: if there is no such system.
    """
    judged = judged_entries(entries)
    by_system = {**{name: [] for name in systems}, **_by_system(judged)}
    for name in [*(expected or {}), *([blind] if blind else [])]:
        if name not in by_system:
            raise UsageError(f"there is no system {name!r} in this run; it has {', '.join(by_system) or 'none'}.")
    found = {name: _system(name, members) for name, members in by_system.items()}
    ratings = {one.sample.id: _ratings(one.sample) for one in judged}
    return AnswerResults(
        tuple(found.values()),
        compared=_compared(list(found.values())),
        people=people_checks({one.sample.id: one.answer for one in judged}, ratings),
        reproductions={name: reproduction(found[name].average, value) for name, value in (expected or {}).items()},
        blind={
            name: blind_check(one.average, one.margins, found[blind].average, found[blind].margins)
            for name, one in found.items()
            if blind and name != blind
        },
    )


def judged_answers(entries: Sequence[Entry]) -> dict[str, list[JudgedAnswer]]:
    """Return the verdicts of a run, by system."""
    return {name: [one.answer for one in members] for name, members in _by_system(judged_entries(entries)).items()}


def results_json(results: AnswerResults) -> dict[str, Json]:
    """The same for machines."""
    return {
        "systems": [_system_json(one) for one in results.systems],
        "compared": [to_json(one) for one in results.compared],
        "people": {name: to_json(check) for name, check in results.people.items()},
        "reproductions": {
            name: {**to_json(one), "is_reproduced": one.is_reproduced} for name, one in results.reproductions.items()
        },
        "blind": {name: {**to_json(one), "is_passed": one.is_passed} for name, one in results.blind.items()},
        "checks_hold": results.checks_hold,
    }


def _by_system(judged: Sequence[JudgedEntry]) -> dict[str, list[JudgedEntry]]:
    found: defaultdict[str, list[JudgedEntry]] = defaultdict(list)
    for one in judged:
        found[one.system].append(one)
    return dict(found)


def _system_json(system: SystemResult) -> dict[str, Json]:
    return {
        "name": system.name,
        "asked": system.asked,
        "scored": system.scored,
        "average": to_json(system.average),
        "worst_case": to_json(system.worst_case),
        "categories": [
            {"part": part, "category": category, "fitness": to_json(mean)}
            for (part, category), mean in system.categories.items()
        ],
        "pairs": {name: to_json(measure) for name, measure in system.pairs.items()},
        "unscored": dict(system.unscored),
    }


def _system(name: str, members: Sequence[JudgedEntry]) -> SystemResult:
    answers = [one.answer for one in members]
    margins = pair_margins(answers)
    missing = [one for one in members if math.isnan(one.answer.fitness)]
    filled = [replace(one, fitness=LOWEST) if math.isnan(one.fitness) else one for one in answers]
    mean = average(answers)
    return SystemResult(
        name,
        asked=len(members),
        scored=len(members) - len(missing),
        average=mean,
        worst_case=average(filled).value if missing else mean.value,
        categories=category_means(answers),
        pairs=pair_measures(margins),
        margins=margins,
        unscored=count_reasons(one.entry.outcome.reason for one in missing),
    )


def _compared(systems: Sequence[SystemResult]) -> tuple[SystemsCompared, ...]:
    if len(systems) > MOST_COMPARED:
        return ()
    return tuple(
        SystemsCompared(one.name, other.name, compare_pairs(one.margins, other.margins))
        for one, other in combinations(systems, 2)
        if one.margins and other.margins
    )


def _ratings(sample: AnswerSample) -> Mapping[str, float]:
    return sample.ratings if sample.ratings or math.isnan(sample.human_score) else {"": sample.human_score}


def _judged(entry: Entry, sample: AnswerSample) -> JudgedAnswer:
    outcome = entry.outcome
    if outcome.state is not State.DONE:
        return JudgedAnswer(sample.prompt, math.nan)
    fields = outcome.evidence.get(FIELDS)
    return JudgedAnswer(
        sample.prompt,
        _value(outcome.scores.get(FITNESS)),
        _value(outcome.scores.get(SWAPPED)),
        None if fields is None else from_json(Fields, fields),
    )


def _value(score: Score | None) -> float:
    return math.nan if score is None else score.value
