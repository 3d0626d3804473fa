"""Shards on Ray Data: how two workers compare with one, and what is lost or doubled when workers and driver are killed.

    python -m benchmarks.ray_shards [--clips 500] [--shards 20]

Clips of four seconds are cut from the shipped example, each a little louder or quieter, and packed into Parquet shards
with their recordings; `aptone score` judges their manifest in one process, and the shards on a Ray of this machine with
one worker and with two. Then two workers judge them again while a worker is killed three times, and once more while the
driver is killed twice and the same command given again. Every run is merged and compared with the one process: items
lost, items doubled, scores that differ.

How much two workers save is told by the processor time of each shard in its worker, loading the models included, since
other programs stretch the clock: the time of the worker that is busy longest if each has a core of its own and takes
the next shard as it is free. Its bound is what the shards of one worker give when two take them. Besides, what the
clock says from the beginning of the first shard to the end of the last one, and its bound: the cores that the workers
got, two against one.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aptone.run import load_run
from aptone.run.sharded.results import DoneShard, read_ledger
from benchmarks.made_with import with_revisions
from benchmarks.score_cost import SURROUNDINGS, made

RESULTS = Path(__file__).parent / "results" / "ray_shards.json"
GOAL_GAIN = 1.7
PATIENCE = 1800.0
APTONE = [sys.executable, "-m", "aptone"]


def pack(manifest: Path, folder: Path, count: int) -> None:
    """Pack the records of a manifest with their recordings into Parquet shards."""
    folder.mkdir()
    rows = []
    for line in manifest.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        sound = {"bytes": (manifest.parent / record["audio"]).read_bytes(), "path": record["audio"]}
        rows.append({**record, "audio": sound, "context": json.dumps(record["context"])})
    for number in range(count):
        some = rows[number * len(rows) // count : (number + 1) * len(rows) // count]
        pq.write_table(pa.Table.from_pylist(some), folder / f"clips-{number:03d}.parquet")


class Driver:
    """``aptone score`` of the shards with its surroundings."""

    def __init__(self, folder: Path, workers: int, name: str) -> None:
        self.run = folder / name
        self._log = folder / f"{name}.log"
        self._command = [*APTONE, "score", str(folder / "shards"), "--executor", "ray", "--no-cache"]
        self._command += ["--workers", str(workers), "-o", str(self.run), "--json"]
        own = {**os.environ, **SURROUNDINGS, "APTONE_AUDIO_CACHE": str(folder / "cache")}
        own.pop("RAY_ADDRESS", None)
        self._surroundings = own

    def start(self) -> subprocess.Popen[bytes]:
        """Start the command."""
        with self._log.open("ab") as log:
            return subprocess.Popen(self._command, stdout=log, stderr=log, env=self._surroundings)

    def finish(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of the command, which must be a good one."""
        assert process.wait(PATIENCE) == 0, self._log.read_text()

    def wait_for(self, shards: int, process: subprocess.Popen[bytes]) -> Mapping[str, DoneShard]:
        """Wait until so many shards are in the ledger."""
        until = time.monotonic() + PATIENCE
        while len(done := read_ledger(self.run)) < shards:
            assert process.poll() is None, self._log.read_text()
            assert time.monotonic() < until
            time.sleep(0.1)
        return done


def kill_workers(driver: Driver, *, times: int) -> int:
    """Kill the worker that did the latest shard, so often; return how many were there to be killed."""
    process = driver.start()
    killed = 0
    for number in range(times):
        done = driver.wait_for(2 + 4 * number, process)
        latest = max(done.values(), key=lambda one: one.finished)
        os.kill(int(latest.worker.rpartition("/")[2]), signal.SIGKILL)
        killed += 1
    driver.finish(process)
    return killed


def kill_drivers(driver: Driver, *, times: int) -> int:
    """Kill the driver in the middle, so often, and give the same command again; return how often."""
    for number in range(times):
        process = driver.start()
        driver.wait_for(3 + 6 * number, process)
        process.kill()
        process.wait()
    driver.finish(driver.start())
    return times


def compared(run: Path, alone: Mapping[str, float]) -> dict[str, int]:
    """Merge a run over shards, and count what is lost, doubled or scored otherwise than by one process."""
    target = merged(run)
    subprocess.run([*APTONE, "merge", str(run), "-o", str(target)], check=True, stdout=subprocess.DEVNULL)
    rows = sum(pq.read_metadata(path).num_rows for path in (run / "results").glob("*.parquet"))
    found = scores(target)
    return {
        "lost": len(set(alone) - set(found)),
        "doubled": rows - len(found),
        "other scores": sum(found.get(name) != value for name, value in alone.items()),
    }


def merged(run: Path) -> Path:
    """Folder of the run that a run over shards is merged into."""
    return run.with_name(f"{run.name}-merged")


def scores(run: Path) -> dict[str, float]:
    """Scores of a run by item; one that is not scored has none."""
    return {entry.item.id: entry.outcome.scores["aptness"].value for entry in load_run(run).entries}


def worker_time(ledger: Sequence[DoneShard], workers: int) -> float:
    """Seconds until the last of the workers is done, if each has a core of its own."""
    busy = [0.0] * workers
    for done in sorted(ledger, key=lambda one: one.name):
        busy[busy.index(min(busy))] += done.cpu_seconds
    return max(busy)


def span(ledger: Sequence[DoneShard]) -> float:
    """Seconds by the clock from the beginning of the first shard to the end of the last one."""
    ends = [datetime.fromisoformat(done.finished).timestamp() for done in ledger]
    return max(ends) - min(end - done.seconds for end, done in zip(ends, ledger, strict=True))


def size(folder: Path) -> int:
    """Bytes of the files in a folder."""
    return sum(file.stat().st_size for file in folder.iterdir())


def measure(folder: Path, clips: int, shards: int) -> dict[str, Any]:
    """All figures."""
    manifest = made(folder, clips)
    pack(manifest, folder / "shards", shards)
    command = [*APTONE, "score", str(manifest), "-o", str(folder / "alone"), "--no-cache"]
    surroundings = {**os.environ, **SURROUNDINGS}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=surroundings)
    alone = scores(folder / "alone")
    ledgers: dict[int, list[DoneShard]] = {}
    counts: dict[str, dict[str, int]] = {}
    for workers in (1, 2):
        driver = Driver(folder, workers, f"ray{workers}")
        driver.finish(driver.start())
        ledgers[workers] = list(read_ledger(driver.run).values())
        counts[f"{workers} worker{'s' if workers > 1 else ''}"] = compared(driver.run, alone)
    times = {workers: worker_time(ledger, workers) for workers, ledger in ledgers.items()}
    spans = {workers: span(ledger) for workers, ledger in ledgers.items()}
    busy = {workers: sum(done.cpu_seconds for done in ledger) for workers, ledger in ledgers.items()}
    for name, kill in (("worker killed", kill_workers), ("driver killed", kill_drivers)):
        driver = Driver(folder, 2, name.replace(" ", "-"))
        killed = kill(driver, times=3 if kill is kill_workers else 2)
        counts[name] = {"times": killed, **compared(driver.run, alone)}
    return {
        "clips": clips,
        "shards": shards,
        "two workers, times as fast as one": round(times[1] / times[2], 3),
        "bound by the size of the shards": round(times[1] / worker_time(ledgers[1], 2), 3),
        "processor seconds a clip, one worker": round(busy[1] / clips, 4),
        "processor seconds a clip, two workers": round(busy[2] / clips, 4),
        "by the clock": round(spans[1] / spans[2], 3),
        "cores that one worker got": round(busy[1] / spans[1], 3),
        "cores that two workers got": round(busy[2] / spans[2], 3),
        "bound by the clock": round((busy[2] / spans[2]) / (busy[1] / spans[1]), 3),
        "bytes of a result, a clip": round(size(folder / "ray2" / "results") / clips),
        "bytes of the merged journal, a clip": round(
            (merged(folder / "ray2") / "journal.jsonl").stat().st_size / clips
        ),
        "runs": counts,
    }


def main() -> None:
    """Print the figures and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=500)
    parser.add_argument("--shards", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        figures = measure(Path(name), arguments.clips, arguments.shards)
    print(json.dumps(figures, indent=1))
    result = {
        "python": platform.python_version(),
        "aptone": version("aptone"),
        "ray": version("ray"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        **figures,
        "goal": {"two workers, times as fast as one": GOAL_GAIN, "lost": 0, "doubled": 0},
    }
    RESULTS.write_text(json.dumps(with_revisions(result, "ear", "planner", "judge"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
