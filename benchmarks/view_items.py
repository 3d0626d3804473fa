"""Pages of a run with 100,000 items: time of a page, a filter, a sort, a search and an item, and the server's memory.

    python -m benchmarks.view_items [--items 100000] [--requests 60]

Two made-up journals of that many items, with a story, scores, labels and a rationale each, are indexed and served by
`aptone view` in a process of its own, on the loopback interface. Requests of every kind come one after the other, each
with other values (pages anywhere in the list, other words, ranges and chapters), so that nothing is answered from what
was kept; times are those of a client that reads the whole answer. The words are frequent ones: most of them stand in
four of five texts. A static file of the same server, asked for in turns with them, is the baseline: what the machine
does besides slows both, and not the CPU time of the server, which is measured beside.
"""

import argparse
import http.client
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from aptone.run import RunConfig, RunFolder
from aptone.types import Entry, Item, Json, Line, Outcome, Score, State, to_json
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "view_items.json"
GOAL_MS = 200.0
PORT = 8793
NAMES = ("aptness", "emotion", "rhythm", "intonation")
WORDS = (
    *("storm", "lamp", "island", "stair", "door", "water", "wall", "keeper", "child", "wind", "wire", "night"),
    *("telephone", "harbour", "rope", "lantern", "window", "letter", "garden", "winter", "silver", "morning"),
    *("river", "stone", "bridge", "market", "horse", "candle", "mirror", "paper"),
)


def made_entry(number: int, dice: random.Random, *, better: float = 0.0) -> Entry:
    """One item of a long book."""
    said = [" ".join(dice.choices(WORDS, k=9)).capitalize() + "." for _ in range(6)]
    payload: dict[str, Json] = {
        "target": to_json(Line(said[0], f"role {number % 17}")),
        "context": [to_json(Line(text)) for text in said[1:]],
        "ids": {"chapter": str(number // 2000), "speaker": f"voice {number % 23}", "system": f"system {number % 4}"},
        "language": "en",
    }
    scores = {name: Score(round(dice.triangular(0, 5 - better, 3) + better, 3), range=(0.0, 5.0)) for name in NAMES}
    rationale = "Because of the " + " ".join(dice.choices(WORDS, k=40))
    done = Outcome(State.DONE, scores, rationale=rationale, signature="made up")
    outcome = Outcome.failed("the recording is gone") if number % 50 == 7 else done
    item = Item.make(f"line-{number:06}", payload, position=number)
    return Entry(item, outcome, seconds=0.1, finished="2026-01-01T00:00:00+00:00")


def made_run(folder: Path, count: int, *, better: float = 0.0) -> None:
    """A run folder with that many items."""
    dice = random.Random(0)
    with RunFolder(folder, RunConfig(verb="score", engine="built-in", expected=count)) as run:
        for first in range(0, count, 5000):
            numbers = range(first, min(count, first + 5000))
            run.journal.append([made_entry(number, dice, better=better) for number in numbers])


def questions(count: int, dice: random.Random) -> dict[str, Callable[[], str]]:
    """Addresses of each kind, other ones every time."""

    def listed(**asked: object) -> str:
        return "/runs/book?" + urlencode({"part": "items", **asked})

    return {
        "page": lambda: listed(page=dice.randint(1, max(1, count // 100))),
        "filter": lambda: listed(
            **{
                "score": dice.choice(NAMES),
                "low": round(dice.uniform(0, 4), 3),
                "label.speaker": f"voice {dice.randrange(23)}",
            }
        ),
        "sort": lambda: listed(
            sort=dice.choice(("", "-")) + dice.choice(NAMES), page=dice.randint(1, max(1, count // 200))
        ),
        "search": lambda: listed(text=" ".join(dice.sample(WORDS, 2))),
        "whole page": lambda: (
            f"/runs/book?text={dice.choice(WORDS)}&label.chapter={dice.randrange(max(1, count // 2000))}"
        ),
        "item": lambda: f"/runs/book/items/{dice.randint(1, count)}?sort=-aptness",
        "comparison": lambda: "/compare?" + urlencode({"a": "book", "b": "again", "text": dice.choice(WORDS)}),
        "static file": lambda: "/static/view.css",
    }


def cpu_ms(process: int) -> float:
    """CPU time of a process and all its threads so far, in milliseconds."""
    return 1000 * time.clock_gettime((~process << 3) | 2)  # the clock of another process: clock_getcpuclockid(3)


class Asking:
    """A client of the server that measures."""

    def __init__(self, process: int) -> None:
        self._process = process
        self.client = http.client.HTTPConnection("127.0.0.1", PORT, timeout=600)

    def ask(self, address: str) -> tuple[float, float]:
        """Milliseconds until the whole answer is there, and CPU time of the server."""
        used, begun = cpu_ms(self._process), time.perf_counter()
        self.client.request("GET", address)
        reply = self.client.getresponse()
        reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{address}: {reply.status}")
        return 1000 * (time.perf_counter() - begun), cpu_ms(self._process) - used


def peak_mb(process: int) -> float:
    """Highest resident memory of a process so far."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def wait_until_indexed(client: http.client.HTTPConnection, count: int, runs: int) -> float:
    """Seconds until the list of runs says that all items are read."""
    begun = time.perf_counter()
    while True:
        client.request("GET", "/?part=list")
        text = client.getresponse().read().decode()
        if text.count(f">{count}<") == runs and "% read" not in text:
            return time.perf_counter() - begun
        time.sleep(1)


def parsing_ms(journal: Path) -> float:
    """CPU time of parsing every line of a journal, with nothing else: the least that an index needs."""
    begun = time.process_time()
    with journal.open("rb") as lines:
        for line in lines:
            json.loads(line)
    return 1000 * (time.process_time() - begun)


def row_of(found: Sequence[tuple[float, float]], baseline: float) -> dict[str, float]:
    """What requests of one kind took, and the ratio to the baseline."""
    walls, cpus = np.array(found).T
    return {
        "median_ms": round(float(np.median(walls)), 1),
        "p95_ms": round(float(np.percentile(walls, 95)), 1),
        "median_cpu_ms": round(float(np.median(cpus)), 1),
        "p95_cpu_ms": round(float(np.percentile(cpus, 95)), 1),
        "p95_to_static": round(float(np.percentile(walls, 95)) / baseline, 1),
    }


def main() -> None:
    """Measure, print and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made_run(Path(folder) / "book", options.items)
        made_run(Path(folder) / "again", options.items, better=0.2)
        journal = Path(folder) / "book" / "journal.jsonl"
        size = journal.stat().st_size
        command = [sys.executable, "-m", "aptone", "view", folder, "--no-browser", "--port", str(PORT)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(Path(folder) / ".cache")}
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            time.sleep(1)
            begun = cpu_ms(server.pid)
            asking = Asking(server.pid)
            indexing = wait_until_indexed(asking.client, options.items, runs=2)
            indexing_cpu = (cpu_ms(server.pid) - begun) / 2
            parsing = parsing_ms(journal)
            firsts = {
                "overview": asking.ask("/runs/book?part=overview"),
                "leaderboard": asking.ask("/?part=boards"),
                "comparison": asking.ask("/compare?a=book&b=again"),
            }
            kinds = questions(options.items, random.Random(1))
            times: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
            for make in kinds.values():
                asking.ask(make())
            for _ in range(options.requests):
                for kind, make in kinds.items():
                    times[kind].append(asking.ask(make()))
            memory = peak_mb(server.pid)
        finally:
            server.terminate()
            server.wait()
    baseline = float(np.percentile([wall for wall, _ in times["static file"]], 95))
    rows = {kind: row_of(found, baseline) for kind, found in times.items()}
    result = {
        "benchmark": "view_items",
        "items": options.items,
        "requests_of_each_kind": options.requests,
        "journal_mb": round(size / 2**20, 1),
        "goal_p95_ms": GOAL_MS,
        "times": rows,
        "meets_goal": all(row["p95_ms"] <= GOAL_MS for row in rows.values()),
        "meets_goal_on_cpu": all(row["p95_cpu_ms"] <= GOAL_MS for row in rows.values()),
        "first_answers": {
            kind: {"ms": round(wall, 1), "cpu_ms": round(cpu, 1)} for kind, (wall, cpu) in firsts.items()
        },
        "indexing_of_one_run": {
            "seconds_for_both": round(indexing, 1),
            "cpu_seconds": round(indexing_cpu / 1000, 1),
            "cpu_to_parsing_its_lines": round(indexing_cpu / parsing, 1),
        },
        "server_peak_mb": round(memory, 1),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "aptone": version("aptone"),
    }
    print(json.dumps(result, indent=1))
    options.output.write_text(json.dumps(with_revisions(result), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
