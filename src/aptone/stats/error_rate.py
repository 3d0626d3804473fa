"""How far a transcript is from the words that were to be said."""

import math
from collections.abc import Sequence


def error_rate(reference: Sequence[str], heard: Sequence[str]) -> float:
    """Word error rate: the fewest words to put in, leave out or replace, divided by how many were to be said.

    ``(insertions + deletions + substitutions) / len(reference)``, by the exact edit distance (Levenshtein 1966). Range
    0 (the same words) upwards; it passes 1 where more was heard than said. NaN where nothing was to be said.

    >>> error_rate("my sister just called".split(), "you my sister just calls".split())
    0.5
    """
    if not reference:
        return math.nan
    row = list(range(len(heard) + 1))
    for place, word in enumerate(reference, start=1):
        before, row = row, [place]
        for column, other in enumerate(heard, start=1):
            row.append(min(before[column] + 1, row[-1] + 1, before[column - 1] + (word != other)))
    return row[-1] / len(reference)
