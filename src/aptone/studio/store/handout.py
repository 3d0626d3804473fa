"""Handing out of items: calibration, then the test, then items with overlap, attention checks in between.

The choice is pure: it depends on the seed, the person and the item only. So a person meets the same order after a
restart, and a study can be planned before it begins. Among the items that still need raters, those nearest to
completion come first, and among these each person's own random order decides. So the first items are complete early,
and no two people meet items in the same order. A task that is balanced by a hidden field, such as the system, gives a
person next what this person has met least. Items that were left alone for long go to others who wait.
"""

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.ratings.designs import balanced_order
from aptone.ratings.listening_tests import TEXT_ID
from aptone.studio.refusals import NotNowError
from aptone.studio.store.answers import task_orders
from aptone.studio.store.database import Database
from aptone.studio.store.ratings import answers_of, assignment_by_id, assignments_of, has_passed
from aptone.studio.store.records import Assignment, Purpose, Reason, Stage, StoredTask, stage_of
from aptone.types import Rating, RatingTask, dumps


@dataclass(frozen=True, slots=True)
class EarlierItem:
    """Earlier assignment of a person; one that does not count was released and may be given again."""

    item: str
    purpose: Purpose
    counts: bool = True


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """Next item of a person, perhaps in the place of somebody who left it alone, or the reason why there is none."""

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
    test = task.qualification.items if task.qualification is not None else ()
    for purpose, listed in (("calibration", task.calibration), ("qualification", test)):
        if waiting := [item for item in listed if known[item] == purpose and item not in met]:
            return ItemChoice(waiting[0], known[waiting[0]])
    if qualified is False:
        return ItemChoice(reason="not-qualified")
    rated = sum(one.purpose == "rating" for one in given if one.counts)
    if check := _attention(task, known, met=met, rated=rated, person=person, seed=seed):
        return ItemChoice(check, "attention")
    if task.quota_per_rater and rated >= task.quota_per_rater:
        return ItemChoice(reason="quota")
    unmet = [item.id for item in task.items if known[item.id] == "rating" and item.id not in met]
    open_places = [item for item in unmet if taken.get(item, 0) < task.raters_per_item]
    free = open_places or [item for item in unmet if item in abandoned]
    if not free:
        return ItemChoice(reason="waiting" if any(item in pending for item in unmet) else "done")
    if task.balanced_by:
        free = _least_met(task, free, met)
    nearest = max(taken.get(item, 0) for item in free)
    first = [item for item in free if taken.get(item, 0) == nearest]
    item = min(first, key=lambda one: _rank(seed, "item", person, one)) if task.shuffled else first[0]
    return ItemChoice(item, "rating", takes_over=not open_places)


def _least_met(task: RatingTask, free: Sequence[str], met: Collection[str]) -> list[str]:
    """Items whose value of `RatingTask.balanced_by` the person has met least; of these, those of the least met text.

    The text is the hidden field ``text_id`` where items have one: the same words said by several systems.
    """
    hidden = {item.id: item.hidden for item in task.items}
    for field in (task.balanced_by, TEXT_ID):
        seen = Counter(str(hidden[item].get(field)) for item in met)
        least = min(seen[str(hidden[item].get(field))] for item in free)
        free = [item for item in free if seen[str(hidden[item].get(field))] == least]
    return list(free)


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


def _checks(task: RatingTask, known: Mapping[str, Purpose], *, rated: int) -> int:
    """Number of attention checks among so many rated items."""
    return min(sum(purpose == "attention" for purpose in known.values()), rated // task.attention_every)


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


def _rank(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()


ABANDONED_AFTER = 3600.0
"""Seconds after which an item that was left alone goes to others who wait, unless the project says otherwise."""


class Handout:
    """Hands out items. The caller holds the task's lock: counts must not change between choice and insertion."""

    def __init__(self, database: Database, *, abandoned_after: float, clock: Callable[[], float]) -> None:
        self._database = database
        self._abandoned_after = abandoned_after
        self._clock = clock

    def lock(self, connection: Connection, task: str) -> None:
        """Lock a task, so that nobody else hands out its items until the transaction ends."""
        connection.execute(text("SELECT 1 FROM tasks WHERE name = :name" + self._database.locking()), {"name": task})

    def waiting(self, connection: Connection, task: StoredTask, person: str) -> bool:
        """Return whether a person has an open item."""
        return any(one.state == "open" for one in assignments_of(connection, task.task.name, person))

    def next(self, connection: Connection, task: StoredTask, person: str) -> Assignment | Reason:
        """Return the person's open assignment, or a new one, or the reason why there is none."""
        given = assignments_of(connection, task.task.name, person)
        if waiting := [one for one in given if one.state == "open"]:
            return waiting[0]
        choice = self._choose(connection, task, person, given)
        if not choice.item:
            return choice.reason
        if choice.takes_over and not self._release(connection, task.task.name, choice.item, person):
            return "waiting"
        return self._give(connection, task, person, choice, given)

    def take_back(self, connection: Connection, found: Assignment, task: StoredTask) -> None:
        """Reopen a released assignment whose owner came back; raises `NotNowError` if somebody else has its place."""
        taken = "SELECT count(*) FROM assignments WHERE task = :task AND item = :item AND state <> 'released'"
        people = connection.execute(text(taken), {"task": found.task, "item": found.item}).scalar_one()
        if people >= task.task.raters_per_item:
            raise NotNowError(
                message("studio.item-left-alone-long-went"), code="released", next=message("studio.go-next")
            )
        connection.execute(text("UPDATE assignments SET state = 'open' WHERE id = :id"), {"id": found.id})

    def _choose(self, connection: Connection, task: StoredTask, person: str, given: Sequence[Assignment]) -> ItemChoice:
        name = task.task.name
        rows = connection.execute(
            text(
                "SELECT item, count(*) AS people FROM assignments WHERE task = :task AND purpose = 'rating'"
                " AND state IN ('open', 'submitted') AND person <> :person GROUP BY item"
            ),
            {"task": name, "person": person},
        ).all()
        left = self._open_elsewhere(connection, name, person)
        tested = [one for one in given if one.purpose == "qualification" and one.state == "submitted"]
        answers = answers_of(connection, [one.id for one in tested])
        answered = [Rating(one.task, one.item, one.person, answers[one.id].values) for one in tested]
        return choose_item(
            task.task,
            task.purposes,
            person=person,
            seed=project_seed(connection),
            given=[EarlierItem(one.item, one.purpose, counts=one.state != "released") for one in given],
            taken={row.item: row.people for row in rows},
            pending={item for item, _, _ in left},
            abandoned={item for item, _, abandoned in left if abandoned},
            qualified=has_passed(task.task, answered, asked=task.totals["qualification"]),
        )

    def _open_elsewhere(self, connection: Connection, task: str, person: str) -> list[tuple[str, str, bool]]:
        """Item, assignment and whether it was abandoned, of all open assignments of others; the longest idle first."""
        rows = connection.execute(
            text(
                "SELECT a.id, a.item, a.opened, p.active,"
                " (SELECT max(c.received) FROM changes c WHERE c.assignment = a.id) AS changed,"
                " (SELECT max(l.received) FROM plays l WHERE l.assignment = a.id) AS heard"
                " FROM assignments a JOIN people p ON p.id = a.person"
                " WHERE a.task = :task AND a.purpose = 'rating' AND a.state = 'open' AND a.person <> :person"
            ),
            {"task": task, "person": person},
        )
        limit = self._clock() - self._abandoned_after
        found = [(max(row.opened, row.changed or 0.0, row.heard or 0.0), row) for row in rows]
        found.sort(key=lambda one: (one[0], one[1].id))
        return [(row.item, row.id, touched < limit or not row.active) for touched, row in found]

    def _release(self, connection: Connection, task: str, item: str, person: str) -> bool:
        """Release the assignment of an item that was idle the longest; false if it was just submitted."""
        left = self._open_elsewhere(connection, task, person)
        freed = next(assignment for other, assignment, abandoned in left if other == item and abandoned)
        done = connection.execute(
            text("UPDATE assignments SET state = 'released' WHERE id = :id AND state = 'open'"), {"id": freed}
        )
        return done.rowcount == 1

    def _give(
        self, connection: Connection, task: StoredTask, person: str, choice: ItemChoice, given: Sequence[Assignment]
    ) -> Assignment:
        name, now = task.task.name, self._clock()
        if again := [one for one in given if one.item == choice.item]:
            connection.execute(
                text("UPDATE assignments SET state = 'open', opened = :now WHERE id = :id"),
                {"now": now, "id": again[0].id},
            )
            return assignment_by_id(connection, again[0].id)
        item = task.items[choice.item]
        seed = project_seed(connection)
        orders = {
            field: balanced_order(clips, person=person, turn=len(given), seed=f"{seed} {field}")
            for field, clips in task_orders(task.task, item).items()
        }
        stage = stage_of(choice.purpose)
        assignment = secrets.token_hex(12)
        connection.execute(
            text(
                "INSERT INTO assignments (id, task, item, person, purpose, state, position, orders, opened)"
                " VALUES (:id, :task, :item, :person, :purpose, 'open', :position, :orders, :now)"
            ),
            {"id": assignment, "task": name, "item": item.id, "person": person, "purpose": choice.purpose}
            | {"position": sum(stage_of(one.purpose) == stage for one in given), "orders": dumps(orders), "now": now},
        )
        return assignment_by_id(connection, assignment)


def project_seed(connection: Connection) -> str:
    """Random seed of the project; made on first use."""
    read = text("SELECT value FROM properties WHERE name = 'seed'")
    if (seed := connection.execute(read).scalar()) is None:
        connection.execute(
            text("INSERT INTO properties (name, value) VALUES ('seed', :seed) ON CONFLICT (name) DO NOTHING"),
            {"seed": secrets.token_hex(16)},
        )
        seed = connection.execute(read).scalar_one()
    return str(seed)
