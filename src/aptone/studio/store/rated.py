"""Assignments and their answers as ratings, and those of a task that were submitted, read once.

Who watches a study asks every few seconds whose answers count, which takes all ratings. Of those that are known, only
what has changed is read again: every change of an answer raises the number of changes that stands on its assignment.
"""

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, bindparam, text

from aptone.studio.store.records import RatedRow
from aptone.studio.store.rows import ASSIGNMENT, stored_json
from aptone.types import Json, Rating

AT_ONCE = 500
"""Assignments whose answers are read in one statement."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A rating, and what would differ if it had changed."""

    mark: tuple[int, float | None]
    rating: RatedRow


class SubmittedRatings:
    """The submitted ratings of tasks, kept as they were read last."""

    def __init__(self) -> None:
        self._tasks: dict[str, Mapping[str, _Known]] = {}
        self._reading = threading.Lock()

    def of(self, connection: Connection, task: str) -> list[RatedRow]:
        """Those of a task as they are now, in the order of items and raters."""
        with self._reading:
            before = self._tasks.get(task, {})
            rows = connection.execute(text(rated_query(" AND a.state = 'submitted'")), {"task": task}).all()
            changed = [row.id for row in rows if row.id not in before or before[row.id].mark != _mark(row)]
            values = _values(connection, changed)
            fresh = set(changed)
            now = {
                row.id: _Known(_mark(row), rated_row(row, values[row.id])) if row.id in fresh else before[row.id]
                for row in rows
            }
            self._tasks[task] = now
        return [known.rating for known in now.values()]


def rated_query(only: str = "") -> str:
    """What selects the assignments of a task for `rated_row`, in the order of items and raters."""
    return (
        f"SELECT {ASSIGNMENT}, a.changes, p.pseudonym FROM assignments a JOIN people p ON p.id = a.person"
        " JOIN items i ON i.task = a.task AND i.id = a.item"
        f" WHERE a.task = :task{only} ORDER BY i.position, p.pseudonym"
    )


def rated_row(row: Row, answers: Mapping[str, Json]) -> RatedRow:  # type: ignore[type-arg]
    """The rating of a row that `rated_query` selected."""
    rating = Rating(
        task=row.task,
        item=row.item,
        rater=row.pseudonym,
        answers=answers,
        seconds=math.nan if row.seconds is None else row.seconds,
        finished="" if row.submitted is None else moment(row.submitted),
        shown=tuple(clip for pair in stored_json(row.orders).values() for clip in pair),
    )
    return RatedRow(rating, row.purpose, row.state)


def values_by_assignment(rows: Iterable[Row]) -> defaultdict[str, dict[str, Json]]:  # type: ignore[type-arg]
    """Assignment to control to answer; what was taken back is left out."""
    values: defaultdict[str, dict[str, Json]] = defaultdict(dict)
    for row in rows:
        if (value := stored_json(row.value)) is not None:
            values[row.assignment][row.control] = value
    return values


def moment(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC.

    >>> moment(0.0)
    '1970-01-01T00:00:00.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _mark(row: Row) -> tuple[int, float | None]:  # type: ignore[type-arg]
    return row.changes, row.submitted


def _values(connection: Connection, assignments: list[str]) -> defaultdict[str, dict[str, Json]]:
    return values_by_assignment(
        row
        for first in range(0, len(assignments), AT_ONCE)
        for row in connection.execute(_ANSWERS, {"ids": assignments[first : first + AT_ONCE]})
    )


_ANSWERS = text("SELECT assignment, control, value FROM answers WHERE assignment IN :ids").bindparams(
    bindparam("ids", expanding=True)
)
