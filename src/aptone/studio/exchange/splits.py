"""Train/test split by whole stories, so that no story, character or scene leaks into the test items.

Two items that share a story, a character or a scene belong together, and so does everything that hangs on them: the
items fall into components, and a component goes to one side whole.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import UsageError
from aptone.types import RatingItem

STORY_KEYS = ("story", "character", "scene")
"""Hidden fields whose values must not be shared across the split."""

NOBODY = frozenset({"", "narrator", "narration", "unknown", "旁白", "叙述者", "未知"})
"""Values that name nobody in particular: every story has a narrator, and none shares him for that."""

TOLERANCE = 0.1
"""Relative deviation from the requested share that needs no remark."""


@dataclass(frozen=True, slots=True)
class Split:
    """Train and test items.

    Args:
        keys: hidden fields whose values are not shared between the sides.
        reason: reason why the share differs from the requested one; empty where it is near.
    """

    train: tuple[str, ...]
    test: tuple[str, ...]
    keys: tuple[str, ...]
    components: int
    largest: int
    test_share: float
    reason: str = ""


def story_split(
    items: Sequence[RatingItem], *, test_share: float = 0.2, seed: int = 0, keys: Sequence[str] = STORY_KEYS
) -> Split:
    """Split items so that the two sides share no value of the keys.

    The test side comes as near to its share as whole components allow; which ones it gets is random. An id means the
    same wherever it stands: an Anna of two stories joins them, unless the ids say that she is another one.

    Args:
        items: items with ``story``, ``character``, ``scene`` among their hidden fields, as far as known.
        keys: hidden fields whose values must not be shared.

    Raises:
        UsageError: if the share is none, or the items fall into fewer than two components.
    """
    if not 0 < test_share < 1:
        raise UsageError(f"the share of the test side lies between 0 and 1, got {test_share:g}.")
    groups = components(items, keys=keys)
    if len(groups) < 2:
        raise UsageError(
            f"all {len(items)} items hang together by {', '.join(keys)}; a split that leaks nothing needs items of "
            "another story, without a character or scene of this one."
        )
    wanted = test_share * len(items)
    sizes = [len(group) for group in groups]
    order = [int(place) for place in np.random.default_rng(seed).permutation(len(groups))]
    test = {name for place in _nearest(sizes, order, wanted) for name in groups[place]}
    share = len(test) / len(items)
    reason = ""
    if abs(share - test_share) > TOLERANCE * test_share and abs(len(test) - wanted) >= 1:
        reason = (
            f"the test side has {share:.0%} of the items, not {test_share:.0%}: they fall into {len(groups)} "
            f"components that stay whole, the largest of {max(sizes)}"
        )
    return Split(
        train=tuple(item.id for item in items if item.id not in test),
        test=tuple(item.id for item in items if item.id in test),
        keys=tuple(keys),
        components=len(groups),
        largest=max(sizes),
        test_share=share,
        reason=reason,
    )


def _nearest(sizes: Sequence[int], order: Sequence[int], wanted: float) -> list[int]:
    """Choose components whose total size is nearest to a number of items: some of them, and never all."""
    last = {0: -1}  # number of items that can be had, to the component that is added last to have it
    most = min(2 * wanted, sum(sizes))  # from here on, any one component of those together is nearer
    for place in order:
        for before in list(last):
            together = before + sizes[place]
            if together < most or not before:
                last.setdefault(together, place)
        if any(number and abs(number - wanted) <= 0.5 for number in last):
            break
    number = min((number for number in last if number), key=lambda number: (abs(number - wanted), number))
    chosen = []
    while number:
        chosen.append(last[number])
        number -= sizes[last[number]]
    return chosen


def components(items: Sequence[RatingItem], *, keys: Sequence[str] = STORY_KEYS) -> list[list[str]]:
    """Group the ids of items that are connected by shared values of the keys, in the order of their first items."""
    parent = list(range(len(items)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[tuple[str, str], int] = {}
    for place, item in enumerate(items):
        for value in shared_values(item, keys):
            other = root(first.setdefault(value, place))
            parent[max(other, root(place))] = min(other, root(place))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for place, item in enumerate(items):
        found[root(place)].append(item.id)
    return list(found.values())


def shared_values(item: RatingItem, keys: Sequence[str] = STORY_KEYS) -> list[tuple[str, str]]:
    """Return each key with its value, where it names a person or thing that the two sides must not share.

    >>> shared_values(RatingItem("1", hidden={"story": "lighthouse", "character": "Narrator"}))
    [('story', 'lighthouse')]
    """
    named = [(key, str(item.hidden.get(key) or "").strip()) for key in keys]
    return [(key, value) for key, value in named if value.casefold() not in NOBODY]
