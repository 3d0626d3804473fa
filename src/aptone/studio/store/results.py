"""Results of a study: ratings, progress and adjudications."""

import math
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store import records
from aptone.studio.store.answers import (
    blind_names,
    bounded_seconds,
    check_name,
    checked_value,
    is_plain,
    own_answer,
    own_name,
    shown_clips,
    shown_fields,
    task_orders,
)
from aptone.studio.store.assignments import progress_of
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.people import People
from aptone.studio.store.ratings import (
    RaterStatus,
    SubmittedRatings,
    answers_of,
    rated_query,
    rated_row,
    rater_statuses,
    stored_json,
)
from aptone.studio.store.tasks import Tasks
from aptone.types import AudioRef, Json, RatingItem, dumps
from aptone.web.refusals import NotFoundError

NOTE_LENGTH = 10_000


class Results:
    """Ratings, progress and adjudications. Raters appear by pseudonym; names stay with `People`."""

    def __init__(
        self,
        database: Database,
        writer: Writer,
        tasks: Tasks,
        people: People,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._writer = writer
        self._tasks = tasks
        self._people = people
        self._clock = clock
        self._submitted = SubmittedRatings()

    def ratings(
        self, task: str, *, item: str = "", states: Sequence[records.AssignmentState] = ("submitted",)
    ) -> list[records.RatedRow]:
        """Read the ratings of a task or item, in the order of items and raters; open ones may be incomplete."""
        with self._database.reading() as connection:
            self._tasks.within(connection, task)
            only = " AND a.item = :item" if item else ""
            parameters = {"task": task} | ({"item": check_name(item, what="item")} if item else {})
            rows = [row for row in connection.execute(text(rated_query(only)), parameters) if row.state in states]
            answers = answers_of(connection, [row.id for row in rows])
            return [rated_row(row, answers[row.id].values) for row in rows]

    def rater_statuses(self, task: str) -> dict[str, RaterStatus]:
        """Map pseudonym to status, for everyone who submitted something."""
        with self._database.reading() as connection:
            return rater_statuses(self._tasks.within(connection, task).task, self._submitted.of(connection, task))

    def progress(self, task: str) -> list[records.PersonProgress]:
        """Progress of everyone who may work on a task or has done so; `rater_statuses` says whose answers count."""
        done: defaultdict[str, Counter[records.Purpose]] = defaultdict(Counter)
        times: defaultdict[str, list[float]] = defaultdict(list)
        with self._database.reading() as connection:
            stored = self._tasks.within(connection, task)
            for row in connection.execute(
                text("SELECT person, purpose, state, seconds FROM assignments WHERE task = :task"), {"task": task}
            ):
                done[row.person][row.purpose] += row.state == "submitted"
                if row.seconds is not None:
                    times[row.person].append(row.seconds)
        found = []
        for person in self._people.everyone():
            if person.id in done or (person.active and person.role == "annotator"):
                own = progress_of(stored, done[person.id])
                seconds = statistics.median(times[person.id]) if times[person.id] else math.nan
                rated = done[person.id]["rating"]
                found.append(records.PersonProgress(person, own.stage, own.done, own.total, rated, seconds))
        return found

    def coverage(self, task: str) -> dict[int, int]:
        """Number of rating items with 0, 1, 2, … submitted ratings."""
        with self._database.reading() as connection:
            stored = self._tasks.within(connection, task)
            rows = connection.execute(
                text(
                    "SELECT item, count(*) AS people FROM assignments WHERE task = :task AND purpose = 'rating'"
                    " AND state = 'submitted' GROUP BY item"
                ),
                {"task": task},
            )
            people = {row.item: row.people for row in rows}
        found = Counter(people.get(item, 0) for item, purpose in stored.purposes.items() if purpose == "rating")
        return dict(sorted(found.items()))

    def adjudications(self, task: str) -> dict[str, records.Adjudication]:
        """Map item to adjudication."""
        with self._database.reading() as connection:
            self._tasks.within(connection, task)
            return _adjudications(connection, task)

    def adjudicate(
        self, task: str, item: str, person: str, *, answers: Mapping[str, Json], note: str = ""
    ) -> Future[records.Adjudication]:
        """Store or replace an adjudication, clips by blind names; without answers those of the raters stand."""
        return self._writer.call(
            lambda connection: self._adjudicate(connection, task, item, person, answers=answers, note=note)
        )

    def fields(self, task: str, item: str) -> dict[str, Json]:
        """Fields of an item as raters see them; clips by the blind names of `clips`."""
        stored, record, orders = self._item(task, item)
        return shown_fields(stored.task, record, orders)

    def pairs(self, task: str, item: str) -> dict[str, tuple[str, ...]]:
        """Map the field of a pair or set to the blind names of its clips, in the order of the task."""
        stored, record, orders = self._item(task, item)
        blind = blind_names(stored.task, record, orders)
        return {name: tuple(blind[clip] for clip in clips) for name, clips in orders.items()}

    def clips(self, task: str, item: str) -> tuple[records.ShownClip, ...]:
        """Playable clips of an item."""
        stored, record, orders = self._item(task, item)
        return shown_clips(stored.task, record, orders, stored.seconds[item])

    def clip(self, task: str, item: str, clip: str) -> AudioRef:
        """Find a clip by its blind name of `clips`."""
        stored, record, orders = self._item(task, item)
        return record.audio[own_name(blind_names(stored.task, record, orders), clip)]

    def _item(self, task: str, item: str) -> tuple[records.StoredTask, RatingItem, dict[str, tuple[str, ...]]]:
        stored = _having(self._tasks.get(task), item)
        return stored, stored.items[item], task_orders(stored.task, stored.items[item])

    def _adjudicate(
        self, connection: Connection, task: str, item: str, person: str, *, answers: Mapping[str, Json], note: str
    ) -> records.Adjudication:
        stored = _having(self._tasks.within(connection, task), item)
        if len(note) > NOTE_LENGTH or not is_plain(note):
            raise NotAnAnswerError(message("studio.note-text-up-signs", limit=NOTE_LENGTH), code="bad-note")
        checked = _checked(stored, item, answers)
        now = self._clock()
        connection.execute(
            text(
                "INSERT INTO adjudications (task, item, person, answers, note, written)"
                " VALUES (:task, :item, :person, :answers, :note, :now)"
                " ON CONFLICT (task, item) DO UPDATE SET person = excluded.person, answers = excluded.answers,"
                " note = excluded.note, written = excluded.written"
            ),
            {"task": task, "item": item, "person": person, "answers": dumps(checked), "note": note, "now": now},
        )
        return _adjudications(connection, task)[item]


def _having(stored: records.StoredTask, item: str) -> records.StoredTask:
    if item not in stored.items:
        raise NotFoundError(message("studio.no-such-item"))
    return stored


def _checked(stored: records.StoredTask, item: str, answers: Mapping[str, Json]) -> dict[str, Json]:
    controls = {control.name: control for control in stored.task.controls}
    blind = blind_names(stored.task, stored.items[item], task_orders(stored.task, stored.items[item]))
    seconds = bounded_seconds(stored.task, stored.seconds[item])
    found: dict[str, Json] = {}
    for name, value in answers.items():
        if name not in controls:
            raise NotAnAnswerError(message("studio.task-no-such-control"), code="unknown-control")
        own = own_answer(controls[name], value, blind)
        found[name] = checked_value(controls[name], own, item=stored.items[item], seconds=seconds)
    return {name: value for name, value in found.items() if value is not None}


def _adjudications(connection: Connection, task: str) -> dict[str, records.Adjudication]:
    rows = connection.execute(
        text(
            "SELECT j.item, j.answers, j.note, j.written, p.pseudonym FROM adjudications j"
            " JOIN people p ON p.id = j.person WHERE j.task = :task"
        ),
        {"task": task},
    )
    return {
        row.item: records.Adjudication(row.item, stored_json(row.answers), row.note, row.pseudonym, row.written)
        for row in rows
    }
