"""Rows of assignments and answers as records; what several parts of the store read."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, text

from aptone.studio.store.records import STAGES, Assignment, stage_of
from aptone.types import Json

ASSIGNMENT = (
    "a.id, a.task, a.item, a.person, a.purpose, a.state, a.position, a.orders, a.opened, a.submitted, a.seconds"
)

_ANSWERS = text("SELECT assignment, control, value, sequence FROM answers WHERE assignment IN :assignments").bindparams(
    bindparam("assignments", expanding=True)
)


@dataclass(frozen=True, slots=True)
class Answers:
    """What stands of an assignment.

    Args:
        values: control to answer; those that were taken back are left out.
        sequence: highest so far; 0 for none.
    """

    values: Mapping[str, Json]
    sequence: int


NO_ANSWERS = Answers({}, 0)


def stored_json(text: str) -> Any:
    """What was stored as JSON by ourselves, and needs no check."""
    return {} if text == "{}" else json.loads(text)


def assignment_of(row: Row) -> Assignment:  # type: ignore[type-arg]
    """The record of a row that holds the columns `ASSIGNMENT`."""
    return Assignment(
        id=row.id,
        task=row.task,
        item=row.item,
        person=row.person,
        purpose=row.purpose,
        state=row.state,
        position=row.position,
        orders={name: (first, second) for name, (first, second) in stored_json(row.orders).items()},
        opened=row.opened,
        submitted=math.nan if row.submitted is None else row.submitted,
        seconds=math.nan if row.seconds is None else row.seconds,
    )


def assignment_by_id(connection: Connection, assignment: str) -> Assignment:
    """An assignment that is known to be there."""
    query = text(f"SELECT {ASSIGNMENT} FROM assignments a WHERE a.id = :id")
    return assignment_of(connection.execute(query, {"id": assignment}).one())


def given_to(connection: Connection, task: str, person: str) -> list[Assignment]:
    """All assignments of a person in a task, in order."""
    rows = connection.execute(
        text(f"SELECT {ASSIGNMENT} FROM assignments a WHERE a.task = :task AND a.person = :person"),
        {"task": task, "person": person},
    )
    found = [assignment_of(row) for row in rows.all()]
    return sorted(found, key=lambda one: (STAGES.index(stage_of(one.purpose)), one.position))


def answers_of(connection: Connection, assignments: Sequence[str]) -> dict[str, Answers]:
    """Assignment to what stands of it; those without answers are missing."""
    if not assignments:
        return {}
    values: defaultdict[str, dict[str, Json]] = defaultdict(dict)
    sequences: defaultdict[str, int] = defaultdict(int)
    for row in connection.execute(_ANSWERS, {"assignments": list(assignments)}):
        sequences[row.assignment] = max(sequences[row.assignment], row.sequence)
        if (value := stored_json(row.value)) is not None:
            values[row.assignment][row.control] = value
    return {name: Answers(values[name], sequence) for name, sequence in sequences.items()}
