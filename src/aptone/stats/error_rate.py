"""How far a transcript is from the words that were to be said."""

import math
from collections.abc import Hashable, Sequence


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
    """How many symbols two sequences share at their beginning, and of what is left at their end; they cost nothing."""
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
