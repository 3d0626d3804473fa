"""What came of it: ratings, how people are getting on, and what adjudicators settled."""

import math
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError, NotFoundError
from aptone.studio.store.answer_check import check_name, checked_value, is_plain
from aptone.studio.store.blinding import (
    blind_names,
    bounded_seconds,
    own_answer,
    own_name,
    pair_fields,
    shown_clips,
    shown_fields,
)
from aptone.studio.store.database import Database
from aptone.studio.store.people import People
from aptone.studio.store.rated import SubmittedRatings, rated_query, rated_row, values_by_assignment
from aptone.studio.store.rater_status import Standing, standings
from aptone.studio.store.records import (
    Adjudication,
    AssignmentState,
    PersonProgress,
    Purpose,
    RatedRow,
    ShownClip,
    StoredTask,
)
from aptone.studio.store.rows import stored_json
from aptone.studio.store.tasks import Tasks
from aptone.studio.store.work import progress_of
from aptone.studio.store.writer import Writer
from aptone.types import AudioRef, Json, dumps

NOTE_LENGTH = 10_000


class Results:
    """Ratings, progress and adjudications. Raters appear by pseudonym; names stay with `People`.

    Args:
        database: to be read.
        writer: through which all writing goes.
        tasks: of the project.
        people: of the project.
        clock: seconds since 1970.
    """

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
        self, task: str, *, item: str = "", states: Sequence[AssignmentState] = ("submitted",)
    ) -> list[RatedRow]:
        """What was answered in a task, in the order of items and raters.

        Args:
            task: its name.
            item: only about this one.
            states: only those; answers of open assignments may be incomplete.

        Raises:
            NotFoundError: if there is no such task.
        """
        with self._database.reading() as connection:
            self._tasks.within(connection, task)
            return self._ratings(connection, task, item=item, states=states)

    def standings(self, task: str) -> dict[str, Standing]:
        """Pseudonym to how far the answers can be trusted, for everybody who submitted something."""
        with self._database.reading() as connection:
            stored = self._tasks.within(connection, task)
            return standings(stored.task, self._submitted.of(connection, task))

    def progress(self, task: str) -> list[PersonProgress]:
        """How everybody is getting on who may work on a task or has done so; `standings` tells whose answers count."""
        done: defaultdict[str, Counter[Purpose]] = defaultdict(Counter)
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
                found.append(PersonProgress(person, own.stage, own.done, own.total, rated, seconds))
        return found

    def coverage(self, task: str) -> dict[int, int]:
        """How many rating items have 0, 1, 2, … submitted ratings."""
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
        found: defaultdict[int, int] = defaultdict(int)
        for item, purpose in stored.purposes.items():
            if purpose == "rating":
                found[people.get(item, 0)] += 1
        return dict(sorted(found.items()))

    def adjudications(self, task: str) -> dict[str, Adjudication]:
        """Item to what was settled about it."""
        with self._database.reading() as connection:
            self._tasks.within(connection, task)
            return _adjudications(connection, task)

    def adjudicate(
        self, task: str, item: str, person: str, *, answers: Mapping[str, Json], note: str = ""
    ) -> Future[Adjudication]:
        """Settle what is right about an item; an earlier adjudication is replaced. Without answers the raters' stand.

        Args:
            task: its name.
            item: id of the item.
            person: who settles.
            answers: by control, clips by the blind names of `clips`.
            note: why.

        Raises:
            NotFoundError: through the future, if there is no such task or item.
            NotAnAnswerError: through the future, if a value is no answer.
        """
        return self._writer.call(
            lambda connection: self._adjudicate(connection, task, item, person, answers=answers, note=note)
        )

    def fields(self, task: str, item: str) -> dict[str, Json]:
        """What raters see of an item; clips by the blind names of `clips`."""
        stored = self._stored(task, item)
        return shown_fields(stored.task, stored.items[item], _plain_orders(stored, item))

    def pairs(self, task: str, item: str) -> dict[str, tuple[str, str]]:
        """Field of a pair to the blind names of its clips, in the order of the task."""
        stored = self._stored(task, item)
        orders = _plain_orders(stored, item)
        blind = blind_names(stored.task, stored.items[item], orders)
        return {name: (blind[first], blind[second]) for name, (first, second) in orders.items()}

    def clips(self, task: str, item: str) -> tuple[ShownClip, ...]:
        """What can be played of an item."""
        stored = self._stored(task, item)
        return shown_clips(stored.task, stored.items[item], _plain_orders(stored, item), stored.seconds[item])

    def clip(self, task: str, item: str, clip: str) -> AudioRef:
        """The clip behind a blind name of `clips`.

        Raises:
            NotFoundError: if there is no such task, item or clip.
        """
        stored = self._stored(task, item)
        blind = blind_names(stored.task, stored.items[item], _plain_orders(stored, item))
        return stored.items[item].audio[own_name(blind, clip)]

    def _stored(self, task: str, item: str) -> StoredTask:
        return _having(self._tasks.get(task), item)

    def _ratings(
        self,
        connection: Connection,
        task: str,
        *,
        item: str = "",
        states: Sequence[AssignmentState] = ("submitted",),
    ) -> list[RatedRow]:
        only = " AND a.item = :item" if item else ""
        parameters = {"task": task} | ({"item": check_name(item, what="item")} if item else {})
        values = values_by_assignment(
            connection.execute(
                text(
                    "SELECT w.assignment, w.control, w.value FROM answers w JOIN assignments a ON a.id = w.assignment"
                    f" WHERE a.task = :task{only}"
                ),
                parameters,
            )
        )
        rows = connection.execute(text(rated_query(only)), parameters)
        return [rated_row(row, values[row.id]) for row in rows if row.state in states]

    def _adjudicate(
        self, connection: Connection, task: str, item: str, person: str, *, answers: Mapping[str, Json], note: str
    ) -> Adjudication:
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


def _having(stored: StoredTask, item: str) -> StoredTask:
    if item not in stored.items:
        raise NotFoundError(message("studio.no-such-item"))
    return stored


def _plain_orders(stored: StoredTask, item: str) -> dict[str, tuple[str, str]]:
    found = {}
    for name in pair_fields(stored.task):
        pair = stored.items[item].fields[name]
        assert isinstance(pair, list | tuple)
        found[name] = (str(pair[0]), str(pair[1]))
    return found


def _checked(stored: StoredTask, item: str, answers: Mapping[str, Json]) -> dict[str, Json]:
    controls = {control.name: control for control in stored.task.controls}
    blind = blind_names(stored.task, stored.items[item], _plain_orders(stored, item))
    seconds = bounded_seconds(stored.task, stored.seconds[item])
    found: dict[str, Json] = {}
    for name, value in answers.items():
        if name not in controls:
            raise NotAnAnswerError(message("studio.task-no-such-control"), code="unknown-control")
        own = own_answer(controls[name], value, blind)
        found[name] = checked_value(controls[name], own, item=stored.items[item], seconds=seconds)
    return {name: value for name, value in found.items() if value is not None}


def _adjudications(connection: Connection, task: str) -> dict[str, Adjudication]:
    rows = connection.execute(
        text(
            "SELECT j.item, j.answers, j.note, j.written, p.pseudonym FROM adjudications j"
            " JOIN people p ON p.id = j.person WHERE j.task = :task"
        ),
        {"task": task},
    )
    found = {}
    for row in rows:
        found[row.item] = Adjudication(row.item, stored_json(row.answers), row.note, row.pseudonym, row.written)
    return found
