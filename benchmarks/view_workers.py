"""Workers of a service: how two compare with one, and what they cost beside `aptone score`, in CPU time.

    python -m benchmarks.view_workers [--clips 200] [--turns 3]

Clips of four seconds are cut from the shipped example, each a little louder or quieter, so that no two are alike; every
one is a line with fifteen lines of context. `aptone score` judges them as a manifest, in a journalled run with report
and trust card. A pool of workers judges the same, all asked for at once, and keeps its answers in a run as well. Both
run in processes of their own, in turns, with one thread for products of matrices in each process; loading the models
is part of both. Scores must be the same.

CPU time is that of the processes with their children, which a busy machine stretches less than the clock; medians of
the turns are given. How much two workers save is told in two ways, both without loading: by the CPU time of the busiest
process, a worker or the one that asks, which is what the clock would show on a machine with a core for each; and by
the clock between the first question and the last answer, which other programs on the machine stretch.
"""

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.rooms.operation import ClipFile
from aptone.run import load_run
from aptone.view.kept_run import KeptRuns
from aptone.view.operations import find_operations
from aptone.view.workers import WorkerPool
from benchmarks.made_with import with_revisions
from benchmarks.score_cost import SURROUNDINGS, made

RESULTS = Path(__file__).parent / "results" / "view_workers.json"
GOAL_RATIO = 1.3


def plain_manifest(folder: Path, count: int) -> Path:
    """Clips and a manifest whose contexts are texts, as a request has them."""
    manifest = made(folder, count)
    records = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["context"] = [line["text"] for line in record["context"]]
    manifest.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return manifest


def cpu_of(process: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask_all(manifest: Path, output: Path, workers: int) -> dict[str, float]:
    """Ask for every record of a manifest at once; seconds by the clock, and CPU time of the busiest process."""
    records = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    operations = {"score": find_operations()["score"]}
    async with WorkerPool(operations, workers=workers) as pool:
        with KeptRuns(output, pool.configs) as kept:

            async def ask(record: dict[str, Any]) -> None:
                clip = ClipFile(record["audio"], (manifest.parent / record["audio"]).read_bytes())
                request = {"audio": clip, "line": record["line"], "context": record["context"]}
                answer = await pool.perform("score", request)
                await asyncio.to_thread(kept.keep, "score", request, answer)

            processes = (os.getpid(), *pool.processes)
            begun, before = time.perf_counter(), [cpu_of(process) for process in processes]
            await asyncio.gather(*map(ask, records))
            spent = [cpu_of(process) - earlier for process, earlier in zip(processes, before, strict=True)]
            return {"clock": time.perf_counter() - begun, "busiest": max(spent), "asking": spent[0]}


def run_alone(command: list[str]) -> tuple[float, str]:
    """CPU time of a process and its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **SURROUNDINGS},
        cwd=Path(__file__).parents[1],
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended.stdout


def scores(run: Path) -> list[float]:
    """The scores of a run in an order that does not depend on how it was made."""
    return sorted(entry.outcome.scores["aptness"].value for entry in load_run(run).entries)


def main() -> None:
    """Print the figures and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument(
        "--serve", nargs=3, metavar=("MANIFEST", "OUTPUT", "WORKERS"), help="one pool, for the script itself"
    )
    arguments = parser.parse_args()
    if arguments.serve:
        manifest, output, workers = arguments.serve
        print(json.dumps(asyncio.run(ask_all(Path(manifest), Path(output), int(workers)))))
        return
    ratios: list[float] = []
    busy: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = plain_manifest(folder, arguments.clips)
        for turn in range(arguments.turns):
            run = folder / f"run{turn}"
            score, _ = run_alone([sys.executable, "-m", "aptone", "score", str(manifest), "-o", str(run), "--no-cache"])
            cost: dict[int, float] = {}
            for workers in busy:
                output = folder / f"kept{turn}-{workers}"
                served = ["--serve", str(manifest), str(output), str(workers)]
                cost[workers], told = run_alone([sys.executable, "-m", "benchmarks.view_workers", *served])
                busy[workers].append(json.loads(told))
                assert scores(output / "score") == scores(run), "the service judges as the command line does"
            ratios.append(cost[1] / score)
            print(
                f"{arguments.clips} clips: aptone score {score:.1f} CPU-s, one worker {cost[1]:.1f} CPU-s, "
                f"{ratios[-1]:.2f} times; the busiest process {busy[1][-1]['busiest']:.1f} CPU-s, with two workers "
                f"{busy[2][-1]['busiest']:.1f} CPU-s"
            )
    gains = {
        name: [one[name] / two[name] for one, two in zip(busy[1], busy[2], strict=True)]
        for name in ("busiest", "clock")
    }
    ratio, gain = statistics.median(ratios), statistics.median(gains["busiest"])
    print(f"CPU time: {ratio:.2f} times aptone score (goal {GOAL_RATIO}); two workers {gain:.2f} times as fast as one")
    result = {
        "python": platform.python_version(),
        "aptone": version("aptone"),
        "cores": os.cpu_count(),
        "clips": arguments.clips,
        "CPU time, times aptone score": round(ratio, 3),
        "CPU time, all turns": [round(value, 3) for value in ratios],
        "two workers, times as fast as one": round(gain, 3),
        "two workers, all turns": [round(value, 3) for value in gains["busiest"]],
        "two workers by the clock, all turns": [round(value, 3) for value in gains["clock"]],
        "CPU time of the process that asks, share": round(busy[2][-1]["asking"] / busy[2][-1]["busiest"], 3),
        "goal": {"CPU time, times aptone score": GOAL_RATIO},
    }
    RESULTS.write_text(json.dumps(with_revisions(result, "ear", "planner", "judge"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
