"""The service over HTTP: what it costs beside `aptone score`, what it does with too many requests, and after a kill.

    python -m benchmarks.service [--clips 1000] [--turns 1] [--kills 5] [--only cost overload kill]

Cost: clips of four seconds with fifteen lines of context (`benchmarks.score_cost`) are scored by `aptone score` as a
manifest, and sent to `aptone view --serve --keep` one by one as multipart forms. CPU time is that of all processes, on
the service's side server, worker and client; loading the models is part of both. Scores must be the same.

Overload: sixty clients, each with a body of a MiB, ask again and again of a service with one worker and a queue of
four. Every reply must be an answer or 429 with Retry-After; memory of the server is read before and meanwhile.

Kill: four clients ask while the server is killed (SIGKILL) and started again. Every request whose answer came back must
be in the kept run, once.
"""

import argparse
import contextlib
import http.client
import json
import os
import platform
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.run import load_run
from benchmarks.made_with import with_revisions
from benchmarks.score_cost import SURROUNDINGS
from benchmarks.view_workers import plain_manifest, run_alone, scores

RESULTS = Path(__file__).parent / "results" / "service.json"
ROOT = Path(__file__).parents[1]
GOAL_RATIO, GOAL_GROWTH = 1.3, 300.0
BOUNDARY = "aptone-benchmark-boundary"
PATIENCE = 300.0
MIB = 1 << 20


@dataclass(frozen=True)
class Server:
    """A running service."""

    port: int
    process: subprocess.Popen[str]


@contextlib.contextmanager
def service(*options: str) -> Iterator[Server]:
    """Start a service in a process of its own, and stop it at the end unless it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "aptone", "view", "--serve", "--port", "0", "--json", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **SURROUNDINGS},
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        told = ""
        while not told.rstrip().endswith("}"):
            line = process.stdout.readline()
            assert line, "the service has not started"
            told += line
        yield Server(int(json.loads(told)["address"].rpartition(":")[2]), process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()


def form(fields: Sequence[tuple[str, str]], *, clip: bytes, name: str) -> bytes:
    """A request as multipart/form-data."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n' for key, text in fields]
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="audio"; filename="{name}"\r\n\r\n'
    return "".join([*parts, head]).encode() + clip + f"\r\n--{BOUNDARY}--\r\n".encode()


def ask(connection: http.client.HTTPConnection, operation: str, body: bytes) -> tuple[int, Any, str]:
    """Status and JSON of a reply, and after how many seconds to ask again."""
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    connection.request("POST", f"/v1/{operation}", body=body, headers=kind)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read()), reply.headers.get("Retry-After", "")


def requests_of(manifest: Path) -> list[bytes]:
    """The records of a manifest as forms."""
    found = []
    for line in manifest.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        fields = [("line", record["line"]), *(("context", text) for text in record["context"])]
        found.append(form(fields, clip=(manifest.parent / record["audio"]).read_bytes(), name=record["audio"]))
    return found


def send_all(manifest: Path, port: int, clients: int = 2) -> None:
    """Send every record of a manifest, some at a time, each client on one connection."""
    bodies = requests_of(manifest)

    def work(share: Sequence[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        for body in share:
            status, reply, _ = ask(connection, "score", body)
            assert status == 200, reply
        connection.close()

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, [bodies[number::clients] for number in range(clients)]))


def cpu_of_children() -> float:
    """CPU time of the processes that this one started and that have ended, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_cost(clips: int, turns: int) -> dict[str, Any]:
    """CPU time of the service beside that of `aptone score`."""
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = plain_manifest(folder, clips)
        for turn in range(turns):
            run, kept = folder / f"run{turn}", folder / f"kept{turn}"
            alone, _ = run_alone([sys.executable, "-m", "aptone", "score", str(manifest), "-o", str(run), "--no-cache"])
            before = cpu_of_children()
            with service("--keep", str(kept)) as server:
                client, _ = run_alone(
                    [sys.executable, "-m", "benchmarks.service", "--send", str(manifest), str(server.port)]
                )
            served = cpu_of_children() - before
            assert scores(kept / "score") == scores(run), "the service judges as the command line does"
            ratios.append(served / alone)
            shares.append(client / served)
            print(
                f"{clips} clips: aptone score {alone:.1f} CPU-s, over HTTP {served:.1f} CPU-s (client {client:.1f}), "
                f"{served / alone:.2f} times",
                flush=True,
            )
    return {
        "clips": clips,
        "CPU time, times aptone score": round(statistics.median(ratios), 3),
        "all turns": [round(value, 3) for value in ratios],
        "share of the client": round(statistics.median(shares), 3),
        "goal": GOAL_RATIO,
    }


def resident(process: int) -> float:
    """MiB of memory that a process holds."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def measure_overload(seconds: float, clients: int = 60) -> dict[str, Any]:
    """Statuses and memory while far more is asked than can be answered."""
    statuses: Counter[int] = Counter()
    untold = 0
    with tempfile.TemporaryDirectory() as name, service("--max-queue", "4") as server:
        manifest = plain_manifest(Path(name), 1)
        clip = (Path(name) / "0000.wav").read_bytes()
        body = form([], clip=clip + bytes(MIB - len(clip)), name="a.wav")
        assert manifest.exists()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        ask(connection, "hear", body)
        before, highest, end = resident(server.process.pid), 0.0, time.monotonic() + seconds

        def work(number: int) -> None:
            nonlocal untold
            own = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            while time.monotonic() < end:
                try:
                    status, _, wait = ask(own, "hear", body)
                except (OSError, http.client.HTTPException):  # refused before its body was sent to the end
                    own.close()
                    statuses[0] += 1
                    continue
                statuses[status] += 1
                untold += status == 429 and not wait
                time.sleep(0.02)
            own.close()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            highest = max(highest, resident(server.process.pid))
            time.sleep(0.1)
        status, _, _ = ask(connection, "hear", body)
        after = resident(server.process.pid)
    found = {
        "clients": clients,
        "places": 5,
        "seconds": seconds,
        "statuses": {str(key): value for key, value in sorted(statuses.items())},
        "connections cut while a body was sent": statuses[0],
        "429 without Retry-After": untold,
        "memory of the server, MiB": {"before": round(before), "highest": round(highest), "after": round(after)},
        "answered afterwards": status == 200,
        "goal": {"growth, MiB": GOAL_GROWTH, "statuses": [200, 429]},
    }
    print("overload:", json.dumps(found), flush=True)
    return found


def measure_kills(kills: int, seed: int = 0) -> dict[str, Any]:
    """Answers that came back before a kill and are not in the kept run after it, or are there twice."""
    acknowledged: list[str] = []
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder, kept = Path(name), Path(name) / "kept"
        bodies = requests_of(plain_manifest(folder, 40))

        def work(port: int, number: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                while True:
                    number = (number + 1) % len(bodies)
                    status, reply, _ = ask(connection, "score", bodies[number])
                    assert status == 200, reply
                    acknowledged.append(reply["request"])

        for _ in range(kills):
            with service("--keep", str(kept)) as server:
                threads = [threading.Thread(target=work, args=(server.port, 10 * number)) for number in range(4)]
                for thread in threads:
                    thread.start()
                time.sleep(chance.uniform(1.0, 4.0))
                server.process.kill()
                for thread in threads:
                    thread.join()
        with service("--keep", str(kept)) as server:  # opening the run again mends its last line
            ask(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE), "score", bodies[0])
        payloads: list[Any] = [entry.item.payload for entry in load_run(kept / "score").entries]
        ids = Counter(str(payload["ids"]["request"]) for payload in payloads)
    found = {
        "kills": kills,
        "acknowledged": len(acknowledged),
        "lost": sum(one not in ids for one in acknowledged),
        "twice": sum(ids[one] > 1 for one in acknowledged),
        "in the run": sum(ids.values()),
        "goal": {"lost": 0, "twice": 0},
    }
    print("kill:", json.dumps(found), flush=True)
    return found


def main() -> int:
    """Print the figures and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--overload-seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="+", choices=["cost", "overload", "kill"], default=["cost", "overload", "kill"])
    parser.add_argument("--send", nargs=2, metavar=("MANIFEST", "PORT"), help="one client, for the script itself")
    options = parser.parse_args()
    if options.send:
        send_all(Path(options.send[0]), int(options.send[1]))
        return 0
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    found |= {"python": platform.python_version(), "aptone": version("aptone"), "cores": os.cpu_count()}
    if "cost" in options.only:
        found["cost"] = measure_cost(options.clips, options.turns)
    if "overload" in options.only:
        found["overload"] = measure_overload(options.overload_seconds)
    if "kill" in options.only:
        found["kill"] = measure_kills(options.kills)
    RESULTS.write_text(json.dumps(with_revisions(found, "ear", "planner", "judge"), indent=1) + "\n", encoding="utf-8")
    overload = found.get("overload", {})
    memory = overload.get("memory of the server, MiB", {"before": 0, "highest": 0})
    return int(
        found.get("cost", {}).get("CPU time, times aptone score", 0.0) > GOAL_RATIO
        or not set(overload.get("statuses", {})) <= {"0", "200", "429"}
        or memory["highest"] - memory["before"] > GOAL_GROWTH
        or bool(found.get("kill", {}).get("lost", 0) or found.get("kill", {}).get("twice", 0))
    )


if __name__ == "__main__":
    sys.exit(main())
