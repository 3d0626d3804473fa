"""Storage of changed answers, those of many requests at once.

A change is stored once, under the id that the page gave it: a second arrival is acknowledged and changes nothing. Of
two changes of one control the one with the higher sequence number stands, whichever comes later; of equal numbers the
one with the higher id, so that the order of arrival never matters. A change that does not stand, because another
request brought a newer one, is answered with that one's value. A request is taken whole or not at all.
"""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from sqlalchemy import Connection, TextClause, bindparam, text

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError, NotNowError
from aptone.studio.store.answers import (
    blind_answers,
    blind_names,
    bounded_seconds,
    checked_value,
    is_missing,
    own_answer,
)
from aptone.studio.store.database import Database
from aptone.studio.store.gates import consent_refusal, lacking_consent
from aptone.studio.store.ratings import ASSIGNMENT, answers_of, assignment_of, stored_json
from aptone.studio.store.records import Assignment, Change, Saved, StoredTask, Superseded
from aptone.studio.store.tasks import Tasks
from aptone.types import Json, dumps
from aptone.web.refusals import NotAllowedError, NotFoundError, RefusedError

HIGHEST_SEQUENCE = 2**53 - 1
"""The highest whole number that JavaScript counts to without skipping one."""
MOST_CHANGES = 500
"""Changes in one request."""
MOST_STORED = 10_000
"""Changes that one person can store about one item. Somebody who types slowly makes one a key: this is a long text,
several times over; a page that has run away is stopped after some minutes."""
MOST_CHARACTERS = 64_000_000
"""Most characters of these changes together, as stored: 320 times the longest text that can be edited."""
MOST_ROWS = 100
"""Rows in one statement; SQLite takes up to 999 values in its older versions."""

_ID = re.compile(r"[0-9A-Za-z_-]{8,64}")


@dataclass(frozen=True, slots=True)
class Save:
    """Changes of one person to the answers of one assignment, and the time of arrival."""

    assignment: str
    person: str
    changes: Sequence[Change]
    received: float


@dataclass(frozen=True, slots=True)
class _Stored:
    """Stored change."""

    assignment: str
    control: str
    value: str
    sequence: int


@dataclass(frozen=True, slots=True)
class _Amount:
    """Amount of changes that one person has stored about one item."""

    changes: int
    characters: int

    def with_fresh(self, fresh: Iterable[_Stored]) -> Self:
        """Add new changes, or raise `NotNowError` if that is too much."""
        values = [kept.value for kept in fresh]
        grown = type(self)(self.changes + len(values), self.characters + sum(map(len, values)))
        if values and (grown.changes > MOST_STORED or grown.characters > MOST_CHARACTERS):
            raise NotNowError(
                message("studio.person-store-changes-item-signs", changes=MOST_STORED, signs=MOST_CHARACTERS),
                code="too-many-changes",
                next=message("studio.load-page-again-answers-shows"),
            )
        return grown


@dataclass(frozen=True, slots=True)
class _Known:
    """Assignment with its task and the amount of its stored changes."""

    assignment: Assignment
    task: StoredTask
    amount: _Amount


def check_changes(changes: Sequence[Change]) -> None:
    """Check the number, ids and sequence numbers of changes.

    Raises:
        NotAnAnswerError: if there are too many, or an id or a sequence number is none.
    """
    if len(changes) > MOST_CHANGES:
        raise NotAnAnswerError(
            message("studio.most-changes-request-got", limit=MOST_CHANGES, count=len(changes)), code="too-many"
        )
    for change in changes:
        if not _ID.fullmatch(change.id):
            raise NotAnAnswerError(message("studio.id-change-uuid"), code="bad-id")
        if isinstance(change.sequence, bool) or not 0 <= change.sequence <= HIGHEST_SEQUENCE:
            raise NotAnAnswerError(
                message("studio.sequence-number-whole-number-up", limit=HIGHEST_SEQUENCE), code="bad-sequence"
            )


class ChangeStore:
    """Writes changes in the batches of the writer."""

    def __init__(self, database: Database, tasks: Tasks) -> None:
        self._tasks = tasks
        self._assignments = text(
            f"SELECT {ASSIGNMENT}, a.changes, a.signs, t.version, t.is_open"
            " FROM assignments a JOIN tasks t ON t.name = a.task"
            " WHERE a.id IN :ids ORDER BY a.id" + database.locking(of="a")
        ).bindparams(bindparam("ids", expanding=True))

    def perform(self, connection: Connection, saves: Sequence[Save]) -> list[Saved | RefusedError]:
        """Store the changes of many requests; return what became of them, or the refusal of each."""
        known = self._known(connection, saves)
        stored = self._stored(connection, saves)
        lacking = lacking_consent(connection, {save.person for save in saves})
        rows: list[dict[str, Any]] = []
        outcomes: list[Save | RefusedError] = []
        amounts: dict[str, _Amount] = {}
        for save in saves:
            try:
                fresh = self._checked(save, known, stored)
                if save.person in lacking:
                    raise consent_refusal()
                amount = (amounts.get(save.assignment) or known[save.assignment].amount).with_fresh(fresh.values())
            except RefusedError as refusal:
                outcomes.append(refusal)
                continue
            for change, kept in fresh.items():
                stored[change] = kept
                rows.append({"id": change, "received": save.received} | asdict(kept))
            if fresh:
                amounts[save.assignment] = amount
            outcomes.append(save)
        _insert(connection, _INSERT_CHANGES, rows)
        _insert(connection, _UPSERT_ANSWERS, _latest_changes(rows))
        if amounts:
            sums = [{"id": name, "changes": one.changes, "signs": one.characters} for name, one in amounts.items()]
            connection.execute(_RECORD_AMOUNT, sums)
        for assignment in sorted(amounts):
            if known[assignment].assignment.state == "submitted":
                _reopen_if_incomplete(connection, known[assignment].assignment, known[assignment].task)
        standing = _standing(connection, [one for one in outcomes if isinstance(one, Save)])
        return [
            one if isinstance(one, RefusedError) else _outcome(one, standing, known.get(one.assignment))
            for one in outcomes
        ]

    def _known(self, connection: Connection, saves: Sequence[Save]) -> dict[str, _Known]:
        rows = connection.execute(self._assignments, {"ids": sorted({save.assignment for save in saves})}).all()
        return {
            row.id: _Known(
                assignment_of(row),
                self._tasks.as_of(connection, row.task, version=row.version, is_open=bool(row.is_open)),
                _Amount(row.changes, row.signs),
            )
            for row in rows
        }

    def _stored(self, connection: Connection, saves: Sequence[Save]) -> dict[str, _Stored]:
        ids = sorted({change.id for save in saves for change in save.changes})
        return {
            row.id: _Stored(row.assignment, row.control, row.value, row.sequence)
            for first in range(0, len(ids), MOST_CHANGES)
            for row in connection.execute(_SELECT_CHANGES, {"ids": ids[first : first + MOST_CHANGES]})
        }

    def _checked(self, save: Save, known: Mapping[str, _Known], stored: Mapping[str, _Stored]) -> dict[str, _Stored]:
        """Return the new changes of a request, checked."""
        found = known.get(save.assignment)
        assignment, task = check_owner((found.assignment, found.task) if found else None, save.person)
        fresh: dict[str, _Stored] = {}
        for change in save.changes:
            kept = _Stored(assignment.id, change.control, self._value(assignment, task, change), change.sequence)
            before = fresh.get(change.id) or stored.get(change.id)
            if before is None:
                fresh[change.id] = kept
            elif before != kept:
                raise NotNowError(
                    message("studio.change-id-stored-before-other"),
                    code="id-reused",
                    next=message("studio.give-every-change-id-own"),
                )
        if fresh:
            check_writable(assignment, task)
        return fresh

    def _value(self, assignment: Assignment, task: StoredTask, change: Change) -> str:
        control = next((one for one in task.task.controls if one.name == change.control), None)
        if control is None:
            raise NotAnAnswerError(message("studio.task-no-such-control"), code="unknown-control")
        item = task.items[assignment.item]
        own = own_answer(control, change.value, blind_names(task.task, item, assignment.orders))
        return dumps(checked_value(control, own, item=item, seconds=bounded_seconds(task.task, task.seconds[item.id])))


@dataclass(frozen=True, slots=True)
class _Answer:
    """Answer that stands, and the change that it comes from."""

    change: str
    value: str
    sequence: int


_Standing = Mapping[tuple[str, str], _Answer]
"""Assignment and control to the answer that stands."""


def _standing(connection: Connection, saves: Sequence[Save]) -> _Standing:
    ids = sorted({save.assignment for save in saves if save.changes})
    rows = connection.execute(_SELECT_ANSWERS, {"ids": ids}) if ids else ()
    return {(row.assignment, row.control): _Answer(row.change, row.value, row.sequence) for row in rows}


def _outcome(save: Save, standing: _Standing, known: _Known | None) -> Saved:
    """Tell the changes that another request has outdone from the others."""
    own = {change.id for change in save.changes}
    stale: dict[str, Superseded] = {}
    for change in save.changes:
        newer = standing[save.assignment, change.control]
        if newer.change not in own:
            assert known is not None
            value = _blind_value(known, change.control, stored_json(newer.value))
            stale[change.id] = Superseded(change.id, change.control, value, newer.sequence)
    return Saved(tuple(change.id for change in save.changes if change.id not in stale), tuple(stale.values()))


def _blind_value(known: _Known, control: str, value: Json) -> Json:
    task, item = known.task.task, known.task.items[known.assignment.item]
    return blind_answers(task, {control: value}, blind_names(task, item, known.assignment.orders))[control]


def check_owner(found: tuple[Assignment, StoredTask] | None, person: str) -> tuple[Assignment, StoredTask]:
    """Check that an assignment exists and belongs to the person, and return it with its task."""
    if found is None:
        raise NotFoundError(message("studio.no-such-assignment"))
    if found[0].person != person:
        raise NotAllowedError(message("studio.another-person-assignment"))
    return found


def check_writable(assignment: Assignment, task: StoredTask) -> None:
    """Check that answers may still change.

    Raises:
        NotNowError: if the task is closed, or the right answers were shown or counted already.
    """
    if not task.open:
        raise NotNowError(message("studio.task-closed"), code="closed", next=message("studio.ask-runs-study"))
    if assignment.state == "submitted" and assignment.purpose in {"calibration", "qualification"}:
        raise NotNowError(message("studio.answers-calibration-test-cannot-changed"), code="locked")


def _reopen_if_incomplete(connection: Connection, assignment: Assignment, task: StoredTask) -> None:
    """Reopen an assignment whose required answer was emptied, so that every submitted one is complete."""
    values = answers_of(connection, [assignment.id])[assignment.id].values
    item = task.items[assignment.item]
    if any(is_missing(control, values.get(control.name), item) for control in task.task.controls):
        connection.execute(
            text("UPDATE assignments SET state = 'open', submitted = NULL, seconds = NULL WHERE id = :id"),
            {"id": assignment.id},
        )


_RECORD_AMOUNT = text("UPDATE assignments SET changes = :changes, signs = :signs WHERE id = :id")
_SELECT_CHANGES = text("SELECT id, assignment, control, value, sequence FROM changes WHERE id IN :ids").bindparams(
    bindparam("ids", expanding=True)
)
_SELECT_ANSWERS = text(
    "SELECT assignment, control, value, sequence, change FROM answers WHERE assignment IN :ids"
).bindparams(bindparam("ids", expanding=True))
_COLUMNS = ("id", "assignment", "control", "value", "sequence", "received")
_INSERT_CHANGES = (f"INSERT INTO changes ({', '.join(_COLUMNS)}) VALUES {{rows}} ON CONFLICT (id) DO NOTHING", _COLUMNS)
_UPSERT_ANSWERS = (
    "INSERT INTO answers (change, assignment, control, value, sequence) VALUES {rows}"
    " ON CONFLICT (assignment, control) DO UPDATE"
    " SET value = excluded.value, sequence = excluded.sequence, change = excluded.change"
    " WHERE excluded.sequence > answers.sequence"
    " OR (excluded.sequence = answers.sequence AND excluded.change > answers.change)",
    _COLUMNS[:-1],
)


def _insert(connection: Connection, statement: tuple[str, Sequence[str]], rows: Sequence[Mapping[str, object]]) -> None:
    """Insert many rows in one statement."""
    template, columns = statement
    for first in range(0, len(rows), MOST_ROWS):
        some = rows[first : first + MOST_ROWS]
        connection.execute(
            _many(template, tuple(columns), len(some)),
            {f"{column}_{number}": row[column] for number, row in enumerate(some) for column in columns},
        )


@functools.cache
def _many(template: str, columns: Sequence[str], count: int) -> TextClause:
    rows = (f"({', '.join(f':{column}_{number}' for column in columns)})" for number in range(count))
    return text(template.format(rows=", ".join(rows)))


def _latest_changes(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Keep the winning change of each control: a statement may touch a row only once."""
    highest: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        key = row["assignment"], row["control"]
        before = highest.get(key)
        if before is None or (row["sequence"], row["id"]) > (before["sequence"], before["id"]):
            highest[key] = row
    return list(highest.values())
