"""The application: every route behind the same guard."""

import hashlib
import os
from collections.abc import Sequence
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
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
from aptone.studio.server.openapi import document
from aptone.studio.server.pages import page_routes
from aptone.studio.server.rate_limit import RateLimit
from aptone.studio.server.refusals import NotUnderstoodError, WrongMethodError, refusal_response
from aptone.studio.server.routing import ADMIN, Call, StudioRoute, router_for
from aptone.studio.server.security import Addresses, Guard
from aptone.studio.server.sessions import Sessions
from aptone.studio.server.studio import Recent, Studio

ENTRIES_EACH = 30
ENTRIES_TOGETHER = 300
ENTRIES_SECONDS = 60.0
"""How often one address, and all together, may try to come in: a whole team behind one router may, a guesser not."""

FIGURES_SECONDS = 1.0
"""How old figures may be that a page shows; in large studies, where they take a second or two, ten times as long."""


def create_app(
    project: Project,
    *,
    addresses: Addresses | None = None,
    entries: RateLimit | None = None,
    lexicon: FeelingLexicon | None = None,
) -> FastAPI:
    """The studio of a project, ready to be served.

    Args:
        project: open; it is the caller's to close.
        addresses: where it is reached; this machine only, by default.
        entries: how often people may try to come in.
        lexicon: of feelings, for agreement; ``None`` for the built-in one.
    """
    where = addresses or Addresses()
    sessions = Sessions(project.people.session, cookie=cookie_name(project, secure=where.secure), secure=where.secure)
    limit = entries or RateLimit(each=ENTRIES_EACH, together=ENTRIES_TOGETHER, seconds=ENTRIES_SECONDS)
    studio = Studio(
        project,
        where,
        sessions,
        limit,
        reports=Recent(FIGURES_SECONDS),
        progress=Recent(FIGURES_SECONDS),
        disagreements=Recent(FIGURES_SECONDS),
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
    """Browsers keep cookies by host and not by port, so that two studios on one machine need two names."""
    mark = hashlib.sha256(os.fsencode(project.folder)).hexdigest()[:8]
    return f"{'__Host-' if secure else ''}aptone_studio_{mark}"


description = router_for(ADMIN)


def _all_routes() -> list[StudioRoute]:
    """Every route, HEAD included; what people do most stands first."""
    routers = (rating.router, entering.door, entering.inside, adjudicating.router, administering.router, description)
    return [route for router in routers for route in router.routes if isinstance(route, StudioRoute)]


def all_routes() -> Sequence[StudioRoute]:
    """Every route of the interface that is described."""
    return [route for route in _all_routes() if route.include_in_schema]


@description.get("/api/openapi.json")
async def describe(call: Call) -> dict[str, object]:
    """This description."""
    return document(all_routes(), cookie=call.studio.sessions.cookie, version=call.studio.version)


async def _refused(request: Request, error: Exception) -> Response:
    """What we, Starlette or FastAPI refuse, told as we tell it."""
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
