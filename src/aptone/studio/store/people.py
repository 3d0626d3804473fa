"""People, the links that invite them, and their sessions. Of a token only its SHA-256 is stored."""

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, fields

from sqlalchemy import Connection, Row, text

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.answers import plain_line
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.records import ROLES, Invitation, NewInvitation, NewSession, Person, Role, Session
from aptone.web.refusals import BusyError, NotAllowedError, NotFoundError, NotSignedInError

DAY = 86400.0
SESSION_DAYS = 30.0
MOST_DAYS = 3650.0
NAME_LENGTH = 100
LANGUAGES = ("en", "zh")
SEEN_EVERY = 60.0
"""Seconds after which it is written again that somebody is here."""

_TOKEN_BYTES = 32
_PSEUDONYM_SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""No 0, O, 1 or I: people read pseudonyms to each other."""

_PERSON = "p.id, p.name, p.role, p.language, p.active, p.pseudonym, p.created, p.seen"
_INVITATION = "i.id, i.role, i.name, i.person, i.created, i.expires, i.revoked, i.email"
_EMAIL = re.compile(r"[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,180}")


class People:
    """Invitations, people and sessions."""

    def __init__(self, database: Database, writer: Writer, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock

    def invite(
        self, role: Role, *, name: str, days: float = 30.0, person: str = "", email: str = ""
    ) -> Future[NewInvitation]:
        """Make a personal link, for a new person or (by id) another one for a person, who keeps the role.

        Args:
            email: address by which a provider of identities may let the same person in; not for admins.
        """
        _check_role(role)
        address = email.strip().lower()
        if address and (role == "admin" or not _EMAIL.fullmatch(address)):
            wrong = "studio.no-admin-by-email" if role == "admin" else "studio.wrong-email"
            raise NotAnAnswerError(message(wrong), code="bad-email")
        if not 0 < days <= MOST_DAYS:
            raise NotAnAnswerError(message("studio.wrong-days", days=MOST_DAYS), code="bad-days")
        return self._writer.call(
            lambda connection: self._invite(
                connection, role, plain_line(name, limit=NAME_LENGTH), days, person, email=address
            )
        )

    def invite_owner(self, *, name: str, days: float = 1.0) -> Future[NewInvitation]:
        """Make a link for the first admin, or for a new admin of this name."""
        owner_name = plain_line(name, limit=NAME_LENGTH)

        def write(connection: Connection) -> NewInvitation:
            admin = connection.execute(
                text("SELECT id FROM people WHERE role = 'admin' AND active = 1 ORDER BY created, id LIMIT 1")
            ).scalar()
            return self._invite(connection, "admin", owner_name, days, admin or "")

        return self._writer.call(write)

    def revoke(self, invitation: str) -> Future[Invitation]:
        """Revoke a link; its sessions end at once, and those of a password or a provider that came from it."""

        def write(connection: Connection) -> Invitation:
            for statement in (
                "UPDATE invitations SET revoked = 1 WHERE id = :id",
                "DELETE FROM sessions WHERE invitation = :id OR (invitation IS NULL AND identity IS NULL"
                " AND person IN (SELECT person FROM passwords WHERE invitation = :id))"
                " OR identity IN (SELECT id FROM identities WHERE invitation = :id)",
                "DELETE FROM passwords WHERE invitation = :id",
                "DELETE FROM identities WHERE invitation = :id",
            ):
                connection.execute(text(statement), {"id": invitation})
            row = connection.execute(
                text(f"SELECT {_INVITATION} FROM invitations i WHERE i.id = :id"), {"id": invitation}
            ).one_or_none()
            if row is None:
                raise NotFoundError(message("studio.no-such-invitation"))
            return _invitation(row)

        return self._writer.call(write)

    def invitations(self) -> list[Invitation]:
        """All invitations, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(text(f"SELECT {_INVITATION} FROM invitations i ORDER BY i.created DESC, i.id"))
            return [_invitation(row) for row in rows]

    def enter(self, token: str, *, name: str = "", language: str = "", device: str = "") -> Future[NewSession]:
        """Sign in by the token of a link. Its first use makes the person; later uses let the same person in.

        Without a name, that of the invitation is taken; the device is what the list of the own sessions shows.

        Raises:
            NotSignedInError: through the future, if the link is unknown, too old or taken back.
            NotAllowedError: through the future, if the person may not enter any more.
        """
        wanted = plain_line(name, limit=NAME_LENGTH) if name else ""
        if language:
            _check_language(language)

        def write(connection: Connection) -> NewSession:
            now = self._clock()
            invitation = connection.execute(
                text(f"SELECT {_INVITATION} FROM invitations i WHERE i.token_hash = :hash" + self._database.locking()),
                {"hash": token_hash(token)},
            ).one_or_none()
            if invitation is None or invitation.revoked or invitation.expires <= now:
                raise NotSignedInError(
                    message("studio.link-invalid"), code="bad-link", next=message("studio.ask-invited-new")
                )
            person_id = invitation.person or self.make_person(
                connection, invitation, wanted or invitation.name, language or LANGUAGES[0]
            )
            person = self.within(connection, person_id)
            if not person.active:
                raise NotAllowedError(message("studio.cannot-enter-any-more"), next=message("studio.ask-invited"))
            return open_session(connection, person, now=now, invitation=invitation.id, device=device)

        return self._writer.call(write)

    def session(self, token: str) -> Session:
        """Find the session of a token.

        Raises:
            NotSignedInError: if there is none, it ended, or the person may not enter any more.
        """
        now = self._clock()
        with self._database.reading() as connection:
            row = connection.execute(
                text(
                    f"SELECT {_PERSON}, s.id AS session, s.invitation, s.csrf, s.seen AS session_seen, s.expires"
                    " FROM sessions s JOIN people p ON p.id = s.person"
                    " WHERE s.token_hash = :hash AND s.expires > :now AND p.active = 1"
                ),
                {"hash": token_hash(token), "now": now},
            ).one_or_none()
        if row is None:
            raise NotSignedInError(message("studio.not-signed"), next=message("studio.open-personal-link"))
        session = Session(
            _person(row), csrf=row.csrf, expires=row.expires, id=row.session, invitation=row.invitation or ""
        )
        if now - min(session.person.seen, row.session_seen) > SEEN_EVERY:
            with contextlib.suppress(BusyError):  # it can be noted another time
                self._writer.call(lambda connection: _note_seen(connection, session, now))
        return session

    def leave(self, token: str) -> Future[None]:
        """End a session."""

        def write(connection: Connection) -> None:
            connection.execute(text("DELETE FROM sessions WHERE token_hash = :hash"), {"hash": token_hash(token)})

        return self._writer.call(write)

    def everyone(self) -> list[Person]:
        """All people, in the order of their first sign-in."""
        with self._database.reading() as connection:
            rows = connection.execute(text(f"SELECT {_PERSON} FROM people p ORDER BY p.created, p.id"))
            return [_person(row) for row in rows]

    def person(self, person: str) -> Person:
        """Find a person by id."""
        with self._database.reading() as connection:
            return self.within(connection, person)

    def change(
        self, person: str, *, role: Role | None = None, active: bool | None = None, language: str | None = None
    ) -> Future[Person]:
        """Change an account; the sessions of a deactivated person end at once."""
        if role is not None:
            _check_role(role)
        if language is not None:
            _check_language(language)

        def write(connection: Connection) -> Person:
            values = {"role": role, "active": None if active is None else int(active), "language": language}
            for column, value in values.items():
                if value is not None:
                    connection.execute(
                        text(f"UPDATE people SET {column} = :value WHERE id = :id"), {"value": value, "id": person}
                    )
            if active is False:
                connection.execute(text("DELETE FROM sessions WHERE person = :id"), {"id": person})
            return self.within(connection, person)

        return self._writer.call(write)

    def _invite(
        self, connection: Connection, role: Role, name: str, days: float, person: str, *, email: str = ""
    ) -> NewInvitation:
        if person:
            role = self.within(connection, person).role
        now = self._clock()
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        if email and role == "admin":
            raise NotAnAnswerError(message("studio.no-admin-by-email"), code="bad-email")
        invitation = Invitation(secrets.token_hex(8), role, name, person, now, now + days * DAY, False, email)
        connection.execute(
            text(
                "INSERT INTO invitations (id, token_hash, role, name, person, created, expires, revoked, email)"
                " VALUES (:id, :hash, :role, :name, :person, :created, :expires, :revoked, :email)"
            ),
            asdict(invitation) | {"hash": token_hash(token), "person": person or None, "revoked": 0},
        )
        return NewInvitation(invitation, token)

    def make_person(self, connection: Connection, invitation: Row, name: str, language: str) -> str:  # type: ignore[type-arg]
        """Make the account of an invitation at its first use; return its id."""
        person = secrets.token_hex(8)
        pseudonym = fresh_pseudonym(connection)
        now = self._clock()
        connection.execute(
            text(
                "INSERT INTO people (id, pseudonym, name, role, language, active, created, seen)"
                " VALUES (:id, :pseudonym, :name, :role, :language, 1, :now, :now)"
            ),
            {"id": person, "pseudonym": pseudonym, "name": name, "role": invitation.role, "language": language}
            | {"now": now},
        )
        connection.execute(
            text("UPDATE invitations SET person = :person WHERE id = :id"), {"person": person, "id": invitation.id}
        )
        return person

    def participant(self, connection: Connection, name: str, language: str) -> Person:
        """Return the account of somebody whom a platform sent, by the name made of the id there; new on first use."""
        _check_language(language)
        found = connection.execute(
            text("SELECT id FROM people WHERE name = :name AND role = 'annotator'"), {"name": name}
        ).scalar()
        if found is None:
            found = self.imported_person(connection, name)
            connection.execute(
                text("UPDATE people SET active = 1, language = :language WHERE id = :id"),
                {"id": found, "language": language},
            )
        return self.within(connection, str(found))

    def imported_person(self, connection: Connection, name: str) -> str:
        """Return the id of somebody who rated elsewhere and cannot sign in; a new person on first use."""
        found = connection.execute(
            text("SELECT id FROM people WHERE name = :name AND active = 0 AND role = 'annotator'"), {"name": name}
        ).scalar()
        if found is not None:
            return str(found)
        person = secrets.token_hex(8)
        pseudonym = fresh_pseudonym(connection)
        connection.execute(
            text(
                "INSERT INTO people (id, pseudonym, name, role, language, active, created, seen)"
                " VALUES (:id, :pseudonym, :name, 'annotator', 'en', 0, :now, :now)"
            ),
            {"id": person, "pseudonym": pseudonym, "name": name, "now": self._clock()},
        )
        return person

    def within(self, connection: Connection, person: str) -> Person:
        """Find a person by id within a transaction."""
        row = connection.execute(text(f"SELECT {_PERSON} FROM people p WHERE p.id = :id"), {"id": person}).one_or_none()
        if row is None:
            raise NotFoundError(message("studio.no-such-person"))
        return _person(row)


def fresh_pseudonym(connection: Connection) -> str:
    """Random pseudonym that nobody of the project has."""
    taken = set(connection.execute(text("SELECT pseudonym FROM people")).scalars())
    while (pseudonym := "R-" + "".join(secrets.choice(_PSEUDONYM_SIGNS) for _ in range(4))) in taken:
        pass
    return pseudonym


def token_hash(token: str) -> str:
    """Hash of a token, as it is stored. A token has 256 random bits, so a plain hash cannot be reversed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def open_session(
    connection: Connection, person: Person, *, now: float, invitation: str = "", identity: str = "", device: str = ""
) -> NewSession:
    """Open a session for a person, by an invitation, by an identity or, without either, by a password."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    session = Session(
        person,
        csrf=secrets.token_urlsafe(_TOKEN_BYTES),
        expires=now + SESSION_DAYS * DAY,
        id=secrets.token_hex(8),
        invitation=invitation,
    )
    connection.execute(text("DELETE FROM sessions WHERE expires <= :now"), {"now": now})
    connection.execute(
        text(
            "INSERT INTO sessions (token_hash, id, person, invitation, identity, device, csrf, created, seen, expires)"
            " VALUES (:hash, :id, :person, :invitation, :identity, :device, :csrf, :now, :now, :expires)"
        ),
        {"hash": token_hash(token), "id": session.id, "person": person.id, "invitation": invitation or None}
        | {
            "identity": identity or None,
            "device": device,
            "csrf": session.csrf,
            "now": now,
            "expires": session.expires,
        },
    )
    _note_seen(connection, session, now)
    return NewSession(session, token)


def _note_seen(connection: Connection, session: Session, now: float) -> None:
    connection.execute(text("UPDATE people SET seen = :now WHERE id = :id"), {"now": now, "id": session.person.id})
    connection.execute(text("UPDATE sessions SET seen = :now WHERE id = :id"), {"now": now, "id": session.id})


def _check_role(role: Role) -> None:
    if role not in ROLES:
        raise NotAnAnswerError(message("studio.wrong-role", names=", ".join(ROLES)), code="unknown-role")


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise NotAnAnswerError(message("studio.wrong-language", names=", ".join(LANGUAGES)), code="unknown-language")


def _person(row: Row) -> Person:  # type: ignore[type-arg]
    columns = row._mapping
    return Person(**{field.name: columns[field.name] for field in fields(Person)} | {"active": bool(row.active)})


def _invitation(row: Row) -> Invitation:  # type: ignore[type-arg]
    return Invitation(**{**row._mapping, "person": row.person or "", "revoked": bool(row.revoked)})
