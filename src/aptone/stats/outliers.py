"""How often a rater lies far from the others."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping


def outlier_shares(ratings: Iterable[Mapping[str, float]], *, distance: float) -> dict[str, float]:
    """Rater to the share of ratings that lie further than a distance from the mean of the others'.

    Args:
        ratings: of each thing that was rated, by rater; what only one rated is left out.
        distance: beyond which a rating is an outlier.

    Returns:
        Shares from 0 to 1; raters who share nothing with others are missing.

    >>> outlier_shares([{"a": 5, "b": 1, "c": 1}, {"a": 2, "b": 2}], distance=2)
    {'a': 0.5, 'b': 0.0, 'c': 0.0}
    """
    strays: defaultdict[str, list[bool]] = defaultdict(list)
    for by in ratings:
        total = math.fsum(by.values())
        for rater, score in by.items():
            if len(by) > 1:
                strays[rater].append(abs(score - (total - score) / (len(by) - 1)) > distance)
    return {rater: sum(found) / len(found) for rater, found in strays.items()}
