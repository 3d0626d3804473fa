"""What to do about the agreement on a question: which items, which raters, how many more ratings."""

import math
from dataclasses import dataclass, replace
from typing import Any

from aptone.messages import message
from aptone.stats.alpha import item_disagreements, rating_variance, sample_alpha
from aptone.studio.agreement.headline import FEWEST_ITEMS, Material, alpha_sample
from aptone.studio.agreement.items import ByItem
from aptone.types import Control, Estimate


@dataclass(frozen=True, slots=True)
class RaterInfluence:
    """Influence of one rater on the agreement on a question.

    Args:
        alpha_without: the headline's value without this rater; NaN where nothing is left to compare.
        gain: by how much it is higher than with everybody.
    """

    rater: str
    alpha_without: float
    gain: float


def rater_influences(control: Control, given: ByItem[Any], material: Material) -> tuple[RaterInfluence, ...]:
    """Leave out one rater after the other; the one without whom people agree best comes first."""
    whole = sample_alpha(alpha_sample(control, given, material))
    found = []
    for rater in sorted({name for by in given.values() for name in by}):
        rest = {item: {name: one for name, one in by.items() if name != rater} for item, by in given.items()}
        without = sample_alpha(alpha_sample(control, {item: by for item, by in rest.items() if by}, material))
        found.append(RaterInfluence(rater, without, without - whole))
    return tuple(sorted(found, key=lambda one: math.inf if math.isnan(one.gain) else -one.gain))


@dataclass(frozen=True, slots=True)
class RatingsNeeded:
    """Ratings that bring the interval of a headline to a wanted half-width.

    The half-width falls with the root of the number of items; with the raters of an item it falls as the variance of
    the intraclass correlation does (`aptone.stats.alpha.rating_variance`), and not below a floor.

    Args:
        wanted: half-width of the 95 % interval that was asked for.
        now: half-width so far; NaN where there is no interval.
        items: items with two answers so far.
        raters_per_item: mean number of answers to such an item.
        more_items: items to add, each with as many raters; NaN where unknown, 0 where it is narrow enough.
        more_raters_per_item: raters to add to each item; NaN where no number of them is enough.
        more_ratings: ratings that the cheaper of both ways takes.
        reason: why a number is unknown.
    """

    wanted: float
    now: float = math.nan
    items: int = 0
    raters_per_item: float = math.nan
    more_items: float = math.nan
    more_raters_per_item: float = math.nan
    more_ratings: float = math.nan
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemDisagreement:
    """Disagreement about one item, over that of chance: 0 where all say the same, 1 as if drawn at random."""

    item: str
    disagreement: float
    raters: int


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What to do about the agreement on a question.

    Args:
        items: items on which people differ most, at most ten: look at them, settle them, or mend the guide.
        raters: everybody's influence, the one without whom people agree best first.
        needed: ratings that bring the interval to a wanted half-width.
    """

    items: tuple[ItemDisagreement, ...]
    raters: tuple[RaterInfluence, ...]
    needed: RatingsNeeded


MOST_ITEMS = 10
"""Items that are named."""


def next_steps(
    control: Control, given: ByItem[Any], estimate: Estimate, material: Material, *, half_width: float
) -> NextSteps:
    """Find what to do about the agreement on a question; `estimate` is its headline."""
    sample = alpha_sample(control, given, material)
    apart = sorted(item_disagreements(sample).items(), key=lambda one: -one[1])[:MOST_ITEMS]
    kept = set(sample.names)
    answers = [len(by) for item, by in given.items() if item in kept] or [0]
    raters = math.fsum(answers) / len(answers)
    return NextSteps(
        tuple(ItemDisagreement(str(item), far, len(given[str(item)])) for item, far in apart if far > 0),
        rater_influences(control, given, material),
        ratings_needed(estimate, raters_per_item=raters, wanted=half_width),
    )


MOST_RATERS = 200
"""Raters of an item up to which is looked for a number that is enough."""


def ratings_needed(estimate: Estimate, *, raters_per_item: float, wanted: float) -> RatingsNeeded:
    """Estimate how many more ratings give the wanted half-width.

    >>> found = ratings_needed(Estimate(0.5, 0.3, 0.7, count=50), raters_per_item=3, wanted=0.1)
    >>> found.more_items, found.more_raters_per_item, found.more_ratings
    (147, nan, 441)
    """
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return RatingsNeeded(wanted, items=estimate.count, reason=estimate.reason or message("studio.no-interval-yet"))
    now = (estimate.high - estimate.low) / 2
    if estimate.count < FEWEST_ITEMS or not now:
        why = message("studio.too-few-items-to-tell", count=FEWEST_ITEMS)
        return RatingsNeeded(wanted, now, estimate.count, raters_per_item, reason=why)
    if now <= wanted:
        return RatingsNeeded(wanted, now, estimate.count, raters_per_item, 0, 0, 0)
    items = math.ceil(1 + (estimate.count - 1) * (now / wanted) ** 2) - estimate.count
    shape = rating_variance(estimate.value, raters=raters_per_item)
    goal = shape * (wanted / now) ** 2
    enough = next(
        (
            raters
            for raters in range(math.floor(raters_per_item) + 1, MOST_RATERS + 1)
            if rating_variance(estimate.value, raters=raters) <= goal
        ),
        None,
    )
    more = math.nan if enough is None else math.ceil(enough - raters_per_item)
    by_items = items * raters_per_item
    by_raters = math.nan if enough is None else (enough - raters_per_item) * estimate.count
    cheaper = math.ceil(min(by_items, by_raters) if not math.isnan(by_raters) else by_items)
    found = RatingsNeeded(wanted, now, estimate.count, raters_per_item, items, more, cheaper)
    return replace(found, reason=message("studio.more-raters-not-enough")) if enough is None else found
