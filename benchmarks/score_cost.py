"""Cost of `aptone score` besides its ear, and the time to a cold first verdict, in CPU time.

    python -m benchmarks.score_cost [--clips 1000]

Clips of four seconds are cut from the shipped example and each is made a little louder or quieter, so that no two are
alike; every one is a line with fifteen lines of context, planned by the built-in planner and judged by the built-in
judge, in a journalled run with report and trust card. Once every clip is another line, as in a book, and once five
clips share each line, as where takes or systems are compared: its plan is read once. Beside them, in turns and in
processes of their own, the ear alone hears the same files, and the planner alone reads the lines of the first
collection, which is most of what the ear does not take. What is compared is the CPU time of the processes, which a
busy machine stretches less than the clock; the median of the turns is given, as a ratio and, since the ear becomes
faster, too, in milliseconds a clip. Modules are compiled before the clock starts (`benchmarks.bytecode`).
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np

from aptone.__main__ import ALGEBRA_THREADS
from aptone.audio import read, write
from aptone.types import Audio
from benchmarks.bytecode import kept_bytecode
from benchmarks.made_with import with_revisions

EXAMPLE = Path(__file__).parent.parent / "examples" / "lighthouse"
RESULTS = Path(__file__).parent / "results" / "score_cost.json"
RATE, SECONDS = 16_000, 4.0
GOAL_RATIO, GOAL_COLD = 1.3, 3.0
TAKES = 5
"""Clips of each line in the second collection, as when systems or takes are compared."""
SURROUNDINGS = {"NO_COLOR": "1", **dict.fromkeys(ALGEBRA_THREADS, "1")}
"""Both with one thread for products of matrices, as on the command line: more would only burn CPU time."""
EAR_ALONE = """
import sys
from pathlib import Path
from aptone.audio import read
from aptone.ear import load_ear
ear = load_ear()
for path in sorted(Path(sys.argv[1]).glob("*.wav")):
    ear.perceive(read(path, rate=16_000, channel="mix"), language="en")
"""


PLANNER_ALONE = """
import sys
from pathlib import Path
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.sources import read_lines
from aptone.run import Call
planner = BuiltInPlanner()
for sample in read_lines(Path(sys.argv[1]))[0]:
    planner.plan(sample, Call())
"""


def made(folder: Path, count: int) -> Path:
    """Clips and a manifest of lines in context, every clip another line."""
    sources = sorted((EXAMPLE / "clips").glob("*.opus"))
    for number in range(count):
        whole = read(sources[number % len(sources)], rate=RATE, channel="mix").samples
        piece = np.resize(whole, int(SECONDS * RATE)) * np.float32(0.5 + 0.4 * number / count)
        write(folder / f"{number:04d}.wav", Audio(piece, rate=RATE, source=str(number)))
    return write_manifest(folder / "manifest.jsonl", count)


def write_manifest(path: Path, count: int, *, takes: int = 1) -> Path:
    """Write a manifest of lines in context; `takes` clips of each line, one round after the other."""
    lines = [
        "The lamp went out at nine.",
        "Nobody had seen the keeper since the storm.",
        "Is anybody there?",
        "She took the stairs two at a time.",
        "Get out, the water is coming in!",
    ]
    records = []
    for number in range(count):
        line = number % max(1, count // takes)
        context = [{"text": lines[(line + place) % 5], "role": "Ann" if place % 2 else ""} for place in range(15)]
        records.append(
            {
                "id": str(number),
                "audio": f"{number:04d}.wav",
                "line": f"{lines[line % 5]} ({line})",
                "context": context,
            }
        )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def cpu_seconds(command: list[str], surroundings: Mapping[str, str] = SURROUNDINGS) -> float:
    """CPU time of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **surroundings}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the figures and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    aptone = [sys.executable, "-m", "aptone"]
    ratios: dict[str, list[float]] = {}
    spent_on: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as compiled:
        folder, surroundings = Path(name), {**SURROUNDINGS, **kept_bytecode(Path(compiled))}
        manifest = made(folder, arguments.clips)
        shared = write_manifest(folder / "takes.jsonl", arguments.clips, takes=TAKES)
        one = [*aptone, "score", str(folder / "0000.wav"), "--line", "Is anybody there?", "--no-cache"]
        cpu_seconds([*one, "-o", str(folder / "first")], surroundings)
        for turn in range(arguments.turns):
            ear = cpu_seconds([sys.executable, "-c", EAR_ALONE, name], surroundings)
            spent_on.setdefault("the ear alone", []).append(ear)
            for case, command in {
                "every clip another line": [*aptone, "score", str(manifest), "-o", str(folder / f"lines{turn}")],
                f"{TAKES} clips of each line": [*aptone, "score", str(shared), "-o", str(folder / f"takes{turn}")],
                "the planner alone": [sys.executable, "-c", PLANNER_ALONE, str(manifest)],
            }.items():
                spent = cpu_seconds(command + (["--no-cache"] if "score" in command else []), surroundings)
                spent_on.setdefault(case, []).append(spent)
                ratios.setdefault(case, []).append(spent / ear)
                print(f"{case}: {spent:.1f} CPU-s, ear alone {ear:.1f} CPU-s, {spent / ear:.2f} times", flush=True)
        colds = [cpu_seconds(one, surroundings) for _ in range(max(5, arguments.turns))]
    cold = statistics.median(colds)
    shares = {case: round(statistics.median(values) / arguments.clips * 1e3, 2) for case, values in spent_on.items()}
    medians = {case: round(statistics.median(values), 3) for case, values in ratios.items()}
    print(f"times the ear alone: {medians} (goal {GOAL_RATIO})")
    print(f"CPU milliseconds a clip: {shares}")
    print(f"cold first verdict: {cold:.2f} CPU-s (goal {GOAL_COLD})")
    result = {
        "python": platform.python_version(),
        "aptone": version("aptone"),
        "clips": arguments.clips,
        "times the ear alone": medians,
        "CPU milliseconds a clip": shares,
        "all turns": {case: [round(value, 3) for value in values] for case, values in ratios.items()},
        "cold first verdict, CPU seconds": round(cold, 2),
        "goals": {"times the ear alone": GOAL_RATIO, "cold first verdict, CPU seconds": GOAL_COLD},
    }
    RESULTS.write_text(json.dumps(with_revisions(result, "ear", "planner", "judge"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
