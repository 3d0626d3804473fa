"""Whether the time of something grows with its input and no faster, on a machine however crowded.

Seconds of the processor are counted, not those on the clock; where other programs share its caches, one and the same
work still takes up to twice as many. So two sizes are compared in one run, and measured again if they do not compare.
"""

import time
from collections.abc import Callable

TRIES = 4
"""Times that both sizes are measured before growth is believed."""
TIMES = 8
"""How many times the smaller input the larger one is: work that takes the square takes 64 times as long."""
MOST = 3 * TIMES
"""How many times as long the larger input may take."""
SLACK = 0.05
"""Seconds in which nothing can be told apart."""


def _seconds(work: Callable[[int], object], count: int) -> float:
    begun = time.process_time()
    work(count)
    return time.process_time() - begun


def grows_linearly(work: Callable[[int], object], count: int) -> bool:
    """Return whether `TIMES` times ``count`` take no more than `MOST` times as long.

    Args:
        work: does something with so many pieces of input.
        count: of pieces that take some hundredths of a second.
    """
    small = large = float("inf")
    for _ in range(TRIES):
        small, large = min(small, _seconds(work, count)), min(large, _seconds(work, TIMES * count))
        if large < MOST * small + SLACK:
            return True
    return False
