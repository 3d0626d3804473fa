"""Stored assignments, answers and ratings as records, and the status of raters by the rules of `aptone.ratings.rules`.

Who watches a study asks every few seconds whose answers count, which takes all ratings. Of those that are known, only
what has changed is read again: every change of an answer raises the number of changes that stands on its assignment.
Nobody is dropped in silence: each rule gives a figure and, where it is broken, a flag and a sentence.
"""

import json
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, text

from aptone.ratings import rules
from aptone.ratings.rules import Tally, pass_rule
from aptone.studio.store.records import STAGES, Assignment, Feedback, RatedRow, stage_of
from aptone.types import Json, Rating, RatingItem, RatingTask

ASSIGNMENT = ", ".join(
    f"a.{name}"
    for name in (
        *("id", "task", "item", "person", "purpose", "state", "position", "orders"),
        *("opened", "submitted", "seconds", "active"),
    )
)

_ANSWERS = text("SELECT assignment, control, value, sequence FROM answers WHERE assignment IN :assignments").bindparams(
    bindparam("assignments", expanding=True)
)


@dataclass(frozen=True, slots=True)
class Answers:
    """Current answers of an assignment without withdrawn ones, and the highest sequence number; 0 for none."""

    values: Mapping[str, Json]
    sequence: int


def stored_json(text: str) -> Any:
    """Parse JSON that the store wrote itself, without checks."""
    return {} if text == "{}" else json.loads(text)


def assignment_of(row: Row) -> Assignment:  # type: ignore[type-arg]
    """Make the record of a row with the columns `ASSIGNMENT`."""
    return Assignment(
        id=row.id,
        task=row.task,
        item=row.item,
        person=row.person,
        purpose=row.purpose,
        state=row.state,
        position=row.position,
        orders={name: tuple(clips) for name, clips in stored_json(row.orders).items()},
        opened=row.opened,
        submitted=math.nan if row.submitted is None else row.submitted,
        seconds=math.nan if row.seconds is None else row.seconds,
    )


def assignment_by_id(connection: Connection, assignment: str) -> Assignment:
    """Read an assignment that exists."""
    query = text(f"SELECT {ASSIGNMENT} FROM assignments a WHERE a.id = :id")
    return assignment_of(connection.execute(query, {"id": assignment}).one())


def assignments_of(connection: Connection, task: str, person: str) -> list[Assignment]:
    """All assignments of a person in a task, in order."""
    rows = connection.execute(
        text(f"SELECT {ASSIGNMENT} FROM assignments a WHERE a.task = :task AND a.person = :person"),
        {"task": task, "person": person},
    )
    found = [assignment_of(row) for row in rows.all()]
    return sorted(found, key=lambda one: (STAGES.index(stage_of(one.purpose)), one.position))


AT_ONCE = 500
"""Assignments whose answers are read in one statement."""


def answers_of(connection: Connection, assignments: Sequence[str]) -> dict[str, Answers]:
    """Map each assignment to its current answers."""
    values: dict[str, dict[str, Json]] = {name: {} for name in assignments}
    sequences = dict.fromkeys(assignments, 0)
    for first in range(0, len(assignments), AT_ONCE):
        for row in connection.execute(_ANSWERS, {"assignments": list(assignments[first : first + AT_ONCE])}):
            sequences[row.assignment] = max(sequences[row.assignment], row.sequence)
            if (value := stored_json(row.value)) is not None:
                values[row.assignment][row.control] = value
    return {name: Answers(values[name], sequence) for name, sequence in sequences.items()}


@dataclass(frozen=True, slots=True)
class _Known:
    """Cached rating, and a mark that differs after a change."""

    mark: tuple[int, float | None, float | None]
    rating: RatedRow


class SubmittedRatings:
    """Cache of the submitted ratings of tasks."""

    def __init__(self) -> None:
        self._tasks: dict[str, Mapping[str, _Known]] = {}
        self._reading = threading.Lock()

    def of(self, connection: Connection, task: str) -> list[RatedRow]:
        """Read the submitted ratings of a task, in the order of items and raters."""
        with self._reading:
            before = self._tasks.get(task, {})
            rows = connection.execute(text(rated_query(" AND a.state = 'submitted'")), {"task": task}).all()
            changed = [row.id for row in rows if row.id not in before or before[row.id].mark != _mark(row)]
            fresh = answers_of(connection, changed)
            now = {
                row.id: _Known(_mark(row), rated_row(row, fresh[row.id].values)) if row.id in fresh else before[row.id]
                for row in rows
            }
            self._tasks[task] = now
        return [known.rating for known in now.values()]


def rated_query(only: str = "") -> str:
    """SQL that selects the assignments of a task for `rated_row`, in the order of items and raters."""
    return (
        f"SELECT {ASSIGNMENT}, a.changes, p.pseudonym FROM assignments a JOIN people p ON p.id = a.person"
        " JOIN items i ON i.task = a.task AND i.id = a.item"
        f" WHERE a.task = :task{only} ORDER BY i.position, p.pseudonym"
    )


def rated_row(row: Row, answers: Mapping[str, Json]) -> RatedRow:  # type: ignore[type-arg]
    """Make the rating of a row that `rated_query` selected."""
    rating = Rating(
        task=row.task,
        item=row.item,
        rater=row.pseudonym,
        answers=answers,
        seconds=math.nan if row.seconds is None else row.seconds,
        finished="" if row.submitted is None else iso_time(row.submitted),
        shown=tuple(clip for pair in stored_json(row.orders).values() for clip in pair),
        active_seconds=math.nan if row.active is None else row.active,
    )
    return RatedRow(rating, row.purpose, row.state)


def iso_time(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC.

    >>> iso_time(0.0)
    '1970-01-01T00:00:00.000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _mark(row: Row) -> tuple[int, float | None, float | None]:  # type: ignore[type-arg]
    return row.changes, row.submitted, row.active


@dataclass(frozen=True, slots=True)
class Flag:
    """Rule that a rater broke; the share of right answers, for ``outlier`` of those far from the others'."""

    kind: Literal["not-qualified", "attention", "outlier"]
    share: float


@dataclass(frozen=True, slots=True)
class RaterStatus:
    """Trust in the answers of one rater.

    Args:
        outliers: share of scale answers that lie far from the mean of the others'; NaN when none can be compared or the
            task has no such rule.
        set_aside: reason why the answers do not count; empty when they do.
    """

    qualification: Tally
    attention: Tally
    outliers: float
    flags: tuple[Flag, ...]
    set_aside: str


def feedback(task: RatingTask, item: RatingItem, answers: Mapping[str, Json]) -> dict[str, Feedback]:
    """Feedback on the answers to a calibration item, by control that has a right answer."""
    controls = {control.name: control for control in task.controls}
    tolerance = pass_rule(task).tolerance
    return {
        name: Feedback(
            answers.get(name), gold, within=rules.is_right(controls[name], answers.get(name), gold, tolerance=tolerance)
        )
        for name, gold in item.gold.items()
    }


def has_passed(task: RatingTask, answered: Sequence[Rating], *, asked: int) -> bool | None:
    """True if one person passed the test; ``None`` when it is not over, or there is none."""
    if not asked or len(answered) < asked:
        return None
    (tally,) = rules.qualification_tallies(task, answered).values()
    return tally.passes(pass_rule(task).pass_share)


def rater_statuses(task: RatingTask, rows: Sequence[RatedRow]) -> dict[str, RaterStatus]:
    """Map rater to status, from the submitted ratings."""
    ratings = [row.rating for row in rows if row.state == "submitted"]
    aside = rules.set_aside(task, ratings)
    tests, checks = rules.qualification_tallies(task, ratings), rules.attention_tallies(task, ratings)
    failed = [
        rater
        for rater in aside
        if not (_passes_test(task, tests.get(rater)) and _passes_checks(task, checks.get(rater)))
    ]
    outliers = rules.task_outlier_shares(task, ratings, leaving_out=failed)
    found = {}
    for rater in dict.fromkeys(rating.rater for rating in ratings):
        test, check, outlier = tests.get(rater, Tally()), checks.get(rater, Tally()), outliers.get(rater, math.nan)
        found[rater] = RaterStatus(test, check, outlier, _flags(task, test, check, outlier), aside.get(rater, ""))
    return found


def share(tally: Tally) -> float:
    """Share of right answers; NaN when there are none."""
    return tally.right / tally.count if tally.count else math.nan


def _passes_test(task: RatingTask, tally: Tally | None) -> bool:
    return tally is None or tally.passes(pass_rule(task).pass_share)


def _passes_checks(task: RatingTask, tally: Tally | None) -> bool:
    return tally is None or tally.passes(rules.attention_share(task))


def _flags(task: RatingTask, test: Tally, check: Tally, outlier: float) -> tuple[Flag, ...]:
    flags = [] if _passes_test(task, test) else [Flag("not-qualified", share(test))]
    flags += [] if _passes_checks(task, check) else [Flag("attention", share(check))]
    flags += [Flag("outlier", outlier)] if outlier > task.outlier_share else []
    return tuple(flags)
