"""A route as data: who may ask, what is sent, what comes back. The checks that all routes share are made here, once.

The order of the checks: is there a session (401), does the request come from our own pages (403, ``csrf``), is the role
right (403), is the body short enough (413), of the right type (415) and understandable (400). Only then is the route's
own code called.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import anyio
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from aptone.studio.refusals import NotAllowedError, NotSignedInError, RefusedError
from aptone.studio.server.refusals import (
    JSON_TYPE,
    ForeignRequestError,
    NotThatTypeError,
    NotUnderstoodError,
    TooLargeError,
    TooSlowError,
    refusal_response,
)
from aptone.studio.server.security import CSRF_HEADER, SAFE_METHODS, same_secret
from aptone.studio.server.strict_json import read_json
from aptone.studio.server.studio import Studio
from aptone.studio.store.records import ROLES, Role, Session
from aptone.types import Json, dumps

SIGNED_IN = frozenset[Role](ROLES)
DESK = frozenset[Role](("adjudicator", "admin"))
ADMIN = frozenset[Role](("admin",))
EVERYONE = frozenset[Role]()
"""No session is asked for."""

SMALL_BODY = 1 << 20
"""1 MiB: every JSON body; the longest answer that is taken fits in, whatever its script."""

BODY_SECONDS = 60.0
"""In which a JSON body has to arrive."""

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Call:
    """One request that passed the checks.

    Args:
        request: as it came.
        studio: what the routes work with.
        body: checked against the route's schema; ``None`` where the route takes none, or reads it itself.
        query: parameters that the route declares, checked, with their defaults.
    """

    request: Request
    studio: Studio
    body: BaseModel | None
    query: Mapping[str, Json]
    _session: Session | None = field(repr=False)

    @property
    def session(self) -> Session:
        """Whose request it is; only on routes that need a session."""
        assert self._session is not None
        return self._session

    def path(self, name: str) -> str:
        """A part of the address."""
        return cast(str, self.request.path_params[name])

    def media_type(self) -> str:
        """What the body says that it is."""
        return self.request.headers.get("content-type", "").partition(";")[0].strip().lower()

    def read(self, model: type[Model]) -> Model:
        """The body, as the schema that the route declared."""
        assert isinstance(self.body, model)
        return self.body


Endpoint = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Upload:
    """A body that is no JSON of ours.

    Args:
        types: media types that are taken; the content decides what it is.
        limit: most bytes.
    """

    types: tuple[str, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A query parameter that counts."""

    low: int
    high: int
    default: int

    def schema(self) -> dict[str, Json]:
        """For OpenAPI."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high, "default": self.default}

    def read(self, name: str, given: str | None) -> int:
        """The number, or the default.

        Raises:
            NotUnderstoodError: if it is none, or out of bounds.
        """
        if given is None:
            return self.default
        if not (given.isascii() and given.isdigit() and len(given) < 12 and self.low <= int(given) <= self.high):
            raise NotUnderstoodError(f"{name}: expected a whole number from {self.low} to {self.high}.")
        return int(given)


@dataclass(frozen=True, slots=True)
class OneOf:
    """A query parameter with a few values, the first of which is the default."""

    values: tuple[str, ...]

    def schema(self) -> dict[str, Json]:
        """For OpenAPI."""
        return {"type": "string", "enum": list(self.values), "default": self.values[0]}

    def read(self, name: str, given: str | None) -> str:
        """The value, or the default.

        Raises:
            NotUnderstoodError: if it is another.
        """
        if given is None:
            return self.values[0]
        if given not in self.values:
            raise NotUnderstoodError(f"{name}: expected one of {', '.join(self.values)}.")
        return given


@dataclass(frozen=True, slots=True)
class Route:
    """What stands at an address.

    Args:
        method: of HTTP; routes for GET answer HEAD too where `reply` is a file.
        path: with its variable parts in braces.
        roles: who may ask; `EVERYONE` needs no session.
        endpoint: what answers.
        summary: for the reader of the interface.
        reply: schema of the reply, or the media types of the files that it may be.
        status: of a reply that is no refusal.
        body: schema of the body.
        upload: a body that is no JSON of ours.
        refuses: statuses of refusals that are the route's own.
        query: parameters behind the question mark.
    """

    method: str
    path: str
    roles: frozenset[Role]
    endpoint: Endpoint
    summary: str
    reply: Any
    status: int = 200
    body: type[BaseModel] | None = None
    upload: Upload | None = None
    refuses: tuple[int, ...] = ()
    query: Mapping[str, "WholeNumber | OneOf"] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        """Whether it changes something, so that it must come from our own pages."""
        return self.method not in SAFE_METHODS

    @property
    def gives_files(self) -> bool:
        """Whether the reply is a file and not JSON."""
        return isinstance(self.reply, tuple)


class Routes:
    """The routes of one role, in order."""

    def __init__(self) -> None:
        self.all: list[Route] = []

    def __call__(
        self, method: str, path: str, *, roles: frozenset[Role], reply: Any, **options: Any
    ) -> Callable[[Endpoint], Endpoint]:
        """Put a function at an address; options as those of `Route`."""

        def add(endpoint: Endpoint) -> Endpoint:
            summary = (endpoint.__doc__ or "").partition("\n")[0]
            self.all.append(Route(method, path, roles, endpoint, summary, reply, **options))
            return endpoint

        return add


def reply_json(value: Json, *, status: int = 200) -> Response:
    """A reply with a JSON body."""
    return Response(dumps(value), status_code=status, media_type=JSON_TYPE)


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request, given up as soon as it is too long.

    Raises:
        TooLargeError: if it is.
    """
    pieces = []
    received = 0
    stated = request.headers.get("content-length", "0")
    if stated.isascii() and stated.isdigit() and int(stated[:18]) > limit:
        raise TooLargeError(limit)
    async for piece in request.stream():
        received += len(piece)
        if received > limit:
            raise TooLargeError(limit)
        pieces.append(piece)
    return b"".join(pieces)


def starlette_route(route: Route, studio: Studio) -> StarletteRoute:
    """The route as the application serves it."""

    async def handle(request: Request) -> Response:
        try:
            session = await _admitted(route, request, studio)
            body = await _body(route, request)
            query = {name: one.read(name, request.query_params.get(name)) for name, one in route.query.items()}
            return await route.endpoint(Call(request, studio, body, query, session))
        except RefusedError as refusal:
            return refusal_response(refusal)

    methods = [route.method, "HEAD"] if route.gives_files else [route.method]
    served = StarletteRoute(route.path, handle, methods=methods, include_in_schema=False)
    served.methods = set(methods)  # Starlette answers HEAD wherever there is GET; here only files are asked for so
    return served


async def _admitted(route: Route, request: Request, studio: Studio) -> Session | None:
    if route.changes:
        _check_origin(request, studio)
    if not route.roles:
        return None
    session = await studio.sessions.of(request)
    if session is None:
        raise NotSignedInError("There is no session, or it has ended.", next="Open your personal link again.")
    if route.changes and not same_secret(request.headers.get(CSRF_HEADER, ""), session.csrf):
        raise ForeignRequestError(f"The header {CSRF_HEADER} is missing or is not that of this session.")
    if session.person.role not in route.roles:
        raise NotAllowedError("This is not open to your role.", next="Ask the person who runs the study.")
    return session


def _check_origin(request: Request, studio: Studio) -> None:
    origin = request.headers.get("origin")
    if origin is not None and not studio.addresses.knows_origin(origin, host=request.headers["host"]):
        raise ForeignRequestError("The request comes from a page of another site.")
    if origin is None and request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise ForeignRequestError("The request comes from a page of another site.")


async def _body(route: Route, request: Request) -> BaseModel | None:
    if route.body is None:
        return None
    raw = await _in_time(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        raise NotThatTypeError(f"The body must be of the type {JSON_TYPE}.")
    value = read_json(raw)
    try:
        return route.body.model_validate(value)
    except ValidationError as error:
        raise NotUnderstoodError(_told(error)) from None


async def _in_time(request: Request) -> bytes:
    try:
        with anyio.fail_after(BODY_SECONDS):
            return await read_body(request, SMALL_BODY)
    except TimeoutError:
        raise TooSlowError(BODY_SECONDS) from None


def _told(error: ValidationError) -> str:
    """Which field is wrong and how; never what it held."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100] or "body"
    return f"{where}: {first['msg']}."
