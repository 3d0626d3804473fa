"""Selection of what people are asked first: where the judge is least sure.

A comparison of two takes is the closer, the likelier the judge has them in the wrong order:

    P(wrong) = Φ(-lead / √(σ₁² + σ₂² + σ₀²))

with σ the deviation of each score: what the judge says itself (`Score.spread`), and the deviation of its repeats over
√n. σ₀ stands for what no score knows of itself: it is such that a lead of the least lead that counts (0.5 points of 5)
is wrong with 2.5 %, which is what `aptone rank` calls a clear lead. So a small lead and wide intervals both bring a
comparison forward; 0.5 is a coin toss. Single scores come by their deviation, the widest first.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from aptone.report.groups import counted_score
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD, QUANTILE
from aptone.types import Entry


@dataclass(frozen=True, slots=True)
class Judged:
    """Score of one item with its deviation.

    Args:
        score: mean over the repeats; NaN without a number.
        deviation: standard deviation of the mean; 0 where nothing is known of it.
    """

    id: str
    score: float
    deviation: float = 0.0


def judged(repeats: Sequence[Entry], *, score: str) -> Judged:
    """Return the score of an item, from its repeats."""
    given = [one for entry in repeats if (one := counted_score(entry, score)) is not None and one.is_defined]
    name = repeats[0].item.id
    if not given:
        return Judged(name, math.nan)
    values = [one.value for one in given]
    mean = math.fsum(values) / len(values)
    spreads = [one.spread for one in given if not math.isnan(one.spread)]
    own = math.fsum(spreads) / len(spreads) if spreads else 0.0
    repeated = 0.0
    if len(values) > 1:
        repeated = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return Judged(name, mean, math.hypot(own, repeated))


def wrong_order(one: Judged, other: Judged, *, least_lead: float = LEAST_LEAD) -> float:
    """Return the probability that the judge has two items in the wrong order; NaN where one has no score.

    >>> round(wrong_order(Judged("a", 4.0), Judged("b", 3.5)), 3)
    0.025
    >>> wrong_order(Judged("a", 4.0), Judged("b", 4.0))
    0.5
    """
    lead = abs(one.score - other.score)
    if math.isnan(lead):
        return math.nan
    unknown = max(least_lead, 1e-9) / QUANTILE
    return NormalDist().cdf(-lead / math.hypot(one.deviation, other.deviation, unknown))


def closest_pair(takes: Sequence[Judged]) -> tuple[Judged, Judged] | None:
    """Return the two takes of a line whose order is least sure, the better first; ``None`` without two scores.

    Of several, the pair that stands higher: it decides which take is used.
    """
    ranked = sorted((take for take in takes if not math.isnan(take.score)), key=lambda take: -take.score)
    pairs = list(itertools.pairwise(ranked))
    return max(pairs, key=lambda pair: wrong_order(*pair)) if pairs else None


def widest_first(items: Sequence[Judged]) -> list[Judged]:
    """Return items by their deviation, the widest first, equals as they came; those without a score last."""
    return sorted(items, key=lambda item: math.inf if math.isnan(item.score) else -item.deviation)
