"""Errors of predictions: of a score against a person's, of a transcript against the intended words."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from aptone.errors import UsageError
from aptone.messages import message
from aptone.stats.arrays import Values, check_confidence, complete_items, joined
from aptone.stats.intervals import wilson_interval
from aptone.types import Estimate

ROUNDING_STEPS = 4  # how many units in the last place of the larger number a difference may exceed the tolerance by


def tolerance_accuracy(
    predicted: Values, reference: Values, *, tolerance: float = 1.0, confidence: float = 0.95
) -> Estimate:
    """CEAEval's ACC: the share of items with ``|predicted - reference| <= tolerance``, the tolerance included.

    A share from 0 to 1 (the paper prints percent), higher is better. The interval is Wilson's (1927).

    Numbers such as 4.2 and 3.2 have no exact binary form, and their difference comes out as 1.0000000000000002.
    A difference counts as within the tolerance if it exceeds it by no more than four units in the last place of the
    larger number, in the coarser precision of the two inputs (float32 scores get float32's rounding).

    NaN or ``None`` in either sequence: the item is left out and counted in `reason`. An item that a judge could not
    score is therefore not counted as wrong: report how many there were beside this number.
    Undefined (NaN) if no item is left.

    Args:
        reference: one number an item, in the same order.
        tolerance: largest difference that counts as right, from 0 upwards.

    Raises:
        RecordError: if the sequences differ in length, are not one-dimensional, or hold infinite numbers.
        UsageError: if the tolerance is negative or not a number, or `confidence` is not between 0 and 1.

    >>> tolerance_accuracy([4.2, 2.0, 5.0], [3.2, 2.5, 3.9]).value == 2 / 3
    True
    """
    check_confidence(confidence)
    if not 0 <= tolerance < math.inf:
        raise UsageError(f"a tolerance is a finite number from 0 upwards, got {tolerance}.")
    (x, y), missing = complete_items(predicted=predicted, reference=reference)
    step = max(_last_place(predicted), _last_place(reference))
    if not x.size:
        return Estimate(
            math.nan,
            confidence=confidence,
            method=message("stats.wilson"),
            reason=joined(missing, message("stats.no-complete-items")),
        )
    rounding = ROUNDING_STEPS * step * np.maximum(np.maximum(np.abs(x), np.abs(y)), tolerance)
    hits = int((np.abs(x - y) <= tolerance + rounding).sum())
    low, high = wilson_interval(hits, x.size, confidence=confidence)
    return Estimate(hits / x.size, low, high, x.size, confidence, message("stats.wilson"), missing)


def _last_place(values: Values) -> float:
    """One unit in the last place of 1, in the coarsest precision that the values have, whatever holds them."""
    given = np.asarray(values)
    # with a gap among them, numbers of a stated precision come as objects
    kinds = {one.dtype for one in given if isinstance(one, np.floating)} if given.dtype.kind == "O" else {given.dtype}
    steps = [float(np.finfo(kind).eps) for kind in kinds if kind.kind == "f"]
    return max([*steps, float(np.finfo(np.float64).eps)])


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The fewest symbols to put in, leave out or replace to make one sequence of the other (Levenshtein 1966), exactly.

    A column of the table is held as the bits of two numbers, where it rises and where it falls (Myers 1999, Hyyrö
    2003), so that texts of thousands of characters take milliseconds.

    >>> edit_distance("kitten", "sitting")
    3
    """
    start, end = _shared_ends(first, second)
    first, second = first[start : len(first) - end], second[start : len(second) - end]
    pattern, text = (first, second) if len(first) >= len(second) else (second, first)
    if not text:
        return len(pattern)
    places: dict[Hashable, int] = {}
    for place, symbol in enumerate(pattern):
        places[symbol] = places.get(symbol, 0) | 1 << place
    every, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rises, falls, distance = every, 0, len(pattern)
    for symbol in text:
        equal = places.get(symbol, 0)
        upright = equal | falls
        across = (((equal & rises) + rises) ^ rises) | equal
        rises_across = falls | (~(across | rises) & every)
        falls_across = rises & across
        if rises_across & last:
            distance += 1
        elif falls_across & last:
            distance -= 1
        rises_across = (rises_across << 1 | 1) & every
        falls_across = falls_across << 1 & every
        rises = falls_across | (~(upright | rises_across) & every)
        falls = rises_across & upright
    return distance


def _shared_ends(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[int, int]:
    """Return the lengths of two sequences' common prefix and, of what is left, common suffix; they cost nothing."""
    least = min(len(first), len(second))
    start = next((place for place in range(least) if first[place] != second[place]), least)
    end = next((place for place in range(least - start) if first[-1 - place] != second[-1 - place]), least - start)
    return start, end


def error_rate(reference: Sequence[str], heard: Sequence[str]) -> float:
    """Word error rate: the fewest words to put in, leave out or replace, divided by how many were to be said.

    ``(insertions + deletions + substitutions) / len(reference)``, by the exact edit distance. Range 0 (the same words)
    upwards; it passes 1 where more was heard than said. NaN where nothing was to be said.

    >>> error_rate("my sister just called".split(), "you my sister just calls".split())
    0.5
    """
    return edit_distance(reference, heard) / len(reference) if reference else math.nan
