"""Human ratings of the items of a run: agreement of the judge with people, and of people with each other.

The second is the ceiling of the first: a judge that agrees with people as well as people agree with each other cannot
be distinguished from one more person by these numbers.
"""

import dataclasses
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from aptone.messages import joined, message
from aptone.report.notation import exponent_of
from aptone.stats import icc_2_1, pearson, spearman, tolerance_accuracy
from aptone.types import Entry, Estimate, Json

FEWEST_COMPLETE_ITEMS = 5
"""Items that every kept rater rated, below which raters are left out of the ICC to get a fuller matrix."""

Statistic = Callable[[Sequence[float], Sequence[float]], Estimate]


def number_or_nan(value: Json) -> float:
    """A JSON value as a finite number: ``null``, text and anything else that is none is NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return math.nan
    return number if math.isfinite(number) else math.nan


def human_score(entry: Entry) -> float:
    """``human_score`` of the item's payload; NaN where it has none."""
    return number_or_nan(entry.item.payload.get("human_score"))


def human_scores(entries: Iterable[Entry]) -> dict[str, float]:
    """Item id to ``human_score`` of its payload, for the items that have one."""
    given = ((entry.item.id, human_score(entry)) for entry in entries)
    return {name: value for name, value in given if not math.isnan(value)}


def item_ratings(entry: Entry) -> dict[str, float]:
    """Rater to rating, from the ``ratings`` of the item's payload."""
    ratings = entry.item.payload.get("ratings")
    if not isinstance(ratings, Mapping):
        return {}
    given = ((rater, number_or_nan(rating)) for rater, rating in ratings.items())
    return {rater: value for rater, value in given if not math.isnan(value)}


def _statistics(tolerance: float) -> dict[str, Statistic]:
    def accuracy(predicted: Sequence[float], reference: Sequence[float]) -> Estimate:
        return tolerance_accuracy(predicted, reference, tolerance=tolerance)

    return {"LCC": pearson, "ACC": accuracy, "Spearman": spearman}


def agreement_with_people(
    judged: Mapping[str, float], human: Mapping[str, float], *, tolerance: float
) -> dict[str, Estimate]:
    """LCC (Pearson), ACC (share within the tolerance) and Spearman of the judge against people, each with its interval.

    Args:
        judged: item id to score, NaN where there is none; such items are left out, and `Estimate.count` says so.
        human: item id to what people gave.
        tolerance: largest difference that ACC forgives, in units of the score.

    Returns:
        Empty when no item has a human score. Undefined statistics keep their reasons.
    """
    if not human:
        return {}
    shared = [name for name, value in judged.items() if name in human and not math.isnan(value)]
    pairs = [judged[name] for name in shared], [human[name] for name in shared]
    return agreement_of_pairs(*pairs, rated=len(human), tolerance=tolerance)


def agreement_of_pairs(
    judged: Sequence[float], human: Sequence[float], *, rated: int, tolerance: float
) -> dict[str, Estimate]:
    """Return `agreement_with_people` for the numbers of the judge and of people, item by item.

    Args:
        rated: number of items with a human score, those that the judge gave none included; 0 gives no statistics.
    """
    if not rated:
        return {}
    if not len(judged):
        reason = message("report.no-rated-item-scored", count=rated)
        return {name: Estimate(math.nan, reason=reason) for name in _statistics(tolerance)}
    exponent = _shrinking((*judged, *human))
    predicted = [math.ldexp(value, -exponent) for value in judged]
    reference = [math.ldexp(value, -exponent) for value in human]
    statistics_of = _statistics(math.ldexp(tolerance, -exponent))
    return {name: statistic(predicted, reference) for name, statistic in statistics_of.items()}


def _shrinking(numbers: Iterable[float]) -> int:
    """The power of two by which huge numbers, and the tolerance with them, are divided so that no sum overflows."""
    return max(0, exponent_of(numbers))


def human_ceiling(raters: Mapping[str, Mapping[str, float]], *, tolerance: float) -> dict[str, Estimate]:
    """Return the agreement of people with each other, by the same statistics and by ICC(2,1).

    LCC, ACC and Spearman are *leave-one-out*: each rater against the mean of the others, over the items that the rater
    shares with at least one other, then the mean over raters. The items behind two raters are not independent, so that
    no interval is given; `method` holds the lowest and the highest rater.

    ICC(2,1) (two-way random effects, absolute agreement, a single rater; Shrout and Fleiss 1979) needs every rater on
    every item. While fewer than `FEWEST_COMPLETE_ITEMS` items are complete, the rater with the fewest ratings is left
    out, down to two raters; `method` says how many raters and items were kept.

    Returns:
        Empty when no two raters share an item.
    """
    exponent = _shrinking(rating for ratings in raters.values() for rating in ratings.values())
    if exponent:
        tolerance = math.ldexp(tolerance, -exponent)
        raters = {
            rater: {item: math.ldexp(rating, -exponent) for item, rating in ratings.items()}
            for rater, ratings in raters.items()
        }
    per_item: defaultdict[str, list[float]] = defaultdict(list)
    for ratings in raters.values():
        for item, rating in ratings.items():
            per_item[item].append(rating)
    shared = {item: (sum(ratings), len(ratings)) for item, ratings in per_item.items() if len(ratings) > 1}
    if not shared:
        return {}
    found: dict[str, Estimate] = {}
    for name, statistic in _statistics(tolerance).items():
        singles: list[Estimate] = []
        for ratings in raters.values():
            items = [item for item in ratings if item in shared]
            if items:
                own = [ratings[item] for item in items]
                # total minus own, over one rater fewer: the mean of the others
                others = [(shared[item][0] - ratings[item]) / (shared[item][1] - 1) for item in items]
                singles.append(statistic(own, others))
        found[name] = _mean_over_raters(singles, items=len(shared))
    found["ICC(2,1)"] = _icc_of_complete_items(raters)
    return found


def _mean_over_raters(singles: Sequence[Estimate], *, items: int) -> Estimate:
    values = [single.value for single in singles if single.is_defined]
    if not values:
        return Estimate(math.nan, count=items, reason=message("report.undefined-every-rater", why=singles[0].reason))
    spread = {"count": len(values), "low": min(values), "high": max(values)}
    if undefined := len(singles) - len(values):
        method = message("report.leave-one-out-undefined", undefined=undefined, **spread)
    else:
        method = message("report.leave-one-out", **spread)
    return Estimate(
        statistics.fmean(values), count=items, method=method, reason=message("report.no-interval-shared-raters")
    )


def _icc_of_complete_items(raters: Mapping[str, Mapping[str, float]]) -> Estimate:
    kept = sorted(raters, key=lambda rater: (-len(raters[rater]), rater))

    def complete() -> list[str]:
        return sorted(set.intersection(*(set(raters[rater]) for rater in kept)))

    while len(complete()) < FEWEST_COMPLETE_ITEMS and len(kept) > 2:
        kept.pop()
    items = complete()
    how = message("report.raters-items-all-rated", kept=len(kept), all=len(raters), items=len(items))
    if len(items) < 2:
        return Estimate(math.nan, count=len(items), reason=message("report.too-few-common-items", why=how))
    estimate = icc_2_1(np.array([[raters[rater][item] for rater in kept] for item in items]))
    return dataclasses.replace(estimate, method=joined(filter(None, (estimate.method, how))))
