"""Accounts that providers of identities vouch for: connected by their owner, or by an invitation to an e-mail address.

An address alone makes nobody an admin: an invitation by e-mail is for annotators and adjudicators, and connects no
account of an admin. Admins come in by their link first, and connect the provider from there.
"""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotNowError
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.people import LANGUAGES, People, open_session
from aptone.studio.store.records import Identity, NewSession, OwnIdentity, Session
from aptone.web.refusals import NotAllowedError, NotFoundError


class Identities:
    """Connections of accounts with providers."""

    def __init__(
        self, database: Database, writer: Writer, people: People, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._people = people
        self._clock = clock

    def enter(self, known: Identity, *, language: str = "", device: str = "") -> Future[NewSession]:
        """Open a session for somebody whom a provider has vouched for; an invitation by e-mail is used the first time.

        Raises:
            NotAllowedError: through the future, if nobody has invited them, or they may not enter any more.
        """

        def write(connection: Connection) -> NewSession:
            found = _connection_of(connection, known)
            if found is None:
                found = self._accept(connection, known, language or LANGUAGES[0])
            person = self._people.within(connection, found[1])
            if not person.active:
                raise NotAllowedError(message("studio.cannot-enter-any-more"), next=message("studio.ask-invited"))
            return open_session(connection, person, now=self._clock(), identity=found[0], device=device)

        return self._writer.call(write)

    def connect(self, session: Session, known: Identity) -> Future[None]:
        """Connect the account of a session with a provider.

        Raises:
            NotNowError: through the future, if another account is connected with it.
        """

        def write(connection: Connection) -> None:
            found = _connection_of(connection, known)
            if found is None:
                self._insert(connection, known, session.person.id, _invitation_behind(connection, session))
            elif found[1] != session.person.id:
                raise NotNowError(message("studio.identity-taken"), code="identity-taken")

        return self._writer.call(write)

    def disconnect(self, session: Session, identity: str) -> Future[None]:
        """End one of the own connections, and the sessions that it opened.

        Raises:
            NotFoundError: through the future, if there is none of that id among the person's own.
        """

        def write(connection: Connection) -> None:
            own = {"id": identity, "person": session.person.id}
            if not connection.execute(text("DELETE FROM identities WHERE id = :id AND person = :person"), own).rowcount:
                raise NotFoundError(message("studio.no-such-identity"))
            connection.execute(text("DELETE FROM sessions WHERE identity = :id"), own)

        return self._writer.call(write)

    def own(self, session: Session) -> tuple[OwnIdentity, ...]:
        """Connections of a session's person, the oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                text("SELECT id, issuer, created FROM identities WHERE person = :person ORDER BY created, id"),
                {"person": session.person.id},
            )
            return tuple(OwnIdentity(row.id, row.issuer, row.created) for row in rows)

    def _accept(self, connection: Connection, known: Identity, language: str) -> tuple[str, str]:
        """Use the newest invitation to the verified address."""
        invitation = None
        if known.email:
            invitation = connection.execute(
                text(
                    "SELECT id, role, name, person FROM invitations WHERE email = :email AND revoked = 0"
                    " AND expires > :now AND role <> 'admin' ORDER BY created DESC, id LIMIT 1"
                    + self._database.locking()
                ),
                {"email": known.email, "now": self._clock()},
            ).one_or_none()
        if invitation is None:
            raise _not_invited()
        person = invitation.person or self._people.make_person(connection, invitation, invitation.name, language)
        if self._people.within(connection, person).role == "admin":
            raise _not_invited()
        return self._insert(connection, known, person, invitation.id), person

    def _insert(self, connection: Connection, known: Identity, person: str, invitation: str) -> str:
        fresh = secrets.token_hex(8)
        connection.execute(
            text(
                "INSERT INTO identities (id, issuer, subject, person, invitation, created)"
                " VALUES (:id, :issuer, :subject, :person, :invitation, :now)"
            ),
            {"id": fresh, "issuer": known.issuer, "subject": known.subject, "person": person}
            | {"invitation": invitation, "now": self._clock()},
        )
        return fresh


def _connection_of(connection: Connection, known: Identity) -> tuple[str, str] | None:
    row = connection.execute(
        text("SELECT id, person FROM identities WHERE issuer = :issuer AND subject = :subject"),
        {"issuer": known.issuer, "subject": known.subject},
    ).one_or_none()
    return None if row is None else (row.id, row.person)


def _invitation_behind(connection: Connection, session: Session) -> str:
    """Link that a session goes back to: its own, or the one that its password or provider came from."""
    if session.invitation:
        return session.invitation
    found = connection.execute(
        text(
            "SELECT coalesce((SELECT i.invitation FROM sessions s JOIN identities i ON i.id = s.identity"
            " WHERE s.id = :session), (SELECT invitation FROM passwords WHERE person = :person))"
        ),
        {"session": session.id, "person": session.person.id},
    ).scalar_one()
    if found is None:  # a participant of a platform
        raise NotNowError(message("studio.identity-needs-link"), code="identity-needs-link")
    return str(found)


def _not_invited() -> NotAllowedError:
    return NotAllowedError(
        message("studio.sign-in-not-invited"), code="sign-in-not-invited", next=message("studio.ask-invited-new")
    )
