"""Handing out of items: the next assignment of a person, and the release of abandoned ones."""

import secrets
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotNowError
from aptone.studio.store.blinding import task_orders
from aptone.studio.store.database import Database
from aptone.studio.store.next_item import EarlierItem, ItemChoice, choose_item, pair_order
from aptone.studio.store.rater_status import has_passed
from aptone.studio.store.records import Assignment, Reason, StoredTask, stage_of
from aptone.studio.store.rows import NO_ANSWERS, answers_of, assignment_by_id, assignments_of
from aptone.types import Rating, dumps

ABANDONED_AFTER = 3600.0
"""Seconds after which an item that was left alone goes to others who wait, unless the project says otherwise."""


class Handout:
    """Hands out items. The caller holds the task's lock: counts must not change between choice and insertion.

    Args:
        abandoned_after: seconds after which an item that was left alone goes to others who wait.
    """

    def __init__(self, database: Database, *, abandoned_after: float, clock: Callable[[], float]) -> None:
        self._database = database
        self._abandoned_after = abandoned_after
        self._clock = clock

    def lock(self, connection: Connection, task: str) -> None:
        """Lock a task, so that nobody else hands out its items until the transaction ends."""
        connection.execute(text("SELECT 1 FROM tasks WHERE name = :name" + self._database.locking()), {"name": task})

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
        """Reopen a released assignment whose owner came back.

        Raises:
            NotNowError: if somebody else has its place.
        """
        people = connection.execute(
            text(
                "SELECT count(*) FROM assignments WHERE task = :task AND item = :item"
                " AND state IN ('open', 'submitted')"
            ),
            {"task": found.task, "item": found.item},
        ).scalar_one()
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
        return choose_item(
            task.task,
            task.purposes,
            person=person,
            seed=project_seed(connection),
            given=[EarlierItem(one.item, one.purpose, counts=one.state != "released") for one in given],
            taken={row.item: row.people for row in rows},
            pending={item for item, _, _ in left},
            abandoned={item for item, _, abandoned in left if abandoned},
            qualified=self._qualified(connection, task, given),
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

    def _qualified(self, connection: Connection, task: StoredTask, given: Sequence[Assignment]) -> bool | None:
        tested = [one for one in given if one.purpose == "qualification" and one.state == "submitted"]
        answers = answers_of(connection, [one.id for one in tested])
        answered = [Rating(one.task, one.item, one.person, answers.get(one.id, NO_ANSWERS).values) for one in tested]
        return has_passed(task.task, answered, asked=task.totals["qualification"])

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
            field: pair_order(pair, person=person, item=item.id, seed=seed)
            for field, pair in task_orders(task.task, item).items()
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
