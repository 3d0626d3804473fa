"""Items handed out: what a person gets next, and what goes to others because it was left alone."""

import secrets
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotNowError
from aptone.studio.store.assignment import Draw, Given, draw, drawn_pair
from aptone.studio.store.blinding import pair_fields
from aptone.studio.store.database import Database
from aptone.studio.store.rater_status import has_passed
from aptone.studio.store.records import Assignment, Reason, StoredTask, stage_of
from aptone.studio.store.rows import NO_ANSWERS, answers_of, assignment_by_id, given_to
from aptone.types import Rating, dumps

ABANDONED_AFTER = 3600.0
"""Seconds after which an item that was left alone goes to others who wait, unless the project says otherwise."""


class Giving:
    """Hands items out. Who calls it holds the task's lock: what is taken must not change between draw and row.

    Args:
        database: to be written to.
        abandoned_after: seconds after which an item that was left alone goes to others who wait.
        clock: seconds since 1970.
    """

    def __init__(self, database: Database, *, abandoned_after: float, clock: Callable[[], float]) -> None:
        self._database = database
        self._abandoned_after = abandoned_after
        self._clock = clock

    def lock(self, connection: Connection, task: str) -> None:
        """Let nobody else hand out items of a task until the transaction ends."""
        connection.execute(text("SELECT 1 FROM tasks WHERE name = :name" + self._database.locking()), {"name": task})

    def next(self, connection: Connection, task: StoredTask, person: str) -> Assignment | Reason:
        """The person's open assignment, or else a new one, or why there is none."""
        given = given_to(connection, task.task.name, person)
        if waiting := [one for one in given if one.state == "open"]:
            return waiting[0]
        drawn = self._draw(connection, task, person, given)
        if not drawn.item:
            return drawn.reason
        if drawn.takes_over and not self._release(connection, task.task.name, drawn.item, person):
            return "waiting"
        return self._give(connection, task, person, drawn, given)

    def take_back(self, connection: Connection, found: Assignment, task: StoredTask) -> None:
        """Open a released assignment whose owner came back.

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
                message("studio.item-left-alone-long-went"),
                code="released",
                next=message("studio.go-next"),
            )
        connection.execute(text("UPDATE assignments SET state = 'open' WHERE id = :id"), {"id": found.id})

    def _draw(self, connection: Connection, task: StoredTask, person: str, given: Sequence[Assignment]) -> Draw:
        name = task.task.name
        rows = connection.execute(
            text(
                "SELECT item, count(*) AS people FROM assignments WHERE task = :task AND purpose = 'rating'"
                " AND state IN ('open', 'submitted') AND person <> :person GROUP BY item"
            ),
            {"task": name, "person": person},
        ).all()
        left = self._open_elsewhere(connection, name, person)
        return draw(
            task.task,
            task.purposes,
            person=person,
            seed=project_seed(connection),
            given=[Given(one.item, one.purpose, counts=one.state != "released") for one in given],
            taken={row.item: row.people for row in rows},
            pending={item for item, _, _ in left},
            abandoned={item for item, _, abandoned in left if abandoned},
            qualified=self._qualified(connection, task, given),
        )

    def _open_elsewhere(self, connection: Connection, task: str, person: str) -> list[tuple[str, str, bool]]:
        """Item, assignment and whether it was abandoned, of all that others have open; the longest left first."""
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
        """Free the place of whoever has left an item alone the longest; it may just have been submitted."""
        left = self._open_elsewhere(connection, task, person)
        freed = next(assignment for other, assignment, abandoned in left if other == item and abandoned)
        done = connection.execute(
            text("UPDATE assignments SET state = 'released' WHERE id = :id AND state = 'open'"), {"id": freed}
        )
        return done.rowcount == 1

    def _give(
        self, connection: Connection, task: StoredTask, person: str, drawn: Draw, given: Sequence[Assignment]
    ) -> Assignment:
        name, now = task.task.name, self._clock()
        if again := [one for one in given if one.item == drawn.item]:
            connection.execute(
                text("UPDATE assignments SET state = 'open', opened = :now WHERE id = :id"),
                {"now": now, "id": again[0].id},
            )
            return assignment_by_id(connection, again[0].id)
        item = task.items[drawn.item]
        seed = project_seed(connection)
        orders = {
            field: drawn_pair(_pair(item.fields[field]), person=person, item=item.id, seed=seed)
            for field in pair_fields(task.task)
        }
        stage = stage_of(drawn.purpose)
        assignment = secrets.token_hex(12)
        connection.execute(
            text(
                "INSERT INTO assignments (id, task, item, person, purpose, state, position, orders, opened)"
                " VALUES (:id, :task, :item, :person, :purpose, 'open', :position, :orders, :now)"
            ),
            {"id": assignment, "task": name, "item": item.id, "person": person, "purpose": drawn.purpose}
            | {"position": sum(stage_of(one.purpose) == stage for one in given), "orders": dumps(orders), "now": now},
        )
        return assignment_by_id(connection, assignment)


def project_seed(connection: Connection) -> str:
    """The seed of all that is drawn in this project; drawn itself when it is first needed."""
    read = text("SELECT value FROM properties WHERE name = 'seed'")
    if (seed := connection.execute(read).scalar()) is None:
        connection.execute(
            text("INSERT INTO properties (name, value) VALUES ('seed', :seed) ON CONFLICT (name) DO NOTHING"),
            {"seed": secrets.token_hex(16)},
        )
        seed = connection.execute(read).scalar_one()
    return str(seed)


def _pair(value: object) -> tuple[str, str]:
    assert isinstance(value, list | tuple)
    first, second = value
    return str(first), str(second)
