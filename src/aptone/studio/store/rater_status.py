"""Status of raters by the rules of `aptone.ratings.rules`: test, attention checks, outliers.

Nobody is dropped in silence: each rule gives a figure and, where it is broken, a flag and a sentence.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.ratings.rules import (
    Tally,
    attention_tallies,
    is_right,
    pass_rule,
    qualification_tallies,
    set_aside,
    task_outlier_shares,
)
from aptone.studio.store.records import Feedback, RatedRow
from aptone.types import Json, Rating, RatingItem, RatingTask


@dataclass(frozen=True, slots=True)
class Flag:
    """Rule that a rater broke.

    Args:
        share: share of right answers; for ``outlier`` of answers that lie far from the others'.
    """

    kind: Literal["not-qualified", "attention", "outlier"]
    share: float


@dataclass(frozen=True, slots=True)
class RaterStatus:
    """Trust in the answers of one rater.

    Args:
        outliers: share of scale answers that lie far from the mean of the others'; NaN when none can be compared or the
            task has no such rule.
        set_aside: reason why the answers do not count; empty when they do.
    """

    qualification: Tally
    attention: Tally
    outliers: float
    flags: tuple[Flag, ...]
    set_aside: str


def feedback(task: RatingTask, item: RatingItem, answers: Mapping[str, Json]) -> dict[str, Feedback]:
    """Feedback on the answers to a calibration item, by control that has a right answer."""
    controls = {control.name: control for control in task.controls}
    tolerance = pass_rule(task).tolerance
    return {
        name: Feedback(
            answers.get(name), gold, within=is_right(controls[name], answers.get(name), gold, tolerance=tolerance)
        )
        for name, gold in item.gold.items()
    }


def has_passed(task: RatingTask, answered: Sequence[Rating], *, asked: int) -> bool | None:
    """True if one person passed the test; ``None`` when it is not over, or there is none."""
    if not asked or len(answered) < asked:
        return None
    (tally,) = qualification_tallies(task, answered).values()
    return tally.passes(pass_rule(task).pass_share)


def rater_statuses(task: RatingTask, rows: Sequence[RatedRow]) -> dict[str, RaterStatus]:
    """Map rater to status, from the submitted ratings."""
    ratings = [row.rating for row in rows if row.state == "submitted"]
    aside = set_aside(task, ratings)
    tests, checks = qualification_tallies(task, ratings), attention_tallies(task, ratings)
    failed = [rater for rater in aside if not _passes(task, tests.get(rater), checks.get(rater))]
    outliers = task_outlier_shares(task, ratings, leaving_out=failed)
    found = {}
    for rater in dict.fromkeys(rating.rater for rating in ratings):
        test, check, outlier = tests.get(rater, Tally()), checks.get(rater, Tally()), outliers.get(rater, math.nan)
        flags = _flags(task, test, check, outlier)
        found[rater] = RaterStatus(test, check, outlier, flags, aside.get(rater, ""))
    return found


def share(tally: Tally) -> float:
    """Share of right answers; NaN when there are none."""
    return tally.right / tally.count if tally.count else math.nan


def _passes(task: RatingTask, *tallies: Tally | None) -> bool:
    return all(tally is None or tally.passes(pass_rule(task).pass_share) for tally in tallies)


def _flags(task: RatingTask, test: Tally, check: Tally, outlier: float) -> tuple[Flag, ...]:
    flags = [] if _passes(task, test) else [Flag("not-qualified", share(test))]
    flags += [] if _passes(task, check) else [Flag("attention", share(check))]
    flags += [Flag("outlier", outlier)] if outlier > task.outlier_share else []
    return tuple(flags)
