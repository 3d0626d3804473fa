"""Replies to refused requests: one form for errors of ours, Starlette's and FastAPI's."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from aptone.messages import message, translate
from aptone.types import Json, dumps
from aptone.web.refusals import NotFoundError, NotUnderstoodError, RefusedError, WrongMethodError

JSON_TYPE = "application/json"

Handler = Callable[[Request, Any], Coroutine[Any, Any, Response]]
Shown = Callable[[Request, RefusedError], Response]


def error_json(refusal: RefusedError) -> dict[str, Json]:
    """An error of ours as JSON, in both languages."""
    mandarin: Json = {"message": translate(refusal.message, "zh"), "next": translate(refusal.next, "zh")}
    error: Json = {"code": refusal.code, "message": refusal.message, "next": refusal.next, "mandarin": mandarin}
    return {"error": error}


def refusal_response(refusal: RefusedError) -> Response:
    """Reply for an error of ours."""
    body = dumps(error_json(refusal))
    return Response(body, status_code=refusal.status, media_type=JSON_TYPE, headers=refusal.headers)


def error_handlers(*, lost: str, show: Shown | None = None) -> dict[int | type[Exception], Handler]:
    """Handlers of an application's errors.

    Args:
        lost: next step of whoever asks for an address with nothing.
        show: reply for browsers, where a person opened the address; by default that of programs.
    """

    async def refused(request: Request, error: Exception) -> Response:
        refusal: RefusedError
        if isinstance(error, RefusedError):
            refusal = error
        elif isinstance(error, HTTPException) and error.status_code == 405:
            refusal = WrongMethodError(message("web.address-takes-other-methods"), headers={"Allow": _allowed(request)})
        elif isinstance(error, HTTPException) and error.status_code == 404:
            refusal = NotFoundError(message("web.nothing-address"), next=lost)
        else:
            refusal = NotUnderstoodError(message("web.request-cannot-understood"))
        is_opened = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        return show(request, refusal) if show is not None and is_opened else refusal_response(refusal)

    return {HTTPException: refused, RequestValidationError: refused, RefusedError: refused}


def _allowed(request: Request) -> str:
    """Methods of all routes at an address: GET and HEAD of a file are two, so are those for two roles."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in routes for method in route.methods}))
