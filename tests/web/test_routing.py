"""Routes that check a request before its body is read."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import anyio
import pytest
from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from aptone.web.error_replies import error_handlers
from aptone.web.parameters import OneOf, WholeNumber
from aptone.web.refusals import NotAllowedError
from aptone.web.routing import CheckedRoute, StrictRequest
from aptone.web.schemas import Body


class Wanted(Body):
    name: str


class GuestList(CheckedRoute[StrictRequest]):
    """Lets in whoever says so."""

    async def admit(self, request: StrictRequest) -> None:
        if request.headers.get("x-guest") != "yes":
            raise NotAllowedError("not on the list")


router = APIRouter(route_class=GuestList)


@router.post("/greet")
async def greet(body: Wanted) -> str:
    return f"hello {body.name}"


@router.get("/rows")
async def rows(
    limit: Annotated[int, WholeNumber("limit", 1, 10)] = 5, order: Annotated[str, OneOf("order", ("up", "down"))] = "up"
) -> list[object]:
    return [limit, order]


APP = FastAPI(routes=router.routes, exception_handlers=error_handlers(lost=""))
GUEST = {"X-Guest": "yes"}


def status_of(receive: Callable[[], Awaitable[dict[str, object]]], headers: list[tuple[bytes, bytes]]) -> int:
    found: list[int] = []

    async def keep(message: Any) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    async def ask() -> None:
        scope = {"type": "http", "method": "POST", "path": "/greet", "query_string": b"", "headers": headers}
        with anyio.fail_after(60):
            await APP(scope, receive, keep)

    anyio.run(ask)
    return found[0]


def test_no_body_is_read_of_somebody_who_is_not_let_in() -> None:
    async def must_not_be_asked() -> dict[str, object]:
        raise AssertionError

    assert status_of(must_not_be_asked, [(b"content-type", b"application/json")]) == 403


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"json": {"name": "Ada"}}, 200),
        ({"json": {"name": 7}}, 400),
        ({"json": {"name": "Ada", "age": 7}}, 400),
        ({"content": b'{"name": "Ada", "name": "Bea"}', "headers": {"Content-Type": "application/json"}}, 400),
        ({"content": b'{"name": "Ada"}', "headers": {"Content-Type": "text/plain"}}, 415),
    ],
)
def test_a_body_is_strict_json_of_its_model(sent: dict[str, Any], status: int) -> None:
    headers = {**GUEST, **sent.pop("headers", {})}
    assert TestClient(APP).post("/greet", headers=headers, **sent).status_code == status


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("", [5, "up"]),
        ("?limit=10&order=down", [10, "down"]),
        ("?limit=11", None),
        ("?limit=٣", None),
        ("?order=x", None),
    ],
)
def test_parameters_of_a_query_are_checked(query: str, given: list[object] | None) -> None:
    reply = TestClient(APP).get(f"/rows{query}", headers=GUEST)
    assert (reply.json() if reply.status_code == 200 else None) == given
    assert reply.status_code == (400 if given is None else 200)
