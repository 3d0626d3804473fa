"""The interface in OpenAPI, made from the routes themselves: what it says is what is served."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, TypeAdapter

from aptone.studio.server.refusals import JSON_TYPE
from aptone.studio.server.routing import Route
from aptone.studio.server.schemas import ErrorReply
from aptone.studio.server.security import CSRF_HEADER

REFERENCE = "#/components/schemas/{model}"


def document(routes: Iterable[Route], *, cookie: str, version: str) -> dict[str, Any]:
    """The whole description.

    Args:
        routes: of the interface.
        cookie: that holds the session.
        version: of Aptone.
    """
    listed = list(routes)
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for route in listed:
        paths.setdefault(plain_path(route), {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Aptone studio", "version": version},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": cookie},
                "csrf": {"type": "apiKey", "in": "header", "name": CSRF_HEADER},
            },
        },
    }


def plain_path(route: Route) -> str:
    """The path without Starlette's own signs: an id may hold slashes."""
    return route.path.replace(":path}", "}")


def refusals_of(route: Route) -> tuple[int, ...]:
    """Every status that a route may refuse with."""
    found = {*route.refuses, 421}
    if route.roles:
        found |= {401, 403, 503}
    if route.changes:
        found.add(403)
    if route.body is not None:
        found |= {400, 408, 413, 415, 503}
    if route.upload is not None:
        found |= {400, 413, 415}
    if route.query:
        found.add(400)
    if "{" in route.path:
        found.add(404)
    return tuple(sorted(found))


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    name = f"{route.method}{plain_path(route).removeprefix('/api')}".replace("{", "").replace("}", "").replace("/", "_")
    operation: dict[str, Any] = {
        "operationId": name.lower().replace(".", "_"),
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": _responses(route, schemas),
    }
    if route.roles:
        operation["security"] = [{"session": [], **({"csrf": []} if route.changes else {})}]
        operation["description"] = "For: " + ", ".join(sorted(route.roles)) + "."
    else:
        operation["security"] = []
    if route.body is not None:
        content = {JSON_TYPE: {"schema": _schema(route.body, schemas, mode="validation")}}
        operation["requestBody"] = {"required": True, "content": content}
    if route.upload is not None:
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in route.upload.types}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    named = [part[1:-1] for part in plain_path(route).split("/") if part.startswith("{")]
    inside: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for name in named
    ]
    return inside + [{"name": name, "in": "query", "schema": one.schema()} for name, one in route.query.items()]


def _responses(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    if isinstance(route.reply, tuple):
        binary = {"schema": {"type": "string", "format": "binary"}}
        whole: dict[str, Any] = {"description": "The file.", "content": dict.fromkeys(route.reply, binary)}
    else:
        whole = {"description": "Done.", "content": {JSON_TYPE: {"schema": _schema(route.reply, schemas)}}}
    responses = {str(route.status): whole}
    refused = {JSON_TYPE: {"schema": _schema(ErrorReply, schemas)}}
    for status in refusals_of(route):
        responses[str(status)] = {"description": HTTPStatus(status).phrase, "content": refused}
    return responses


def _schema(kind: Any, schemas: dict[str, Any], *, mode: Any = "serialization") -> Mapping[str, Any]:
    """The schema of a type, with what it refers to put among the shared ones."""
    made = TypeAdapter(kind).json_schema(ref_template=REFERENCE, mode=mode)
    schemas.update(made.pop("$defs", {}))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        schemas[kind.__name__] = made
        return {"$ref": REFERENCE.format(model=kind.__name__)}
    return made
