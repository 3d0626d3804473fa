"""Assignments of people: the next item, its view, saving and submission."""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotNowError
from aptone.studio.store import records
from aptone.studio.store.answers import (
    blind_answers,
    blind_names,
    check_name,
    is_missing,
    own_name,
    shown_clips,
    shown_fields,
)
from aptone.studio.store.changes import ChangeStore, Save, check_changes, check_owner, check_writable
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.gates import due_rest, gate_within
from aptone.studio.store.handout import ABANDONED_AFTER, Handout, quota_total
from aptone.studio.store.ratings import ASSIGNMENT, answers_of, assignment_of, assignments_of, feedback
from aptone.studio.store.tasks import Tasks
from aptone.types import AudioRef, Json
from aptone.web.refusals import RefusedError

LONGEST_PAUSE = 300.0
"""Seconds between two events that count as work; more is a pause."""
EARLY = 0.25
"""Seconds by which a clip may be reported as heard too early: clocks and decoders disagree a little."""


class Assignments:
    """Assignments of items to people, and their answers.

    Args:
        abandoned_after: seconds after which an item that was left alone goes to others who wait.
    """

    def __init__(
        self,
        database: Database,
        writer: Writer,
        tasks: Tasks,
        *,
        abandoned_after: float = ABANDONED_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._writer = writer
        self._tasks = tasks
        self._clock = clock
        self._handout = Handout(database, abandoned_after=abandoned_after, clock=clock)
        self._saving = ChangeStore(database, tasks)

    def next(self, task: str, person: str) -> Future[records.Next]:
        """Return the person's open item, or a new one, or the reason why there is none."""
        return self._writer.call(lambda connection: self._next(connection, check_name(task, what="task"), person))

    def view(self, assignment: str, person: str) -> records.View:
        """View of an assignment for its owner."""
        with self._database.reading() as connection:
            return self._view(connection, *self._owned(connection, assignment, person))

    def clip(self, assignment: str, person: str, clip: str) -> AudioRef:
        """Find a clip by its blind name, its path relative to the project folder."""
        with self._database.reading() as connection:
            found, task = self._owned(connection, assignment, person)
        item = task.items[found.item]
        return item.audio[own_name(blind_names(task.task, item, found.orders), clip)]

    def mine(self, task: str, person: str) -> list[records.OwnAssignment]:
        """Own assignments of a person in a task, in order, without released ones."""
        with self._database.reading() as connection:
            rows = assignments_of(connection, self._tasks.within(connection, task).task.name, person)
        return [
            records.OwnAssignment(one.id, one.position, records.stage_of(one.purpose), one.state)
            for one in rows
            if one.state != "released"
        ]

    def progress(self, task: str, person: str) -> records.Progress:
        """Progress of a person in a task."""
        with self._database.reading() as connection:
            stored = self._tasks.within(connection, task)
            rows = connection.execute(
                text(
                    "SELECT purpose, count(*) AS items FROM assignments WHERE task = :task AND person = :person"
                    " AND state = 'submitted' GROUP BY purpose"
                ),
                {"task": task, "person": person},
            )
            return progress_of(stored, Counter({row.purpose: row.items for row in rows}))

    def save(self, assignment: str, person: str, changes: Sequence[records.Change]) -> Future[records.Saved]:
        """Store changes; the ids come back once they are on the disk, those of stale ones with the newer answers.

        Raises:
            NotAnAnswerError: if one of them is no answer (also through the future).
            NotFoundError, NotAllowedError, NotNowError: through the future, if there is no such assignment, it is
                another person's, or it cannot be changed now.
            BusyError: if too much waits to be written (also through the future).
        """
        check_changes(changes)
        save = Save(check_name(assignment, what="assignment"), person, tuple(changes), self._clock())
        return self._writer.add(self._saving.perform, save)

    def played(self, assignment: str, person: str, clip: str) -> Future[tuple[str, ...]]:
        """Record that a clip was heard to its end; the future holds all that were heard.

        Raises:
            NotNowError: through the future, if less time went by than the clip lasts.
            NotFoundError, NotAllowedError: through the future, as `view`.
        """
        return self._writer.call(lambda connection: self._played(connection, assignment, person, clip))

    def add_active(self, assignment: str, person: str, seconds: float) -> Future[float]:
        """Add seconds in which a person was at an item; no more than went by since it was opened. Returns the sum.

        Raises:
            NotFoundError, NotAllowedError: through the future, as `view`.
        """

        def write(connection: Connection) -> float:
            found, _ = self._owned(connection, assignment, person, lock=True)
            before = connection.execute(
                text("SELECT active FROM assignments WHERE id = :id"), {"id": found.id}
            ).scalar_one()
            passed = max(0.0, self._clock() - found.opened)
            active = min((before or 0.0) + max(0.0, seconds), max(passed, before or 0.0))
            connection.execute(
                text("UPDATE assignments SET active = :active WHERE id = :id"), {"active": active, "id": found.id}
            )
            return active

        return self._writer.call(write)

    def submit(self, assignment: str, person: str, changes: Sequence[records.Change] = ()) -> Future[records.Submitted]:
        """Store the last changes and submit.

        Raises:
            NotNowError: through the future, if an answer or a clip is missing, a newer answer stands than one that is
                sent, or the item went to somebody else; nothing is stored then.
        """
        check_changes(changes)
        return self._writer.call(lambda connection: self._submit(connection, assignment, person, tuple(changes)))

    def _owned(
        self, connection: Connection, assignment: str, person: str, *, lock: bool = False
    ) -> tuple[records.Assignment, records.StoredTask]:
        row = connection.execute(
            text(
                f"SELECT {ASSIGNMENT} FROM assignments a WHERE a.id = :id" + (self._database.locking() if lock else "")
            ),
            {"id": check_name(assignment, what="assignment")},
        ).one_or_none()
        found = None if row is None else (assignment_of(row), self._tasks.within(connection, row.task))
        return check_owner(found, person)

    def _view(self, connection: Connection, assignment: records.Assignment, task: records.StoredTask) -> records.View:
        item = task.items[assignment.item]
        kept = answers_of(connection, [assignment.id])[assignment.id]
        blind = blind_names(task.task, item, assignment.orders)
        stage = records.stage_of(assignment.purpose)
        return records.View(
            id=assignment.id,
            task=assignment.task,
            stage=stage,
            state=assignment.state,
            position=assignment.position,
            total=task.totals[stage],
            fields=shown_fields(task.task, item, assignment.orders),
            clips=shown_clips(task.task, item, assignment.orders, task.seconds[item.id]),
            pairs={name: tuple(blind[clip] for clip in clips) for name, clips in assignment.orders.items()},
            answers=blind_answers(task.task, kept.values, blind),
            sequence=kept.sequence,
            played=tuple(blind[name] for name in self._heard(connection, assignment.id) if name in blind),
            instruction=item.instruction,
        )

    def _heard(self, connection: Connection, assignment: str) -> list[str]:
        rows = connection.execute(
            text("SELECT clip FROM plays WHERE assignment = :id ORDER BY received, clip"), {"id": assignment}
        )
        return list(rows.scalars())

    def _next(self, connection: Connection, name: str, person: str) -> records.Next:
        self._handout.lock(connection, name)
        task = self._tasks.within(connection, name)
        if not task.open:
            return records.Next(None, "closed")
        if gate := gate_within(connection, task, person):
            return records.Next(None, gate)
        rest = None if self._handout.waiting(connection, task, person) else self._rest(connection, task, person)
        if rest is not None and rest.forced:
            return records.Next(None, "break", rest)
        found = self._handout.next(connection, task, person)
        if isinstance(found, str):
            return records.Next(None, found)
        return records.Next(self._view(connection, found, task), rest=rest)

    def _rest(self, connection: Connection, task: records.StoredTask, person: str) -> records.Rest | None:
        return due_rest(connection, task, person, now=self._clock())

    def _played(self, connection: Connection, assignment: str, person: str, clip: str) -> tuple[str, ...]:
        found, task = self._owned(connection, assignment, person, lock=True)
        item, now = task.items[found.item], self._clock()
        blind = blind_names(task.task, item, found.orders)
        own = own_name(blind, clip)
        if 0 <= now - found.opened < task.seconds[item.id][own] - EARLY:  # a clock that was set back says nothing
            raise NotNowError(
                message("studio.less-time-went-clip-lasts"), code="too-early", next=message("studio.listen-end")
            )
        connection.execute(
            text(
                "INSERT INTO plays (assignment, clip, received) VALUES (:assignment, :clip, :now)"
                " ON CONFLICT (assignment, clip) DO NOTHING"
            ),
            {"assignment": found.id, "clip": own, "now": now},
        )
        return tuple(blind[name] for name in self._heard(connection, found.id) if name in blind)

    def _submit(
        self, connection: Connection, name: str, person: str, changes: Sequence[records.Change]
    ) -> records.Submitted:
        found, task = self._owned(connection, name, person, lock=True)
        if found.state == "released":
            self._handout.lock(connection, found.task)
            self._handout.take_back(connection, found, task)
        now = self._clock()
        (outcome,) = self._saving.perform(connection, [Save(name, person, changes, now)])
        if isinstance(outcome, RefusedError):
            raise outcome
        if stale := sorted({one.control for one in outcome.superseded}):
            raise NotNowError(
                message("studio.superseded", names=", ".join(stale)),
                code="superseded",
                next=message("studio.look-newer-answers-submit"),
            )
        found, task = self._owned(connection, name, person)
        kept = answers_of(connection, [name])[name]
        if found.state != "submitted":
            check_writable(found, task)
            self._check_complete(connection, found, task, now)
            item = task.items[found.item]
            missing = [one.name for one in task.task.controls if is_missing(one, kept.values.get(one.name), item)]
            if missing:
                raise NotNowError(message("studio.answer-missing", names=", ".join(missing)), code="missing-answer")
            connection.execute(
                text("UPDATE assignments SET state = 'submitted', submitted = :now, seconds = :seconds WHERE id = :id"),
                {"now": now, "seconds": self._seconds(connection, found, now), "id": name},
            )
        feedback_shown = _blind_feedback(task, found, kept.values) if found.purpose == "calibration" else None
        return records.Submitted("submitted", feedback_shown)

    def _check_complete(
        self, connection: Connection, found: records.Assignment, task: records.StoredTask, now: float
    ) -> None:
        """Check that every required clip was heard."""
        item = task.items[found.item]
        blind = blind_names(task.task, item, found.orders)
        heard = {blind[name] for name in self._heard(connection, found.id) if name in blind}
        must = [one for one in shown_clips(task.task, item, found.orders, task.seconds[item.id]) if one.must_play]
        if unheard := [one.clip for one in must if one.clip not in heard]:
            raise NotNowError(
                message("studio.not-heard-end-yet", names=", ".join(unheard)),
                code="not-heard",
                next=message("studio.play-end"),
            )

    def _seconds(self, connection: Connection, found: records.Assignment, now: float) -> float:
        moments = connection.execute(
            text(
                "SELECT received FROM changes WHERE assignment = :id"
                " UNION ALL SELECT received FROM plays WHERE assignment = :id"
            ),
            {"id": found.id},
        )
        return working_seconds([found.opened, *moments.scalars(), now])


def working_seconds(moments: Sequence[float]) -> float:
    """Working time between the given times, in seconds; of a pause only `LONGEST_PAUSE` counts.

    >>> working_seconds([0.0, 10.0, 10_000.0])
    310.0
    """
    return sum(min(later - earlier, LONGEST_PAUSE) for earlier, later in itertools.pairwise(sorted(moments)))


def progress_of(task: records.StoredTask, submitted: Mapping[records.Purpose, int]) -> records.Progress:
    """Progress after so many submitted items of each purpose."""
    done: Counter[records.Stage] = Counter()
    for purpose, items in submitted.items():
        done[records.stage_of(purpose)] += items
    stage: records.Stage = next((stage for stage in records.STAGES if done[stage] < task.totals[stage]), "rating")
    left = max(0, quota_total(task.task, task.purposes) - done["rating"]) if task.task.quota_per_rater else None
    return records.Progress(stage, done[stage], task.totals[stage], quota_left=left)


def _blind_feedback(
    task: records.StoredTask, found: records.Assignment, answers: Mapping[str, Json]
) -> dict[str, records.Feedback]:
    """Feedback with clips by their blind names, so that it does not reveal whose clip was right."""
    item = task.items[found.item]
    shown, blind = feedback(task.task, item, answers), blind_names(task.task, item, found.orders)
    given = blind_answers(task.task, {name: one.given for name, one in shown.items()}, blind)
    gold = blind_answers(task.task, {name: one.gold for name, one in shown.items()}, blind)
    return {name: records.Feedback(given[name], gold[name], one.within) for name, one in shown.items()}
