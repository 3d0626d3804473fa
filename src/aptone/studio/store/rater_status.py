"""Whose answers count, person by person, by the rules of `rating_rules`: the test, the attention checks, who strays.

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
    qualification_tallies,
    set_aside,
    task_outlier_shares,
)
from aptone.studio.store.records import Feedback, RatedRow
from aptone.types import Json, Qualification, Rating, RatingItem, RatingTask


@dataclass(frozen=True, slots=True)
class Flag:
    """A rule that somebody broke.

    Args:
        kind: which one.
        share: of right answers; for ``outlier`` of answers that lie far from the others'.
    """

    kind: Literal["not-qualified", "attention", "outlier"]
    share: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the answers of one rater can be trusted.

    Args:
        qualification: answers of the test.
        attention: answers to attention checks.
        outliers: share of scale answers that lie far from the mean of the others'; NaN when none can be compared or the
            task has no such rule.
        flags: the rules that were broken.
        set_aside: why the answers should not count, in words; empty when they do.
    """

    qualification: Tally
    attention: Tally
    outliers: float
    flags: tuple[Flag, ...]
    set_aside: str


def feedback(task: RatingTask, item: RatingItem, answers: Mapping[str, Json]) -> dict[str, Feedback]:
    """What a person is told about the answers to a calibration item, by control that has a right answer."""
    controls = {control.name: control for control in task.controls}
    tolerance = _rule(task).tolerance
    return {
        name: Feedback(
            answers.get(name), gold, within=is_right(controls[name], answers.get(name), gold, tolerance=tolerance)
        )
        for name, gold in item.gold.items()
    }


def has_passed(task: RatingTask, answered: Sequence[Rating], *, asked: int) -> bool | None:
    """Whether one person passed the test; ``None`` when it is not over, or there is none.

    Args:
        task: what was asked.
        answered: what the person submitted of the test.
        asked: how many items the test has.
    """
    if not asked or len(answered) < asked:
        return None
    (tally,) = qualification_tallies(task, answered).values()
    return tally.passes(_rule(task).pass_share)


def standings(task: RatingTask, rows: Sequence[RatedRow]) -> dict[str, Standing]:
    """Rater to standing, from what was submitted."""
    ratings = [row.rating for row in rows if row.state == "submitted"]
    aside = set_aside(task, ratings)
    tests, checks = qualification_tallies(task, ratings), attention_tallies(task, ratings)
    failed = [rater for rater in aside if not _passes(task, tests.get(rater), checks.get(rater))]
    strays = task_outlier_shares(task, ratings, leaving_out=failed)
    found = {}
    for rater in dict.fromkeys(rating.rater for rating in ratings):
        test, check, stray = tests.get(rater, Tally()), checks.get(rater, Tally()), strays.get(rater, math.nan)
        flags = _flags(task, test, check, stray)
        found[rater] = Standing(test, check, stray, flags, aside.get(rater, ""))
    return found


def share(tally: Tally) -> float:
    """Right answers of all; NaN when there are none."""
    return tally.right / tally.count if tally.count else math.nan


def _passes(task: RatingTask, *tallies: Tally | None) -> bool:
    return all(tally is None or tally.passes(_rule(task).pass_share) for tally in tallies)


def _flags(task: RatingTask, test: Tally, check: Tally, stray: float) -> tuple[Flag, ...]:
    flags = [] if _passes(task, test) else [Flag("not-qualified", share(test))]
    flags += [] if _passes(task, check) else [Flag("attention", share(check))]
    flags += [Flag("outlier", stray)] if stray > task.outlier_share else []
    return tuple(flags)


def _rule(task: RatingTask) -> Qualification:
    return task.qualification or Qualification(())
