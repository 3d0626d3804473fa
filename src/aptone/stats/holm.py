"""Many tests at once: p-values that stay honest."""

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's step-down method (1979): the chance of one false alarm among all of them is bounded.

    The smallest of m p-values is multiplied by m, the next one by m - 1, and so on; none may fall below the one before
    it, nor rise above 1. Nothing is presumed about how the tests depend on each other.

    NaN (a test that could not be made) stays NaN and does not count among the m.

    Args:
        p_values: one a test, each from 0 to 1 or NaN.

    Returns:
        The adjusted p-values, in the same order.

    Raises:
        ValueError: if a p-value is neither NaN nor from 0 to 1.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if wrong := [value for value in p_values if not (math.isnan(value) or 0 <= value <= 1)]:
        raise ValueError(f"a p-value lies between 0 and 1, got {wrong[0]}.")
    adjusted = [math.nan] * len(p_values)
    order = sorted((place for place, value in enumerate(p_values) if not math.isnan(value)), key=p_values.__getitem__)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
