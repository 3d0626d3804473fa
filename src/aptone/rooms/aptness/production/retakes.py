"""Lines worth recording again, those first that gain most: expected loss, not the lowest score.

A score rests on a plan that may be wrong and on a clip that may hold other words. With the probability that both are
right (`trust_of`) a line is as good as its score says; otherwise nothing is known about it but that it is a line of
this book: ``trust · score + (1 - trust) · mean``, with the variance of that mixture. Where planner and ear give
probabilities of emotions, a second estimate is five points times the probability that the emotion heard is the one
asked for, and the expected aptness is the mean of both. What a new take gains is what it lacks to a good line of the
book (the upper quartile of its kind, speech or narration). Lines whose plan is not sure, or that have no score, are
listed apart with the reason.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.messages import message
from aptone.rooms.aptness.production.book_lines import ProductionLine
from aptone.types import Plan

LEAST_TRUST = 0.4
"""Trust below which a score says too little about a line to list it among the retakes."""

GOOD = 0.75
"""Quantile of the scores of a book that counts as a good line."""

FEWEST = 4
"""Scored lines of speech or narration below which the two are not told apart."""

LEAST_GAIN = 0.05
"""Gain below which a line counts as good: it would be shown as 0."""

RANGE = (0.0, 5.0)
Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Usual:
    """Scores of the lines of a book, or of one kind of them: mean and standard deviation."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Retake:
    """A line worth recording again.

    Args:
        trust: probability that the score is about this line as the story asks for it.
        expected: expected aptness.
        gain: points that a good line of the book has more, 0 or more; `low` and `high` are its 95 % interval.
    """

    line: ProductionLine
    trust: float
    expected: float
    gain: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LineApart:
    """A line about which too little is known, and why."""

    line: ProductionLine
    reason: str


@dataclass(frozen=True, slots=True)
class RetakeList:
    """Lines of a book by what a new take gains, the most first; those that lack nothing; and those apart."""

    retakes: tuple[Retake, ...]
    fine: tuple[Retake, ...]
    apart: tuple[LineApart, ...]


@dataclass(frozen=True, slots=True)
class RetakeFilter:
    """Choice among retakes; each is optional.

    Args:
        worst: number of lines, those that gain most.
        below: only lines whose aptness is lower.
        characters: only lines of these: names of speakers, ``narration``, ``unknown``.
        chapters: only lines of these chapters.
    """

    worst: int | None = None
    below: float = math.inf
    characters: frozenset[str] = frozenset()
    chapters: frozenset[str] = frozenset()

    def apply(self, retakes: Iterable[Retake]) -> list[Retake]:
        """Return the chosen ones in their order."""
        kept = [retake for retake in retakes if retake.line.score < self.below and self.includes(retake.line)]
        return kept if self.worst is None else kept[: self.worst]

    def includes(self, line: ProductionLine) -> bool:
        """Return true if a line is of a chosen character and chapter."""
        is_theirs = not self.characters or line.character in self.characters
        return is_theirs and (not self.chapters or line.chapter in self.chapters)


def trust_of(plan: Plan | None, *, placed: float = 1.0) -> float:
    """Return the probability that a score is about the line as the story asks for it.

    It is the confidence of the plan (of a vote, the share of it; 1 for a plan by hand) times the share of words found.

    >>> trust_of(Plan("angry", emotions={"angry": 1.0}, unsaid=0.25), placed=0.8)
    0.6
    """
    if plan is None:
        return placed
    shares = [share for share in (plan.confidence, plan.vote_share) if not math.isnan(share)]
    return round(placed * min(shares, default=1.0), 12)


def expected_score(score: float, *, spread: float, trust: float, usual: Usual) -> tuple[float, float]:
    """Return mean and standard deviation of the aptness of a line, given its score and how far to trust it.

    Mean: ``trust · score + (1 - trust) · usual.mean``. Variance: ``trust · spread² + (1 - trust) · usual.deviation² +
    trust · (1 - trust) · (score - usual.mean)²``, that of the mixture.

    >>> expected_score(1.0, spread=0.0, trust=0.5, usual=Usual(3.0, 1.0))
    (2.0, 1.224744871391589)
    """
    mean = trust * score + (1.0 - trust) * usual.mean
    variance = (
        trust * spread**2 + (1.0 - trust) * usual.deviation**2 + trust * (1.0 - trust) * (score - usual.mean) ** 2
    )
    return mean, math.sqrt(variance)


def usual_scores(scores: Sequence[float]) -> Usual:
    """Return mean and standard deviation of scores.

    Raises:
        ValueError: if there are none.
    """
    if not scores:
        raise ValueError("no line has a score.")
    return Usual(float(np.mean(scores)), float(np.std(scores)))


def order_retakes(lines: Sequence[ProductionLine]) -> RetakeList:
    """Order the lines of a book by what a new take of each is expected to gain; equal ones stay in their order."""
    sure: list[ProductionLine] = []
    apart: list[LineApart] = []
    for line in lines:
        if reason := _apart(line):
            apart.append(LineApart(line, reason))
        else:
            sure.append(line)
    if not sure:
        return RetakeList((), (), tuple(apart))
    kinds = [[line for line in sure if line.is_speech is kind] for kind in (True, False)]
    judged: list[Retake] = []
    for theirs in kinds if min(map(len, kinds)) >= FEWEST else [sure]:
        usual = usual_scores([line.score for line in theirs])
        expected = [_expected(line, usual) for line in theirs]
        good = float(np.quantile([mean for mean, _ in expected], GOOD))
        judged += [_retake(line, *one, good=good) for line, one in zip(theirs, expected, strict=True)]
    judged.sort(key=lambda retake: (-retake.gain, retake.line.position))
    return RetakeList(
        tuple(retake for retake in judged if retake.gain >= LEAST_GAIN),
        tuple(retake for retake in judged if retake.gain < LEAST_GAIN),
        tuple(apart),
    )


def _expected(line: ProductionLine, usual: Usual) -> tuple[float, float]:
    """Return the expected aptness of a line and its standard deviation."""
    again = float(np.var(line.scores, ddof=1)) / len(line.scores) if len(line.scores) > 1 else 0.0
    spread = math.sqrt(line.spread**2 + again)
    trust = trust_of(line.plan, placed=line.placed)
    mean, deviation = expected_score(line.score, spread=spread, trust=trust, usual=usual)
    if math.isnan(line.agreement):
        return mean, deviation
    return (mean + RANGE[1] * line.agreement) / 2.0, deviation / 2.0


def _retake(line: ProductionLine, expected: float, deviation: float, *, good: float) -> Retake:
    lack = good - expected
    return Retake(
        line,
        trust=trust_of(line.plan, placed=line.placed),
        expected=expected,
        gain=max(0.0, lack),
        low=max(0.0, lack - Z * deviation),
        high=min(good - RANGE[0], max(0.0, lack + Z * deviation)),
    )


def _apart(line: ProductionLine) -> str:
    """Return why a line is not among the retakes; empty if it may be."""
    if not line.scores:
        return line.reason or message("production.no-score")
    plan = line.plan
    if plan is not None and plan.is_unsaid and (line.is_speech or (plan.rhythm or plan.intonation) is None):
        return message("production.story-does-not-say", share=100.0 * plan.unsaid)
    if plan is not None and plan.is_unsure:
        return message("production.plan-unsure", share=100.0 * plan.confidence)
    if line.placed < LEAST_TRUST:
        return message("production.place-unsure", share=100.0 * line.placed)
    if (trust := trust_of(plan, placed=line.placed)) < LEAST_TRUST:
        return message("production.little-trust", share=100.0 * trust)
    return ""
