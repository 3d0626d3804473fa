"""Choice of the next item: calibration, then the test, then items with overlap, attention checks in between.

All of it is pure: the choice depends on the seed, the person and the item only. So a person meets the same order
after a restart, and a study can be planned before it begins.

Among the items that still need raters, those nearest to completion come first, and among these each person's own random
order decides. So the first items are complete early, and no two people meet items in the same order.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.studio.store.records import Purpose, Reason, Stage
from aptone.types import RatingTask


@dataclass(frozen=True, slots=True)
class EarlierItem:
    """Earlier assignment of a person.

    Args:
        counts: whether it is open or submitted; one that was released may be given again.
    """

    item: str
    purpose: Purpose
    counts: bool = True


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """Next item of a person, or the reason why there is none.

    Args:
        takes_over: whether the place of somebody who left it alone has to be freed first.
    """

    item: str = ""
    purpose: Purpose = "rating"
    reason: Reason = ""
    takes_over: bool = False


def purposes(task: RatingTask) -> dict[str, Purpose]:
    """Map each item to its purpose. An item in several lists is met once, for the first of these purposes."""
    found: dict[str, Purpose] = {item.id: "rating" for item in task.items}
    found.update(dict.fromkeys(task.attention, "attention"))
    if task.qualification is not None:
        found.update(dict.fromkeys(task.qualification.items, "qualification"))
    found.update(dict.fromkeys(task.calibration, "calibration"))
    return found


def choose_item(
    task: RatingTask,
    known: Mapping[str, Purpose],
    *,
    person: str,
    seed: str,
    given: Sequence[EarlierItem],
    taken: Mapping[str, int],
    pending: Collection[str] = (),
    abandoned: Collection[str] = (),
    qualified: bool | None = None,
) -> ItemChoice:
    """Choose the next item of a person who has none open.

    Args:
        known: item to purpose, from `purposes`.
        taken: rating item to the number of people who have it open or submitted.
        pending: rating items that others have open, and may leave.
        abandoned: pending items that were left alone for too long.
        qualified: whether the person passed the test; ``None`` when it is not over, or there is none.
    """
    met = {one.item for one in given if one.counts}
    for purpose in ("calibration", "qualification"):
        if waiting := [item for item in _listed(task, purpose, known) if item not in met]:
            return ItemChoice(waiting[0], purpose)
    if qualified is False:
        return ItemChoice(reason="not-qualified")
    rated = sum(one.purpose == "rating" for one in given if one.counts)
    if check := _attention(task, known, met=met, rated=rated, person=person, seed=seed):
        return ItemChoice(check, "attention")
    if task.quota_per_rater and rated >= task.quota_per_rater:
        return ItemChoice(reason="quota")
    return _rating(task, known, met=met, person=person, seed=seed, taken=taken, pending=pending, abandoned=abandoned)


def stage_total(task: RatingTask, known: Mapping[str, Purpose], stage: Stage) -> int:
    """Most items that a person meets in a stage, attention checks included."""
    if stage != "rating":
        return sum(purpose == stage for purpose in known.values())
    rated = _most_rated(task, known)
    return rated + _checks(task, known, rated=rated)


def quota_total(task: RatingTask, known: Mapping[str, Purpose]) -> int:
    """Items that make up the whole quota, attention checks included."""
    return task.quota_per_rater + _checks(task, known, rated=task.quota_per_rater)


def _most_rated(task: RatingTask, known: Mapping[str, Purpose]) -> int:
    items = sum(purpose == "rating" for purpose in known.values())
    return min(items, task.quota_per_rater) if task.quota_per_rater else items


def pair_order(pair: Sequence[str], *, person: str, item: str, seed: str) -> tuple[str, str]:
    """Order the two clips of a pair at random for a person and item, by the seed.

    >>> orders = {drawn_pair(["a", "b"], person=str(number), item="1", seed="s") for number in range(20)}
    >>> sorted(orders)
    [('a', 'b'), ('b', 'a')]
    """
    first, second = pair
    return (first, second) if _rank(seed, "pair", person, item)[0] & 1 else (second, first)


def _checks(task: RatingTask, known: Mapping[str, Purpose], *, rated: int) -> int:
    """Number of attention checks among so many rated items."""
    return min(sum(purpose == "attention" for purpose in known.values()), rated // task.attention_every)


def _listed(task: RatingTask, purpose: Purpose, known: Mapping[str, Purpose]) -> Iterable[str]:
    test = task.qualification.items if task.qualification is not None else ()
    listed = task.calibration if purpose == "calibration" else test
    return (item for item in listed if known[item] == purpose)


def _attention(
    task: RatingTask, known: Mapping[str, Purpose], *, met: Collection[str], rated: int, person: str, seed: str
) -> str:
    """Choose the attention check that is due after this many rated items; empty for none.

    In every stretch of `attention_every` items there is one, at a place that nobody can learn from the others.
    """
    checks = [item for item in task.attention if known[item] == "attention"]
    unmet = [item for item in checks if item not in met]
    number, every = len(checks) - len(unmet), task.attention_every
    if not unmet or number >= _most_rated(task, known) // every:
        return ""
    within = int.from_bytes(_rank(seed, "place of a check", person, str(number))) % every
    if rated < number * every + 1 + within:
        return ""
    return min(unmet, key=lambda item: _rank(seed, "attention", person, item))


def _rating(
    task: RatingTask,
    known: Mapping[str, Purpose],
    *,
    met: Collection[str],
    person: str,
    seed: str,
    taken: Mapping[str, int],
    pending: Collection[str],
    abandoned: Collection[str],
) -> ItemChoice:
    unmet = [item.id for item in task.items if known[item.id] == "rating" and item.id not in met]
    free = [item for item in unmet if taken.get(item, 0) < task.raters_per_item]
    takes_over = not free
    if takes_over:
        free = [item for item in unmet if item in abandoned]
    if not free:
        return ItemChoice(reason="waiting" if any(item in pending for item in unmet) else "done")
    nearest = max(taken.get(item, 0) for item in free)
    first = [item for item in free if taken.get(item, 0) == nearest]
    item = min(first, key=lambda one: _rank(seed, "item", person, one)) if task.shuffled else first[0]
    return ItemChoice(item, "rating", takes_over=takes_over)


def _rank(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
