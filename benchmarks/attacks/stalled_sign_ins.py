"""Memory of the studio and time of ``/api/health`` before, during and after 1,500 connections that stall.

    python -m benchmarks.attacks.stalled_sign_ins                             # this tree
    python -m benchmarks.attacks.stalled_sign_ins --tree OTHER --name before  # another checkout, beside it

The real server (``aptone studio``) runs as a process of its own, with as many open files as most systems allow (1,024),
a new one for every kind of attack. The attack is another process: it opens all connections at once, each sends a part
of something, reads what comes, and stays until the server ends it or the attack is over.

- ``large body``: a sign-in that states 1,000,000 bytes and sends all but one.
- ``small body``: a sign-in that states 500 bytes and sends all but one.
- ``head``: a request whose headers do not end.
- ``silence``: nothing is sent.
- ``head, own addresses``: the same as ``head``, each connection from an address of its own (127.1.0.1, …).

Meanwhile somebody asks for ``/api/health`` from 127.0.0.1, which is also the address of the attack unless it says
otherwise: one request at a time, each on a new connection, from the first connection of the attack on. A reply other
than 200 is asked for again, and the time of a probe ends with 200, or is 150 s if there is none by then.

It exits with 1 if a probe during or after an attack took more than a second. Needs Linux.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import platform
import resource
import socket
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.attacks.studio_server import OPEN_FILES, megabytes, running_studio

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "attacks_stalled_sign_ins.json"
CONNECTIONS = 1500
HELD_SECONDS = 20.0
"""Duration of an attack, from the moment at which all connections have been tried, or as many seconds passed."""
PROBES = 20
"""Number of probes before and after an attack."""
PAUSE = 0.05
"""Seconds between two probes, and before a refused one is tried again."""
PATIENCE = 150.0
LARGE, SMALL = 1_000_000, 500
GOAL_MS = 1000.0


def sign_in(size: int) -> bytes:
    """Return a sign-in without the last byte of its body."""
    body = json.dumps({"token": "x" * (size - len('{"token": ""}'))}).encode()
    head = "POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:-1]


HEAD = b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
SENT: Mapping[str, bytes] = {
    "large body": sign_in(LARGE),
    "small body": sign_in(SMALL),
    "head": HEAD,
    "silence": b"",
    "head, own addresses": HEAD,
}
"""Kind of attack to what each of its connections sends."""


@dataclass(slots=True)
class Attack:
    """One attack: what its connections send, and what becomes of them."""

    kind: str
    port: int
    replies: Counter[str] = field(default_factory=Counter)
    open: int = 0
    tried: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def connect(self, number: int) -> None:
        """Open a connection, send a part of something, and stay."""
        client = socket.socket()
        client.setblocking(False)
        client.bind((self._address(number), 0))
        ended = "no connection"
        loop = asyncio.get_running_loop()
        with client:
            try:
                await loop.sock_connect(client, ("127.0.0.1", self.port))
                self.open += 1
                staying = asyncio.ensure_future(self._stay(client))
                await asyncio.wait([staying, asyncio.ensure_future(self.over.wait())], return_when="FIRST_COMPLETED")
                ended = staying.result() if staying.done() else "stayed"
                self.open -= 1
                staying.cancel()
            except OSError:
                self.tried += 1
        self.replies[ended] += 1

    async def _stay(self, client: socket.socket) -> str:
        """Send what is to be sent, and return the status of the reply to whoever is disconnected."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            await loop.sock_sendall(client, SENT[self.kind])
        self.tried += 1
        first = b""
        with contextlib.suppress(OSError):
            first = await loop.sock_recv(client, 100)
            while await loop.sock_recv(client, 1 << 16):
                pass
        return first.split()[1].decode() if first else "ended without a reply"

    def _address(self, number: int) -> str:
        return f"127.1.{number // 250}.{number % 250 + 1}" if self.kind.endswith("own addresses") else "127.0.0.1"


def attack(kind: str, port: int, told: Connection) -> None:
    """Run an attack in this process: say when all connections have been tried, and end it when asked to."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def run() -> None:
        made = Attack(kind, port)
        tasks = [asyncio.ensure_future(made.connect(number)) for number in range(CONNECTIONS)]
        begun = time.monotonic()
        while made.tried < CONNECTIONS and time.monotonic() - begun < HELD_SECONDS:
            await asyncio.sleep(PAUSE)
        told.send("opened")
        while not told.poll():
            await asyncio.sleep(PAUSE)
        still_open = made.open
        made.over.set()
        await asyncio.wait(tasks, timeout=HELD_SECONDS)
        told.send({"open_at_the_end": still_open, "replies": dict(sorted(made.replies.items()))})

    asyncio.run(run())


def probe(port: int, statuses: Counter[str]) -> float:
    """Ask for ``/api/health`` until the reply is 200; return the milliseconds that it took."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        status = "no reply"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
            client.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            line = client.recv(100)
            status = line.split()[1].decode() if line else status
        statuses[status] += 1
        if status == "200":
            return 1000 * (time.monotonic() - begun)
        time.sleep(PAUSE)
    return 1000 * PATIENCE


def measure(kind: str, pid: int, port: int) -> dict[str, Any]:
    """Return memory and times before, during and after an attack."""
    statuses: dict[str, Counter[str]] = {name: Counter() for name in ("before", "during", "after")}
    before = [probe(port, statuses["before"]) for _ in range(PROBES)]
    memory = {"before": megabytes(pid, "VmRSS")}
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    attacker = spawning.Process(target=attack, args=(kind, port, theirs))
    attacker.start()
    during: list[float] = []
    opened = 0.0
    while not opened or time.monotonic() - opened < HELD_SECONDS:
        if not opened and ours.poll():
            ours.recv()
            opened = time.monotonic()
        during.append(probe(port, statuses["during"]))
        time.sleep(PAUSE)
    memory["peak"] = megabytes(pid, "VmHWM")
    ours.send("end")
    became = ours.recv()
    attacker.join()
    after = [probe(port, statuses["after"]) for _ in range(PROBES)]
    memory["after"] = megabytes(pid, "VmRSS")
    usual = statistics.median(before)
    worst = {name: max(times) for name, times in (("before", before), ("during", during), ("after", after))}
    return {
        "memory_mb": memory,
        "health_ms": {"before_median": round(usual, 1), **{name: round(one, 1) for name, one in worst.items()}},
        "health_times_usual": {name: round(worst[name] / usual, 1) for name in ("during", "after")},
        "health_replies": {name: dict(one) for name, one in statuses.items()},
        **became,
    }


def run(tree: Path, kinds: Callable[[str], bool]) -> dict[str, Any]:
    """Return the figures of every kind of attack on the server of a checkout."""
    found: dict[str, Any] = {}
    for kind in filter(kinds, SENT):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "project").mkdir()
            with running_studio(tree, Path(folder) / "project") as server:
                found[kind] = measure(kind, server.pid, server.port)
        print(kind, json.dumps(found[kind]), flush=True)
    return found


def main() -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose server is attacked.")
    parser.add_argument("--name", default="now")
    parser.add_argument("--only", default="", help="Kinds of attack that begin so.")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = run(options.tree.resolve(), lambda kind: kind.startswith(options.only))
    record = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    record["about"] = {
        "connections": CONNECTIONS,
        "open_files": OPEN_FILES,
        "held_seconds": HELD_SECONDS,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "uvicorn": version("uvicorn"),
    }
    record[options.name] = {**record.get(options.name, {}), **found}
    options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    worst = {kind: max(one["health_ms"][name] for name in ("during", "after")) for kind, one in found.items()}
    slow = [kind for kind, taken in worst.items() if taken > GOAL_MS]
    print(f"more than a second: {', '.join(slow)}" if slow else "every probe within a second")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
