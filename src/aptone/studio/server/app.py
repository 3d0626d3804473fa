"""Application of the studio: every route behind the same guard, its OpenAPI description, and the pages.

All pages are one file, with the style sheets and the script of each written into it; they are read once when the server
starts. A page is filled with the nonce of its reply, for the one style sheet that the waveform puts in by itself.
"""

import hashlib
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as StarletteRoute

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.messages import message
from aptone.studio.project import Project
from aptone.studio.server import account, desk, editor, gates, rating, results, sign_in
from aptone.studio.server.routing import ADMIN, CSRF_HEADER, Call, StudioRoute, router_for
from aptone.studio.server.studio import FigureCache, Sessions, Studio
from aptone.studio.sign_in.flow import SignIns
from aptone.web.addresses import Addresses
from aptone.web.error_replies import JSON_TYPE, error_handlers
from aptone.web.rate_limit import RateLimit
from aptone.web.security import NONCE_KEY, Guard, Policy
from aptone.web.static_files import TYPES, StaticFile, static_files, static_route

LOG = "aptone.studio"
"""Name of the studio in logs."""
POLICY = Policy(
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Our own files, the sounds, and the one style sheet with the nonce."""
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
        found |= {401, 403, 503, 507}
    if route.changes:
        found.add(403)
    if route.body_field is not None:
        found |= {400, 408, 413, 415, 503, 507}
    if route.openapi_extra:
        found |= {400, 408, 413, 415}
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
    passwords: RateLimit | None = None,
    lexicon: FeelingLexicon | None = None,
    sign_ins: SignIns | None = None,
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
        sign_ins or SignIns(),
        limit,
        # Passwords tried for one name: enough for a person who has several, not for guessing.
        passwords or RateLimit(each=10, together=10_000, seconds=600.0),
        reports=FigureCache(FIGURES_SECONDS),
        results=FigureCache(FIGURES_SECONDS),
        progress=FigureCache(FIGURES_SECONDS),
        disagreements=FigureCache(FIGURES_SECONDS),
        lexicon=lexicon,
        version=version("aptone"),
    )
    app = FastAPI(
        routes=[*_all_routes(), *page_routes(studio)],
        middleware=[Middleware(Guard, addresses=where, policy=POLICY, log=LOG)],
        exception_handlers=error_handlers(lost=message("studio.go-back-list-tasks")),
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
    routers = (
        rating.router,
        rating.door,
        rating.entry,
        rating.inside,
        account.entry,
        account.own,
        sign_in.door,
        sign_in.entry,
        sign_in.own,
        gates.own,
        gates.admins,
        desk.adjudicators,
        results.router,
        desk.admins,
        editor.admins,
        description,
    )
    return [route for router in routers for route in router.routes if isinstance(route, StudioRoute)]


def all_routes() -> Sequence[StudioRoute]:
    """Every documented route of the interface."""
    return [route for route in _all_routes() if route.include_in_schema]


@description.get("/api/openapi.json")
async def describe(call: Call) -> dict[str, object]:
    """OpenAPI document of this interface."""
    return document(all_routes(), cookie=call.studio.sessions.cookie, version=call.studio.version)


PARTS_PLACE = b"<!-- parts of the page -->"
"""Marker in the template for the parts of a page."""

PAGES: Mapping[str, Sequence[str]] = {
    "/": ("index.js",),
    "/join": ("join.js",),
    "/signed-in/{provider}": ("signed_in.js",),
    "/account": ("desk.css", "account.js"),
    "/rate/{task}": ("rate.css", "rate.js"),
    "/adjudicate/{task}": ("rate.css", "desk.css", "adjudicate.js"),
    "/agreement/{task}": ("desk.css", "agreement.js"),
    "/results/{task}": ("desk.css", "results.js"),
    "/admin": ("desk.css", "admin.js"),
    "/edit": ("desk.css", "editor.css", "editor.js"),
    "/edit/{task}": ("desk.css", "editor.css", "editor.js"),
    "/preview/{task}": ("rate.css", "preview.js"),
}
"""Path to what the page loads besides."""
OPEN_PAGES = frozenset({"/join", "/signed-in/{provider}"})
"""Pages that need no session."""
PACKAGES = ("aptone.web", "aptone.studio")
"""Packages whose files the pages load."""
NONCE_PLACE = b'<meta name="csp-nonce" content="'
"""Text of a page after which the nonce is inserted."""
Handler = Callable[[Request], Awaitable[Response]]


def page_routes(studio: Studio) -> list[StarletteRoute]:
    """Routes of the pages and of their static files."""
    files = static_files(*PACKAGES)
    routes = [
        StarletteRoute(path, _page(content, studio, is_open=path in OPEN_PAGES), include_in_schema=False)
        for path, content in pages(files).items()
    ]
    return [*routes, static_route(files)]


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
