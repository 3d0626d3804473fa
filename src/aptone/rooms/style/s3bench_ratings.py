"""What came back from the raters: who passed, whose ratings count, and how far they agree."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.rooms.style.data import Ratings
from aptone.rooms.style.records import StylePair
from aptone.rooms.style.s3bench_task import FIT
from aptone.rooms.style.score import Agreement, rater_agreement
from aptone.types import RatingTask


@dataclass(frozen=True, slots=True)
class Imported:
    """Ratings that count.

    Args:
        ratings: by pair and rater.
        raters: how many people they are of.
        set_aside: rater to the reason why their ratings do not count.
        short: pairs with fewer ratings than the task asks for.
        agreement: of the raters with each other.
    """

    ratings: Ratings
    raters: int
    set_aside: Mapping[str, str]
    short: int
    agreement: tuple[Agreement, ...]


def count_ratings(answers: Ratings, task: RatingTask) -> tuple[Ratings, dict[str, str]]:
    """The ratings of those who passed the test and do not stray, and why others are set aside.

    First those fail whose share of right answers in the test is too small. Then, among the rest, those are set aside
    who stray too often: whose rating lies further from the mean of the others than the task allows, on more than its
    share of the pairs that others rated, too.

    Args:
        answers: everything that was answered, the test included.
        task: what was asked.
    """
    test = set(task.qualification.items) if task.qualification else set()
    set_aside = _failed(answers, task)
    kept = {
        pair: {rater: given for rater, given in by.items() if rater not in set_aside}
        for pair, by in answers.items()
        if pair not in test
    }
    if not math.isnan(task.outlier_share):
        for rater, share in _outliers(kept, task.outlier_distance).items():
            if share > task.outlier_share:
                set_aside[rater] = f"{100 * share:.0f} % of the ratings stray from those of the others"
    counted = {
        pair: {rater: given for rater, given in by.items() if rater not in set_aside} for pair, by in kept.items()
    }
    return {pair: by for pair, by in counted.items() if by}, set_aside


def imported(pairs: Sequence[StylePair], answers: Ratings, task: RatingTask, *, seed: int = 0) -> Imported:
    """Everything about the answers to a task; arguments as those of `count_ratings`, and the pairs of the set.

    Raises:
        ValueError: if a rating lies outside of the scale.
    """
    ratings, set_aside = count_ratings(answers, task)
    rated = [
        StylePair(pair.id, pair.audio, pair.description, pair.language, ratings={r: s for r, (s, _) in by.items()})
        for pair in pairs
        if (by := ratings.get(pair.id))
    ]
    several = any(len(pair.ratings) > 1 for pair in rated)
    return Imported(
        ratings=ratings,
        raters=len({rater for by in ratings.values() for rater in by}),
        set_aside=set_aside,
        short=sum(len(ratings.get(pair.id, {})) < task.raters_per_item for pair in pairs),
        agreement=tuple(rater_agreement(rated, seed=seed)) if several else (),
    )


def _failed(answers: Ratings, task: RatingTask) -> dict[str, str]:
    if task.qualification is None:
        return {}
    gold = {item.id: item.gold[FIT] for item in task.items if item.id in task.qualification.items}
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for pair, wanted in gold.items():
        assert isinstance(wanted, int | float)
        for rater, (score, _) in answers.get(pair, {}).items():
            right[rater].append(abs(score - wanted) <= task.qualification.tolerance)
    return {
        rater: f"{sum(hits)} of {len(hits)} answers of the test are right"
        for rater, hits in right.items()
        if sum(hits) < task.qualification.pass_share * len(hits)
    }


def _outliers(ratings: Ratings, distance: float) -> dict[str, float]:
    """Rater to the share of ratings that lie too far from the mean of the others'."""
    strays: defaultdict[str, list[bool]] = defaultdict(list)
    for by in ratings.values():
        total = math.fsum(score for score, _ in by.values())
        for rater, (score, _) in by.items():
            if len(by) > 1:
                strays[rater].append(abs(score - (total - score) / (len(by) - 1)) > distance)
    return {rater: sum(found) / len(found) for rater, found in strays.items()}
