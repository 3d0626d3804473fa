"""What stands between a person and the next item: consent, the headphone check, and rests.

Nothing is rated before the consent text that stands was agreed to; its version and the time are recorded. A new version
asks everybody again.
"""

import math
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, bindparam, text

from aptone.messages import message
from aptone.studio.headphones import CHOICES, Kind, Stereo, trial
from aptone.studio.refusals import NotAnAnswerError, NotNowError
from aptone.studio.store.answers import check_name
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.ratings import stored_json
from aptone.studio.store.records import (
    Consent,
    ConsentText,
    Gate,
    HeadphoneResult,
    HeadphoneTest,
    Rest,
    StoredTask,
)
from aptone.studio.store.tasks import Tasks
from aptone.types import HeadphoneCheck, dumps
from aptone.web.refusals import NotFoundError

LONGEST_CONSENT = 50_000
"""Characters of a consent text."""
_LACKING = text(
    "SELECT p.id FROM people p WHERE p.id IN :people AND NOT EXISTS (SELECT 1 FROM consents c WHERE c.person = p.id"
    " AND c.version = :version)"
).bindparams(bindparam("people", expanding=True))


class Gates:
    """Consent texts, consents and headphone checks of a project."""

    def __init__(
        self, database: Database, writer: Writer, tasks: Tasks, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._tasks = tasks
        self._clock = clock

    def set_consent(self, words: Mapping[str, str]) -> Future[ConsentText]:
        """Set the consent text by language; its version is one higher than that of the last.

        Raises:
            NotAnAnswerError: if a text is empty or too long, or there is none.
        """
        given = {language: written.strip() for language, written in words.items()}
        if not given or not all(0 < len(written) <= LONGEST_CONSENT for written in given.values()):
            raise NotAnAnswerError(message("studio.bad-consent-text", limit=LONGEST_CONSENT), code="bad-consent")

        def write(connection: Connection) -> ConsentText:
            before = current_consent(connection)
            if before is not None and before.words == given:
                return before
            version, now = (before.version if before else 0) + 1, self._clock()
            connection.execute(
                text("INSERT INTO consent_texts (version, words, written) VALUES (:version, :words, :now)"),
                {"version": version, "words": dumps(given), "now": now},
            )
            return ConsentText(version, given, now)

        return self._writer.call(write)

    def consent(self, person: str) -> Consent:
        """Consent text that stands, and when a person agreed to it."""
        with self._database.reading() as connection:
            stands = current_consent(connection)
            if stands is None:
                return Consent(None, math.nan)
            given = connection.execute(
                text("SELECT given FROM consents WHERE person = :person AND version = :version"),
                {"person": person, "version": stands.version},
            ).scalar_one_or_none()
        return Consent(stands, math.nan if given is None else given)

    def agree(self, person: str, *, version: int, language: str) -> Future[Consent]:
        """Record that a person agreed to a version of the text.

        Raises:
            NotNowError: through the future, if another version stands by now.
        """

        def write(connection: Connection) -> Consent:
            stands = current_consent(connection)
            if stands is None or stands.version != version:
                raise NotNowError(
                    message("studio.another-consent"), code="another-consent", next=message("studio.read-it-again")
                )
            now = self._clock()
            connection.execute(
                text(
                    "INSERT INTO consents (person, version, language, given)"
                    " VALUES (:person, :version, :language, :now)"
                    " ON CONFLICT (person, version) DO NOTHING"
                ),
                {"person": person, "version": version, "language": language, "now": now},
            )
            return Consent(stands, now)

        return self._writer.call(write)

    def consents(self) -> dict[str, tuple[int, float]]:
        """Map person to the highest version that the person agreed to, and when."""
        with self._database.reading() as connection:
            rows = connection.execute(text("SELECT person, version, given FROM consents ORDER BY version")).all()
        return {row.person: (row.version, row.given) for row in rows}

    def gate(self, task: str, person: str) -> Gate:
        """What a person has to do before rating items of a task; empty for nothing."""
        with self._database.reading() as connection:
            return gate_within(connection, self._tasks.within(connection, task), person)

    def begin_headphones(self, task: str, person: str) -> Future[HeadphoneTest]:
        """Begin an attempt at the headphone check of a task.

        Raises:
            NotNowError: through the future, if the task has none, it was passed, or no attempt is left.
        """

        def write(connection: Connection) -> HeadphoneTest:
            stored = self._tasks.within(connection, check_name(task, what="task"))
            check, used = stored.task.headphones, _attempts(connection, task, person)
            if check is None or any(used) or len(used) >= check.attempts:
                raise NotNowError(message("studio.no-headphone-check-now"), code="no-check")
            places = [secrets.randbelow(CHOICES) for _ in range(check.trials)]
            number = secrets.token_hex(12)
            for statement, values in (
                (
                    "DELETE FROM headphone_checks WHERE task = :task AND person = :person AND answered IS NULL",
                    {"task": task, "person": person},
                ),
                (
                    "INSERT INTO headphone_checks (id, task, person, kind, places, created)"
                    " VALUES (:id, :task, :person, :kind, :places, :now)",
                    {"id": number, "task": task, "person": person, "kind": check.kind, "places": dumps(places)}
                    | {"now": self._clock()},
                ),
            ):
                connection.execute(text(statement), values)
            return HeadphoneTest(number, check.kind, check.trials, check.needed, check.attempts - len(used))

        return self._writer.call(write)

    def headphone_sound(self, check: str, person: str, number: int) -> Stereo:
        """Sound of a trial, the same whenever it is asked for."""
        with self._database.reading() as connection:
            row = connection.execute(
                text("SELECT kind, places FROM headphone_checks WHERE id = :id AND person = :person"),
                {"id": check_name(check, what="assignment"), "person": person},
            ).one_or_none()
        places = stored_json(row.places) if row is not None else []
        if row is None or not 0 <= number < len(places):
            raise NotFoundError(message("studio.no-such-headphone-check"))
        kind: Kind = "antiphase" if row.kind == "antiphase" else "huggins"
        return trial(kind, int(places[number]), seed=int(check[:12], 16) + number)

    def answer_headphones(self, check: str, person: str, answers: Sequence[int]) -> Future[HeadphoneResult]:
        """Count the answers of an attempt (places from 0 on), once.

        Raises:
            NotFoundError, NotNowError: through the future, if there is no such attempt, or it was answered.
            NotAnAnswerError: through the future, if the number of answers is another than that of the trials.
        """

        def write(connection: Connection) -> HeadphoneResult:
            row = connection.execute(
                text(
                    "SELECT task, places, answered FROM headphone_checks WHERE id = :id AND person = :person"
                    + self._database.locking()
                ),
                {"id": check_name(check, what="assignment"), "person": person},
            ).one_or_none()
            if row is None:
                raise NotFoundError(message("studio.no-such-headphone-check"))
            if row.answered is not None:
                raise NotNowError(message("studio.headphones-answered"), code="answered")
            places = stored_json(row.places)
            if len(answers) != len(places):
                raise NotAnAnswerError(message("studio.headphone-answers", count=len(places)), code="bad-answers")
            rule = self._tasks.within(connection, row.task).task.headphones or HeadphoneCheck()
            right = sum(given == place for given, place in zip(answers, places, strict=True))
            passed = right >= rule.needed
            connection.execute(
                text(
                    "UPDATE headphone_checks SET answered = :now, right_answers = :right, passed = :passed"
                    " WHERE id = :id"
                ),
                {"now": self._clock(), "right": right, "passed": int(passed), "id": check},
            )
            left = rule.attempts - len(_attempts(connection, row.task, person))
            return HeadphoneResult(right, passed, max(0, left))

        return self._writer.call(write)

    def headphones(self, task: str) -> dict[str, bool]:
        """Map person to whether the headphone check of a task was passed, for everyone who answered it."""
        with self._database.reading() as connection:
            rows = connection.execute(
                text(
                    "SELECT person, max(passed) AS passed FROM headphone_checks WHERE task = :task"
                    " AND answered IS NOT NULL GROUP BY person"
                ),
                {"task": task},
            ).all()
        return {row.person: bool(row.passed) for row in rows}


def current_consent(connection: Connection) -> ConsentText | None:
    """Consent text that stands; ``None`` for none."""
    row = connection.execute(
        text("SELECT version, words, written FROM consent_texts ORDER BY version DESC LIMIT 1")
    ).one_or_none()
    return None if row is None else ConsentText(row.version, stored_json(row.words), row.written)


def lacking_consent(connection: Connection, people: Collection[str]) -> set[str]:
    """Those of some people who have not agreed to the consent text that stands; nobody where there is none."""
    stands = connection.execute(text("SELECT max(version) FROM consent_texts")).scalar()
    if stands is None or not people:
        return set()
    return set(connection.execute(_LACKING, {"people": sorted(people), "version": stands}).scalars())


def consent_refusal() -> NotNowError:
    """Refusal of everything that would be rated before the person agreed."""
    return NotNowError(message("studio.consent-first"), code="consent", next=message("studio.load-page-read-consent"))


def gate_within(connection: Connection, task: StoredTask, person: str) -> Gate:
    """What a person has to do before rating items of a task, within a transaction."""
    if lacking_consent(connection, [person]):
        return "consent"
    check = task.task.headphones
    if check is None:
        return ""
    used = _attempts(connection, task.task.name, person)
    if any(used) or (used and not check.required):
        return ""
    return "headphones" if len(used) < check.attempts else "no-headphones"


def due_rest(connection: Connection, task: StoredTask, person: str, *, now: float) -> Rest | None:
    """Rest that a person has to take or is offered before a new item; ``None`` for none. It is recorded as begun."""
    rule = task.task.breaks
    if rule is None:
        return None
    own = {"task": task.task.name, "person": person}
    last = connection.execute(
        text("SELECT max(until) FROM breaks WHERE task = :task AND person = :person"), own
    ).scalar()
    if last is not None and last > now and rule.forced:
        return Rest(0, last - now, forced=True)
    worked = connection.execute(
        text(
            "SELECT count(*) AS items, sum(seconds) AS seconds, max(submitted) AS latest FROM assignments"
            " WHERE task = :task AND person = :person AND state = 'submitted' AND submitted > :since"
        ),
        own | {"since": last or 0.0},
    ).one()
    enough = rule.items and worked.items >= rule.items
    enough = enough or (rule.minutes and (worked.seconds or 0.0) >= 60 * rule.minutes)
    if not enough:
        return None
    has_rested = now - worked.latest >= rule.seconds
    until = now + rule.seconds if rule.forced and not has_rested else now
    connection.execute(
        text(
            "INSERT INTO breaks (task, person, began, until) VALUES (:task, :person, :now, :until)"
            " ON CONFLICT (task, person, began) DO NOTHING"
        ),
        own | {"now": now, "until": until},
    )
    return None if has_rested else Rest(worked.items, rule.seconds, rule.forced)


def _attempts(connection: Connection, task: str, person: str) -> list[bool]:
    """Whether each answered attempt of a person was passed."""
    rows = connection.execute(
        text("SELECT passed FROM headphone_checks WHERE task = :task AND person = :person AND answered IS NOT NULL"),
        {"task": task, "person": person},
    )
    return [bool(passed) for passed in rows.scalars()]
