"""Own accounts: signing in by a password, changing it, and the list of open sessions.

Nobody learns from a refusal, or from the time that it takes, whether there is such a person, whether it has a password,
or whether it may enter. Sign-in names are pseudonyms, which the studio gives: none can be taken already.
"""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.passwords import UNKNOWN, check_password, hash_password, matches
from aptone.studio.store.people import People, open_session
from aptone.studio.store.records import NewSession, OwnAccount, OwnSession, Session
from aptone.web.refusals import NotAllowedError, NotFoundError, NotSignedInError


@dataclass(frozen=True, slots=True)
class Authenticated:
    """Person whose password was right, and the hash that it was checked against."""

    person: str
    hash: str = field(repr=False)


class Accounts:
    """Passwords and sessions of people, for themselves."""

    def __init__(
        self, database: Database, writer: Writer, people: People, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._people = people
        self._clock = clock

    def authenticate(self, name: str, password: str) -> Authenticated:
        """Check a sign-in name (the pseudonym, in any case) and a password; takes some tenths of a second.

        Raises:
            NotSignedInError: if they do not belong together, or the person may not enter.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                text(
                    "SELECT w.person, w.hash FROM passwords w JOIN people p ON p.id = w.person"
                    " WHERE p.pseudonym = :name AND p.active = 1"
                ),
                {"name": name.strip().upper()},
            ).one_or_none()
        if not matches(password, UNKNOWN if row is None else row.hash) or row is None:
            raise _wrong()
        return Authenticated(row.person, row.hash)

    def enter(self, known: Authenticated, *, device: str = "") -> Future[NewSession]:
        """Open a session for whoever was authenticated.

        Raises:
            NotSignedInError: through the future, if the password was changed meanwhile, or the person may not enter.
        """

        def write(connection: Connection) -> NewSession:
            person = self._people.within(connection, known.person)
            if not person.active or self._hash(connection, known.person) != known.hash:
                raise _wrong()
            return open_session(connection, person, now=self._clock(), device=device)

        return self._writer.call(write)

    def set_password(self, session: Session, password: str, *, current: str = "") -> Future[None]:
        """Set or change the password of a session's person; takes some tenths of a second. All other sessions end.

        Args:
            current: the password so far, which a session that it opened must know. A session that a personal link has
                opened need not: that is how a forgotten password is replaced.

        Raises:
            NotAnAnswerError: if the new one is too weak.
            NotAllowedError: if the current one is wrong, or through the future, if it was changed meanwhile.
        """
        person = session.person
        check_password(password, known=(person.name, person.pseudonym, *person.name.split()))
        with self._database.reading() as connection:
            before = self._hash(connection, person.id)
        if not session.invitation and not matches(current, before or UNKNOWN):
            raise _not_current()
        fresh = hash_password(password)

        def write(connection: Connection) -> None:
            if self._hash(connection, person.id) != before:
                raise _not_current()
            # a session of a password has no link of its own: the one that the first password came from stays
            connection.execute(
                text(
                    "INSERT INTO passwords (person, hash, invitation, changed)"
                    " VALUES (:person, :hash, :invitation, :now) ON CONFLICT (person) DO UPDATE"
                    " SET hash = excluded.hash, invitation = excluded.invitation, changed = excluded.changed"
                    if session.invitation
                    else "UPDATE passwords SET hash = :hash, changed = :now WHERE person = :person"
                ),
                {"person": person.id, "hash": fresh, "invitation": session.invitation, "now": self._clock()},
            )
            _end_others(connection, session)

        return self._writer.call(write)

    def own(self, session: Session) -> OwnAccount:
        """Account of a session's person: sign-in name, age of the password, and open sessions, the newest first."""
        with self._database.reading() as connection:
            changed = connection.execute(
                text("SELECT changed FROM passwords WHERE person = :person"), {"person": session.person.id}
            ).scalar_one_or_none()
            rows = connection.execute(
                text(
                    "SELECT id, device, invitation, identity, created, seen, expires FROM sessions"
                    " WHERE person = :person AND expires > :now ORDER BY created DESC, id"
                ),
                {"person": session.person.id, "now": self._clock()},
            ).all()
        sessions = tuple(
            OwnSession(
                id=row.id,
                device=row.device,
                by="link" if row.invitation else "provider" if row.identity else "password",
                created=row.created,
                seen=row.seen,
                expires=row.expires,
                current=secrets.compare_digest(row.id, session.id),
            )
            for row in rows
        )
        return OwnAccount(session.person.pseudonym, changed, sessions)

    def end_session(self, session: Session, which: str) -> Future[int]:
        """End one of the own sessions.

        Raises:
            NotFoundError: through the future, if there is none of that id among the person's own.
        """

        def write(connection: Connection) -> int:
            ended = connection.execute(
                text("DELETE FROM sessions WHERE id = :id AND person = :person"),
                {"id": which, "person": session.person.id},
            ).rowcount
            if not ended:
                raise NotFoundError(message("studio.no-such-session"))
            return ended

        return self._writer.call(write)

    def end_other_sessions(self, session: Session) -> Future[int]:
        """End all own sessions but this one; return how many there were."""
        return self._writer.call(lambda connection: _end_others(connection, session))

    def _hash(self, connection: Connection, person: str) -> str:
        found = connection.execute(
            text("SELECT hash FROM passwords WHERE person = :person"), {"person": person}
        ).scalar_one_or_none()
        return found or ""


def _end_others(connection: Connection, session: Session) -> int:
    return connection.execute(
        text("DELETE FROM sessions WHERE person = :person AND id <> :id"),
        {"person": session.person.id, "id": session.id},
    ).rowcount


def _wrong() -> NotSignedInError:
    return NotSignedInError(
        message("studio.wrong-password"), code="bad-password", next=message("studio.or-use-personal-link")
    )


def _not_current() -> NotAllowedError:
    return NotAllowedError(
        message("studio.not-current-password"), code="bad-password", next=message("studio.ask-new-link-forgotten")
    )
