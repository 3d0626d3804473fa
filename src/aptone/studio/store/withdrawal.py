"""Withdrawal of a person: account and consent are erased, and the answers erased or kept without a name.

What was erased is overwritten in the database file, too (``secure_delete`` of SQLite). Backups that were made before
hold it still: whoever restores one has to withdraw the person there again.
"""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotNowError
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.people import People, fresh_pseudonym
from aptone.studio.store.records import Withdrawal

_OF_ASSIGNMENTS = ("changes", "answers", "plays")
_OF_PERSON = ("headphone_checks", "breaks", "consents", "sessions", "passwords", "identities")
"""Tables with a column ``person`` of which nothing stays."""


class Withdrawals:
    """Withdrawals of people."""

    def __init__(
        self, database: Database, writer: Writer, people: People, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._people = people
        self._clock = clock

    def withdraw(self, person: str, *, keep_answers: bool = False) -> Future[Withdrawal]:
        """Erase a person.

        Args:
            keep_answers: leave the answers, under a new pseudonym that nothing connects with the person.

        Raises:
            NotFoundError: through the future, if there is no such person.
            NotNowError: through the future, if this is the only admin.
        """

        def write(connection: Connection) -> Withdrawal:
            found = self._people.within(connection, person)
            if found.role == "admin" and _admins(connection) < 2:
                raise NotNowError(message("studio.last-admin-cannot-withdraw"), code="last-admin")
            answered = connection.execute(
                text("SELECT count(*) FROM assignments WHERE person = :person AND state = 'submitted'"),
                {"person": person},
            ).scalar_one()
            _erase(connection, person, keep_answers=keep_answers)
            connection.execute(
                text("INSERT INTO withdrawals (id, happened, answers, kept) VALUES (:id, :now, :answers, :kept)"),
                {"id": secrets.token_hex(8), "now": self._clock(), "answers": answered, "kept": int(keep_answers)},
            )
            return Withdrawal(answered, keep_answers)

        return self._writer.call(write)

    def count(self) -> int:
        """Number of people who have withdrawn."""
        with self._database.reading() as connection:
            return int(connection.execute(text("SELECT count(*) FROM withdrawals")).scalar_one())


def _admins(connection: Connection) -> int:
    return int(connection.execute(text("SELECT count(*) FROM people WHERE role = 'admin' AND active = 1")).scalar_one())


def _erase(connection: Connection, person: str, *, keep_answers: bool) -> None:
    own = {"person": person}
    if not keep_answers:
        for table in _OF_ASSIGNMENTS:
            connection.execute(
                text(f"DELETE FROM {table} WHERE assignment IN (SELECT id FROM assignments WHERE person = :person)"),
                own,
            )
        connection.execute(text("DELETE FROM assignments WHERE person = :person"), own)
    for table in _OF_PERSON:
        connection.execute(text(f"DELETE FROM {table} WHERE person = :person"), own)
    connection.execute(text("DELETE FROM invitations WHERE person = :person"), own)
    left = connection.execute(
        text(
            "SELECT (SELECT count(*) FROM assignments WHERE person = :person)"
            " + (SELECT count(*) FROM adjudications WHERE person = :person)"
        ),
        own,
    ).scalar_one()
    if not left:
        connection.execute(text("DELETE FROM people WHERE id = :person"), own)
        return
    # what others rest on stays, under an id and a pseudonym that nothing connects with the person
    values = {"fresh": secrets.token_hex(8), "pseudonym": fresh_pseudonym(connection), **own}
    connection.execute(
        text(
            "INSERT INTO people (id, pseudonym, name, role, language, active, created, seen)"
            " SELECT :fresh, :pseudonym, '', 'annotator', language, 0, 0, 0 FROM people WHERE id = :person"
        ),
        values,
    )
    for table in ("assignments", "adjudications"):
        connection.execute(text(f"UPDATE {table} SET person = :fresh WHERE person = :person"), values)
    connection.execute(text("DELETE FROM people WHERE id = :person"), own)
