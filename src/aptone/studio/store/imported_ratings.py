"""Ratings that were given elsewhere, as if they had been given here: by people who never sign in.

Every answer is checked as one of a rater's page is. Raters get pseudonyms of the project; what they were called
elsewhere stays with the account, for admins only, so that a second import finds them again.
"""

import math
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.errors import RecordError
from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.answers import bounded_seconds, checked_value, task_orders
from aptone.studio.store.database import Writer
from aptone.studio.store.people import People
from aptone.studio.store.records import StoredTask
from aptone.types import Rating, dumps

NAME_LENGTH = 100


def put_ratings(
    writer: Writer,
    people: People,
    stored: StoredTask,
    ratings: Sequence[Rating],
    *,
    source: str,
    clock: Callable[[], float] = time.time,
) -> Future[int]:
    """Store ratings of a task, and return how many; one that is there already is replaced.

    Args:
        source: tool that they come from; it stands before the name of each rater.

    Raises:
        RecordError: if a rating is of no item of the task, or an answer is none; nothing is stored then.
    """
    checked = [(rating, _answers(stored, rating)) for rating in ratings]

    def write(connection: Connection) -> int:
        now = clock()
        known: dict[str, str] = {}
        for place, (rating, answers) in enumerate(checked):
            name = f"{source}: {rating.rater}"[:NAME_LENGTH]
            if name not in known:
                known[name] = people.imported_person(connection, name)
            _put(connection, stored, rating, answers, person=known[name], now=now, position=place)
        return len(checked)

    return writer.call(write)


def _answers(stored: StoredTask, rating: Rating) -> dict[str, str]:
    item = stored.items.get(rating.item)
    if item is None:
        raise RecordError(message("exchange.rating-of-no-item", item=repr(rating.item), name=repr(stored.task.name)))
    controls = {control.name: control for control in stored.task.controls}
    seconds = bounded_seconds(stored.task, stored.seconds[item.id])
    found = {}
    for name, value in rating.answers.items():
        if name not in controls:
            raise RecordError(message("exchange.rating-of-no-question", item=repr(rating.item), name=repr(name)))
        try:
            found[name] = dumps(checked_value(controls[name], value, item=item, seconds=seconds))
        except NotAnAnswerError as error:
            raise RecordError(message("exchange.no-answer", item=repr(rating.item), why=error.message)) from None
    return found


def _put(
    connection: Connection,
    stored: StoredTask,
    rating: Rating,
    answers: dict[str, str],
    *,
    person: str,
    now: float,
    position: int,
) -> None:
    task, item = stored.task.name, stored.items[rating.item]
    key = {"task": task, "item": item.id, "person": person}
    where = "task = :task AND item = :item AND person = :person"
    for table in ("answers", "changes", "plays"):
        connection.execute(
            text(f"DELETE FROM {table} WHERE assignment IN (SELECT id FROM assignments WHERE {where})"), key
        )
    connection.execute(text(f"DELETE FROM assignments WHERE {where}"), key)
    assignment = secrets.token_hex(12)
    connection.execute(
        text(
            "INSERT INTO assignments (id, task, item, person, purpose, state, position, orders, opened, submitted,"
            " seconds) VALUES (:id, :task, :item, :person, :purpose, 'submitted', :position, :orders, :now, :now,"
            " :seconds)"
        ),
        {**key, "id": assignment, "purpose": stored.purposes[item.id], "position": position, "now": now}
        | {"orders": dumps({name: list(clips) for name, clips in task_orders(stored.task, item).items()})}
        | {"seconds": None if math.isnan(rating.seconds) else rating.seconds},
    )
    for name, value in answers.items():
        connection.execute(
            text(
                "INSERT INTO answers (assignment, control, value, sequence, change)"
                " VALUES (:assignment, :control, :value, 1, :change)"
            ),
            {"assignment": assignment, "control": name, "value": value, "change": secrets.token_hex(8)},
        )
