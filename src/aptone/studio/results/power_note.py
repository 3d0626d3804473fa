"""Power of a listening test: the smallest difference, and listeners needed for half of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aptone.stats.crossed import CrossedMean
from aptone.stats.power import Design, Deviations, detectable_shift, raters_needed, smallest_difference

ALPHA, POWER = 0.05, 0.8


@dataclass(frozen=True, slots=True)
class PowerNote:
    """Power of a listening test: the smallest difference with 80 % power, and listeners needed for half of it.

    Args:
        smallest: NaN where no error is known.
        raters_for_half: 0 if more listeners alone do not help: then more texts are needed.
    """

    smallest: float
    raters_for_half: int
    raters: int
    items: int


@dataclass(frozen=True, slots=True)
class TestedPair:
    """Difference of two systems as tested, with the numbers it rests on.

    Args:
        paired: whether each number is a comparison, or one of two ratings of the same rater and item.
        ratings: count of numbers; of pairs, if paired.
    """

    first: str
    second: str
    mean: CrossedMean
    paired: bool
    ratings: int

    @property
    def design(self) -> Design | None:
        """Who rated what; ``None`` for a single rater or item."""
        whole = self.mean.raters * self.mean.items * (1 if self.paired else 2)
        if self.mean.raters < 2 or self.mean.items < 2:
            return None
        return Design(self.mean.raters, self.mean.items, min(1.0, self.ratings / whole), self.paired)


def power_note(tested: Sequence[TestedPair], *, raters: int, items: int) -> PowerNote:
    """Smallest difference that the pair with the largest error would show with 80 % power, uncorrected."""
    known = [one for one in tested if one.mean.error > 0 and one.mean.freedom > 0]
    if not known:
        return PowerNote(math.nan, 0, raters, items)
    worst = max(known, key=lambda one: one.mean.error)
    mean, design = worst.mean, worst.design
    if design is None or math.isnan(mean.rest_variance):
        smallest = detectable_shift(mean.freedom, power=POWER, alpha=ALPHA) * mean.error
        return PowerNote(smallest, 0, raters, items)
    parts = (mean.rater_variance, mean.item_variance, mean.rest_variance)
    deviations = Deviations(*map(math.sqrt, parts))
    smallest = smallest_difference(deviations, design, power=POWER, alpha=ALPHA)
    needed = raters_needed(smallest / 2, deviations, design, power=POWER) if math.isfinite(smallest) else 0
    return PowerNote(smallest, needed, raters, items)
