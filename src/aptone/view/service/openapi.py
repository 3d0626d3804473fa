"""Description of the service by OpenAPI 3.1, made from the fields of its operations."""

import math
from collections.abc import Mapping
from importlib.metadata import version

from aptone.rooms.operation import LONGEST_NAME, Field, Operation
from aptone.types import Json
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.bodies import FORM_TYPE, MOST_PARTS, REQUESTS
from aptone.view.service.service import REQUEST
from aptone.web.error_replies import JSON_TYPE
from aptone.web.schemas import ErrorReply

Schema = dict[str, Json]

REFUSED: Mapping[int, str] = {
    400: "The body is broken, or a field is unknown, missing or wrong.",
    401: "No token, or an unknown one.",
    403: "The request comes from a page of another site.",
    408: "The body did not arrive in time.",
    413: "The body is over the size limit.",
    415: "The body is of another type.",
    421: "The Host header does not name this server.",
    422: "The request is understood and cannot be answered, for instance because a recording cannot be decoded or is "
    "too long. Sending it again does not help.",
    429: "Too many requests of this client, or the queue is full; Retry-After says when to try again.",
    500: "A fault of the service; its log says more.",
    503: "No worker is there, or the answer could not be kept; the same request may work later.",
}
"""Statuses of refused requests."""
UNAUTHORISED = frozenset({401})
BASE64 = "^[A-Za-z0-9+/]*={0,2}$"


def document(operations: Mapping[str, Operation], limits: ServiceLimits, *, has_tokens: bool) -> Schema:
    """Describe a service."""
    paths: Schema = {
        "/healthz": {"get": _health()},
        "/metrics": {"get": _reading("metrics", "Figures for Prometheus.", "text/plain", {"type": "string"})},
        "/v1": {"get": _reading("page", "The operations on a page, for people.", "text/html", {"type": "string"})},
        "/v1/openapi.json": {
            "get": _reading("openapi", "This description.", JSON_TYPE, {"type": "object"}),
        },
    }
    for operation in operations.values():
        paths[f"/v1/{operation.name}"] = {"post": _single(operation)}
        paths[f"/v1/batch/{operation.name}"] = {"post": _batch(operation, limits)}
    told: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": "Aptone",
            "version": version("aptone"),
            "description": (
                f"A body has at most {limits.body} bytes, a batch {limits.batch} requests, a client {limits.rate} "
                f"requests a minute; {limits.queue} requests may wait."
            ),
        },
        "paths": paths,
        "components": {"schemas": _schemas(), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
    return {**told, "security": [{"token": []}]} if has_tokens else told


def field_limits(field: Field) -> str:
    """The bounds of a field in a few words of English, for a page."""
    parts = []
    if field.choices:
        parts.append(" | ".join(field.choices))
    if field.is_repeated:
        parts.append(f"≤ {field.most}")
    if field.kind in ("text", "texts", "story", "line", "plan"):
        parts.append(f"≤ {field.longest:,} characters")
    if field.kind in ("number", "whole"):
        parts.append(f"{field.lowest:g} … {field.highest:g}")
    return ", ".join(parts)


def _single(operation: Operation) -> Schema:
    content: Schema = {
        FORM_TYPE: {"schema": _object(operation, in_form=True)},
        JSON_TYPE: {"schema": _object(operation, in_form=False)},
    }
    if operation.example and not operation.clip_fields:
        content[JSON_TYPE] = {"schema": _object(operation, in_form=False), "example": dict(operation.example)}
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": _content("The answer.", JSON_TYPE, {"$ref": "#/components/schemas/Answer"}),
            **_refused(),
        },
    }


def _batch(operation: Operation, limits: ServiceLimits) -> Schema:
    requests: Schema = {
        "type": "array",
        "items": _object(operation, in_form=False),
        "minItems": 1,
        "maxItems": limits.batch,
    }
    form: Schema = {
        "type": "object",
        "required": [REQUESTS],
        "properties": {
            REQUESTS: {
                "type": "string",
                "contentMediaType": JSON_TYPE,
                "description": 'The requests as a JSON array; {"part": NAME} stands for the recording of that part.',
            }
        },
        "additionalProperties": {"type": "string", "format": "binary", "description": f"At most {MOST_PARTS} parts."},
    }
    whole: Schema = {
        "type": "object",
        "required": [REQUESTS],
        "properties": {REQUESTS: requests},
        "additionalProperties": False,
    }
    return {
        "operationId": f"batch-{operation.name}",
        "summary": f"Several requests at once. {operation.summary}",
        "description": "Results are in the order of the requests; one that fails does not fail the others.",
        "requestBody": {
            "required": True,
            "content": {FORM_TYPE: {"schema": form}, JSON_TYPE: {"schema": whole}},
        },
        "responses": {
            "200": _content("Results.", JSON_TYPE, {"$ref": "#/components/schemas/Batch"}),
            **_refused(),
        },
    }


def _object(operation: Operation, *, in_form: bool) -> Schema:
    properties: Schema = {one.name: _field(one, in_form=in_form) for one in operation.fields}
    required = [one.name for one in operation.fields if one.required]
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _field(field: Field, *, in_form: bool) -> Schema:
    """The schema of a field; in a form numbers are text that holds one, and a plan is JSON as text."""
    one = _value(field, in_form=in_form)
    if not field.is_repeated:
        return {**one, "description": field.description}
    several: Schema = {"type": "array", "items": one, "maxItems": field.most, "description": field.description}
    return {**several, "minItems": 1} if field.required else several


def _value(field: Field, *, in_form: bool) -> Schema:
    if field.kind in ("clip", "clips"):
        return {"type": "string", "format": "binary"} if in_form else {"$ref": "#/components/schemas/Recording"}
    if field.kind in ("number", "whole"):
        bounds: Schema = {} if math.isinf(field.lowest) else {"minimum": field.lowest}
        if not math.isinf(field.highest):
            bounds["maximum"] = field.highest
        return {"type": "integer" if field.kind == "whole" else "number", **bounds}
    if field.kind == "choice":
        return {"type": "string", "enum": list(field.choices)}
    if field.kind == "plan" and not in_form:
        return {"type": "object"}
    text: Schema = {"type": "string", "maxLength": field.longest}
    if field.kind == "plan":
        return {**text, "contentMediaType": JSON_TYPE}
    return {**text, "minLength": 1, "pattern": r"\S"} if field.required and not field.is_repeated else text


def _schemas() -> Schema:
    error = ErrorReply.model_json_schema(ref_template="#/components/schemas/{model}")
    inner = error.pop("$defs")
    return {
        "ErrorReply": error,
        **inner,
        "Recording": {
            "type": "object",
            "description": "A recording: wav, flac, ogg, mp3 or what else the service can decode.",
            "properties": {
                "name": {"type": "string", "description": f"File name; {LONGEST_NAME} characters are kept."},
                "base64": {"type": "string", "contentEncoding": "base64", "pattern": BASE64},
            },
            "required": ["base64"],
            "additionalProperties": False,
        },
        "Answer": {
            "type": "object",
            "description": "What the verb of the same name prints with --json.",
            "properties": {
                REQUEST: {"type": "string", "description": "Id of the request, where the service keeps its answers."}
            },
        },
        "Batch": {
            "type": "object",
            "properties": {
                "results": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "status": {"type": "integer"},
                            "reply": {"$ref": "#/components/schemas/Answer"},
                            "error": {"$ref": "#/components/schemas/ErrorDetail"},
                        },
                        "required": ["status"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["results"],
            "additionalProperties": False,
        },
    }


def _health() -> Schema:
    counts: Schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    schema: Schema = {
        "type": "object",
        "properties": {
            "status": {"enum": ["ready", "starting", "idle"]},
            "workers": counts,
            "queue": counts,
        },
        "required": ["status", "workers", "queue"],
    }
    return {
        "operationId": "health",
        "summary": "Whether requests are answered.",
        "security": [],
        "responses": {
            "200": _content("They are.", JSON_TYPE, schema),
            "503": _content("No worker is ready.", JSON_TYPE, schema),
        },
    }


def _reading(name: str, summary: str, kind: str, schema: Schema) -> Schema:
    refused = {str(status): _error(REFUSED[status]) for status in UNAUTHORISED}
    return {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _content("As asked for.", kind, schema), **refused},
    }


def _refused() -> Schema:
    return {str(status): _error(text) for status, text in REFUSED.items()}


def _error(text: str) -> Schema:
    return _content(text, JSON_TYPE, {"$ref": "#/components/schemas/ErrorReply"})


def _content(text: str, kind: str, schema: Schema) -> Schema:
    return {"description": text, "content": {kind: {"schema": schema}}}
