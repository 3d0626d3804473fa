"""Rules for excluding raters: qualification test, attention checks, share of outliers.

Nobody is left out without a word: every rater who is set aside is named with the reason, and the ratings stay.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import RecordError
from aptone.messages import message
from aptone.ratings.screening import mushra_screening
from aptone.types import Control, Json, Qualification, Rating, RatingTask, is_finite_number


@dataclass(frozen=True, slots=True)
class Tally:
    """Count of right answers to questions with a known answer."""

    right: int = 0
    count: int = 0

    def passes(self, share: float) -> bool:
        """True if enough answers are right, or none was given."""
        return self.right >= share * self.count - 1e-9  # 55 of 100 are a share of 0.55, whatever floats make of it


def is_right(control: Control, given: Json, gold: Json, *, tolerance: float) -> bool:
    """True if an answer is right: within the tolerance for points of scales and seconds, equal for all else.

    >>> fit = Control("fit", "scale", {}, low=0, high=5, step=1)
    >>> is_right(fit, 3, 4.5, tolerance=1.5), is_right(fit, 2, 4.5, tolerance=1.5)
    (True, False)
    """
    if control.kind == "scale":
        return is_finite_number(given) and is_finite_number(gold) and abs(given - gold) <= tolerance
    if control.kind == "boundaries":
        ends = [_times(given), _times(gold)]
        return all(ends) and all(abs(one - other) <= tolerance for one, other in zip(*ends, strict=True))
    if control.kind == "ratings":
        return isinstance(given, Mapping) and isinstance(gold, Mapping) and _all_near(given, gold, tolerance)
    if isinstance(given, str) and isinstance(gold, str):
        return given.strip().casefold() == gold.strip().casefold()
    return given == gold


def _all_near(given: Mapping[str, Json], gold: Mapping[str, Json], tolerance: float) -> bool:
    """Return whether every clip with a right number got one within the tolerance."""
    pairs = [(given.get(clip), wanted) for clip, wanted in gold.items()]
    return all(is_finite_number(one) and is_finite_number(two) and abs(one - two) <= tolerance for one, two in pairs)


def _times(value: Json) -> tuple[float, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return ()
    return tuple(float(one) for one in value if is_finite_number(one)) if all(map(is_finite_number, value)) else ()


def checked_ratings(task: RatingTask, ratings: Iterable[Rating]) -> list[Rating]:
    """Check that ratings are of this task's items, one of each person and item, and return them."""
    known = {item.id for item in task.items}
    seen: set[tuple[str, str]] = set()
    found = []
    for rating in ratings:
        if rating.item not in known:
            raise RecordError(f"the task {task.name!r} has no item {rating.item!r}; are these ratings of another task?")
        if (rating.item, rating.rater) in seen:
            raise RecordError(f"rater {rating.rater!r} has rated {rating.item!r} twice; keep one of the two.")
        seen.add((rating.item, rating.rater))
        found.append(rating)
    return found


def unrated_items(task: RatingTask) -> frozenset[str]:
    """Ids of the calibration, test and attention items."""
    return frozenset((*task.calibration, *(task.qualification.items if task.qualification else ()), *task.attention))


def tallies(task: RatingTask, ratings: Iterable[Rating], items: Sequence[str]) -> dict[str, Tally]:
    """Map rater to the count of right answers to these items, by question."""
    controls = {control.name: control for control in task.controls}
    gold = {item.id: item.gold for item in task.items if item.id in set(items)}
    tolerance = pass_rule(task).tolerance
    right: defaultdict[str, int] = defaultdict(int)
    count: defaultdict[str, int] = defaultdict(int)
    for rating in ratings:
        for name, wanted in gold.get(rating.item, {}).items():
            count[rating.rater] += 1
            right[rating.rater] += is_right(controls[name], rating.answers.get(name), wanted, tolerance=tolerance)
    return {rater: Tally(right[rater], total) for rater, total in count.items()}


def qualification_tallies(task: RatingTask, ratings: Iterable[Rating]) -> dict[str, Tally]:
    """Map rater to the result of the test."""
    return tallies(task, ratings, task.qualification.items if task.qualification else ())


def attention_tallies(task: RatingTask, ratings: Iterable[Rating]) -> dict[str, Tally]:
    """Map rater to the result of the attention checks."""
    return tallies(task, ratings, task.attention)


def attention_share(task: RatingTask) -> float:
    """Share of right answers to attention checks below which a rater is set aside."""
    return pass_rule(task).pass_share if math.isnan(task.attention_share) else task.attention_share


def pass_rule(task: RatingTask) -> Qualification:
    """Tolerance and pass share of a task; without a test the defaults apply to its checks."""
    return task.qualification or Qualification(())


def outlier_shares(ratings: Iterable[Mapping[str, float]], *, distance: float) -> dict[str, float]:
    """Map rater to the share of answers further than a distance from the mean of the others'.

    Args:
        ratings: rater to number, one mapping for each item and question; answers that stand alone are passed over.

    >>> outlier_shares([{"a": 4, "b": 4, "c": 0}, {"a": 3, "b": 3, "c": 3}], distance=2.5)
    {'a': 0.0, 'b': 0.0, 'c': 0.5}
    """
    outliers: defaultdict[str, list[bool]] = defaultdict(list)
    for by in ratings:
        total = math.fsum(by.values())
        for rater, score in by.items():
            if len(by) > 1:
                outliers[rater].append(abs(score - (total - score) / (len(by) - 1)) > distance)
    return {rater: sum(found) / len(found) for rater, found in outliers.items()}


def task_outlier_shares(
    task: RatingTask, ratings: Iterable[Rating], *, leaving_out: Iterable[str] = ()
) -> dict[str, float]:
    """Map rater to the share of outliers over all scales of a task, without tests, calibration and raters left out.

    Empty for a task that does not say what an outlier is.
    """
    if math.isnan(task.outlier_distance):
        return {}
    scales = [control.name for control in task.controls if control.kind == "scale"]
    apart, others = unrated_items(task), set(leaving_out)
    given: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for rating in ratings:
        if rating.item in apart or rating.rater in others:
            continue
        for name in scales:
            if is_finite_number(number := rating.answers.get(name)):
                given[rating.item, name][rating.rater] = float(number)
    return outlier_shares(given.values(), distance=task.outlier_distance)


def set_aside(task: RatingTask, ratings: Sequence[Rating]) -> dict[str, str]:
    """Map each rater whose ratings do not count to the reason.

    First those fail whose share of right answers in the test is too small, then those who fail the checks that are
    mixed in unseen (by the same share, unless the task names another). Then, among the rest, those are set aside with
    too many outliers: whose answer lies further from the mean of the others than the task allows, on more than its
    share of what others rated, too.
    MUSHRA has a rule of its own (`aptone.ratings.screening`).
    """
    share = pass_rule(task).pass_share
    found: dict[str, str] = {
        rater: message("run.test-answers-right", right=tally.right, count=tally.count)
        for rater, tally in qualification_tallies(task, ratings).items()
        if not tally.passes(share)
    }
    for rater, tally in attention_tallies(task, ratings).items():
        if not tally.passes(attention_share(task)):
            found.setdefault(rater, message("run.attention-checks-right", right=tally.right, count=tally.count))
    if not math.isnan(task.outlier_share):
        for rater, outlier in task_outlier_shares(task, ratings, leaving_out=tuple(found)).items():
            if outlier > task.outlier_share:
                found[rater] = message("run.ratings-stray", share=100 * outlier)
    for rater, why in mushra_screening(task, ratings).items():
        found.setdefault(rater, why)
    return found
