"""Let Ray start on a crowded machine.

A raylet of Ray 2.60 that lets its agents choose their ports ends itself when one of them has not started after 15
seconds (ray-project/ray#65983), which two agents that start at once on a busy core do not manage. Agents whose ports
are given are not waited for.
"""

import contextlib
import functools
import os
import socket
from collections.abc import Iterator
from typing import Any
from unittest import mock

AGENTS = ("metrics_agent_port", "runtime_env_agent_port", "dashboard_agent_listen_port", "metrics_export_port")
LONGER = {
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
}


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def patient_ray() -> Iterator[None]:
    """Every node of Ray that this process starts gets ports for its agents, and more time."""
    from ray._private.parameter import RayParams

    start = RayParams.__init__

    @functools.wraps(start)
    def with_ports(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        for name, port in zip(AGENTS, free_ports(len(AGENTS)), strict=True):
            if not getattr(self, name):
                setattr(self, name, port)

    with mock.patch.object(RayParams, "__init__", with_ports), mock.patch.dict(os.environ, LONGER):
        yield
