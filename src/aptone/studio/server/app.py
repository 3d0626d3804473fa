"""The application: every route behind the same guard."""

import hashlib
import os
from collections.abc import Sequence
from importlib.metadata import version

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.studio.project import Project
from aptone.studio.refusals import NotFoundError, RefusedError
from aptone.studio.server import adjudication as adjudicating
from aptone.studio.server import administration as administering
from aptone.studio.server import rating
from aptone.studio.server import sign_in as entering
from aptone.studio.server.openapi import document
from aptone.studio.server.pages import page_routes
from aptone.studio.server.rate_limit import RateLimit
from aptone.studio.server.recent_figures import Recent
from aptone.studio.server.refusals import NotUnderstoodError, WrongMethodError, refusal_response
from aptone.studio.server.routing import ADMIN, Call, Route, reply_json, starlette_route
from aptone.studio.server.security import Addresses, Guard
from aptone.studio.server.sessions import Sessions
from aptone.studio.server.studio import Studio

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
) -> Starlette:
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
    return Starlette(
        routes=[*(starlette_route(route, studio) for route in all_routes()), *page_routes(studio)],
        middleware=[Middleware(Guard, addresses=where)],
        exception_handlers={HTTPException: _refused},
    )


def cookie_name(project: Project, *, secure: bool) -> str:
    """Browsers keep cookies by host and not by port, so that two studios on one machine need two names."""
    mark = hashlib.sha256(os.fsencode(project.folder)).hexdigest()[:8]
    return f"{'__Host-' if secure else ''}aptone_studio_{mark}"


def all_routes() -> Sequence[Route]:
    """Every route of the interface; what people do most stands first."""
    return (*rating.routes.all, *entering.routes.all, *adjudicating.routes.all, *administering.routes.all, DESCRIPTION)


async def _describe(call: Call) -> Response:
    described = document(all_routes(), cookie=call.studio.sessions.cookie, version=call.studio.version)
    return reply_json(described)


DESCRIPTION = Route("GET", "/api/openapi.json", ADMIN, _describe, "This description.", dict[str, object])


async def _refused(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses, told as we tell it."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    refusal: RefusedError
    if status == 405:
        allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
        refusal = WrongMethodError("This address takes other methods.", headers={"Allow": allowed})
    elif status == 404:
        refusal = NotFoundError("There is nothing at this address.", next="Go back to the list of tasks.")
    else:
        refusal = NotUnderstoodError("The request cannot be understood.")
    return refusal_response(refusal)
