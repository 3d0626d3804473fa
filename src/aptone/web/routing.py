"""Routes of FastAPI that check a request before its body is read, and take strict JSON only.

FastAPI reads a body before it solves dependencies, and takes more than strict JSON; so the checks are no dependencies
but stand in the class of the routes, and nobody sends a body who is not let in. Then the size of the body (413), its
type (415) and its content (400) are checked, and only then is the route's own code called.
"""

from collections.abc import Callable, Coroutine
from typing import Any, ClassVar, Generic, TypeVar, cast

from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from aptone.messages import MessageError, labelled, message
from aptone.web.bodies import read_body
from aptone.web.error_replies import JSON_TYPE
from aptone.web.refusals import NotThatTypeError, NotUnderstoodError
from aptone.web.schemas import Body, ErrorReply
from aptone.web.strict_json import read_json

Model = TypeVar("Model", bound=Body)
Described = dict[int | str, dict[str, Any]]


class StrictRequest(Request):
    """Request whose body is strict JSON."""

    @property
    def address(self) -> str:
        """Address of the client; empty where there is none."""
        return self.client.host if self.client else ""

    def media_type(self) -> str:
        """Media type of the body, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def receive_json(self, model: type[Model]) -> Model:
        """Read and check the body, and store it where Starlette does, so that FastAPI finds it.

        Raises:
            TooSlowError, TooLargeError, NotThatTypeError, NotUnderstoodError: if it is not what the model asks for.
        """
        self._body = await read_body(self, model.most_bytes)
        if self.media_type() != JSON_TYPE:
            raise NotThatTypeError(message("web.body-must-type", kind=JSON_TYPE))
        try:
            self._json = found = model.model_validate(read_json(self._body))
        except ValidationError as error:
            raise NotUnderstoodError(field_error(error)) from None
        return found


Asked = TypeVar("Asked", bound=StrictRequest)


class CheckedRoute(APIRoute, Generic[Asked]):
    """FastAPI route behind checks: a subclass names its class of requests, and says in `admit` who is let in."""

    request_class: ClassVar[type[StrictRequest]] = StrictRequest

    async def admit(self, request: Asked) -> None:
        """Check a request before its body is read; raise where it is refused."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Put FastAPI's own handler behind the checks."""
        handler = super().get_route_handler()
        model = None if self.body_field is None else cast("type[Body]", self.body_field.field_info.annotation)

        async def handle(request: Request) -> Response:
            asked = cast("Asked", self.request_class(request.scope, request.receive))
            await self.admit(asked)
            if model is not None:
                await asked.receive_json(model)
            return await handler(asked)

        return handle


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


def field_error(error: ValidationError) -> str:
    """Name the invalid field and the problem; never its value."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100] or "body"
    try:
        return message(f"web.field.{first['type']}", field=where, **first.get("ctx", {}))
    except MessageError:
        return labelled(where, f"{first['msg']}.")
