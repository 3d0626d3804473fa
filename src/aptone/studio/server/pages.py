"""Pages and their modules, read once when the server starts.

All pages are one file, with the style sheets and the script of each written into it. A page is filled with the nonce of
its reply, for the one style sheet that the waveform puts in by itself.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route as StarletteRoute

from aptone.messages import message
from aptone.studio.refusals import NotFoundError
from aptone.studio.server.refusals import refusal_response
from aptone.studio.server.security import NONCE_KEY
from aptone.studio.server.studio import Studio

PAGE = "page.html"
"""Common template of all pages."""

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

OPEN_PAGES = frozenset({"/join"})
"""Pages for whoever has no session yet; who asks for another without one is sent there."""

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
        StarletteRoute(path, _page(content, studio, is_open=path in OPEN_PAGES), include_in_schema=False)
        for path, content in pages(files).items()
    ]
    routes.append(StarletteRoute("/static/{name:path}", _static(files), include_in_schema=False))
    return routes


def pages(files: Mapping[str, StaticFile]) -> dict[str, bytes]:
    """Map path to page, each with its own style sheets and script."""
    return {
        path: files[PAGE].content.replace(PARTS_PLACE, "\n  ".join(map(_loaded, parts)).encode())
        for path, parts in PAGES.items()
    }


def _loaded(name: str) -> str:
    if name.endswith(".css"):
        return f'<link rel="stylesheet" href="/static/{name}">'
    return f'<script type="module" src="/static/{name}"></script>'


def _page(page: bytes, studio: Studio, *, is_open: bool) -> Handler:
    async def send(request: Request) -> Response:
        if not is_open and not _from_elsewhere(request) and await studio.sessions.of(request) is None:
            return RedirectResponse("/join", status_code=303)
        content = page.replace(NONCE_PLACE, NONCE_PLACE + request.scope[NONCE_KEY].encode())
        return Response(content, media_type=TYPES[".html"])

    return send


def _from_elsewhere(request: Request) -> bool:
    """True if a link on another site leads here: the browser then sends no cookie, and the page asks who is there."""
    return request.headers.get("sec-fetch-site") == "cross-site"


def _static(files: Mapping[str, StaticFile]) -> Handler:
    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None or file.media_type == TYPES[".html"]:
            return refusal_response(NotFoundError(message("studio.nothing-address")))
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers={"ETag": file.tag})
        return Response(file.content, media_type=file.media_type, headers={"ETag": file.tag})

    return static
