"""Eighteen people save at once while the server is killed: is a change lost or doubled, and how long does a save take?

The real server (``aptone studio``) runs as a process of its own, on SQLite and on PostgreSQL. Each person makes five
changes a second (``--rate``), more than anybody does; each change is a request of its own, on one of six connections
(as many as a browser opens), sent again until it is acknowledged. One in ten is sent behind its successor, so that
the order of arrival is not that of the changes. Meanwhile the server is killed with SIGKILL three times and started
again. Afterwards the database must hold every acknowledged change, none twice, and of each control the value with the
highest sequence number.

A save takes from the moment at which the change is made (a fixed schedule that waits for nobody) to the arrival of its
acknowledgement: what waits behind a slow save counts too. Two sets of figures: of all changes, and of those outside
restarts. Met by a restart is what is made between a kill and the moment at which the person's page has caught up.

Usage::

    python -m benchmarks.studio_load [--database both] [--seconds 60] [--annotators 18] [--rate 5] [--kills 3]

What else runs on the machine counts. So a bare server, a process of its own that answers with a fixed text, is asked at
the same time from the same process, on a schedule as well: ``bare_ms``. ``times`` is the 95th percentile of saves over
that of the bare server, which is what the machine gives to anybody just then.

It exits with 1 and says what went wrong if a change was lost or doubled, or if 95 % of the saves outside restarts take
100 ms or more while the bare server answers 95 % within 10 ms; on a machine more crowded than that, if they take more
than ten times as long as the bare server. It needs a POSIX system, and the PostgreSQL server of the distribution for
that part.

What was seen before, at 20 changes a second of each person: with one connection a person, which lets every change wait
for the one before, saves piled up for seconds while other work filled both cores; the six connections came after that.
Alone on the machine 95 % of the saves took up to 17 ms on SQLite and 21 ms on PostgreSQL. At loads of 5 to 15 of others
on two cores that schedule is more than the machine has left, and saves pile up whatever the server does (0.1 to 1.6 s).
None lost or doubled anything.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import text

from aptone.audio import write
from aptone.studio.project import Project
from aptone.types import Audio, AudioRef, Control, Json, RatingItem, RatingTask, Shown, loads
from benchmarks.postgres_server import missing, postgres_server

TASK = "load"
CONTROLS = 15
"""As many as CEAEval-D asks for."""
CONNECTIONS = 6
"""Of each person: as many as a browser opens to a server."""
HELD_BACK = 0.1
"""Share of changes that are sent behind their successor."""
PATIENCE = 60.0
GOAL_MS = 100.0
QUIET_MS = 10.0
"""95th percentile of the bare server up to which the machine counts as not crowded."""
GOAL_TIMES = 10.0
"""Most that saves take over the bare server where it is crowded."""
BARE_RATE = 20.0
"""Requests to the bare server a second."""


@dataclass(slots=True)
class Made:
    """One change: what it says, when it was made, and when it was acknowledged."""

    id: str
    control: str
    value: float
    sequence: int
    made: float
    acknowledged: float = 0.0
    tries: int = 0
    met_restart: bool = False
    superseded: bool = False


@dataclass(slots=True)
class Annotator:
    """A page: its changes, those that wait to be sent, and what the server knows about it."""

    token: str
    cookie: str = ""
    csrf: str = ""
    assignment: str = ""
    waiting: deque[Made] = field(default_factory=deque)
    changes: list[Made] = field(default_factory=list)
    unacknowledged: int = 0
    behind: bool = False
    """True if a restart came and not everything made since has been acknowledged."""


class Connection:
    """HTTP/1.1 with keep-alive, as little of it as it takes: the client must not be what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Json, person: Annotator) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the reply; raises OSError when there is none."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        payload = json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            "Content-Type: application/json",
            f"Content-Length: {len(payload)}",
            *([f"Cookie: {person.cookie}", f"X-Aptone-CSRF: {person.csrf}"] if person.cookie else []),
        ]
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + payload)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            reply = await reader.readexactly(int(headers.get("content-length", "0")))
        except (OSError, asyncio.IncompleteReadError) as error:
            self.drop()
            raise ConnectionError(str(error)) from error
        return int(head[0].split()[1]), headers, reply

    def drop(self) -> None:
        """Give the connection up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Server:
    """``aptone studio`` as a process that can be killed and started again."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.port = _free_port()
        self._log = folder.parent / "server.log"
        options = ["--project", str(folder), "--port", str(self.port), "--no-browser"]
        options += ["--database-url", database_url] if database_url else []
        self._command = [sys.executable, "-m", "aptone", "studio", *options]
        self._process: subprocess.Popen[bytes] | None = None
        self.cpu_seconds = 0.0
        self.away = True

    async def start(self) -> None:
        """Start it and wait until it answers."""
        begun = time.monotonic()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        connection = Connection(self.port)
        while True:
            if self._process.poll() is not None or time.monotonic() - begun > PATIENCE:
                raise RuntimeError(f"the server did not start: {self._log.read_text()[-2000:]}")
            try:
                status, _, _ = await connection.ask("GET", "/api/health", None, Annotator(""))
                if status == 200:
                    break
            except OSError:
                await asyncio.sleep(0.02)
        connection.drop()
        self.away = False
        self.cpu_seconds -= _cpu_seconds(self._process.pid)  # starting is no saving

    def kill(self) -> None:
        """SIGKILL, as when memory runs out."""
        assert self._process is not None
        self.cpu_seconds += _cpu_seconds(self._process.pid)
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)
        self.away = True

    def stop(self) -> None:
        """As a person would end it."""
        if self._process is not None and self._process.poll() is None:
            self.cpu_seconds += _cpu_seconds(self._process.pid)
            self._process.send_signal(signal.SIGINT)
            self._process.wait(PATIENCE)


def make_project(folder: Path, database_url: str, *, annotators: int) -> list[Annotator]:
    """A project with one item for each person; the links of the people."""
    (folder / "clips").mkdir(parents=True)
    write(folder / "clips" / "clip.wav", Audio(np.zeros(800, dtype=np.float32), 8000))
    controls = [
        Control(f"dimension-{number}", "scale", {"en": "?"}, low=0, high=1000, step=1, required=False)
        for number in range(CONTROLS)
    ]
    items = [RatingItem(f"item-{number}", audio={"clip": AudioRef("clips/clip.wav")}) for number in range(annotators)]
    task = RatingTask(
        TASK,
        {"en": "Load"},
        {"en": "None"},
        (Shown("clip", "audio"),),
        tuple(controls),
        tuple(items),
        must_listen=False,
    )
    with Project.open(folder, database_url=database_url) as project:
        project.tasks.put(task).result()
        invited = [project.people.invite("annotator", name=f"Annotator {number}") for number in range(annotators)]
        return [Annotator(future.result().token) for future in invited]


async def enter(person: Annotator, connection: Connection) -> None:
    """Sign in by the link and get an item."""
    status, headers, reply = await connection.ask("POST", "/api/session", {"token": person.token}, person)
    while status == 429:  # logins are limited; eighteen at once are more than people do
        await asyncio.sleep(float(headers.get("retry-after", "1")))
        status, headers, reply = await connection.ask("POST", "/api/session", {"token": person.token}, person)
    assert status == 200, reply
    person.cookie = headers["set-cookie"].partition(";")[0]
    person.csrf = json.loads(reply)["csrf"]
    status, _, reply = await connection.ask("POST", f"/api/tasks/{TASK}/next", {}, person)
    assert status == 200, reply
    person.assignment = json.loads(reply)["assignment"]["id"]


async def make_changes(
    person: Annotator, wake: asyncio.Event, *, begin: float, end: float, rate: float, dice: random.Random
) -> None:
    """Change answers on a fixed schedule, whether the server keeps up or not."""
    moment = begin + dice.random() / rate
    while moment < end:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        number = len(person.changes) + 1
        made = Made(
            str(uuid.UUID(int=dice.getrandbits(128), version=4)),
            f"dimension-{dice.randrange(CONTROLS)}",
            float(dice.randrange(1001)),
            number,
            moment,
            met_restart=person.behind,
        )
        person.changes.append(made)
        person.unacknowledged += 1
        person.waiting.append(made)
        wake.set()
        moment += 1 / rate


async def send_changes(person: Annotator, wake: asyncio.Event, server: Server, dice: random.Random) -> None:
    """Send what waits, one change a request, each until it is acknowledged."""
    connection = Connection(server.port)
    while True:
        while not person.waiting:
            wake.clear()
            await wake.wait()
        later = len(person.waiting) > 1 and dice.random() < HELD_BACK
        made = person.waiting[1] if later else person.waiting[0]
        person.waiting.remove(made)
        change: Json = {"id": made.id, "control": made.control, "value": made.value, "sequence": made.sequence}
        status, reply = 503, b""
        while status == 503:
            made.tries += 1
            try:
                path = f"/api/assignments/{person.assignment}/changes"
                status, _, reply = await connection.ask("PUT", path, {"changes": [change]}, person)
            except OSError:
                await asyncio.sleep(0.05)
        assert status == 200, (status, reply)
        told = json.loads(reply)
        # its successor was quicker; servers before this one called it saved
        made.superseded = [one["id"] for one in told.get("superseded", [])] == [made.id]
        assert made.superseded or told["saved"] == [made.id], reply
        made.acknowledged = time.monotonic()
        person.unacknowledged -= 1
        if not person.unacknowledged and not server.away:
            person.behind = False


BARE = """
import asyncio, sys
async def answer(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\\r\\n\\r\\n")
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
    except (asyncio.IncompleteReadError, OSError):
        writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
"""The least that a server can do."""


@contextmanager
def bare_server() -> Iterator[int]:
    """Port of a bare server in a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def ask_bare(port: int, times: list[float]) -> None:
    """Ask the bare server on a fixed schedule, until cancelled; milliseconds of each reply, its waiting included."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    moment = time.monotonic()
    try:
        while True:
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"{}")
            times.append(1000 * (time.monotonic() - moment))
            moment += 1 / BARE_RATE
    finally:
        writer.close()


async def run_beside_bare(load: Awaitable[list[float]], port: int) -> tuple[list[float], list[float]]:
    """Run a load; return what it returns, and the times of the bare server meanwhile."""
    times: list[float] = []
    asking = asyncio.create_task(ask_bare(port, times))
    try:
        return await load, times
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def run_load(
    server: Server, people: Sequence[Annotator], *, seconds: float, rate: float, kills: int, seed: int
) -> list[float]:
    """Save for some seconds while the server is killed; how long it was away each time."""
    await server.start()
    await sign_in(server, people)
    return await save_all(server, people, seconds=seconds, rate=rate, kills=kills, seed=seed)


async def sign_in(server: Server, people: Sequence[Annotator]) -> None:
    """Let everybody come in, one after the other."""
    for person in people:
        connection = Connection(server.port)
        await enter(person, connection)
        connection.drop()


async def save_all(
    server: Server, people: Sequence[Annotator], *, seconds: float, rate: float, kills: int, seed: int
) -> list[float]:
    """Save for some seconds, as `run_load`, on a server that runs, by people who are in; seeds must differ."""
    begin = time.monotonic() + 0.2
    tasks, makers = [], []
    for number, person in enumerate(people):
        wake = asyncio.Event()
        dice = random.Random(f"{seed}-{number}")
        makers.append(
            asyncio.create_task(make_changes(person, wake, begin=begin, end=begin + seconds, rate=rate, dice=dice))
        )
        tasks += [asyncio.create_task(send_changes(person, wake, server, dice)) for _ in range(CONNECTIONS)]
    away = []
    dice = random.Random(seed)
    for number in range(kills):
        moment = begin + seconds * (number + dice.uniform(0.3, 0.7)) / kills
        await _while_alive(asyncio.sleep(max(0.0, moment - time.monotonic())), [*tasks, *makers])
        killed = time.monotonic()
        server.kill()
        for person in people:
            person.behind = True
            for made in person.changes:
                made.met_restart |= not made.acknowledged
        await server.start()
        away.append(time.monotonic() - killed)
    await _while_alive(asyncio.gather(*makers), tasks)
    deadline = time.monotonic() + PATIENCE
    while any(person.unacknowledged for person in people):
        assert time.monotonic() < deadline, "changes wait without end"
        await _while_alive(asyncio.sleep(0.01), tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return away


async def _while_alive(waiting: Awaitable[object], tasks: Sequence["asyncio.Task[None]"]) -> None:
    """Wait for something, but not longer than all others are well."""
    first = asyncio.ensure_future(waiting)
    while not first.done():
        await asyncio.wait([first, *(task for task in tasks if not task.done())], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()


def check(folder: Path, database_url: str, people: Sequence[Annotator]) -> dict[str, int]:
    """Compare the database with the acknowledged answers."""
    with Project.open(folder, database_url=database_url) as project, project.database.reading() as connection:
        rows = connection.execute(text("SELECT id, assignment, control, value, sequence FROM changes")).all()
        answers = {
            (row.assignment, row.control): (loads(row.value), row.sequence)
            for row in connection.execute(text("SELECT assignment, control, value, sequence FROM answers"))
        }
    stored = {row.id: (row.assignment, row.control, loads(row.value), row.sequence) for row in rows}
    made = {
        one.id: (person.assignment, one.control, one.value, one.sequence) for person in people for one in person.changes
    }
    highest: dict[tuple[str, str], tuple[float, int]] = {}
    for assignment, control, value, sequence in made.values():
        if sequence > highest.get((assignment, control), (0.0, 0))[1]:
            highest[assignment, control] = (value, sequence)
    wrong = [key for key in {*highest, *answers} if answers.get(key) != highest.get(key)]
    return {
        "stored": len(rows),
        "lost": sum(stored.get(one) != contents for one, contents in made.items()),
        "doubled": len(rows) - len({(row.assignment, row.sequence) for row in rows}),
        "unknown": len(set(stored) - set(made)),
        "wrong_answers": len(wrong),
    }


def measure(database: str, *, seconds: float, annotators: int, rate: float, kills: int, seed: int) -> dict[str, object]:
    """One database, from an empty folder to the findings."""
    with (
        tempfile.TemporaryDirectory() as place,
        postgres_server() if database == "postgresql" else nullcontext("") as url,
    ):
        folder = Path(place) / "project"
        people = make_project(folder, url, annotators=annotators)
        server = Server(folder, url)
        runnable = round(os.getloadavg()[0], 1)
        with _ended(server), bare_server() as port:
            load = run_load(server, people, seconds=seconds, rate=rate, kills=kills, seed=seed)
            away, bare = asyncio.run(run_beside_bare(load, port))
        changes = [one for person in people for one in person.changes]
        every = [1000 * (one.acknowledged - one.made) for one in changes]
        outside = [1000 * (one.acknowledged - one.made) for one in changes if not one.met_restart]
        return {
            "changes": len(changes),
            "sent_again": sum(one.tries > 1 for one in changes),
            "kills": kills,
            **check(folder, url, people),
            "save_ms_outside_restarts": percentiles(outside),
            "save_ms_with_restarts": percentiles(every),
            "changes_outside_restarts": len(outside),
            "bare_ms": percentiles(bare),
            "times": round(percentiles(outside)["p95"] / percentiles(bare)["p95"], 2),
            "seconds_away": [round(one, 2) for one in away],
            "server_cpu_ms_a_save": round(1000 * server.cpu_seconds / len(changes), 3),
            "disk_sync_ms": _sync_ms(Path(place)),
            "runnable_with_others": runnable,
        }


def broken_promises(database: str, found: dict[str, object], *, goal_ms: float) -> list[str]:
    """List the violated promises in words; empty when all is well."""
    problems = [
        f"{database}: {found[name]} {name}" for name in ("lost", "doubled", "unknown", "wrong_answers") if found[name]
    ]
    figures, bare = found["save_ms_outside_restarts"], found["bare_ms"]
    assert isinstance(figures, dict)
    assert isinstance(bare, dict)
    crowded = bare["p95"] > QUIET_MS
    if goal_ms and not crowded and not figures["p95"] < goal_ms:
        problems.append(f"{database}: 95 % of the saves take up to {figures['p95']:.1f} ms, the goal is {goal_ms:g} ms")
    if goal_ms and crowded and not figures["p95"] < GOAL_TIMES * bare["p95"]:
        problems.append(
            f"{database}: 95 % of the saves take up to {figures['p95']:.1f} ms, {found['times']} times as long as a"
            f" bare server takes; the goal on a crowded machine is {GOAL_TIMES:g} times"
        )
    return problems


@contextmanager
def _ended(server: Server) -> Iterator[None]:
    try:
        yield
    finally:
        server.stop()


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile and the largest of values; NaN for none."""
    if not values:
        return {"p50": float("nan"), "p95": float("nan"), "p99": float("nan"), "max": float("nan")}
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return {"p50": round(p50, 2), "p95": round(p95, 2), "p99": round(p99, 2), "max": round(max(values), 2)}


def _sync_ms(folder: Path) -> dict[str, float]:
    """Return the disk's own time to keep 4 KiB: the floor below every commit."""
    times = []
    with (folder / "sync").open("wb") as file:
        for _ in range(100):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - begun))
    return percentiles(times)


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def main() -> None:
    """Measure, print the findings and write them down."""
    parser = argparse.ArgumentParser(description="Save at full speed while the server is killed.")
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--annotators", type=int, default=18)
    parser.add_argument("--rate", type=float, default=5.0, help="changes a second of each person")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goal-ms", type=float, default=GOAL_MS, help="for the 95th percentile; 0 for none")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "studio_load.json")
    options = parser.parse_args()
    databases = ["sqlite", "postgresql"] if options.database == "both" else [options.database]
    if "postgresql" in databases and (reason := missing()):
        sys.exit(f"{reason}; or measure SQLite alone: --database sqlite")
    findings: dict[str, dict[str, object]] = {}
    settings = {name: getattr(options, name) for name in ("seconds", "annotators", "rate", "kills", "seed")}
    for database in databases:
        findings[database] = measure(database, **settings)
        print(f"{database}: {json.dumps(findings[database])}")
    problems = [
        words
        for database, found in findings.items()
        for words in broken_promises(database, found, goal_ms=options.goal_ms)
    ]
    result = {
        **settings,
        "goal_ms": options.goal_ms,
        "python": platform.python_version(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "databases": findings,
        "broken_promises": problems,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
