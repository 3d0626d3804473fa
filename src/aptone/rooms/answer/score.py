"""ParaS2SBench's numbers, pure: fitness of answers goes in; the average, its parts and the pair measure come out.

The average weighs six parts alike, whatever their sizes: the four dimensions of the synthetic speech and the two
corpora of real speech. A part that a run does not have is left out and named.

The pair measure asks what a mean fitness cannot: does the answer change when only the speaking style changes, and in
the right direction? Both answers of a contrast pair are judged twice, once as they are and once with the styles
swapped. With f(a, s) the fitness of answer a to style s, A and B the two answers, and α and β the styles of their
questions,

    margin = [f(A, α) + f(B, β)] / 2 - [f(A, β) + f(B, α)] / 2

A pair is won where the margin is positive, lost where it is negative, and tied where it is 0. A system that does not
hear how it is asked gives A = B, and then f(A, α) + f(B, β) = f(A, β) + f(B, α): every pair is tied, none is won. How
easy a question is, how well the system talks, and how mild the judge is cancel out as well.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.rooms.answer.data import HIGHEST, LOWEST, AnswerStyle, Dimension, Fields, Prompt, Source
from aptone.stats import bootstrap
from aptone.stats.intervals import wilson_interval
from aptone.types import Estimate

Floats = npt.NDArray[np.float64]

SEED = 0
CONFIDENCE = 0.95
TIE = 1e-9
"""Margins that differ by no more are equal: sums of the same numbers in another order."""

PARTS: tuple[str, ...] = (*(dimension.value for dimension in Dimension), Source.IEMOCAP.value, Source.MELD.value)
"""Parts with equal weight in the average, in the paper's order."""

OVERALL = "all"
"""Stands for all dimensions together."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """Verdict on one answer.

    Args:
        fitness: 1 to 5; NaN where it was not judged.
        swapped: fitness of the same answer had the question been asked in the way of its twin; NaN where it has none.
        fields: judged fields, to see whether two answers differ at all.

    Raises:
        ValueError: if a fitness lies off the scale.
    """

    prompt: Prompt
    fitness: float
    swapped: float = math.nan
    fields: Fields | None = None

    def __post_init__(self) -> None:
        for value in (self.fitness, self.swapped):
            if not math.isnan(value) and not LOWEST <= value <= HIGHEST:
                raise ValueError(f"{self.prompt.id!r}: a fitness lies between {LOWEST:g} and {HIGHEST:g}, got {value}.")


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of the parts' means, NaN where no part has a fitness, and the parts of which nothing was judged."""

    value: Estimate
    parts: Mapping[str, Estimate] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairMargin:
    """Result of one contrast pair.

    Args:
        margin: from -4 to 4; NaN where unknown, for a reason.
        changed: whether the two answers differ at all, in words or in how they sound; ``None`` where that is not known.
    """

    pair: str
    dimension: Dimension
    margin: float
    changed: bool | None = None
    reason: str = ""

    @property
    def is_won(self) -> bool:
        """Return whether the answers change in the right direction."""
        return self.margin > TIE


@dataclass(frozen=True, slots=True)
class PairMeasure:
    """The pairs of a system, all or those of one dimension.

    Args:
        won: share of the pairs with a positive margin; ties are not won.
        margin: mean margin, from -4 to 4.
        changed: share of pairs whose two answers differ at all.
        undefined: pairs without a margin, by reason.
    """

    won: Estimate
    margin: Estimate
    changed: Estimate
    pairs: int = 0
    ties: int = 0
    lost: int = 0
    undefined: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two systems on the same pairs.

    Args:
        first: share of pairs in which the first has the larger margin; ties count for neither.
        difference: mean margin of the first minus that of the second.
        left_out: pairs that only one of them has, or that have no margin in one.
    """

    first: Estimate
    first_larger: int
    second_larger: int
    ties: int
    difference: Estimate
    left_out: int = 0


def part_of(prompt: Prompt) -> str:
    """Return which of `PARTS` a question belongs to."""
    return prompt.source.value if prompt.source.is_real else prompt.dimension.value


def average(answers: Iterable[JudgedAnswer], *, seed: int = SEED, resamples: int = 2000) -> Average:
    """The reported average: the mean of the parts' mean fitness, each part counted once.

    From 1 to 5, higher is better. Answers without a fitness are left out of their part's mean. The interval is a
    bootstrap over contrast pairs (an answer without a twin is a pair of its own), since two answers to the same words
    are not independent.
    """
    by_part: defaultdict[str, list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        if not math.isnan(answer.fitness):
            by_part[part_of(answer.prompt)].append(answer)
    present = [part for part in PARTS if part in by_part]
    missing = tuple(part for part in PARTS if part not in by_part)
    if not present:
        return Average(Estimate(math.nan, reason=message("answer.no-fitness")), missing=missing)
    parts = {part: mean_fitness(by_part[part], seed=seed, resamples=resamples) for part in present}
    clusters = [
        (number, total, count) for number, part in enumerate(present) for total, count in _clusters(by_part[part])
    ]
    numbers, totals, counts = (np.array(column) for column in zip(*clusters, strict=True))

    def mean_of_parts(numbers: npt.NDArray[np.int64], totals: Floats, counts: Floats) -> float:
        sizes = np.bincount(numbers, weights=counts, minlength=len(present))
        if not sizes.all():
            return math.nan  # a part without sampled answers
        return float((np.bincount(numbers, weights=totals, minlength=len(present)) / sizes).mean())

    value = bootstrap(mean_of_parts, numbers, totals, counts, seed=seed, resamples=resamples)
    return Average(replace(value, count=sum(map(len, by_part.values()))), parts, missing)


def category_means(
    answers: Iterable[JudgedAnswer], *, seed: int = SEED, resamples: int = 2000
) -> dict[tuple[str, str], Estimate]:
    """Mean fitness by part and category, in the order in which they occur."""
    groups: defaultdict[tuple[str, str], list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        groups[part_of(answer.prompt), answer.prompt.category].append(answer)
    return {name: mean_fitness(group, seed=seed, resamples=resamples) for name, group in groups.items()}


def mean_fitness(answers: Iterable[JudgedAnswer], *, seed: int = SEED, resamples: int = 2000) -> Estimate:
    """Mean fitness of some answers, with an interval over contrast pairs; NaN where none has a fitness."""
    known = [answer for answer in answers if not math.isnan(answer.fitness)]
    if not known:
        return Estimate(math.nan, reason=message("answer.no-fitness"))
    totals, counts = (np.array(column) for column in zip(*_clusters(known), strict=True))
    estimate = bootstrap(lambda total, count: total.sum() / count.sum(), totals, counts, seed=seed, resamples=resamples)
    return replace(estimate, count=len(known))


def pair_margin(own: tuple[float, float], swapped: tuple[float, float]) -> float:
    """Margin by which two answers fit their own questions better than each other's: mean of own minus mean of swapped.

    From -4 to 4, higher is better; 0 where the two answers are the same.

    >>> pair_margin((5.0, 4.0), (2.0, 3.0))
    2.0
    """
    return (math.fsum(own) - math.fsum(swapped)) / 2


def pair_margins(answers: Iterable[JudgedAnswer]) -> tuple[PairMargin, ...]:
    """The margin of every contrast pair, in the order in which they occur; answers without a twin are passed over."""
    pairs: defaultdict[str, list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.prompt.pair:
            pairs[answer.prompt.pair].append(answer)
    return tuple(_margin(pair, of_pair) for pair, of_pair in pairs.items())


def pair_measure(margins: Sequence[PairMargin], *, seed: int = SEED, resamples: int = 2000) -> PairMeasure:
    """Share of pairs won, mean margin, and how often the answer changes at all, with intervals over pairs."""
    values = np.array([one.margin for one in margins if not math.isnan(one.margin)])
    changed = [one.changed for one in margins if one.changed is not None]
    no_margin = "no contrast pair has a margin"
    mean = bootstrap(np.mean, values, seed=seed, resamples=resamples)
    return PairMeasure(
        won=_share(values > TIE, no_margin),
        margin=mean if values.size else Estimate(math.nan, reason=no_margin),
        changed=_share(np.array(changed, dtype=bool), "it is not known whether answers differ"),
        pairs=int(values.size),
        ties=int((np.abs(values) <= TIE).sum()),
        lost=int((values < -TIE).sum()),
        undefined=dict(Counter(one.reason for one in margins if math.isnan(one.margin))),
    )


def pair_measures(margins: Sequence[PairMargin], *, seed: int = SEED) -> dict[str, PairMeasure]:
    """The pair measure over all pairs (`OVERALL`) and by dimension, for those that have pairs."""
    found = {OVERALL: pair_measure(margins, seed=seed)}
    for dimension in Dimension:
        if of_dimension := [one for one in margins if one.dimension is dimension]:
            found[dimension.value] = pair_measure(of_dimension, seed=seed)
    return found


def compare_pairs(
    first: Sequence[PairMargin], second: Sequence[PairMargin], *, seed: int = SEED, resamples: int = 2000
) -> PairComparison:
    """Count the pairs in which one system has a larger margin than another."""
    ours, theirs = ({one.pair: one.margin for one in side} for side in (first, second))
    shared = [pair for pair in ours if pair in theirs and not math.isnan(ours[pair] - theirs[pair])]
    left_out = len(ours.keys() | theirs.keys()) - len(shared)
    if not shared:
        nothing = Estimate(math.nan, reason=message("answer.no-common-margin"))
        return PairComparison(nothing, 0, 0, 0, nothing, left_out)
    differences = np.array([ours[pair] - theirs[pair] for pair in shared])
    larger = differences > TIE
    return PairComparison(
        first=_share(larger, message("answer.no-common-margin")),
        first_larger=int(larger.sum()),
        second_larger=int((differences < -TIE).sum()),
        ties=int((np.abs(differences) <= TIE).sum()),
        difference=bootstrap(np.mean, differences, seed=seed, resamples=resamples),
        left_out=left_out,
    )


def answers_differ(first: Fields, second: Fields) -> bool:
    """Return whether two answers differ in words, or in their known sound.

    Case, marks and spaces do not count in words; of the emotion, the likeliest one counts.
    """
    return letters(first.output_content) != letters(second.output_content) or (
        _terms(first.output_style) != _terms(second.output_style)
    )


def letters(text: str) -> str:
    """The letters and digits of a text in one case: what is left of it when only the words count.

    >>> letters("It's FINE!")
    'itsfine'
    """
    return "".join(character for character in text.casefold() if character.isalnum())


def _terms(style: AnswerStyle) -> tuple[str, ...]:
    likeliest = max(style.emotion, key=style.emotion.__getitem__) if style.emotion else ""
    return likeliest, style.rate, style.volume, style.pitch


def _share(flags: npt.NDArray[np.bool_], nothing: str) -> Estimate:
    """A share of pairs with Wilson's interval: a bootstrap of pairs that were all won knows of no others."""
    if not flags.size:
        return Estimate(math.nan, reason=nothing)
    low, high = wilson_interval(int(flags.sum()), flags.size, confidence=CONFIDENCE)
    return Estimate(float(flags.mean()), low, high, flags.size, CONFIDENCE, message("stats.wilson"))


def _clusters(answers: Iterable[JudgedAnswer]) -> list[tuple[float, float]]:
    """Sum and number of the fitness of each contrast pair."""
    clusters: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for answer in answers:
        pair = answer.prompt.pair
        clusters["pair" if pair else "single", pair or answer.prompt.id].append(answer.fitness)
    return [(math.fsum(values), float(len(values))) for values in clusters.values()]


def _margin(pair: str, answers: Sequence[JudgedAnswer]) -> PairMargin:
    dimension = answers[0].prompt.dimension
    if len(answers) != 2 or answers[0].prompt.category == answers[1].prompt.category:
        count = len({answer.prompt.category for answer in answers})
        reason = message("answer.no-contrast-pair", count=len(answers), ways=count)
        return PairMargin(pair, dimension, math.nan, reason=reason)
    one, other = answers
    changed = answers_differ(one.fields, other.fields) if one.fields and other.fields else None
    if any(math.isnan(answer.fitness) for answer in answers):
        return PairMargin(pair, dimension, math.nan, changed, message("answer.pair-without-fitness"))
    if any(math.isnan(answer.swapped) for answer in answers):
        return PairMargin(pair, dimension, math.nan, changed, message("answer.twin-not-judged"))
    margin = pair_margin((one.fitness, other.fitness), (one.swapped, other.swapped))
    return PairMargin(pair, dimension, margin, changed)
