"""Routes of the studio behind the checks that all of them share.

The order of the checks: does the request come from our own pages (403, ``csrf``), is it not one attempt too many to
come in (429), is there a session (401), is it the session's own request (403, ``csrf``), is the role right (403). Then
comes the body (`aptone.web.routing`).
"""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from fastapi import APIRouter

from aptone.messages import message
from aptone.studio.server.studio import Studio
from aptone.studio.store.records import ROLES, Role, Session
from aptone.web.connections import vouch
from aptone.web.refusals import ForeignRequestError, NotAllowedError, NotSignedInError, TooOftenError
from aptone.web.routing import CheckedRoute, StrictRequest
from aptone.web.security import SAFE_METHODS, same_secret

CSRF_HEADER = "X-Aptone-CSRF"
SIGNED_IN = frozenset[Role](ROLES)
DESK = frozenset[Role](("adjudicator", "admin"))
ADMIN = frozenset[Role](("admin",))
EVERYONE = frozenset[Role]()
"""No session is asked for."""


class Call(StrictRequest):
    """Request with its session."""

    _user_session: Session | None = None

    @property
    def studio(self) -> Studio:
        """Running studio that the routes work with."""
        return cast(Studio, self.app.state.studio)

    @property
    def user_session(self) -> Session:
        """Session of the request; only on routes that need one."""
        assert self._user_session is not None
        return self._user_session


class StudioRoute(CheckedRoute[Call]):
    """FastAPI route behind the checks; the first line of its function's docstring is its summary."""

    request_class = Call
    roles: ClassVar[frozenset[Role]] = EVERYONE
    rate_limited: ClassVar[bool] = False

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        (self.method,) = options["methods"]
        name = path.removeprefix("/api").replace(":path}", "}").replace("{", "").replace("}", "").replace("/", "_")
        options["operation_id"] = f"{self.method}{name}".lower().replace(".", "_")
        options["summary"] = (endpoint.__doc__ or "").partition("\n")[0]
        options["description"] = f"For: {', '.join(sorted(self.roles))}." if self.roles else " "  # empty: the docstring
        options["response_description"] = "Done."
        super().__init__(path, endpoint, **options)

    @property
    def changes(self) -> bool:
        """True if it changes something, so that it must come from our own pages."""
        return self.method not in SAFE_METHODS

    async def admit(self, request: Call) -> None:
        """Check origin, number of attempts, session and role.

        Raises:
            ForeignRequestError: if it would change something and does not come from our own pages.
            TooOftenError: if this address has tried too often to come in.
            NotSignedInError: without a session, where the route needs one.
            NotAllowedError: if the route is for other roles.
        """
        if self.changes:
            request.studio.addresses.check_origin(request.headers)
        if self.rate_limited and (seconds := request.studio.entries.wait(request.address)):
            raise TooOftenError(message("studio.too-many-attempts-come"), seconds=seconds)
        if not self.roles:
            return
        session = request._user_session = await request.studio.sessions.of(request)
        if session is None:
            raise NotSignedInError(message("studio.no-session-ended"), next=message("studio.open-personal-link-again"))
        if self.changes and not same_secret(request.headers.get(CSRF_HEADER, ""), session.csrf):
            raise ForeignRequestError(message("studio.header-missing-not-session", header=CSRF_HEADER))
        vouch(request.scope)
        if session.person.role not in self.roles:
            raise NotAllowedError(message("studio.not-open-role"), next=message("studio.ask-person-runs-study"))


def router_for(roles: frozenset[Role], *, rate_limited: bool = False) -> APIRouter:
    """Create a router whose routes are open to these roles only; their requests may count as attempts to come in."""
    own = {"roles": roles, "rate_limited": rate_limited}
    return APIRouter(route_class=type("StudioRoute", (StudioRoute,), own))
