"""Application of the studio: every route behind the same guard, its OpenAPI description, and the pages.

All pages are one file, with the style sheets and the script of each written into it; they are read once when the server
starts. A page is filled with the nonce of its reply, for the one style sheet that the waveform puts in by itself.
"""

import hashlib
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib import resources
from importlib.metadata import version
from importlib.resources.abc import Traversable
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match
from starlette.routing import Route as StarletteRoute

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.messages import message
from aptone.studio.project import Project
from aptone.studio.refusals import NotFoundError, RefusedError
from aptone.studio.server import desk, rating
from aptone.studio.server.routing import ADMIN, Call, StudioRoute, router_for
from aptone.studio.server.security import (
    CSRF_HEADER,
    JSON_TYPE,
    NONCE_KEY,
    Addresses,
    Guard,
    NotUnderstoodError,
    WrongMethodError,
    refusal_response,
)
from aptone.studio.server.studio import FigureCache, RateLimit, Sessions, Studio

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


FIGURES_SECONDS = 1.0
"""Age of the figures on a page; in large studies, where they take a second or two, ten times as long."""


def create_app(
    project: Project,
    *,
    addresses: Addresses | None = None,
    entries: RateLimit | None = None,
    lexicon: FeelingLexicon | None = None,
) -> FastAPI:
    """Create the application for an open project, which the caller closes; by default for this machine only."""
    where = addresses or Addresses()
    sessions = Sessions(project.people.session, cookie=cookie_name(project, secure=where.secure), secure=where.secure)
    # Sign-in attempts: enough for a team behind one router, not for guessing.
    limit = entries or RateLimit(each=30, together=300, seconds=60.0)
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
    routers = (rating.router, rating.door, rating.inside, desk.adjudicators, desk.admins, description)
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


PARTS_PLACE = b"<!-- parts of the page -->"
"""Marker in the template for the parts of a page."""

PAGES: Mapping[str, Sequence[str]] = {
    "/": ("index.js",),
    "/join": ("join.js",),
    "/rate/{task}": ("rate.css", "rate.js"),
    "/adjudicate/{task}": ("rate.css", "desk.css", "adjudicate.js"),
    "/agreement/{task}": ("desk.css", "agreement.js"),
    "/admin": ("desk.css", "admin.js"),
}
"""Path to what the page loads besides."""
NONCE_PLACE = b'<meta name="csp-nonce" content="'
"""Text of a page after which the nonce is inserted."""
Handler = Callable[[Request], Awaitable[Response]]

TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """Static file in memory."""

    content: bytes
    media_type: str
    tag: str


def static_files() -> dict[str, StaticFile]:
    """Every file below ``pages/`` of a type that pages use, by its path there."""
    return dict(_files(resources.files("aptone.studio") / "pages", ""))


def _files(folder: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    found: list[tuple[str, StaticFile]] = []
    for child in folder.iterdir() if folder.is_dir() else ():
        name = prefix + child.name
        suffix = "." + child.name.rpartition(".")[2]
        if child.is_dir():
            found += _files(child, f"{name}/")
        elif suffix in TYPES:
            content = child.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found.append((name, StaticFile(content, TYPES[suffix], tag)))
    return found


def page_routes(studio: Studio) -> list[StarletteRoute]:
    """Routes of the pages and of their static files."""
    files = static_files()
    routes = [
        StarletteRoute(path, _page(content, studio, is_open=path == "/join"), include_in_schema=False)
        for path, content in pages(files).items()
    ]
    routes.append(StarletteRoute("/static/{name:path}", _static(files), include_in_schema=False))
    return routes


def pages(files: Mapping[str, StaticFile]) -> dict[str, bytes]:
    """Map path to page, each with its own style sheets and script."""
    load = {
        "css": '<link rel="stylesheet" href="/static/{}">',
        "js": '<script type="module" src="/static/{}"></script>',
    }
    tags = {path: [load[name.rpartition(".")[2]].format(name) for name in parts] for path, parts in PAGES.items()}
    return {
        path: files["page.html"].content.replace(PARTS_PLACE, "\n  ".join(some).encode()) for path, some in tags.items()
    }


def _page(page: bytes, studio: Studio, *, is_open: bool) -> Handler:
    """Page, open or for whoever has a session; others are sent to ``/join``."""

    async def send(request: Request) -> Response:
        # After a link on another site the browser sends no cookie, and the page asks who is there.
        from_elsewhere = request.headers.get("sec-fetch-site") == "cross-site"
        if not is_open and not from_elsewhere and await studio.sessions.of(request) is None:
            return RedirectResponse("/join", status_code=303)
        content = page.replace(NONCE_PLACE, NONCE_PLACE + request.scope[NONCE_KEY].encode())
        return Response(content, media_type=TYPES[".html"])

    return send


def _static(files: Mapping[str, StaticFile]) -> Handler:
    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None or file.media_type == TYPES[".html"]:
            return refusal_response(NotFoundError(message("studio.nothing-address")))
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers={"ETag": file.tag})
        return Response(file.content, media_type=file.media_type, headers={"ETag": file.tag})

    return static
