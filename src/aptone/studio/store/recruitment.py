"""Recruitment on a platform (Prolific, MTurk): who comes from there, and the code with which they leave.

A study has one link for everybody, with a secret of its own; the platform adds the participant's id to it. The id
becomes the name of the account, which only admins see; exports hold the pseudonym. The completion code is shown when
somebody has no items left, the other one to those who did not pass the test.
"""

import re
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import Literal
from urllib.parse import urlsplit

from sqlalchemy import Connection, text

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.people import People, open_session, token_hash
from aptone.studio.store.ratings import stored_json
from aptone.studio.store.records import NewSession, Reason
from aptone.types import dumps
from aptone.web.refusals import NotAllowedError, NotSignedInError

Platform = Literal["prolific", "mturk"]
PLATFORMS: tuple[Platform, ...] = ("prolific", "mturk")
PARAMETERS = {"prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), "mturk": ("workerId", "hitId", "assignmentId")}
"""Names under which a platform adds participant, study and session to the link."""
PARTICIPANT = re.compile(r"[A-Za-z0-9_-]{4,64}")
CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
COMPLETED: tuple[Reason, ...] = ("done", "quota")
_PROPERTY = "recruitment"


@dataclass(frozen=True, slots=True)
class Recruitment:
    """Settings of a study on a platform.

    Args:
        study: id of the study there; where it is set, people of other studies are not let in.
        url: address to go back to, without a code; empty for none.
        code: shown to those who have completed the study.
        screened_out: shown to those who did not pass the test; empty for none.
        secret_hash: hash of the secret in the link.
    """

    platform: Platform
    code: str
    screened_out: str = ""
    url: str = ""
    study: str = ""
    secret_hash: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """Code and address with which a participant goes back to the platform; both empty for others."""

    code: str = ""
    url: str = ""


class Recruitments:
    """Recruitment of a project: its settings, and the sessions of participants."""

    def __init__(
        self, database: Database, writer: Writer, people: People, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._people = people
        self._clock = clock

    def set(self, wanted: Recruitment) -> Future[str]:
        """Store the settings, and return the secret of the new link; the link before ends to work."""
        _check(wanted)
        secret = secrets.token_urlsafe(32)
        record = dumps({**asdict(wanted), "secret_hash": token_hash(secret)})

        def write(connection: Connection) -> str:
            connection.execute(
                text(
                    "INSERT INTO properties (name, value) VALUES (:name, :value)"
                    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
                ),
                {"name": _PROPERTY, "value": record},
            )
            return secret

        return self._writer.call(write)

    def get(self) -> Recruitment | None:
        """Return the settings; ``None`` where nobody is recruited on a platform."""
        with self._database.reading() as connection:
            return _settings(connection)

    def enter(
        self, secret: str, participant: str, *, study: str = "", language: str = "en", device: str = ""
    ) -> Future[NewSession]:
        """Sign a participant in; the same id is the same person.

        Raises:
            NotAnAnswerError: if the id is none.
            NotSignedInError: through the future, if the link is not that of this study.
            NotAllowedError: through the future, if the person may not enter any more.
        """
        if not PARTICIPANT.fullmatch(participant):
            raise NotAnAnswerError(message("exchange.no-participant"), code="no-participant")

        def write(connection: Connection) -> NewSession:
            found = _settings(connection)
            if found is None or not secrets.compare_digest(found.secret_hash, token_hash(secret)):
                raise NotSignedInError(message("studio.link-invalid"), code="bad-link")
            if found.study and study != found.study:
                raise NotSignedInError(message("exchange.other-study"), code="other-study")
            person = self._people.participant(connection, f"{found.platform}: {participant}", language)
            if not person.active:
                raise NotAllowedError(message("studio.cannot-enter-any-more"))
            return open_session(connection, person, now=self._clock(), device=device)

        return self._writer.call(write)

    def completion(self, person_name: str, reason: Reason) -> Completion:
        """Return what a participant leaves with, by the reason why there is no next item."""
        found = self.get()
        if found is None or not person_name.startswith(f"{found.platform}: "):
            return Completion()
        code = found.code if reason in COMPLETED else found.screened_out if reason == "not-qualified" else ""
        if not code:
            return Completion()
        return Completion(code, f"{found.url}{code}" if found.url else "")


def study_link(address: str, recruitment: Recruitment, secret: str) -> str:
    """Return the link to give to a platform, with its own placeholders.

    >>> study_link("https://listen.example", Recruitment("prolific", "C0DE"), "SECRET")
    'https://listen.example/join?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}#study=SECRET'
    """
    names = PARAMETERS[recruitment.platform]
    places = {"prolific": "{{{{%{}%}}}}", "mturk": "${{{}}}"}[recruitment.platform]
    query = "&".join(f"{name}={places.format(name)}" for name in names)
    return f"{address.rstrip('/')}/join?{query}#study={secret}"


def _settings(connection: Connection) -> Recruitment | None:
    value = connection.execute(
        text("SELECT value FROM properties WHERE name = :name"), {"name": _PROPERTY}
    ).scalar_one_or_none()
    return None if value is None else Recruitment(**stored_json(value))


def _check(wanted: Recruitment) -> None:
    address = urlsplit(wanted.url)
    if wanted.url and (address.scheme != "https" or not address.netloc or len(wanted.url) > 500):
        raise NotAnAnswerError(message("exchange.not-https"), code="bad-address")
    codes = [wanted.code, *([wanted.screened_out] if wanted.screened_out else [])]
    if wanted.platform not in PLATFORMS or not all(CODE.fullmatch(code) for code in codes) or len(wanted.study) > 64:
        raise NotAnAnswerError(message("exchange.wrong-code"), code="bad-code")
