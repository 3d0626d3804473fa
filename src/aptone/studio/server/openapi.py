"""The interface in OpenAPI: FastAPI's description, with the refusals and the security that all routes share."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi.openapi.utils import get_openapi

from aptone.studio.server.refusals import JSON_TYPE
from aptone.studio.server.routing import StudioRoute
from aptone.studio.server.security import CSRF_HEADER

REFUSED = {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/ErrorReply"}}}


def document(routes: Sequence[StudioRoute], *, cookie: str, version: str) -> dict[str, Any]:
    """The whole description.

    Args:
        routes: of the interface.
        cookie: that holds the session.
        version: of Aptone.
    """
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
    """Every status that a route may refuse with."""
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
