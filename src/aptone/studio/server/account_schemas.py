"""JSON of the own account: sign-in name, password and sessions."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from aptone.studio.server.schemas import Name
from aptone.studio.store.passwords import LONGEST
from aptone.web.schemas import Body, Reply


class OwnSession(Reply):
    """One of the own sessions."""

    id: str
    device: str
    by: Literal["link", "password", "provider"]
    created: float
    seen: float
    expires: float
    current: bool


class ProviderReply(Reply):
    """Provider that one can sign in by."""

    id: str
    name: str
    issuer: str


class OwnIdentity(Reply):
    """One of the own connections with a provider."""

    id: str
    issuer: str
    created: float


class Account(Reply):
    """Sign-in name, when the password was set (``null`` for none), open sessions, and connections with providers."""

    name: str
    password_set: float | None
    sessions: list[OwnSession]
    identities: list[OwnIdentity]


class Ended(Reply):
    """Number of ended sessions."""

    ended: int


Password = Annotated[str, StringConstraints(max_length=LONGEST)]


class PasswordSessionBody(Body):
    """Sign-in name and password."""

    name: Name
    password: Password


class PasswordBody(Body):
    """New password, and the current one, which a session that a password has opened must know."""

    password: Password
    current: Password = ""
