"""The score that a speech-language judge expects: the mean over all that it thinks possible where it writes one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aptone.judge.chat.verdict import RANGE

Shares = npt.NDArray[np.floating]


def score_place(ids: Sequence[int], opening: int, digits: Sequence[int]) -> int | None:
    """Where the first digit of the last score stands; None where there is none with one decimal behind it.

    >>> score_place([7, 3, 0, 8, 5], opening=7, digits=[0, 1, 2, 3, 4, 5]), score_place([7, 9], opening=7, digits=[1])
    (None, None)
    >>> score_place([9, 7, 3, 6, 5, 8], opening=7, digits=[0, 1, 2, 3, 4, 5])
    2

    Args:
        ids: tokens of a reply.
        opening: id of the token before a score.
        digits: ids of the ten digits.
    """
    starts = [place + 1 for place, token in enumerate(ids) if token == opening]
    if not starts or starts[-1] + 2 >= len(ids):
        return None
    first, decimal = ids[starts[-1]], ids[starts[-1] + 2]
    return starts[-1] if first in digits and decimal in digits else None


def expected_score(first: Shares, decimal: Shares, written: int) -> float:
    """The mean score of a judge at the place where it gives one.

    Over the first digit all that it thinks possible count; decimals are those that it expects behind the digit that it
    wrote, and half a point behind others: each digit could have its own, but would need a pass of its own.

    >>> certain = np.eye(10)
    >>> expected_score((certain[3] + certain[4]) / 2, certain[2], written=3)  # 3.2 or 4.5
    3.85

    Args:
        first: probability of each digit before the point.
        decimal: of each digit behind it, after the one that was written.
        written: the digit before the point.
    """
    weight = np.arange(10.0)
    decimals = np.full(10, 0.5)
    decimals[written] = float(decimal @ weight) / 10.0
    return min(RANGE[1], float(first @ (weight + decimals)))
