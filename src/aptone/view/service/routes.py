"""Routes of the service."""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from aptone.messages import message
from aptone.rooms.operation import Operation
from aptone.types import Json, dumps
from aptone.view.rendering import page
from aptone.view.service.bodies import read_batch, read_request
from aptone.view.service.openapi import document, field_limits
from aptone.view.service.service import Service
from aptone.web.error_replies import JSON_TYPE, error_json
from aptone.web.refusals import NotFoundError, RefusedError

if TYPE_CHECKING:
    from aptone.view.app import View

GONE = 499
"""Status of a request in the figures whose client left before it was answered."""

Result = TypeVar("Result")


def service_routes() -> list[BaseRoute]:
    """Routes of the service."""
    return [
        Route("/healthz", health),
        Route("/metrics", figures),
        Route("/v1", api_page),
        Route("/v1/openapi.json", openapi),
        Route("/v1/batch/{operation}", batch, methods=["POST"]),
        Route("/v1/{operation}", perform, methods=["POST"]),
    ]


async def perform(request: Request) -> Response:
    """Answer one request."""
    service, operation = _service(request), _operation(request)

    async def answer(limit: int) -> dict[str, Json]:
        checked = await read_request(request, operation, limit=limit)
        return await _unless_gone(request, service.answer(operation.name, checked))

    return await _within_limits(request, operation, answer)


async def batch(request: Request) -> Response:
    """Answer the requests of a batch, as many at a time as there are workers, each on its own."""
    service, operation = _service(request), _operation(request)

    async def answer(limit: int) -> dict[str, Json]:
        requests = await read_batch(request, operation, limit=limit, most=service.limits.batch)
        turn = asyncio.Semaphore(service.pool.pool.size)

        async def one(position: int) -> dict[str, Json]:
            async with turn:
                given = requests[position]
                try:
                    if position:  # the first one was counted as the batch came
                        service.admission.count(request)
                    if isinstance(given, RefusedError):
                        raise given
                    reply = await service.answer(operation.name, given)
                except RefusedError as refusal:
                    return {"status": refusal.status, **error_json(refusal)}
                finally:
                    requests[position] = {}  # its recordings are needed no more
                return {"status": 200, "reply": reply}

        answered = asyncio.gather(*(one(position) for position in range(len(requests))))
        return {"results": await _unless_gone(request, _wait_for(answered))}

    return await _within_limits(request, operation, answer)


async def health(request: Request) -> Response:
    """Say whether requests are answered; 503 while no worker is ready although there should be some."""
    service = _service(request)
    pool, admission = service.pool.pool, service.admission
    state = "ready" if pool.ready else "starting" if service.pool.is_asked_for else "idle"
    told: dict[str, Json] = {
        "status": state,
        "workers": {"ready": pool.ready, "wanted": pool.size},
        "queue": {"held": admission.held, "places": admission.places},
    }
    return _json(told, status=503 if state == "starting" else 200)


async def figures(request: Request) -> Response:
    """Give the figures for Prometheus."""
    return Response(_service(request).metrics.text(), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


async def openapi(request: Request) -> Response:
    """Describe the service."""
    service = _service(request)
    view: View = request.app.state.view
    return _json(document(service.pool.operations, service.limits, has_tokens=bool(view.tokens)))


async def api_page(request: Request) -> Response:
    """Show the operations and their fields on a page."""
    service = _service(request)
    return page(
        request,
        "service.html.j2",
        operations=service.pool.operations.values(),
        limits=service.limits,
        field_limits=field_limits,
        kept=service.kept is not None,
        address=str(request.base_url).rstrip("/"),
    )


async def _within_limits(request: Request, operation: Operation, answer: Any) -> Response:
    """Hold a place for a request while it is answered, and count it."""
    service, began, status = _service(request), time.perf_counter(), 500
    try:
        with service.admission.place(request) as limit:
            begun = time.perf_counter()
            reply = await answer(limit)
            service.admission.note(time.perf_counter() - begun)
        status = 200
        return _json(reply)
    except RefusedError as refusal:
        status = refusal.status
        raise
    except (ClientDisconnect, asyncio.CancelledError):
        status = GONE
        raise
    finally:
        service.metrics.note(operation.name, status=status, seconds=time.perf_counter() - began)


async def _unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Do something for a client, and stop when it has left: behind its body nothing else can come of it.

    Raises:
        ClientDisconnect: if it has left.
    """
    working, left = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({working, left}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        left.cancel()


async def _wait_for(answered: "asyncio.Future[list[dict[str, Json]]]") -> list[dict[str, Json]]:
    return await answered


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _operation(request: Request) -> Operation:
    name, known = request.path_params["operation"], _service(request).pool.operations
    if name not in known:
        raise NotFoundError(
            message("view.no-operation", name=name[:60], names=", ".join(known)), next=message("view.see-api")
        )
    return known[name]


def _json(value: Mapping[str, Json], *, status: int = 200) -> Response:
    return Response(dumps(value), status_code=status, media_type=JSON_TYPE)
