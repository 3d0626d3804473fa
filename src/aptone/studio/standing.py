"""Whose answers count: the test before the work, attention checks within it, and how far somebody strays from the rest.

Nobody is dropped in silence: each rule gives a figure and, where it is broken, a sentence.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.stats import outlier_shares
from aptone.studio.checking import is_right
from aptone.studio.records import Feedback, RatedRow
from aptone.types import Json, RatingItem, RatingTask, is_finite_number

ATTENTION_SHARE = 0.7
"""Share of attention checks that a listener gets right; tasks name no limit of their own."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the answers of one rater can be trusted.

    Args:
        qualification: share of right answers in the test; NaN when there are none.
        qualified: whether the test was passed; ``None`` when it is not over, or there is none.
        attention: share of right answers to attention checks; NaN when there are none.
        outliers: share of scale answers that lie far from the mean of the others'; NaN when none can be compared or the
            task has no such rule.
        set_aside: why the answers should not count, in words; empty when they do.
    """

    qualification: float = math.nan
    qualified: bool | None = None
    attention: float = math.nan
    outliers: float = math.nan
    set_aside: str = ""


def feedback(task: RatingTask, item: RatingItem, answers: Mapping[str, Json]) -> dict[str, Feedback]:
    """What a person is told about the answers to a calibration item, by control that has a right answer."""
    controls = {control.name: control for control in task.controls}
    return {
        name: Feedback(answers.get(name), gold, within=is_right(task, controls[name], answers.get(name), gold))
        for name, gold in item.gold.items()
    }


def share_right(task: RatingTask, answered: Iterable[tuple[RatingItem, Mapping[str, Json]]]) -> float:
    """Share of right answers among all that have a right one; NaN when there are none."""
    hits = [told.within for item, answers in answered for told in feedback(task, item, answers).values()]
    return sum(hits) / len(hits) if hits else math.nan


def has_passed(
    task: RatingTask, answered: Sequence[tuple[RatingItem, Mapping[str, Json]]], *, asked: int
) -> bool | None:
    """Whether the test was passed; ``None`` when fewer than all of its items were answered, or there is none.

    Args:
        task: what was asked.
        answered: items of the test that were submitted, and the answers.
        asked: how many items the test has.
    """
    if task.qualification is None or not asked or len(answered) < asked:
        return None
    share = share_right(task, answered)
    return not share < task.qualification.pass_share - 1e-9


def standings(task: RatingTask, rows: Sequence[RatedRow]) -> dict[str, Standing]:
    """Rater to standing, from what was submitted.

    First come the test and the attention checks; then, among those who passed, the outlier rule: whoever strays too
    often from the mean of the others is set aside.
    """
    items = {item.id: item for item in task.items}
    kept = [row for row in rows if row.state == "submitted"]
    by_rater: defaultdict[str, list[RatedRow]] = defaultdict(list)
    for row in kept:
        by_rater[row.rating.rater].append(row)
    asked = len(set(task.qualification.items) - set(task.calibration)) if task.qualification is not None else 0
    first = {rater: _by_gold(task, items, own, asked=asked) for rater, own in by_rater.items()}
    strays = _strays(task, [row for row in kept if not first[row.rating.rater].set_aside])
    return {rater: _with_outliers(task, one, strays.get(rater, math.nan)) for rater, one in first.items()}


def _by_gold(task: RatingTask, items: Mapping[str, RatingItem], rows: Sequence[RatedRow], *, asked: int) -> Standing:
    test, checks = (
        [(items[row.rating.item], row.rating.answers) for row in rows if row.purpose == purpose]
        for purpose in ("qualification", "attention")
    )
    qualified, attention = has_passed(task, test, asked=asked), share_right(task, checks)
    qualification = share_right(task, test)
    reason = ""
    if qualified is False:
        reason = f"{100 * qualification:.0f} % of the answers in the test are right"
    elif attention < ATTENTION_SHARE:
        reason = f"{100 * attention:.0f} % of the answers to attention checks are right"
    return Standing(qualification, qualified, attention, set_aside=reason)


def _strays(task: RatingTask, rows: Sequence[RatedRow]) -> dict[str, float]:
    if math.isnan(task.outlier_distance):
        return {}
    scales = [control.name for control in task.controls if control.kind == "scale"]
    ratings: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.purpose == "rating":
            for name in scales:
                if is_finite_number(value := row.rating.answers.get(name)):
                    ratings[row.rating.item, name][row.rating.rater] = float(value)
    return outlier_shares(ratings.values(), distance=task.outlier_distance)


def _with_outliers(task: RatingTask, standing: Standing, share: float) -> Standing:
    reason = standing.set_aside
    if not reason and share > task.outlier_share:
        reason = f"{100 * share:.0f} % of the ratings stray from those of the others"
    return Standing(standing.qualification, standing.qualified, standing.attention, share, reason)
