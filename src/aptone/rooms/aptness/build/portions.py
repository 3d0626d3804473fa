"""Choice of the lines that people annotate: contiguous portions of every work, and a calibration set for all raters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from aptone.errors import UsageError

CALIBRATION_MINUTES = 14.8
"""Of the set that everybody annotates before the rest, as in the paper."""

PORTION_MINUTES = 10.0
"""Longest portion where hours are asked for; the paper releases none that is longer."""

ROUNDING = 1e-6  # seconds: sums of the same lengths in another order are the same

LARGEST_CALIBRATION = 0.5
"""Share of what people annotate that may be for calibration: the rest is what it is for."""


@dataclass(frozen=True, slots=True)
class PortionSettings:
    """Amount of annotation.

    Args:
        hours: hours of lines in all, the same from every work as far as it has them; NaN for no such limit.
        portion_minutes: longest contiguous portion; NaN for no such limit, or for `PORTION_MINUTES` where hours are
            asked for. Without hours, one portion of every work.
        calibration_minutes: minutes of lines that everybody annotates first.

    Raises:
        UsageError: if one is negative or nothing.
    """

    hours: float = math.nan
    portion_minutes: float = math.nan
    calibration_minutes: float = CALIBRATION_MINUTES
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("hours", "portion_minutes"):
            value = getattr(self, name)
            if not math.isnan(value) and not 0 < value < math.inf:
                raise UsageError(f"--{name.split('_', maxsplit=1)[0]} is a positive number, got {value}.")
        if not 0 <= self.calibration_minutes < math.inf:
            raise UsageError(f"--calibration-minutes is 0 or more, got {self.calibration_minutes}.")


def even_shares(available: Sequence[float], wanted: float) -> list[float]:
    """Return even shares of a total, each at most what its work has.

    >>> even_shares([10.0, 1.0, 10.0], 9.0)
    [4.0, 1.0, 4.0]
    """
    shares = [0.0] * len(available)
    left, open_places = wanted, sorted(range(len(available)), key=lambda place: available[place])
    while open_places:
        place = open_places.pop(0)
        shares[place] = min(available[place], left / (len(open_places) + 1))
        left -= shares[place]
    return shares


def contiguous_portions(seconds: Sequence[float], *, wanted: float, longest: float, seed: int) -> list[range]:
    """Portions of a work: runs of neighbouring lines, spread over the work, none longer than it may be.

    The work is cut into as many stretches as portions are needed; each has a portion with a random start.

    Args:
        seconds: duration of each line in the order of the story; 0 for lines without a clip, which add nothing.
        wanted: seconds of all portions together; all lines where there are not so many.
        longest: seconds of one portion.

    Returns:
        Places of the lines of each portion; empty portions are left out.
    """
    begins = [0.0, *accumulate(seconds)]
    total = begins[-1]
    if total <= 0 or wanted <= 0:
        return []
    if wanted >= total - ROUNDING:
        return _all_of_it(seconds, longest)
    count = max(1, math.ceil(wanted / longest - ROUNDING)) if math.isfinite(longest) else 1
    length, stretch = wanted / count, total / count
    portions: list[range] = []
    for number, fraction in enumerate(np.random.default_rng(seed).random(count).tolist()):
        start = number * stretch + fraction * (stretch - length)
        first = portions[-1].stop if portions else 0
        while first < len(seconds) and begins[first] < start - ROUNDING:
            first += 1
        last = first
        while last < len(seconds) and begins[last + 1] - begins[first] <= length + ROUNDING:
            last += 1
        portions += _trimmed(seconds, first, last)
    return portions


def _all_of_it(seconds: Sequence[float], longest: float) -> list[range]:
    """A whole work, one portion behind the other; a line that is longer than a portion is one."""
    portions: list[range] = []
    first, length = 0, 0.0
    for place, own in enumerate(seconds):
        if length and length + own > longest + ROUNDING:
            portions += _trimmed(seconds, first, place)
            first, length = place, 0.0
        length += own
    return [*portions, *_trimmed(seconds, first, len(seconds))]


def _trimmed(seconds: Sequence[float], first: int, last: int) -> list[range]:
    """A portion, which begins and ends with a line that has a clip; none where no line has."""
    while first < last and seconds[first] <= 0:
        first += 1
    while first < last and seconds[last - 1] <= 0:
        last -= 1
    return [range(first, last)] if first < last else []


def choose_portions(works: Sequence[Sequence[float]], settings: PortionSettings) -> list[list[range]]:
    """The portions of each work that people annotate.

    Args:
        works: for each work, seconds of its lines in order, 0 for those without a clip.
    """
    totals = [sum(lines) for lines in works]
    minutes = settings.portion_minutes
    if math.isnan(settings.hours):
        wanted = totals if math.isnan(minutes) else [60 * minutes] * len(works)
        longest = math.inf
    else:
        wanted = even_shares(totals, 3600 * settings.hours)
        longest = 60 * (PORTION_MINUTES if math.isnan(minutes) else minutes)
    return [
        contiguous_portions(lines, wanted=share, longest=longest, seed=settings.seed + place)
        for place, (lines, share) in enumerate(zip(works, wanted, strict=True))
    ]


def calibration_lines(
    works: Sequence[Sequence[float]], portions: Sequence[Sequence[range]], *, minutes: float
) -> list[list[int]]:
    """For each work the places of the lines that everybody annotates: the beginnings of its portions.

    They come evenly from all works, and never to more than half of what is annotated.
    """
    chosen = [
        [(place, lines[place]) for part in parts for place in part if lines[place] > 0]
        for lines, parts in zip(works, portions, strict=True)
    ]
    totals = [sum(length for _, length in lines) for lines in chosen]
    shares = even_shares(totals, min(60 * minutes, LARGEST_CALIBRATION * sum(totals)))
    found = []
    for lines, share in zip(chosen, shares, strict=True):
        reached = list(accumulate(length for _, length in lines))
        found.append([place for (place, _), end in zip(lines, reached, strict=True) if end <= share + ROUNDING])
    return found
