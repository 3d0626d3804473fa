"""Takes of a line: a narrator who stumbles says it again, and the last whole take is the one that counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from aptone.rooms.aptness.books.alignment import CHANGED, LEFT_OUT, Pair

FEWEST_WORDS = 3
"""Words of a line that may be searched for again; shorter ones come up by chance."""

FEWEST_AGAIN = 2
"""Words of a line that must have been heard once more for it to have another take."""

LARGEST_WINDOW = 60_000
"""Words of a line times words that were heard about it, beyond which it stays where it is."""


def last_takes(
    pairs: Sequence[Pair], text: Sequence[str], heard: Sequence[str], starts: Sequence[int]
) -> Iterator[Pair]:
    """Yield the pairs of a text with what was heard, each line with its last whole take.

    The fewest edits are the same for either of two takes, or for half of each; so a line is looked for once more in
    what was heard between its neighbours, where more was heard than it has words.

    Args:
        starts: place in the text at which each line begins, and behind them where the text ends.

    >>> text, heard = "go home now my friend".split(), "go home no go home now my friend".split()
    >>> [pair.heard for pair in last_takes([Pair(0, 0), Pair(1, 1), Pair(2, 5)], text[:3], heard, [0, 3])]
    [3, 4, 5]
    """
    lines: list[Sequence[Pair]] = []
    place = 0
    for end in starts[1:]:
        first = place
        while place < len(pairs) and pairs[place].text < end:
            place += 1
        lines.append(pairs[first:place])
    last = -1  # heard word with which the line before ends
    following = _next_heard(lines, len(heard))
    for own, (begin, end), limit in zip(lines, pairwise(starts), following, strict=True):
        taken = _last_take(own, text[begin:end], heard[last + 1 : limit], begin, last + 1) if own else own
        yield from taken
        last = taken[-1].heard if taken else last


def _next_heard(lines: Sequence[Sequence[Pair]], end: int) -> list[int]:
    """The heard word with which the next line begins that was heard at all."""
    found: list[int] = []
    reached = end
    for own in reversed(lines):
        found.append(reached)
        reached = own[0].heard if own else reached
    return found[::-1]


def _last_take(
    pairs: Sequence[Pair], line: Sequence[str], window: Sequence[str], begin: int, offset: int
) -> Sequence[Pair]:
    """The pairs of a line with the last stretch of the window that is as near to it as any; the old ones if none is."""
    if len(line) < FEWEST_WORDS or len(window) <= len(line) or len(line) * len(window) > LARGEST_WINDOW:
        return pairs
    again = Counter(line)  # words of it that were heard beside the ones that stand for it
    others = Counter(window) - Counter(window[pair.heard - offset] for pair in pairs)
    if sum((again & others).values()) < FEWEST_AGAIN:
        return pairs
    found = [Pair(begin + pair.text, offset + pair.heard) for pair in _nearest_stretch(line, window)]
    return found if _same(found, line, window, begin, offset) >= _same(pairs, line, window, begin, offset) else pairs


def _same(pairs: Sequence[Pair], line: Sequence[str], window: Sequence[str], begin: int, offset: int) -> int:
    return sum(line[pair.text - begin] == window[pair.heard - offset] for pair in pairs)


def _nearest_stretch(line: Sequence[str], window: Sequence[str]) -> list[Pair]:
    """The cheapest way from a line to any stretch of the window, the last of equals (Sellers 1980).

    A word that is missing costs as much as a misheard one, so that misheard words at the ends are not dropped.
    """
    rows = [[0] * (len(window) + 1)]
    for place, word in enumerate(line, start=1):
        above, row = rows[-1], [CHANGED * place]
        for column, other in enumerate(window):
            changed = above[column] + (CHANGED if word != other else 0)
            row.append(min(changed, above[column + 1] + CHANGED, row[column] + LEFT_OUT))
        rows.append(row)
    least = min(rows[-1])
    column = max(column for column, cost in enumerate(rows[-1]) if cost == least)
    found: list[Pair] = []
    at = len(line)
    while at and column:
        same = line[at - 1] == window[column - 1]
        if rows[at][column] == rows[at - 1][column - 1] + (0 if same else CHANGED):
            at, column = at - 1, column - 1
            found.append(Pair(at, column))
        elif rows[at][column] == rows[at - 1][column] + CHANGED:
            at -= 1
        else:
            column -= 1
    return found[::-1]
