"""Orders of clips and choices of systems that are balanced, so that no system gains by its place or its neighbours."""

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from aptone.errors import UsageError


def williams_square(size: int) -> tuple[tuple[int, ...], ...]:
    """Latin square balanced for first-order carry-over (Williams 1949): `size` rows, or twice as many for an odd size.

    In the rows together every number stands equally often in each place, and follows each other number equally often.
    The first row is ``0, 1, n-1, 2, n-2, …``; each further row adds 1 modulo n. For an odd size the mirrored rows are
    added.

    Raises:
        UsageError: if the size is below 1.

    >>> williams_square(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    >>> len(williams_square(3))
    6
    """
    if size < 1:
        raise UsageError(f"a square has a size from 1 upwards, got {size}.")
    first = [0, *((step + 1) // 2 if step % 2 else size - step // 2 for step in range(1, size))]
    rows = [tuple((one + shift) % size for one in first) for shift in range(size)]
    if size % 2 and size > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def balanced_order(names: Sequence[str], *, person: str, turn: int, seed: str) -> tuple[str, ...]:
    """Order names for a person's turn, by a row of `williams_square`.

    Every block of as many turns as the square has rows uses each row once, in an order that is random for each person
    and block. So each name stands equally often in each place within a block, and nobody can learn the order of one
    person from another's.

    Args:
        turn: number of sets that the person was given before.
        seed: of the study; the same seed gives the same orders.

    >>> orders = {balanced_order(["a", "b"], person="p", turn=turn, seed="s") for turn in (0, 1)}
    >>> sorted(orders)
    [('a', 'b'), ('b', 'a')]
    """
    rows = williams_square(len(names))
    block, place = divmod(turn, len(rows))
    shuffled = sorted(range(len(rows)), key=lambda row: _digest(seed, "order", person, str(block), str(row)))
    return tuple(names[one] for one in rows[shuffled[place]])


def balanced_tuples(names: Sequence[str], *, size: int, count: int, seed: int) -> list[tuple[str, ...]]:
    """Choose `count` tuples of different names, all of them and all pairs about equally often.

    Each tuple is the one, among all that there are (or 500 random ones), whose names and pairs came least often so far;
    of equals a random one. Best-worst scaling uses four names a tuple.

    Raises:
        UsageError: if a tuple cannot hold so many different names.

    >>> chosen = balanced_tuples(["a", "b", "c", "d", "e"], size=4, count=5, seed=0)
    >>> sorted(Counter(name for one in chosen for name in one).values())
    [4, 4, 4, 4, 4]
    """
    if not 2 <= size <= len(names):
        raise UsageError(f"a tuple holds 2 to {len(names)} of {len(names)} names, got {size}.")
    generator = np.random.default_rng(seed)
    met: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    found = []
    for _ in range(count):
        candidates = _candidates(len(names), size, generator)
        chosen = min(
            (tuple(names[place] for place in one) for one in candidates),
            key=lambda one: (sum(met[name] for name in one), sum(together[pair] for pair in _pairs(one))),
        )
        found.append(chosen)
        met.update(chosen)
        together.update(_pairs(chosen))
    return found


MOST_CANDIDATES = 500


def _candidates(total: int, size: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """All choices of places, or some of them, in random order."""
    every = list(itertools.islice(itertools.combinations(range(total), size), MOST_CANDIDATES + 1))
    if len(every) > MOST_CANDIDATES:
        drawn = (generator.choice(total, size=size, replace=False) for _ in range(MOST_CANDIDATES))
        return [tuple(sorted(int(place) for place in one)) for one in drawn]
    return [every[place] for place in generator.permutation(len(every))]


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    return list(itertools.combinations(sorted(names), 2))


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
