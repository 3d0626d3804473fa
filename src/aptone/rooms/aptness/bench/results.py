"""CEAEval's figures for judges: LCC and ACC under each condition, and the better prompt language.

The definitions are the paper's; where it leaves something open, this is what is done:

- **LCC** is Pearson's correlation over the lines that the judge scored. Its interval is a bootstrap over lines.
- **ACC** is the share of scored lines with ``|judge - people| <= 1``. "Within 1" is taken to include 1 itself.
- The paper does not say what a reply without a score counts as. Here it is no score: it is left out of LCC and ACC and
  counted beside them, and `CellResult.strict` is the ACC that counts it as wrong.
- The paper reports "the best-performing language for each model". Here that is one language for all conditions of a
  judge: the one with the higher mean LCC over the conditions that have an LCC in all languages; a tie goes to the
  higher mean ACC, then to the first language. It is chosen with the test lines in view, as in the paper; the others
  are kept.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

from aptone.messages import message
from aptone.report.groups import counted_score
from aptone.report.trust import main_score_name
from aptone.rooms.aptness.bench.contestants import Condition
from aptone.rooms.aptness.bench.statistics import SetStatistics
from aptone.run import Display, Run, Silent
from aptone.run.progress import progress
from aptone.stats import bootstrap, holm, paired_statistic_difference, pearson, spearman, tolerance_accuracy
from aptone.stats.intervals import wilson_interval
from aptone.types import Estimate, Json, Language, TrustCard

CONFIDENCE = 0.95
RESAMPLES = 2000
TOLERANCE = 1.0
"""Points between judge and people that ACC forgives."""

Family = Literal["judges", "story", "planner", "reasoning"]
"""Comparison of a paired test: two judges, more of the story with none, the plan with the raw story, CoT with none."""


@dataclass(frozen=True, slots=True)
class CellResult:
    """A judge under one condition.

    Args:
        lcc: Pearson's correlation with people.
        acc: share of scored lines within one point of people.
        strict: `acc` with lines without a score counted as wrong.
        card: the trust card of the run: unscored and failed lines by reason, cost, signatures.
        scores: line to score; NaN where there is none. Not part of the written results: the journal holds them.
        chosen: whether its prompt language is the one that counts for this judge.
    """

    judge: str
    condition: Condition
    lcc: Estimate
    acc: Estimate
    strict: Estimate
    spearman: Estimate
    lines: int
    scored: int
    card: TrustCard
    folder: str
    scores: Mapping[str, float]
    chosen: bool = True

    @property
    def unscored(self) -> int:
        """Lines with a reply, but without a score."""
        return sum(self.card.unscored.values())

    @property
    def failed(self) -> int:
        """Lines without a reply."""
        return sum(self.card.failed.values())

    @property
    def pending(self) -> int:
        """Lines that were not reached."""
        return self.lines - self.scored - self.unscored - self.failed


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two cells on the lines that both scored.

    Args:
        first: judge and condition that should be the weaker one.
        second: judge and condition that is compared with it.
        difference: LCC of the second minus that of the first, on shared lines.
        adjusted: p-value by Holm's method, over all tests of the family.
    """

    family: Family
    first: tuple[str, Condition]
    second: tuple[str, Condition]
    difference: Estimate
    p_value: float
    adjusted: float = math.nan


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """Facts about a judge that a reader of its scores needs.

    Args:
        parameters: parameters of its model; 0 when unknown.
        prompt_language: the one that counts; ``None`` if it has none.
        language_means: mean LCC by prompt language, over the conditions that have an LCC in all of them.
    """

    name: str
    parameters: int = 0
    planner_parameters: int = 0
    prompt_language: Language | None = None
    language_means: Mapping[str, float] = field(default_factory=dict)
    licence: str = ""
    notes: tuple[str, ...] = ()
    sends_audio_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The whole benchmark.

    Args:
        ceiling: agreement of people with each other, where single ratings exist.
        proxy: whether the scores are no people's, but stand in for them.
        cells_wanted: number of cells of the grid; more than `cells` when the benchmark was stopped.
        stopped: reason why it ended early; empty when it did not.
    """

    cells: tuple[CellResult, ...]
    judges: tuple[JudgeFacts, ...]
    tests: tuple[PairedTest, ...]
    ceiling: Mapping[str, Estimate]
    statistics: SetStatistics
    source: str
    proxy: bool
    cells_wanted: int
    stopped: str
    seed: int
    version: str

    @property
    def chosen(self) -> tuple[CellResult, ...]:
        """The cells with the prompt language that counts for their judge."""
        return tuple(cell for cell in self.cells if cell.chosen)

    def rows(self) -> list[dict[str, Json]]:
        """One flat row a cell, for CSV files and data frames."""
        facts = {judge.name: judge for judge in self.judges}
        return [_row(cell, facts[cell.judge]) for cell in self.cells]


def _row(cell: CellResult, facts: JudgeFacts) -> dict[str, Json]:
    row: dict[str, Json] = {"judge": cell.judge, **cell.condition.settings(), "chosen": cell.chosen}
    for name, estimate in (("lcc", cell.lcc), ("acc", cell.acc), ("acc_strict", cell.strict), ("rho", cell.spearman)):
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return row | {
        "reason": cell.lcc.reason,
        "lines": cell.lines,
        "scored": cell.scored,
        "unscored": cell.unscored,
        "failed": cell.failed,
        "pending": cell.pending,
        "parse_failures": cell.card.parse_failures,
        "cost": cell.card.cost,
        "seconds": cell.card.seconds,
        "parameters": facts.parameters,
        "planner_parameters": facts.planner_parameters,
        "folder": cell.folder,
    }


def cell_result(
    run: Run,
    human: Mapping[str, float],
    *,
    judge: str,
    condition: Condition,
    card: TrustCard,
    folder: str,
    seed: int,
    resamples: int = RESAMPLES,
) -> CellResult:
    """LCC and ACC of a run against human scores.

    Args:
        run: run of the judge under the condition, with no other lines than `human` names.
    """
    main = main_score_name(run.entries)
    scores = dict.fromkeys(human, math.nan)
    for entry in run.entries:
        given = counted_score(entry, main)
        if entry.repeat == 0 and given is not None:
            scores[entry.item.id] = given.value
    names = [name for name, value in scores.items() if not math.isnan(value)]
    predicted, reference = [scores[name] for name in names], [human[name] for name in names]
    accuracy = tolerance_accuracy(predicted, reference, tolerance=TOLERANCE, confidence=CONFIDENCE)
    hits = round(accuracy.value * accuracy.count) if accuracy.count else 0
    low, high = wilson_interval(hits, len(human), confidence=CONFIDENCE)
    nothing = Estimate(math.nan, reason=message("report.no-rated-item-scored", count=len(human)))
    return CellResult(
        judge=judge,
        condition=condition,
        lcc=bootstrap(pearson, predicted, reference, seed=seed, resamples=resamples) if names else nothing,
        acc=accuracy if names else nothing,
        strict=Estimate(hits / len(human), low, high, len(human), CONFIDENCE, message("stats.wilson")),
        spearman=spearman(predicted, reference) if names else nothing,
        lines=len(human),
        scored=len(names),
        card=card,
        folder=folder,
        scores=scores,
    )


def with_choice(cells: Sequence[CellResult]) -> tuple[list[CellResult], dict[str, dict[str, float]]]:
    """The cells with `chosen` set, and for each judge with several prompt languages the mean LCC of each."""
    means: dict[str, dict[str, float]] = {}
    best: dict[str, Language | None] = {}
    for judge in dict.fromkeys(cell.judge for cell in cells):
        own = [cell for cell in cells if cell.judge == judge]
        languages = list(dict.fromkeys(cell.condition.prompt_language for cell in own))
        shared = _shared_conditions(own, languages)
        ranks = {language: [_mean(found, name) for name in ("lcc", "acc")] for language, found in shared.items()}
        best[judge] = max(languages, key=lambda language: [-math.inf if r != r else r for r in ranks[language]])
        if len(languages) > 1:
            means[judge] = {str(language): rank[0] for language, rank in ranks.items()}
    return [replace(cell, chosen=cell.condition.prompt_language == best[cell.judge]) for cell in cells], means


def _shared_conditions(
    cells: Sequence[CellResult], languages: Sequence[Language | None]
) -> dict[Language | None, list[CellResult]]:
    """Return the cells by language whose condition has an LCC in all; those that have one where there is none."""
    defined = [cell for cell in cells if cell.lcc.is_defined]
    by_language: dict[Language | None, dict[Condition, CellResult]] = {language: {} for language in languages}
    for cell in defined:
        by_language[cell.condition.prompt_language][replace(cell.condition, prompt_language=None)] = cell
    shared = set.intersection(*(set(found) for found in by_language.values()))
    return {
        language: [cell for condition, cell in found.items() if condition in shared or not shared]
        for language, found in by_language.items()
    }


def _mean(cells: Sequence[CellResult], statistic: Literal["lcc", "acc"]) -> float:
    return fmean(getattr(cell, statistic).value for cell in cells) if cells else math.nan


def paired_tests(
    cells: Iterable[CellResult],
    human: Mapping[str, float],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    display: Display | None = None,
) -> list[PairedTest]:
    """Every comparison that a reader would make by eye, with the chance that it is chance.

    Judges are compared with each other under the same condition, at the largest context size and with given plans;
    within a judge, every context size with the smallest one, the plan with the raw story, and reasoning with none, both
    at the largest size. Cells without an LCC are in no test. p-values are adjusted by Holm's method within each family.
    """
    pairs = list(_pairs([cell for cell in cells if cell.lcc.is_defined]))
    found: list[PairedTest] = []
    with progress(display or Silent(), total=len(pairs)) as advance:
        for family, first, second in pairs:
            found.append(_test(family, first, second, human, seed=seed, resamples=resamples))
            advance()
    tests: list[PairedTest] = []
    for _, group in itertools.groupby(found, key=lambda test: test.family):
        members = list(group)
        adjusted = holm([test.p_value for test in members])
        tests += [replace(test, adjusted=value) for test, value in zip(members, adjusted, strict=True)]
    return tests


def _pairs(cells: Sequence[CellResult]) -> Iterator[tuple[Family, CellResult, CellResult]]:
    sizes = [cell.condition.context_size for cell in cells if cell.condition.context_size is not None]
    largest, smallest = max(sizes, default=None), min(sizes, default=None)
    last = [cell for cell in cells if cell.condition.context_size in (None, largest)]
    for one, other in itertools.combinations(last, 2):
        if one.judge != other.judge and _alike(one.condition, other.condition):
            yield "judges", one, other
    own = [(one, other) for one, other in itertools.permutations(cells, 2) if one.judge == other.judge]
    for one, other in own:
        same = replace(other.condition, context_size=one.condition.context_size) == one.condition
        if same and one.condition.context_size == smallest != other.condition.context_size:
            yield "story", one, other
    at_last = [(one, other) for one, other in own if one in last and other in last]
    for one, other in at_last:
        if one.condition.guide == "story" and other.condition == replace(one.condition, guide="plan"):
            yield "planner", one, other
    for one, other in at_last:
        if one.condition.reasoning is False and other.condition == replace(one.condition, reasoning=True):
            yield "reasoning", one, other


def _alike(one: Condition, other: Condition) -> bool:
    """Return whether two conditions are comparable: same guide and size, same reasoning where both have the switch."""
    thinks = one.reasoning == other.reasoning or None in (one.reasoning, other.reasoning)
    return thinks and (one.guide, one.context_size) == (other.guide, other.context_size)


def _test(
    family: Family, first: CellResult, second: CellResult, human: Mapping[str, float], *, seed: int, resamples: int
) -> PairedTest:
    names = [name for name in first.scores if name in second.scores]
    compared = paired_statistic_difference(
        pearson,
        [human[name] for name in names],
        [first.scores[name] for name in names],
        [second.scores[name] for name in names],
        seed=seed,
        resamples=resamples,
        standardise=True,
        confidence=CONFIDENCE,
    )
    return PairedTest(
        family, (first.judge, first.condition), (second.judge, second.condition), compared.difference, compared.p_value
    )
