"""Cost of a save through FastAPI, against the same save through a plain Starlette route.

Both make the same checks (session, origin, role, bounded body, strict JSON, schema) and write to the same project; the
plain one is what the studio served before it had FastAPI: a handler that calls the checks, the store and ``dumps``.
Requests go to the applications inside the process, without a socket. The two take turns, in an order drawn for every
round. Three settings:

- ``store``: one save after the other, each until it is on the disk (SQLite).
- ``together``: eighteen people save at once; the time until the last is acknowledged.
- ``route``: the store acknowledges at once, so that the cost of the route stands alone; in CPU time of the event loop,
  which other work on the machine lengthens less.

Usage::

    python -m benchmarks.studio_routes [--rounds 3000] [--seed 0] [--output FILE]

It exits with 1 if the median of ``store`` or ``together`` is more than 1.5 times that of the plain route.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from aptone.studio.project import Project
from aptone.studio.server.app import LOG, POLICY, all_routes, cookie_name, create_app
from aptone.studio.server.routing import CSRF_HEADER, Call
from aptone.studio.server.schemas import ChangesBody
from aptone.studio.server.studio import Studio, committed
from aptone.studio.store.records import Change
from aptone.types import dumps
from aptone.web.error_replies import JSON_TYPE, refusal_response
from aptone.web.refusals import RefusedError
from aptone.web.security import Guard
from benchmarks.studio_load import CONTROLS, TASK, make_project

MOST = 1.5
"""Times its cost on a plain route that a save may have."""
PEOPLE = 18
WARM_UP = 200
ADDRESS = "/api/assignments/{assignment}/changes"


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody who is signed in and has an item."""

    cookie: str
    csrf: str
    assignment: str


def plain_app(studio: Studio) -> Starlette:
    """The route for saving alone, by hand; its checks are those of the route that is served."""
    checked = next(route for route in all_routes() if route.path == ADDRESS)

    async def save(request: Request) -> Response:
        try:
            call = Call(request.scope, request.receive)
            await checked.admit(call)
            body = await call.receive_json(ChangesBody)
            changes = [Change(one.id, one.control, one.value, one.sequence) for one in body.changes]
            assignments = call.studio.project.assignments
            person = call.user_session.person.id
            saved = await committed(assignments.save(request.path_params["assignment"], person, changes))
            return Response(dumps(asdict(saved)), media_type=JSON_TYPE)
        except RefusedError as refusal:
            return refusal_response(refusal)

    guard = Middleware(Guard, addresses=studio.addresses, policy=POLICY, log=LOG)
    app = Starlette(routes=[Route(ADDRESS, save, methods=["PUT"])], middleware=[guard])
    app.state.studio = studio
    return app


def sign_in(project: Project, token: str) -> Rater:
    """Come in by a link and take an item."""
    new = project.people.enter(token).result()
    found = project.assignments.next(TASK, new.session.person.id).result()
    assert found.view is not None
    return Rater(f"{cookie_name(project, secure=False)}={new.token}", new.session.csrf, found.view.id)


async def save(app: ASGIApp, rater: Rater, number: int) -> None:
    """One change of one answer, as a page sends it; it must be acknowledged."""
    change = {"id": str(uuid.uuid4()), "control": f"dimension-{number % CONTROLS}", "value": float(number % 1000)}
    body = json.dumps({"changes": [{**change, "sequence": number}]}).encode()
    path = ADDRESS.format(assignment=rater.assignment)
    headers = {
        "host": "localhost",
        "origin": "http://localhost",
        "content-type": JSON_TYPE,
        "content-length": str(len(body)),
        "cookie": rater.cookie,
        CSRF_HEADER.lower(): rater.csrf,
    }
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    sent: list[Any] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    assert sent[0]["status"] == 200, sent
    assert json.loads(sent[1]["body"]) == {"saved": [change["id"]], "superseded": []}, sent


async def take_turns(
    apps: Mapping[str, ASGIApp],
    raters: Mapping[str, Sequence[Rater]],
    *,
    rounds: int,
    dice: random.Random,
    clock: Callable[[], float],
    first: int,
) -> dict[str, list[float]]:
    """Milliseconds that a round takes with each application: every one of its raters saves once."""
    times: dict[str, list[float]] = {name: [] for name in apps}
    for number in range(first, first + WARM_UP + rounds):
        for name in dice.sample(sorted(apps), len(apps)):
            begun = clock()
            await asyncio.gather(*(save(apps[name], rater, number) for rater in raters[name]))
            if number >= first + WARM_UP:
                times[name].append(1000 * (clock() - begun))
    return times


def acknowledge(assignment: str, person: str, changes: Sequence[Change]) -> Future[list[str]]:
    """Stand in for the store: everything is kept at once."""
    kept: Future[list[str]] = Future()
    kept.set_result([one.id for one in changes])
    return kept


async def measure(project: Project, tokens: Sequence[str], *, rounds: int, seed: int) -> dict[str, Any]:
    """The three settings, one after the other."""
    served = create_app(project)
    apps: dict[str, ASGIApp] = {"fastapi": served, "plain": plain_app(served.state.studio)}
    everyone = [sign_in(project, token) for token in tokens]
    half = {"fastapi": everyone[:PEOPLE], "plain": everyone[PEOPLE:]}
    one = {name: raters[:1] for name, raters in half.items()}
    dice = random.Random(seed)
    found = {}
    shared: dict[str, Any] = {"dice": dice}
    found["store"] = await take_turns(apps, one, rounds=rounds, clock=time.perf_counter, first=1, **shared)
    after = 1 + WARM_UP + rounds
    together = max(1, rounds // 10)
    found["together"] = await take_turns(apps, half, rounds=together, clock=time.perf_counter, first=after, **shared)
    project.assignments.save = acknowledge  # type: ignore[method-assign,assignment]
    found["route"] = await take_turns(apps, one, rounds=rounds, clock=time.thread_time, first=1, **shared)
    return {name: time_summary(times) for name, times in found.items()}


def time_summary(times: dict[str, list[float]]) -> dict[str, Any]:
    """Medians, 95th percentiles and how many times those of the plain route they are."""
    figures = {
        name: dict(zip(("p50", "p95"), np.percentile(each, [50, 95]), strict=True)) for name, each in times.items()
    }
    return {
        "rounds": len(times["plain"]),
        **{name: {key: round(float(value), 3) for key, value in each.items()} for name, each in figures.items()},
        "ratio": {key: round(float(figures["fastapi"][key] / figures["plain"][key]), 3) for key in ("p50", "p95")},
    }


def main() -> int:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "studio_routes.json")
    options = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder:
        people = make_project(Path(folder) / "project", "", annotators=2 * PEOPLE)
        with Project.open(Path(folder) / "project") as project:
            tokens = [one.token for one in people]
            found = asyncio.run(measure(project, tokens, rounds=options.rounds, seed=options.seed))
    about = {
        "seed": options.seed,
        "unit": "ms",
        "people_together": PEOPLE,
        "load_before": load,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("fastapi", "starlette", "pydantic")},
    }
    print(json.dumps(found, indent=1))
    options.output.write_text(json.dumps({**about, **found}, indent=1) + "\n", encoding="utf-8")
    return int(any(found[setting]["ratio"]["p50"] > MOST for setting in ("store", "together")))


if __name__ == "__main__":
    sys.exit(main())
