"""Paired tests between the cells of CEAEval: which differences are more than chance."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from aptone.rooms.aptness.bench.conditions import Condition
from aptone.rooms.aptness.bench.results import CONFIDENCE, RESAMPLES, CellResult, Family, PairedTest
from aptone.run import Display, Silent, Tally
from aptone.stats import holm, paired_statistic_difference, pearson


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

    Args:
        cells: those that count.
        human: line to human score.
        seed: of the bootstrap and the permutations.
        resamples: of the bootstrap.
        display: how progress is shown; by default not at all.
    """
    pairs = list(_pairs([cell for cell in cells if cell.lcc.is_defined]))
    display, tally = display or Silent(), Tally(total=len(pairs), before=0)
    found: list[PairedTest] = []
    display.start(tally)
    try:
        for family, first, second in pairs:
            found.append(_test(family, first, second, human, seed=seed, resamples=resamples))
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
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
    """Whether two judges can be compared: they go by the same, and think aloud alike as far as both have a choice."""
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
