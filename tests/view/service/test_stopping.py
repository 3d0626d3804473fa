"""A service on a port of its own: too many are refused, those who leave are forgotten, and a stop finishes its work."""

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from aptone.view.app import View, create_app
from aptone.view.on_demand import OnDemandPool
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.service import Service
from aptone.view.shelf import Shelf
from aptone.web.serving import listen, serve
from tests.view.odd_operations import PATIENCE, operation, wait_for

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Served:
    port: int
    service: Service
    stop: threading.Event
    thread: threading.Thread

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def send(self, connection: http.client.HTTPConnection, **body: str) -> None:
        connection.request("POST", "/v1/odd", json.dumps(body), {"Content-Type": "application/json"})

    def ask(self, **body: str) -> tuple[int, str]:
        connection = self.connection()
        self.send(connection, **body)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers.get("Retry-After", "")


@contextmanager
def served(**limits: int) -> Iterator[Served]:
    pool = OnDemandPool(operation())
    asyncio.run(pool.start())
    service = Service(pool, limits=ServiceLimits(**limits))
    listener, ready, stop = listen("127.0.0.1", 0, program="view"), threading.Event(), threading.Event()
    app = create_app(View(Shelf([]), pool, service=service))
    thread = threading.Thread(
        target=lambda: serve(
            app, listener, behind_proxy=False, ready=ready.set, until=stop, grace_seconds=int(PATIENCE)
        )
    )
    port = listener.getsockname()[1]
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield Served(port, service, stop, thread)
    finally:
        stop.set()
        thread.join(PATIENCE)
        asyncio.run(pool.close())


def test_one_more_than_the_queue_takes_is_refused_and_the_others_are_answered(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with served(queue=2) as one, ThreadPoolExecutor(3) as clients:
        asked: list[Future[tuple[int, str]]] = [clients.submit(one.ask, what="wait", path=str(gate)) for _ in range(3)]
        wait_for(lambda: one.service.admission.held == 3)  # a worker and two that wait
        refused = [one.ask(what="wait", path=str(gate)) for _ in range(20)]
        assert {status for status, _ in refused} == {429}
        assert all(int(wait) >= 1 for _, wait in refused)
        assert (one.service.admission.held, one.service.pool.pool.waiting) == (3, 2)
        gate.touch()
        assert [answer.result(PATIENCE)[0] for answer in asked] == [200, 200, 200]
        wait_for(lambda: one.service.admission.held == 0)
        assert one.ask()[0] == 200


def test_a_request_whose_client_left_gives_its_place_back_and_is_not_worked_on(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with served() as one, ThreadPoolExecutor(1) as clients:
        first = clients.submit(one.ask, what="wait", path=str(gate))
        wait_for(lambda: one.service.pool.pool.under_way == 1)
        leaving = one.connection()
        one.send(leaving, what="die")
        wait_for(lambda: one.service.pool.pool.waiting == 1)
        leaving.close()
        wait_for(lambda: one.service.admission.held == 1)
        assert one.service.pool.pool.waiting == 0
        gate.touch()
        assert first.result(PATIENCE)[0] == 200
        assert one.service.pool.pool.restarts == 0
        assert b'operation="odd",status="499"} 1.0' in one.service.metrics.text()


def test_a_service_that_stops_refuses_new_clients_and_finishes_what_is_under_way(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with served() as one, ThreadPoolExecutor(2) as clients:
        asked = [clients.submit(one.ask, what="wait", path=str(gate)) for _ in range(2)]
        wait_for(lambda: one.service.admission.held == 2)
        one.stop.set()
        wait_for(lambda: not _is_taken(one))
        assert one.thread.is_alive()
        gate.touch()
        assert [answer.result(PATIENCE)[0] for answer in asked] == [200, 200]
        one.thread.join(PATIENCE)
        assert not one.thread.is_alive()


def _is_taken(one: Served) -> bool:
    connection = one.connection()
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
