"""Static files of the pages: read once, from the folders ``pages/`` of several packages, and sent with ETags.

Together they are one folder, so that a module of one package imports one of another by ``./name.js``.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from aptone.messages import message
from aptone.web.error_replies import refusal_response
from aptone.web.refusals import NotFoundError

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


def static_files(*packages: str) -> dict[str, StaticFile]:
    """Read every file below the ``pages/`` of packages that is of a type which pages use, by its path there.

    Raises:
        ValueError: if two packages have a file of the same path.
    """
    found: dict[str, StaticFile] = {}
    for package in packages:
        own = dict(_files(resources.files(package) / "pages", ""))
        if both := sorted(found.keys() & own.keys()):
            raise ValueError(f"{package}: another package has pages/{both[0]} too; give one of them another name.")
        found |= own
    return found


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


def static_route(files: Mapping[str, StaticFile]) -> Route:
    """Route of static files, ``/static/…``; HTML is not among them, for a page is more than its file."""

    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None or file.media_type == TYPES[".html"]:
            return refusal_response(NotFoundError(message("web.nothing-address")))
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers={"ETag": file.tag})
        return Response(file.content, media_type=file.media_type, headers={"ETag": file.tag})

    return Route("/static/{name:path}", static, include_in_schema=False)
