"""Pages of a run with 100,000 items: time of a page, a filter, a sort, a search and an item, and the server's memory.

    python -m benchmarks.view_items [--items 100000] [--requests 60]

A made-up journal of that many items, with a story, scores, labels and a rationale each, is indexed and served by
`aptone view` in a process of its own, on the loopback interface. Requests of every kind come one after the other, each
with other values (pages anywhere in the list, other words, ranges and chapters), so that nothing is answered from what
was kept; times are those of a client that reads the whole answer. A static file of the same server, asked for in turns
with them, is the baseline: what the machine does besides slows both.
"""

import argparse
import http.client
import json
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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


def made_entry(number: int, dice: random.Random) -> Entry:
    """One item of a long book."""
    said = [" ".join(dice.choices(WORDS, k=9)).capitalize() + "." for _ in range(6)]
    payload: dict[str, Json] = {
        "target": to_json(Line(said[0], f"role {number % 17}")),
        "context": [to_json(Line(text)) for text in said[1:]],
        "ids": {"chapter": str(number // 2000), "speaker": f"voice {number % 23}", "system": f"system {number % 4}"},
        "language": "en",
    }
    scores = {name: Score(round(dice.triangular(0, 5, 3), 3), range=(0.0, 5.0)) for name in NAMES}
    rationale = "Because of the " + " ".join(dice.choices(WORDS, k=40))
    done = Outcome(State.DONE, scores, rationale=rationale, signature="made up")
    outcome = Outcome.failed("the recording is gone") if number % 50 == 7 else done
    item = Item.make(f"line-{number:06}", payload, position=number)
    return Entry(item, outcome, seconds=0.1, finished="2026-01-01T00:00:00+00:00")


def made_run(folder: Path, count: int) -> None:
    """A run folder with that many items."""
    dice = random.Random(0)
    with RunFolder(folder, RunConfig(verb="score", engine="built-in", expected=count)) as run:
        for first in range(0, count, 5000):
            run.journal.append([made_entry(number, dice) for number in range(first, min(count, first + 5000))])


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
        "static file": lambda: "/static/view.css",
    }


def ask(client: http.client.HTTPConnection, address: str) -> float:
    """Milliseconds until the whole answer is there."""
    begun = time.perf_counter()
    client.request("GET", address)
    reply = client.getresponse()
    reply.read()
    if reply.status != 200:
        raise RuntimeError(f"{address}: {reply.status}")
    return 1000 * (time.perf_counter() - begun)


def peak_mb(process: int) -> float:
    """Highest resident memory of a process so far."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def wait_until_indexed(client: http.client.HTTPConnection, count: int) -> float:
    """Seconds until the list of runs says that all items are read."""
    begun = time.perf_counter()
    while True:
        client.request("GET", "/?part=list")
        text = client.getresponse().read().decode()
        if f">{count}<" in text and "% read" not in text:
            return time.perf_counter() - begun
        time.sleep(0.5)


def main() -> None:
    """Measure, print and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made_run(Path(folder) / "book", options.items)
        size = (Path(folder) / "book" / "journal.jsonl").stat().st_size
        command = [sys.executable, "-m", "aptone", "view", folder, "--no-browser", "--port", str(PORT)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            time.sleep(1)
            client = http.client.HTTPConnection("127.0.0.1", PORT, timeout=600)
            indexing = wait_until_indexed(client, options.items)
            kinds = questions(options.items, random.Random(1))
            times: dict[str, list[float]] = {kind: [] for kind in kinds}
            for make in kinds.values():
                ask(client, make())
            for _ in range(options.requests):
                for kind, make in kinds.items():
                    times[kind].append(ask(client, make()))
            overview = ask(client, "/runs/book?part=overview")
            memory = peak_mb(server.pid)
        finally:
            server.terminate()
            server.wait()
    baseline = float(np.percentile(times["static file"], 95))
    rows = {
        kind: {
            "median_ms": round(float(np.median(found)), 1),
            "p95_ms": round(float(np.percentile(found, 95)), 1),
            "p95_to_static": round(float(np.percentile(found, 95)) / baseline, 1),
        }
        for kind, found in times.items()
    }
    result = {
        "benchmark": "view_items",
        "items": options.items,
        "requests_of_each_kind": options.requests,
        "journal_mb": round(size / 2**20, 1),
        "goal_p95_ms": GOAL_MS,
        "times": rows,
        "meets_goal": all(row["p95_ms"] <= GOAL_MS for row in rows.values()),
        "first_overview_ms": round(overview, 1),
        "seconds_until_indexed": round(indexing, 1),
        "server_peak_mb": round(memory, 1),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "aptone": version("aptone"),
    }
    print(json.dumps(result, indent=1))
    options.output.write_text(json.dumps(with_revisions(result), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
