"""Application of the studio: every route behind the same guard, and its OpenAPI description."""

import hashlib
import os
from collections.abc import Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.messages import message
from aptone.studio.project import Project
from aptone.studio.refusals import NotFoundError, RefusedError
from aptone.studio.server import adjudication as adjudicating
from aptone.studio.server import administration as administering
from aptone.studio.server import rating
from aptone.studio.server import sign_in as entering
from aptone.studio.server.pages import page_routes
from aptone.studio.server.refusals import JSON_TYPE, NotUnderstoodError, WrongMethodError, refusal_response
from aptone.studio.server.routing import ADMIN, Call, StudioRoute, router_for
from aptone.studio.server.security import CSRF_HEADER, Addresses, Guard
from aptone.studio.server.sessions import RateLimit, Sessions
from aptone.studio.server.studio import FigureCache, Studio

REFUSED = {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/ErrorReply"}}}


def document(routes: Sequence[StudioRoute], *, cookie: str, version: str) -> dict[str, Any]:
    """OpenAPI document of the interface."""
    described = get_openapi(title="Aptone studio", version=version, routes=routes)
    for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's own refusal, which is never sent
        described["components"]["schemas"].pop(name, None)
    described["components"]["securitySchemes"] = {
        "session": {"type": "apiKey", "in": "cookie", "name": cookie},
        "csrf": {"type": "apiKey", "in": "header", "name": CSRF_HEADER},
    }
    for route in routes:
        operation = described["paths"][route.path_format][route.method.lower()]
        success = str(route.status_code or 200)
        operation["responses"] = {success: operation["responses"][success]}
        for status in refusals_of(route):
            operation["responses"][str(status)] = {"description": HTTPStatus(status).phrase, "content": REFUSED}
        csrf: dict[str, list[str]] = {"csrf": []} if route.changes else {}
        operation["security"] = [{"session": [], **csrf}] if route.roles else []
    return described


def refusals_of(route: StudioRoute) -> tuple[int, ...]:
    """Every error status of a route."""
    found = {421, *(status for status in route.responses if isinstance(status, int) and status >= 400)}
    if route.roles:
        found |= {401, 403, 503}
    if route.changes:
        found.add(403)
    if route.body_field is not None:
        found |= {400, 408, 413, 415, 503}
    if route.openapi_extra:
        found |= {400, 413, 415}
    if route.dependant.query_params:
        found.add(400)
    if "{" in route.path:
        found.add(404)
    return tuple(sorted(found))


ENTRIES_EACH = 30
ENTRIES_TOGETHER = 300
ENTRIES_SECONDS = 60.0
"""Sign-in attempts of one address, and of all together: enough for a team behind one router, not for guessing."""

FIGURES_SECONDS = 1.0
"""Age of the figures on a page; in large studies, where they take a second or two, ten times as long."""


def create_app(
    project: Project,
    *,
    addresses: Addresses | None = None,
    entries: RateLimit | None = None,
    lexicon: FeelingLexicon | None = None,
) -> FastAPI:
    """Create the application for a project.

    Args:
        project: open project; the caller closes it.
        addresses: addresses of the studio; by default this machine only.
    """
    where = addresses or Addresses()
    sessions = Sessions(project.people.session, cookie=cookie_name(project, secure=where.secure), secure=where.secure)
    limit = entries or RateLimit(each=ENTRIES_EACH, together=ENTRIES_TOGETHER, seconds=ENTRIES_SECONDS)
    studio = Studio(
        project,
        where,
        sessions,
        limit,
        reports=FigureCache(FIGURES_SECONDS),
        progress=FigureCache(FIGURES_SECONDS),
        disagreements=FigureCache(FIGURES_SECONDS),
        lexicon=lexicon,
        version=version("aptone"),
    )
    app = FastAPI(
        routes=[*_all_routes(), *page_routes(studio)],
        middleware=[Middleware(Guard, addresses=where)],
        exception_handlers={HTTPException: _refused, RequestValidationError: _refused, RefusedError: _refused},
        openapi_url=None,  # our own, for admins
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would keep queries and texts of errors
    )
    app.state.studio = studio
    return app


def cookie_name(project: Project, *, secure: bool) -> str:
    """Cookie name of a project. Browsers keep cookies by host, not by port, so two studios on one machine need two."""
    mark = hashlib.sha256(os.fsencode(project.folder)).hexdigest()[:8]
    return f"{'__Host-' if secure else ''}aptone_studio_{mark}"


description = router_for(ADMIN)


def _all_routes() -> list[StudioRoute]:
    """Every route, HEAD included; the most frequent first."""
    routers = (rating.router, entering.door, entering.inside, adjudicating.router, administering.router, description)
    return [route for router in routers for route in router.routes if isinstance(route, StudioRoute)]


def all_routes() -> Sequence[StudioRoute]:
    """Every documented route of the interface."""
    return [route for route in _all_routes() if route.include_in_schema]


@description.get("/api/openapi.json")
async def describe(call: Call) -> dict[str, object]:
    """OpenAPI document of this interface."""
    return document(all_routes(), cookie=call.studio.sessions.cookie, version=call.studio.version)


async def _refused(request: Request, error: Exception) -> Response:
    """Turn an error of ours, Starlette's or FastAPI's into one form of reply."""
    refusal: RefusedError
    if isinstance(error, RefusedError):
        refusal = error
    elif isinstance(error, HTTPException) and error.status_code == 405:
        refusal = WrongMethodError(message("studio.address-takes-other-methods"), headers={"Allow": _allowed(request)})
    elif isinstance(error, HTTPException) and error.status_code == 404:
        refusal = NotFoundError(message("studio.nothing-address"), next=message("studio.go-back-list-tasks"))
    else:
        refusal = NotUnderstoodError(message("studio.request-cannot-understood"))
    return refusal_response(refusal)


def _allowed(request: Request) -> str:
    """Methods of all routes at an address: GET and HEAD of a file are two, so are those for two roles."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in routes for method in route.methods}))
