"""Routes of FastAPI behind the checks that all of them share, and strict JSON for their bodies.

The order of the checks: is there a session (401), does the request come from our own pages (403, ``csrf``), is the role
right (403), is the body short enough (413), of the right type (415) and understandable (400). FastAPI reads a body
before it solves dependencies, and takes more than strict JSON; so the checks are no dependencies but stand in the class
of the routes, and nobody sends a body who is not let in. Only then is the route's own code called.

Python's parser takes more than JSON: NaN, numbers beyond all floats, one key twice, halves of characters, any depth.
A database or another reader would fail on them later, as an error of the server; so they are refused here.
"""

import json
import math
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NoReturn, TypeVar, cast

import anyio
from fastapi import APIRouter, Path
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from pydantic_core import CoreSchema, core_schema
from starlette.requests import Request
from starlette.responses import Response

from aptone.messages import MessageError, labelled, message
from aptone.studio.refusals import NotAllowedError, NotSignedInError
from aptone.studio.server.schemas import ErrorReply
from aptone.studio.server.security import (
    CSRF_HEADER,
    JSON_TYPE,
    SAFE_METHODS,
    ForeignRequestError,
    NotThatTypeError,
    NotUnderstoodError,
    TooLargeError,
    TooSlowError,
    same_secret,
)
from aptone.studio.server.studio import Studio
from aptone.studio.store.records import ROLES, Role, Session
from aptone.types import Json

SIGNED_IN = frozenset[Role](ROLES)
DESK = frozenset[Role](("adjudicator", "admin"))
ADMIN = frozenset[Role](("admin",))
EVERYONE = frozenset[Role]()
"""No session is asked for."""
SMALL_BODY = 1 << 20
"""1 MiB: every JSON body; the longest answer that is taken fits in, whatever its script."""
BODY_SECONDS = 60.0
"""Time limit for a JSON body."""

PathPart = Annotated[str, Path(json_schema_extra={"minLength": 1})]
"""A variable part of the address; its length is described and not checked, for an empty one is simply not found."""

Model = TypeVar("Model", bound=BaseModel)
Described = dict[int | str, dict[str, Any]]


class Call(Request):
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

    def media_type(self) -> str:
        """Media type of the body, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def admit(self, route: "StudioRoute") -> None:
        """Check session, origin and role.

        Raises:
            NotSignedInError: without a session, where the route needs one.
            ForeignRequestError: if it would change something and does not come from our own pages.
            NotAllowedError: if the route is for other roles.
        """
        if route.changes:
            self._check_origin()
        if not route.roles:
            return
        session = self._user_session = await self.studio.sessions.of(self)
        if session is None:
            raise NotSignedInError(message("studio.no-session-ended"), next=message("studio.open-personal-link-again"))
        if route.changes and not same_secret(self.headers.get(CSRF_HEADER, ""), session.csrf):
            raise ForeignRequestError(message("studio.header-missing-not-session", header=CSRF_HEADER))
        if session.person.role not in route.roles:
            raise NotAllowedError(message("studio.not-open-role"), next=message("studio.ask-person-runs-study"))

    def _check_origin(self) -> None:
        origin = self.headers.get("origin")
        if origin is not None and not self.studio.addresses.knows_origin(origin, host=self.headers["host"]):
            raise ForeignRequestError(message("studio.request-comes-page-another-site"))
        if origin is None and self.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise ForeignRequestError(message("studio.request-comes-page-another-site"))

    async def receive_json(self, model: type[Model]) -> Model:
        """Read and check the body, and store it where Starlette does, so that FastAPI finds it.

        Raises:
            TooSlowError, TooLargeError, NotThatTypeError, NotUnderstoodError: if it is not what the model asks for.
        """
        try:
            with anyio.fail_after(BODY_SECONDS):
                self._body = await read_body(self, SMALL_BODY)
        except TimeoutError:
            raise TooSlowError(BODY_SECONDS) from None
        if self.media_type() != JSON_TYPE:
            raise NotThatTypeError(message("studio.body-must-type", kind=JSON_TYPE))
        try:
            self._json = found = model.model_validate(read_json(self._body))
        except ValidationError as error:
            raise NotUnderstoodError(_field_error(error)) from None
        return found


class StudioRoute(APIRoute):
    """FastAPI route behind the checks; the first line of its function's docstring is its summary."""

    roles: ClassVar[frozenset[Role]] = EVERYONE

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

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Put FastAPI's own handler behind the checks."""
        handler = super().get_route_handler()
        model = None if self.body_field is None else cast("type[BaseModel]", self.body_field.field_info.annotation)

        async def handle(request: Request) -> Response:
            call = Call(request.scope, request.receive)
            await call.admit(self)
            if model is not None:
                await call.receive_json(model)
            return await handler(call)

        return handle


def router_for(roles: frozenset[Role]) -> APIRouter:
    """Create a router whose routes are open to these roles only."""
    return APIRouter(route_class=type("StudioRoute", (StudioRoute,), {"roles": roles}))


def error_statuses(*statuses: int) -> Described:
    """Error statuses of a route, as FastAPI describes them."""
    return {status: {"model": ErrorReply} for status in statuses}


def file_reply(*types: str, refused: tuple[int, ...] = ()) -> dict[str, Any]:
    """Options of a route that replies with a file of one of these types."""
    whole: Described = {200: {"description": "The file.", "content": _binary(types)}}
    return {"response_class": Response, "responses": whole | error_statuses(*refused)}


def body_types(*types: str) -> dict[str, Any]:
    """OpenAPI description of a body that is not JSON: the route reads it itself."""
    return {"requestBody": {"required": True, "content": _binary(types)}}


def _binary(types: tuple[str, ...]) -> dict[str, Any]:
    return {kind: {"schema": {"type": "string", "format": "binary"}} for kind in types}


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """Annotation of an integer query parameter."""

    name: str
    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        inner = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.no_info_before_validator_function(self.read, inner)

    def read(self, given: str) -> int:
        """Parse the number."""
        if not (given.isascii() and given.isdigit() and len(given) < 12 and self.low <= int(given) <= self.high):
            raise NotUnderstoodError(
                message("studio.expected-whole-number", name=self.name, low=self.low, high=self.high)
            )
        return int(given)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Annotation of a query parameter with a few values."""

    name: str
    values: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.read, core_schema.literal_schema(list(self.values)))

    def read(self, given: str) -> str:
        """Check the value."""
        if given not in self.values:
            raise NotUnderstoodError(message("studio.wrong-choice", name=self.name, names=", ".join(self.values)))
        return given


async def body_pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield the body of a request as it arrives, up to a size limit."""
    stated, received = request.headers.get("content-length", "0"), 0
    if stated.isascii() and stated.isdigit() and int(stated[:18]) > limit:
        raise TooLargeError(limit)
    async for piece in request.stream():
        received += len(piece)
        if received > limit:
            raise TooLargeError(limit)
        yield piece


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body of a request, up to a size limit."""
    return b"".join([piece async for piece in body_pieces(request, limit)])


def _field_error(error: ValidationError) -> str:
    """Name the invalid field and the problem; never its value."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100] or "body"
    try:
        return message(f"studio.field.{first['type']}", field=where, **first.get("ctx", {}))
    except MessageError:
        return labelled(where, f"{first['msg']}.")


MAX_DEPTH = 32
"""Deepest nesting of a request; an answer needs three levels."""
LARGEST = 2**63 - 1
"""Whole numbers beyond it fit into no column."""


def read_json(body: bytes) -> Json:
    r"""Parse the JSON value of a body.

    >>> read_json(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}

    Raises:
        NotUnderstoodError: if it is not JSON as others read it too.
    """
    try:
        value: Json = _DECODER.decode(body.decode("utf-8"))
    except NotUnderstoodError:
        raise
    except (ValueError, RecursionError) as error:
        why = (
            message("studio.nests-too-deep")
            if isinstance(error, RecursionError)
            else message("studio.cannot-parsed-utf-json")
        )
        raise NotUnderstoodError(message("studio.body-not-valid-json", why=why)) from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise NotUnderstoodError(message("studio.body-nests-deeper-levels", count=MAX_DEPTH))
    if b"\\u" in body:
        _check_characters(value)
    return value


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotUnderstoodError(message("studio.body-names-key-twice"))
    return found


def _constant(literal: str) -> NoReturn:
    raise NotUnderstoodError(message("studio.not-json-write-null-undefined", literal=literal))


def _whole(digits: str) -> int:
    if len(digits) > 20 or abs(number := int(digits)) > LARGEST:
        raise NotUnderstoodError(message("studio.whole-number-body-more-64"))
    return number


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotUnderstoodError(message("studio.number-body-beyond-float-hold"))
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_whole, parse_float=_real)


def _deeper_than(value: Json, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _check_characters(value: Json) -> None:
    """Refuse escaped surrogates, which UTF-8 cannot encode, and NUL, which PostgreSQL cannot store."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\0" in one:
                raise NotUnderstoodError(message("studio.text-body-holds-character-nul"))
            if any("\ud800" <= character <= "\udfff" for character in one):
                raise NotUnderstoodError(message("studio.text-body-holds-half-character"))
        waiting += _inside(one)
