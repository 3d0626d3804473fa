"""The real server of the studio, of any checkout, as a process of its own, and a client that knows little HTTP."""

import contextlib
import http.client
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OPEN_FILES = 1024
"""Files that the server may open: as many as most systems allow."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """Server that answers: process id, port, and the personal link of the admin."""

    pid: int
    port: int
    link: str = field(repr=False)


def environment(tree: Path) -> dict[str, str]:
    """Environment in which ``python -m aptone`` is that of a checkout."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}


@contextlib.contextmanager
def running_studio(tree: Path, folder: Path) -> Iterator[RunningServer]:
    """Start ``aptone studio`` of a checkout."""
    command = [sys.executable, "-m", "aptone", "studio", "--project", str(folder), "--port", "0"]
    log_file = folder.parent / "server.log"
    with log_file.open("ab") as log:
        server = subprocess.Popen(
            [*command, "--no-browser", "--json"],
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment(tree),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES)),
        )
    try:
        assert server.stdout is not None
        told = b""
        while not told.rstrip().endswith(b"}"):
            line = server.stdout.readline()
            assert line, log_file.read_text(encoding="utf-8")[-2000:]
            told += line
        started = json.loads(told)
        yield RunningServer(server.pid, int(started["address"].rpartition(":")[2]), started["link"])
    finally:
        server.kill()
        server.wait()


def megabytes(pid: int, what: str) -> float:
    """Return the resident memory of a process (``VmRSS``), or its peak so far (``VmHWM``)."""
    found = re.search(rf"^{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None
    return round(int(found[1]) / 1024, 1)


@dataclass(slots=True)
class Visitor:
    """Somebody with a session."""

    port: int
    cookie: str = ""
    csrf: str = ""

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes, http.client.HTTPMessage]:
        """Status, body and headers of a reply."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Cookie": self.cookie, "X-Aptone-CSRF": self.csrf, "Content-Type": "application/json"}
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            return reply.status, reply.read(), reply.headers

    def json(self, method: str, path: str, body: object = None) -> Any:
        """Body of a reply that must be a success."""
        status, reply, _ = self.ask(method, path, body)
        assert status in (200, 201), reply
        return json.loads(reply)

    def enter(self, link: str) -> "Visitor":
        """Sign in by a personal link."""
        status, reply, headers = self.ask("POST", "/api/session", {"token": link.partition("#")[2]})
        assert status == 200, reply
        self.cookie = headers["Set-Cookie"].partition(";")[0]
        self.csrf = json.loads(reply)["csrf"]
        return self
